//! A paged run in a few sentences and tables, for the page and the terminal.

use crate::escape;
use crate::escape::html;
use crate::facts::Facts;
use crate::format::{NONE, count, part, plain, size, time};
use crate::pager_facts::{FaultTime, PageServer, Paged, PagedSeconds, PagerFacts};
use crate::tables::wrap;

/// The run in a sentence; `None` where it was not paged.
pub(crate) fn sentence(facts: &Facts) -> Option<String> {
    let process = facts.pager.as_ref()?.main()?;
    let seconds = &process.seconds;
    let whole = seconds.sum();
    if whole <= 0.0 {
        return None;
    }
    let waited = (seconds.blocked_bytes + seconds.blocked_fixed) / whole;
    Some(format!(
        "The program ran for {}: {} its own work, {} paging's work, {} waiting for pages.",
        time(seconds.elapsed * 1e9),
        part((seconds.user + seconds.system + seconds.init) / whole),
        part(seconds.protocol / whole),
        part(waited)
    ))
}

/// Seconds of each part as a table of HTML.
pub(crate) fn seconds_table(seconds: &PagedSeconds) -> String {
    let whole = seconds.sum().max(f64::MIN_POSITIVE);
    let row = |(name, class, s): (&str, &str, f64)| {
        format!(
            "<tr><th scope=row><span class=\"swatch {class}\"></span>{name}<td>{}<td>{}",
            time(s * 1e9),
            part(s / whole)
        )
    };
    let rows: String = seconds.parts().into_iter().map(row).collect();
    wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Part<th scope=col>Time<th scope=col>Of all<tbody>{rows}</table>"
    ))
}

/// What is foretold for other networks.
pub(crate) fn predictions_table(facts: &PagerFacts) -> String {
    if facts.predictions.is_empty() {
        return String::new();
    }
    let row = |(network, seconds): (&str, f64)| {
        format!("<tr><th scope=row>{}<td>{}", html(network), time(seconds * 1e9))
    };
    let rows: String =
        facts.predictions.iter().map(|foretold| row((&foretold.network, foretold.seconds))).collect();
    format!(
        "<h4>On another network, as predicted</h4>{}",
        wrap(&format!(
            "<table class=figures><thead><tr><th scope=col>Network<th scope=col>Elapsed<tbody>{rows}</table>"
        ))
    )
}

/// Kind, number and times of faults.
pub(crate) fn faults(process: &Paged) -> [(&'static str, u64, FaultTime); 3] {
    [
        ("fetched (hard)", process.faults.hard, process.fault_ns.hard),
        ("here, or coming (soft)", process.faults.soft, process.fault_ns.soft),
        ("first touch (zero)", process.faults.zero, process.fault_ns.zero),
    ]
}

/// Faults by kind as a table of HTML.
pub(crate) fn faults_table(process: &Paged) -> String {
    let row = |(name, number, times): (&str, u64, FaultTime)| {
        let cells: String = fault_times(number, times).iter().map(|text| format!("<td>{text}")).collect();
        format!("<tr><th scope=row>{name}<td>{}{cells}", count(number))
    };
    let rows: String = faults(process).into_iter().map(row).collect();
    wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Fault<th scope=col>Number<th scope=col>p50<th scope=col>p99<th \
         scope=col>Longest<th scope=col>Mean<tbody>{rows}</table>"
    ))
}

fn fault_times(number: u64, times: FaultTime) -> [String; 4] {
    let shown = |ns: f64| if number == 0 { NONE.to_owned() } else { time(ns) };
    [times.p50, times.p99, times.max, times.mean].map(shown)
}

/// Name and value of what a process moved.
pub(crate) fn transfers(process: &Paged) -> Vec<(&'static str, String)> {
    let efficiency = process.prefetch_efficiency().map_or_else(|| NONE.to_owned(), part);
    vec![
        ("page-outs", count(process.page_outs)),
        ("page-ins", count(process.page_ins)),
        ("parity", count(process.parity)),
        ("all transfers", count(process.transfers)),
        ("moved for safety", count(process.moves)),
        ("left unchanged", count(process.clean_evictions)),
        ("prefetched", count(process.prefetch.pages)),
        ("windows wanted", efficiency),
    ]
}

