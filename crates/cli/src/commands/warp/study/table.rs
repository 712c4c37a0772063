//! What was measured: as the page shows it, as a table, and as CSV.

use comfy_table::{CellAlignment, Table, presets};
use document::time_text;
use report::{ratio_text, reason_text};
use sim_lens::{SpeedupLaunch, SpeedupRow, SpeedupStudy};
use stats::launches::{LAUNCHES_LEAST, Reason};
use stats::speedup::Estimate;
use study::{Launch, Results};
use warp::Summary;

/// All launches of one thing.
pub struct Row {
    /// Nodes; `None`: in order.
    pub nodes: Option<u16>,
    /// How objects are timed; empty where only one way is measured.
    pub timing: &'static str,
    /// What launches are told beside the model's words.
    pub words: Vec<String>,
    pub results: Results<Summary>,
}

impl Row {
    /// Nothing measured yet.
    pub fn new(nodes: Option<u16>, timing: &'static str, words: Vec<String>) -> Row {
        Row { nodes, timing, words, results: Results::default() }
    }

    /// For the names of files.
    pub fn key(&self) -> String {
        match (self.nodes, self.timing) {
            (None, _) => "sequential".into(),
            (Some(nodes), "") => format!("nodes-{nodes}"),
            (Some(nodes), timing) => format!("nodes-{nodes}-{timing}"),
        }
    }

    /// `None` where nothing was measured.
    fn shown(&self, in_order: &Results<Summary>) -> Option<SpeedupRow> {
        let seconds = |summary: &Summary| summary.seconds;
        let shown = |launch: &Launch<Summary>| SpeedupLaunch {
            begun_s: launch.begun.as_secs_f64(),
            seconds: launch.outcome.seconds,
        };
        Some(SpeedupRow {
            timing: self.timing.into(),
            nodes: self.nodes,
            launches: self.results.launches.iter().map(shown).collect(),
            seconds: self.results.typical(seconds)?,
            speedup: self.nodes.and_then(|_| in_order.ratio(&self.results, seconds)),
            event_efficiency: self.results.mean(|summary| summary.efficiency),
            rollbacks: self.results.mean(|summary| summary.rollbacks as f64),
        })
    }
}

/// All of it, with what to see in it.
pub fn study(model: &str, cores: u32, rows: &[Row]) -> SpeedupStudy {
    let nothing = Results::default();
    let in_order = rows.iter().find(|row| row.nodes.is_none()).map_or(&nothing, |row| &row.results);
    let shown: Vec<SpeedupRow> = rows.iter().filter_map(|row| row.shown(in_order)).collect();
    let fewest = shown.iter().map(|row| row.launches.len()).min().unwrap_or(0);
    let noun = if cores == 1 { "core" } else { "cores" };
    let mut sentences = vec![format!(
        "This machine has {cores} {noun}: beyond as many nodes no further speed-up can be expected."
    )];
    if fewest < LAUNCHES_LEAST {
        sentences.push(format!(
            "Below {LAUNCHES_LEAST} launches of each there is no interval: give --launches 5."
        ));
    }
    let failed = |row: &Row| {
        Some(format!("{}: a launch failed: {}", row.key(), row.results.failures.last()?.why))
    };
    SpeedupStudy {
        title: format!("{model} · speed-up study · Fourstamp"),
        finding: finding(model, &shown),
        sentences,
        cores,
        rows: shown,
        remarks: rows.iter().filter_map(failed).collect(),
    }
}

fn finding(model: &str, rows: &[SpeedupRow]) -> String {
    let speedups = rows.iter().filter_map(|row| Some((row, row.speedup?)));
    let Some((row, best)) = speedups.max_by(|a, b| a.1.value.total_cmp(&b.1.value)) else {
        return format!("{model} was measured in order only.");
    };
    let (on, times) = (row.name(), ratio_text(best.value));
    let between =
        |(low, high): (f64, f64)| format!(" (95 %: {} to {})", ratio_text(low), ratio_text(high));
    match best.interval {
        Ok(interval) if interval.0 > 1.0 => {
            format!("{model} is fastest on {on}: {times} as fast as in order{}.", between(interval))
        }
        Ok(interval) if interval.1 < 1.0 => format!(
            "{model} is fastest in order; the best on nodes ({on}) is {times} as fast{}.",
            between(interval)
        ),
        undecided => {
            let why = undecided.map_or_else(reason_text, |_| reason_text(Reason::SpreadTooWide));
            format!(
                "Undecided whether {model} is faster on nodes, {why}: the best of them ({on}) is \
                {times} as fast as in order{}.",
                undecided.map_or_else(|_| String::new(), between)
            )
        }
    }
}

