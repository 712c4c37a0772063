//! What the benchmark prints: every contestant's launches, and the figures with their verdicts.

use super::contest::Launches;
use super::contestants::Skipped;
use super::estimate::median;
use super::figures::{Bound, Figure, Number, Verdict};
use super::output::Output;

/// How to print.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub csv: bool,
    pub markdown: bool,
}

/// A line a contestant: medians over launches, and how far apart the launches are. As CSV, a line a
/// launch.
pub fn contestants(results: &[Launches], skipped: &Skipped, style: Style) -> String {
    if style.csv {
        return launches_csv(results);
    }
    let mut rows = vec![
        ["", "launches", "median", "least – most of a launch", "p99", "p99.9", "sleeps"]
            .map(str::to_owned)
            .to_vec(),
    ];
    rows.extend(results.iter().map(contestant_row));
    let mut text = table(&rows, style.markdown);
    for (name, why) in skipped {
        text += &format!("{}{name}: skipped: {why}\n", if style.markdown { "\n" } else { "" });
    }
    text
}

/// A line a figure.
pub fn figures(figures: &[&Figure], results: &[Launches], seed: u64, style: Style) -> String {
    let mut rows =
        vec![["", "measured", "95 % interval", "promised", ""].map(str::to_owned).to_vec()];
    rows.extend(figures.iter().map(|figure| figure_row(figure, results, seed)));
    table(&rows, style.markdown)
}

fn contestant_row(launches: &Launches) -> Vec<String> {
    let shown = shown_number(launches);
    let values: Vec<f64> = launches.numbers(shown).into_iter().flatten().collect();
    let least = values.iter().copied().reduce(f64::min);
    let most = values.iter().copied().reduce(f64::max);
    let range = least.zip(most).map(|(a, b)| format!("{} – {}", show(shown, a), show(shown, b)));
    let middle = median(values.clone()).map(|value| show(shown, value));
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".into());
    let tail = |column| {
        or_dash(cycle_median(launches, column).map(|value| show(Number::RoundTripNs, value)))
    };
    let (p99, p999) = (tail("p99_ns"), tail("p99.9_ns"));
    let sleeps = median(launches.numbers(Number::Sleeps).into_iter().flatten().collect());
    let sleeps = or_dash(sleeps.map(|value| show(Number::Sleeps, value)));
    let ran = format!("{} of {}", values.len(), launches.rounds.len());
    vec![launches.name.into(), ran, or_dash(middle), or_dash(range), p99, p999, sleeps]
}

/// The number that a contestant is about.
fn shown_number(launches: &Launches) -> Number {
    let printed =
        |column| launches.rounds.iter().flatten().any(|output| output.get(None, column).is_some());
    match () {
        () if cycle_median(launches, "p50_ns").is_some() => Number::RoundTripNs,
        () if printed("call_ns") => Number::CallNs,
        () if printed("bytes_per_message") => Number::BytesPerMessage,
        () if printed("events_per_s") => Number::EventsPerSecond,
        () if printed("messages_per_s") => Number::MessagesPerSecond,
        () if printed("ratio") => Number::Ratio,
        () if printed("error") => Number::PredictionError,
        () if printed("bytes_per_s") => Number::BytesPerSecond,
        () if printed("wall_s") => Number::WallSeconds,
        () if printed("paged_s") => Number::PagedSeconds,
        () if printed("p50_ns") => Number::FaultP50Ns,
        () => Number::WallSeconds,
    }
}

fn cycle_median(launches: &Launches, column: &str) -> Option<f64> {
    let cycle = |output: &Output| output.get(Some("cycle"), column);
    median(launches.rounds.iter().flatten().filter_map(cycle).collect())
}

fn show(number: Number, value: f64) -> String {
    match number {
        Number::RoundTripNs if value >= 10_000.0 => format!("{:.1} µs", value / 1000.0),
        Number::RoundTripNs => format!("{value:.0} ns"),
        Number::MessagesPerSecond | Number::EventsPerSecond => format!("{:.2} M/s", value / 1e6),
        Number::WallSeconds => format!("{value:.2} s"),
        Number::Sleeps => format!("{value:.0}"),
        Number::CallNs => format!("{value:.1} ns"),
        Number::BytesPerMessage => format!("{value:.1} B"),
        Number::PeakGib => format!("{value:.2} GiB"),
        Number::FaultP50Ns | Number::FaultP99Ns => format!("{:.1} µs", value / 1000.0),
        Number::BytesPerSecond => format!("{:.2} GB/s", value / 1e9),
        Number::Transfers => format!("{value:.0}"),
        Number::PagedSeconds => format!("{value:.2} s"),
        Number::Ratio => format!("{value:.3}×"),
        Number::PredictionError => format!("{:.1} %", value * 100.0),
    }
}