/// Servers and what they held at the end.
pub(crate) fn servers_table(servers: &[PageServer]) -> String {
    let row = |(number, server): (usize, &PageServer)| {
        format!(
            "<tr><th scope=row>{number}<td>{}<td>{}<td>{}<td>{}",
            html(&server.address),
            html(&server.role),
            html(&server.state),
            count(server.pages)
        )
    };
    let rows: String = servers.iter().enumerate().map(row).collect();
    wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Server<th scope=col>Address<th scope=col>Role<th scope=col>At the \
         end<th scope=col>Pages<tbody>{rows}</table>"
    ))
}

/// The figures for 80 columns.
pub(crate) fn terminal_block(facts: &Facts) -> Option<String> {
    let pager = facts.pager.as_ref()?;
    let process = pager.main()?;
    let budget = plain(&size(pager.local_bytes));
    let mut text = format!("Paging ({}, {budget} of local memory)\n", escape::terminal(&pager.policy));
    text.push_str(&seconds_lines(&process.seconds));
    text.push_str(&pairs(&transfers(process)));
    for (name, number, times) in faults(process) {
        let [p50, p99, longest, _] = fault_times(number, times);
        let line =
            format!("  {name:<25}{:>9}  p50 {p50:>8}  p99 {p99:>8}  max {longest:>8}\n", count(number));
        text.push_str(&plain(&line));
    }
    for prediction in &pager.predictions {
        let line = format!("  predicted for {}: {}\n", prediction.network, time(prediction.seconds * 1e9));
        text.push_str(&escape::terminal(&plain(line.trim_end())));
        text.push('\n');
    }
    for event in &process.events {
        text.push_str(&format!("  at {:.1} s: {}\n", event.at_s, escape::terminal(&event.what)));
    }
    Some(text)
}

fn seconds_lines(seconds: &PagedSeconds) -> String {
    let whole = seconds.sum().max(f64::MIN_POSITIVE);
    let cells: Vec<(&str, String)> = seconds
        .parts()
        .into_iter()
        .map(|(name, _, s)| (name, format!("{} {}", time(s * 1e9), part(s / whole))))
        .collect();
    pairs(&cells)
}

/// Two names with their values a line.
fn pairs(cells: &[(&str, String)]) -> String {
    let cell = |(name, value): &(&str, String)| format!("  {:<18}{:>16}", name.to_lowercase(), plain(value));
    cells.chunks(2).map(|two| format!("{}\n", two.iter().map(cell).collect::<Vec<_>>().join("  "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn facts() -> Facts {
        let pager = PagerFacts::of(Some(&json!({
            "policy": "parity-log", "local_bytes": 64 << 20, "servers": [{"address": "<b>", "role": "data", "state": "up", "pages": 12}],
            "processes": [{"seconds": {"elapsed": 130.76, "user": 66.138, "system": 3.133, "init": 0.21, "protocol": 8.723, "blocked_bytes": 52.556},
                "faults": {"hard": 2055}, "fault_ns": {"hard": {"p50": 25000.0, "p99": 130000.0, "max": 2e6, "mean": 3e4}},
                "page_outs": 2718, "page_ins": 2055, "transfers": 5452, "events": [{"at_s": 3.25, "what": "server 2 is down\u{1b}[2J"}]}],
        })));
        Facts { pager, ..Facts::default() }
    }

    #[test]
    fn the_sentence_says_where_the_time_went() {
        let said = plain(&sentence(&facts()).unwrap());
        assert_eq!(
            said,
            "The program ran for 131 s: 53 % its own work, 7 % paging's work, 40 % waiting for pages."
        );
        assert_eq!(sentence(&Facts::default()), None);
    }

    #[test]
    fn the_terminal_shows_all_and_obeys_nothing() {
        let text = terminal_block(&facts()).unwrap();
        for wanted in ["parity-log, 64 MiB", "52.6 s 40 %", "2718", "130 µs", "at 3.2 s: server 2 is down"] {
            assert!(text.contains(wanted), "{wanted} in {text}");
        }
        assert!(!text.contains('\u{1b}') && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn an_address_is_text() {
        assert!(servers_table(&facts().pager.unwrap().servers).contains("&lt;b&gt;"));
    }
}