/// For people.
pub fn text(study: &SpeedupStudy) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "",
        "launches",
        "run time",
        "95 %",
        "speed-up",
        "95 %",
        "efficiency",
        "rollbacks",
        "events that came true",
    ]);
    for row in &study.rows {
        let efficiency =
            row.efficiency().map_or("-".into(), |it| format!("{:.1} %", it.value * 100.0));
        table.add_row(vec![
            row.name(),
            row.launches.len().to_string(),
            seconds_text(row.seconds.value),
            interval(Some(row.seconds), seconds_text),
            row.speedup.map_or("-".into(), |it| ratio_text(it.value)),
            interval(row.speedup, ratio_text),
            efficiency,
            format!("{:.0}", row.rollbacks),
            format!("{:.1} %", row.event_efficiency * 100.0),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.lines().map(|line| line.trim_end().to_string()).collect::<Vec<_>>().join("\n")
}

fn seconds_text(seconds: f64) -> String {
    time_text(seconds * 1e9)
}

fn interval(estimate: Option<Estimate>, text: fn(f64) -> String) -> String {
    match estimate.map(|it| it.interval) {
        None => "-".into(),
        Some(Ok((low, high))) => format!("{} to {}", text(low), text(high)),
        Some(Err(reason)) => reason_text(reason).into(),
    }
}

/// The table for programs; what is unknown is empty.
pub fn csv(study: &SpeedupStudy) -> String {
    let mut text = "engine,timing,nodes,launches,seconds,seconds_low,seconds_high,speedup,\
                    speedup_low,speedup_high,efficiency,efficiency_low,efficiency_high,rollbacks,\
                    event_efficiency\n"
        .to_string();
    for row in &study.rows {
        let [seconds, speedup, efficiency] =
            [Some(row.seconds), row.speedup, row.efficiency()].map(fields);
        text.push_str(&format!(
            "{},{},{},{},{seconds},{speedup},{efficiency},{:.1},{:.6}\n",
            engine(row.nodes),
            row.timing,
            row.nodes.unwrap_or(1),
            row.launches.len(),
            row.rollbacks,
            row.event_efficiency
        ));
    }
    text
}

fn fields(estimate: Option<Estimate>) -> String {
    let Some(Estimate { value, interval }) = estimate else { return ",,".into() };
    let ends = interval.map_or(",".into(), |(low, high)| format!("{low},{high}"));
    format!("{value},{ends}")
}

fn engine(nodes: Option<u16>) -> &'static str {
    if nodes.is_some() { "optimistic" } else { "sequential" }
}

/// Every launch, for programs.
pub fn launches_csv(rows: &[Row]) -> String {
    let mut text =
        "engine,timing,nodes,launch,begun_unix_s,seconds,events,messages,executed,rolled_back,\
         rollbacks,anti_messages,sendbacks,efficiency,off_node_share,gvt_rounds,memory_peak\n"
            .to_string();
    for row in rows {
        for Launch { round, begun, outcome: s } in &row.results.launches {
            let begun_s = begun.as_secs_f64();
            text.push_str(&format!(
                "{},{},{},{round},{begun_s:.3},{:.9},{},{},{},{},{},{},{},{:.6},{:.6},{},{}\n",
                engine(row.nodes),
                row.timing,
                row.nodes.unwrap_or(1),
                s.seconds,
                s.events,
                s.messages,
                s.executed,
                s.rolled_back,
                s.rollbacks,
                s.anti_messages,
                s.sendbacks,
                s.efficiency,
                s.off_node_share,
                s.gvt_rounds,
                s.memory_peak
            ));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(nodes: Option<u16>, seconds: &[f64]) -> Row {
        let summary =
            |seconds: &f64| Summary { seconds: *seconds, efficiency: 1.0, ..Summary::default() };
        Row { results: seconds.iter().map(summary).collect(), ..Row::new(nodes, "", Vec::new()) }
    }

    /// Seen: `warp study ping` said 0.000 s, 0.00× and an interval from "44 ns to 19079 s".
    #[test]
    fn two_short_launches_have_times_and_no_interval() {
        let rows = [row(None, &[30e-6, 32e-6]), row(Some(2), &[0.010, 0.083])];
        let study = study("ping", 2, &rows);
        let said = text(&study);
        for wanted in ["31.0 µs", "28.8 ms", "0.00108×", "too few launches"] {
            assert!(said.contains(wanted), "{wanted}: {said}");
        }
        assert!(!said.contains("0.000 ") && !said.contains("0.00×"), "{said}");
        assert!(
            study
                .finding
                .starts_with("Undecided whether ping is faster on nodes, too few launches")
        );
        assert!(
            study
                .sentences
                .iter()
                .any(|said| said.contains("Below 3 launches of each there is no interval"))
        );
        let table = csv(&study);
        let cells: Vec<&str> = table.lines().nth(2).unwrap().split(',').collect();
        assert!(cells[4].starts_with("0.0288") && cells[5..7] == ["", ""], "{table}");
        assert!(cells[7].starts_with("0.00107") && cells[8..10] == ["", ""], "{table}");
    }

    #[test]
    fn what_the_interval_decides_is_said() {
        let of = |nodes: &[f64]| {
            study("m", 2, &[row(None, &[1.0, 1.01, 0.99]), row(Some(2), nodes)]).finding
        };
        assert!(
            of(&[0.5, 0.51, 0.49])
                .starts_with("m is fastest on 2 nodes: 2.00× as fast as in order (95 %: ")
        );
        assert!(
            of(&[8.0, 8.1, 7.9]).starts_with(
                "m is fastest in order; the best on nodes (2 nodes) is 0.125× as fast"
            )
        );
        assert!(
            of(&[0.8, 1.2, 1.0])
                .starts_with("Undecided whether m is faster on nodes, spread too wide: ")
        );
    }
}