fn figure_row(figure: &Figure, results: &[Launches], seed: u64) -> Vec<String> {
    let (sign, bound) = match figure.bound {
        Bound::AtMost(bound) => ("≤", bound),
        Bound::AtLeast(bound) => ("≥", bound),
    };
    let promised = format!("{sign} {}", figure.show(bound));
    let Some(estimate) = figure.estimate(&paired(figure, figure.number, results), seed) else {
        return vec![figure.what.into(), "–".into(), "–".into(), promised, "skipped".into()];
    };
    let verdict = match figure.verdict(estimate, &paired(figure, Number::Sleeps, results)) {
        Verdict::Met => "met",
        Verdict::Missed => "missed",
        Verdict::Undecided if estimate.interval.is_none() => "undecided: too few rounds",
        Verdict::Undecided => "undecided",
        Verdict::NotAlike => "not alike",
    };
    let interval = estimate.interval.map_or_else(
        || "–".into(),
        |(low, high)| format!("{} – {}", figure.show(low), figure.show(high)),
    );
    vec![figure.what.into(), figure.show(estimate.value), interval, promised, verdict.into()]
}

/// The rounds in which both contestants came through.
fn paired(figure: &Figure, number: Number, results: &[Launches]) -> Vec<(f64, f64)> {
    let numbers = |name| {
        let launches = results.iter().find(|launches| launches.name == name);
        launches.map(|launches| launches.numbers(number)).unwrap_or_default()
    };
    numbers(figure.ours)
        .into_iter()
        .zip(numbers(figure.peer))
        .filter_map(|(a, b)| a.zip(b))
        .collect()
}

fn launches_csv(results: &[Launches]) -> String {
    let mut text =
        String::from("contestant,launch,p50_ns,p99_ns,p99.9_ns,messages_per_s,wall_s,peak_kib\n");
    for launches in results {
        for (round, output) in launches.rounds.iter().enumerate() {
            let get =
                |row, column| output.as_ref().and_then(|output: &Output| output.get(row, column));
            let cycle = ["p50_ns", "p99_ns", "p99.9_ns"].map(|column| get(Some("cycle"), column));
            let rest = ["messages_per_s", "wall_s", "peak_kib"].map(|column| get(None, column));
            let cells =
                cycle.into_iter().chain(rest).map(|v| v.map_or(String::new(), |v| v.to_string()));
            text +=
                &format!("\"{}\",{round},{}\n", launches.name, cells.collect::<Vec<_>>().join(","));
        }
    }
    text
}

/// Columns that line up; the first to the left, the others to the right. The first row is the head.
fn table(rows: &[Vec<String>], markdown: bool) -> String {
    let widths: Vec<usize> = (0..rows[0].len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(
                |(i, (cell, &width))| {
                    if i == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                },
            )
            .collect();
        if markdown {
            text += &format!("| {} |\n", cells.join(" | "));
        } else {
            text += &format!("{}\n", cells.join("  ").trim_end());
        }
        if number == 0 && markdown {
            text += &format!("|---{}|\n", "|--:".repeat(widths.len() - 1));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launches(name: &'static str, p50: &[f64]) -> Launches {
        let output = |p50| Some(Output::parse(&format!("stage,p50_ns,p99_ns\ncycle,{p50},900\n")));
        Launches { name, rounds: p50.iter().map(output).collect() }
    }

    const PLAIN: Style = Style { csv: false, markdown: false };

    #[test]
    fn a_contestant_shows_its_launches() {
        let text = contestants(
            &[launches("shm", &[200.0, 700.0, 210.0])],
            &vec![("Open MPI", "no mpicc".into())],
            PLAIN,
        );
        assert!(
            text.contains("shm") && text.contains("210 ns") && text.contains("200 ns – 700 ns"),
            "{text}"
        );
        assert!(text.ends_with("Open MPI: skipped: no mpicc\n"), "{text}");
    }

    #[test]
    fn a_figure_is_met_missed_or_skipped() {
        let chosen = super::super::figures::choose(
            &["floor".into(), "mpi".into(), "recording".into()],
            false,
        )
        .unwrap();
        let results = [
            launches("shm", &[300.0; 4]),
            launches("cache line", &[200.0; 4]),
            launches("Open MPI", &[200.0; 4]),
        ];
        let text = figures(&chosen, &results, 1, Style { markdown: true, ..PLAIN });
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[1], "|---|--:|--:|--:|--:|");
        assert!(
            lines[2].contains("1.50×") && lines[2].trim_end_matches([' ', '|']).ends_with("met"),
            "{text}"
        );
        assert!(lines[3].contains("missed"), "{text}");
        assert!(lines[4].contains("skipped") && lines[4].contains("≤ 60 ns"), "{text}");
    }

    #[test]
    fn csv_has_a_line_a_launch() {
        let text = contestants(
            &[launches("tcp, polling", &[1.0, 2.0])],
            &Skipped::new(),
            Style { csv: true, ..PLAIN },
        );
        assert_eq!(text.lines().nth(2), Some("\"tcp, polling\",1,2,900,,,,"));
    }
}
