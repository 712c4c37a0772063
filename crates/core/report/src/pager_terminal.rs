//! A paged run on the terminal, in 80 columns.

use stats::analysis::{Analysis, Bin, PageKind, Paging};

use crate::escape;
use crate::facts::Facts;
use crate::format::{count, part, plain, size, time};
use crate::pager::{about, fault_times, faults, phases, transfers};
use crate::pager_facts::{Paged, PagerFacts};
use crate::pager_seconds::{PagedPart, PagedSeconds};
use crate::terminal::{sparkline, wrapped};

/// Events that are shown; a page lists all.
const EVENTS_AT_MOST: usize = 12;

/// The figures; `None` where the run was not paged.
pub(crate) fn block(facts: &Facts, analysis: &Analysis, width: usize) -> Option<String> {
    let pager = facts.pager.as_ref()?;
    let process = pager.main()?;
    let budget = plain(&size(pager.local_bytes));
    let mut text =
        format!("Paging ({}, {budget} of local memory)\n", escape::terminal(&pager.policy));
    text.push_str(&seconds(&process.seconds));
    text.push_str(&wrapped(&about(process, pager), width));
    text.push('\n');
    text.push_str(&pairs(&transfers(process)));
    text.push('\n');
    text.push_str(&fault_table(process));
    text.push('\n');
    text.push_str(&predictions(pager, process));
    if let Some(paging) = &analysis.paging {
        text.push('\n');
        text.push_str(&along(paging, pager, width));
    }
    text.push_str(&events(process, width));
    Some(text)
}

/// Two parts of the time a line.
fn seconds(seconds: &PagedSeconds) -> String {
    let whole = seconds.elapsed.max(f64::MIN_POSITIVE);
    let cell = |PagedPart { name, seconds: s, .. }: &PagedPart| {
        let line =
            format!("  {:<18}{:>8} {:>11}", name.to_lowercase(), time(s * 1e9), part(s / whole));
        plain(&line)
    };
    lines_of_two(&seconds.shown().iter().map(cell).collect::<Vec<_>>())
}

/// Two names with their values a line.
fn pairs(cells: &[(&str, String)]) -> String {
    let cell = |(name, value): &(&str, String)| format!("  {name:<18}{:>8}{:12}", plain(value), "");
    lines_of_two(&cells.iter().map(cell).collect::<Vec<_>>())
}

fn lines_of_two(cells: &[String]) -> String {
    cells.chunks(2).map(|two| format!("{}\n", two.concat().trim_end())).collect()
}

fn fault_table(process: &Paged) -> String {
    let line = |name: &str, number: &str, [p50, p99, longest]: [&str; 3]| {
        plain(&format!("  {name:<25}{number:>10}{p50:>12}{p99:>12}{longest:>12}\n"))
    };
    let mut text = line("fault", "number", ["p50", "p99", "longest"]);
    for (name, number, times) in faults(process) {
        let [p50, p99, longest, _] = fault_times(number, times);
        text.push_str(&line(name, &count(number), [&p50, &p99, &longest]));
    }
    text
}

fn predictions(pager: &PagerFacts, process: &Paged) -> String {
    let line = |name: &str, s: f64| {
        plain(&format!("  {:<40}{:>9}\n", escape::terminal(name), time(s * 1e9)))
    };
    let mut text = line("elapsed time, measured", process.seconds.elapsed);
    for foretold in &pager.predictions {
        text.push_str(&line(&format!("predicted, {}", foretold.network), foretold.seconds));
    }
    text
}

/// The phases of the run in words, and as a line for each way.
fn along(paging: &Paging, pager: &PagerFacts, width: usize) -> String {
    let mut text = wrapped(&plain(&phases(paging, pager)), width);
    for (kind, head) in [(PageKind::Out, "Page-outs"), (PageKind::In, "Page-ins")] {
        let bin = |bin: &stats::analysis::PagingBin| Bin {
            from: bin.from_ns as f64,
            to: bin.to_ns as f64,
            count: bin.pages_per_s[kind as usize] as u64,
        };
        let bins: Vec<Bin> = paging.series.iter().map(bin).collect();
        if bins.len() > 1 && bins.iter().any(|bin| bin.count > 0) {
            text.push_str(&sparkline(head, &bins, width));
        }
    }
    text
}

/// What happened, a paragraph each.
fn events(process: &Paged, width: usize) -> String {
    let said = |event: &crate::pager_facts::PagerEvent| {
        let text =
            format!("at {}: {}", plain(&time(event.at_s * 1e9)), escape::terminal(&event.what));
        wrapped(&text, width - 2).lines().map(|line| format!("  {line}\n")).collect::<String>()
    };
    let mut text: String = process.events.iter().take(EVENTS_AT_MOST).map(said).collect();
    if let Some(more) = process.events.len().checked_sub(EVENTS_AT_MOST).filter(|more| *more > 0) {
        text.push_str(&format!("  and {more} more events\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pager_facts::PagerEvent;
    use serde_json::json;

    fn pager() -> PagerFacts {
        PagerFacts::of(Some(&json!({
            "policy": "parity-log", "local_bytes": 64 << 20,
            "processes": [{"seconds": {"elapsed": 130.76, "user": 66.138, "system": 3.133, "init": 0.01, "handling": 8.723, "network": 52.556},
                "faults": {"hard": 2055}, "fault_ns": {"hard": {"p50": 25000.0, "p99": 130000.0, "max": 2e6, "mean": 3e4}},
                "page_outs": 2718, "page_ins": 2055, "transfers": 5452, "events": [{"at_s": 3.25, "what": "server 2 is down\u{1b}[2J"}]}],
        })))
        .unwrap()
    }

    fn shown(pager: &PagerFacts) -> String {
        let process = pager.main().unwrap();
        seconds(&process.seconds)
            + &pairs(&transfers(process))
            + &fault_table(process)
            + &predictions(pager, process)
            + &events(process, 80)
    }

    #[test]
    fn all_is_shown_in_columns_and_nothing_is_obeyed() {
        let text = shown(&pager());
        for wanted in
            ["52.6 s        40 %", "2718", "130 µs", "at 3.25 s: server 2 is down", "measured"]
        {
            assert!(text.contains(wanted), "{wanted} in {text}");
        }
        assert!(
            !text.contains('\u{1b}') && text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        let ends: Vec<usize> =
            seconds(&pager().main().unwrap().seconds).lines().map(|l| l.chars().count()).collect();
        assert_eq!(ends.len(), 3, "only parts that there are: {text}");
        assert!(ends.iter().all(|end| *end == ends[0]), "figures line up: {text}");
    }

    #[test]
    fn many_events_are_cut_and_counted() {
        let mut pager = pager();
        pager.processes[0].events = vec![PagerEvent { at_s: 1.0, what: "word ".repeat(40) }; 15];
        let text = events(&pager.processes[0], 80);
        assert!(text.ends_with("  and 3 more events\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
