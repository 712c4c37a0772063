//! A paged run in a few sentences and tables.

use stats::analysis::Analysis;

use crate::found::{PageKind, PageTransfers, Paging};
use crate::parts::{LEAST, about_other, colour, shown};
use crate::prediction::is_here;
use document::{Cell, Column, NONE, Row, Table, byte_rate, count, counted, part, size, time};
use pager_facts::{FaultTime, Happened, PageServer, Paged, PagedPart, PagedSeconds, PagerFacts};

/// The run in a sentence; `None` where no process left its figures.
pub(crate) fn sentence(pager: &PagerFacts) -> Option<String> {
    let process = pager.main()?;
    let seconds = &process.seconds;
    if seconds.elapsed <= 0.0 {
        return None;
    }
    let parts = [
        (seconds.user + seconds.system, "its own work"),
        (seconds.init, "before its first paged memory"),
        (seconds.handling, "fault handling"),
        (seconds.waiting(), "waiting for pages"),
        (seconds.queue.unwrap_or(0.0), "without a processor"),
        (seconds.other, "other"),
    ];
    let said: Vec<String> = parts
        .iter()
        .map(|(s, what)| (s / seconds.elapsed, what))
        .filter(|(of, _)| *of >= LEAST)
        .map(|(of, what)| format!("{} {what}", part(of)))
        .collect();
    let elapsed = time(seconds.elapsed * 1e9);
    let until = match (process.finished, process.was_paged()) {
        (Some(false), paged) => {
            let none = if paged { "" } else { ", and had transferred no page by then" };
            format!(
                "The end of the program was not recorded, and its last part may be missing. It \
                ran for at least {elapsed}{none}"
            )
        }
        (_, true) => format!("The program ran for {elapsed}"),
        (_, false) => format!("No page was transferred. The program ran for {elapsed}"),
    };
    Some(format!("{until}: {}.", said.join(", ")))
}

/// What was lost, or was not as it should have been, one line each.
pub(crate) fn warnings(pager: &PagerFacts) -> Vec<String> {
    pager.processes.iter().flat_map(warnings_of).collect()
}

fn warnings_of(process: &Paged) -> impl Iterator<Item = String> + use<> {
    let pid = process.pid;
    let some = |number: u64, what: &str| (number > 0).then(|| counted(number, what));
    let lost = some(process.lost_pages.len() as u64, "page").map(|pages| {
        let cause = process.failures();
        format!("Process {pid} lost the contents of {pages}: {cause}.")
    });
    let unprotected = some(process.unprotected_groups, "group").map(|groups| {
        format!(
            "{groups} of pages of process {pid} had no second copy or parity at the end, because \
            no place was left for it: the loss of one more server would have lost pages."
        )
    });
    let missing = some(process.anomalies, "page").map(|pages| {
        format!(
            "Process {pid}: {pages} not found as the pager left them; a system call that it does \
            not see removed them."
        )
    });
    [lost, unprotected, missing].into_iter().flatten()
}

/// What is to be said of the parts, and of what is predicted.
pub(crate) fn about(process: &Paged, pager: &PagerFacts) -> String {
    let predicted = match (process.was_paged(), &pager.predictions[..]) {
        (false, _) if process.finished == Some(false) => {
            "The program's end was not recorded, so nothing is predicted for another network or \
            for more memory."
        }
        (false, _) => {
            "No page was transferred, so there is nothing to predict for another network or for \
            more memory."
        }
        (true, []) => "",
        (true, [_]) if is_here(pager) => {
            "The servers are on this machine, so that no link's rate is known, and nothing is \
            predicted for another network."
        }
        (true, [_]) => "No page crossed a network, so there is nothing to predict for another one.",
        (true, _) => {
            "A faster network shortens the bytes' share of network; memory enough takes away fault \
            handling, network, server and disk."
        }
    };
    let one_of = one_of_several(process, pager);
    let said = [one_of.as_deref(), Some(predicted), about_other(&process.seconds)];
    said.into_iter().flatten().filter(|said| !said.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Which process the figures are of, where there are others.
fn one_of_several(process: &Paged, pager: &PagerFacts) -> Option<String> {
    let Paged { pid, program, .. } = process;
    let many = pager.processes.len();
    (many > 1).then(|| {
        format!(
            "The figures are of process {pid} ({program}), which of {many} processes transferred \
             most pages."
        )
    })
}

/// When pages went which way and how fast, and when servers were lost or joined, in words.
pub(crate) fn phases(paging: &Paging, pager: &PagerFacts) -> String {
    let of = |kind| paging.kinds.iter().find(|of| of.kind == kind);
    let span = |of: &PageTransfers| {
        let [from, to] = [of.from_ns, of.to_ns].map(|ns| time(ns as f64));
        format!("from {from} to {to}, at {}", byte_rate(of.bytes_per_s))
    };
    let mut said = match (of(PageKind::Out), of(PageKind::In)) {
        (Some(out), Some(back)) => {
            format!("Page-outs last {}; page-ins {}{}.", span(out), span(back), order(out, back))
        }
        (Some(out), None) => format!("Page-outs last {}; no page was read back.", span(out)),
        (None, Some(back)) => format!("Page-ins last {}.", span(back)),
        (None, None) => "Only parity travelled.".to_owned(),
    };
    let lost = |what: &Happened| matches!(what, Happened::ServerDown { .. });
    let joined = |what: &Happened| matches!(what, Happened::ServerJoined { .. });
    said.push_str(&moments(pager, lost, "was lost", "were lost"));
    said.push_str(&moments(pager, joined, "joined", "joined"));
    said
}

/// Whether one way comes after the other, or both go on at once.
fn order(out: &PageTransfers, back: &PageTransfers) -> &'static str {
    let length = |of: &PageTransfers| (of.to_ns - of.from_ns) as f64;
    let both = (out.to_ns.min(back.to_ns) - out.from_ns.max(back.from_ns)) as f64;
    match both / length(out).min(length(back)).max(1.0) {
        part if part < 0.1 && out.from_ns < back.from_ns => {
            ": first pages leave, then they come back"
        }
        _ if both > 0.8 * length(out).max(length(back)) => ": both go on all the time",
        _ => "",
    }
}

/// ` A server was lost at 1.53 s.`
fn moments(pager: &PagerFacts, of: fn(&Happened) -> bool, one: &str, several: &str) -> String {
    let times: Vec<String> = pager
        .events()
        .filter(|event| of(&event.what))
        .map(|event| time(event.at_s * 1e9))
        .collect();
    match &times[..] {
        [] => String::new(),
        [at] => format!(" A server {one} at {at}."),
        [first, .., last] => format!(" {} servers {several}, from {first} to {last}.", times.len()),
    }
}

/// Seconds of each part.
pub(crate) fn seconds_table(seconds: &PagedSeconds) -> Table {
    let columns = [
        Column::text("part", "Part"),
        Column::time("time", "Time"),
        Column::share("share", "Of all"),
    ];
    let whole = seconds.elapsed.max(f64::MIN_POSITIVE);
    let row = |one: PagedPart| -> Row {
        let name = Cell::new(one.name).coloured(colour(&one));
        vec![name, (one.seconds * 1e9).into(), (one.seconds / whole).into()].into()
    };
    let note = "User and system are the program's own work; network, server and disk are waiting \
        for pages; the run queue is without a processor.";
    let table = Table::new("paged-time", columns).noted(Some(note.to_owned()));
    table.with(shown(seconds).into_iter().map(row))
}

/// What is predicted for other networks, after what was measured.
pub(crate) fn predictions_table(pager: &PagerFacts, process: &Paged) -> Option<Table> {
    let columns = [Column::text("network", "Network"), Column::time("elapsed", "Elapsed")];
    let row = |network: &str, s: f64| -> Row { vec![network.into(), (s * 1e9).into()].into() };
    let predicted = pager.predictions.iter().map(|one| row(&one.network, one.seconds));
    // Of a program whose end nobody saw, all of this is about what was seen.
    let what = if process.finished == Some(false) { "the recorded part" } else { "measured" };
    let measured = row(what, process.seconds.elapsed);
    (!pager.predictions.is_empty()).then(|| {
        Table::new("paged-predictions", columns).with(std::iter::once(measured).chain(predicted))
    })
}

/// What some of the names of [`transfers`] mean.
pub(crate) const TRANSFERS_NOTE: &str = "Moved elsewhere: put onto another server, for safety or \
for room. Not sent again: pages that left while the copy outside was still the same. All zero, not \
kept: pages that held nothing but zeros when they left. Read ahead: pages that were fetched before \
they were touched; used: the part of the requests for several pages after which the program went \
on where they ended.";

/// How many servers and transfers, for the line that says what ran.
pub(crate) fn counts(pager: &PagerFacts, analysis: &Analysis) -> [String; 4] {
    let servers = pager.servers.len() as u64;
    let servers = if servers == 0 { "no servers".to_owned() } else { counted(servers, "server") };
    [
        pager.policy.clone(),
        format!("{} of local memory", size(pager.local_bytes)),
        servers,
        counted(analysis.population.messages(), "page transfer"),
    ]
}

/// Kind, number and times of faults.
pub(crate) fn faults(process: &Paged) -> [(&'static str, u64, FaultTime); 3] {
    [
        ("fetched (hard)", process.faults.hard, process.fault_ns.hard),
        ("here, or coming (soft)", process.faults.soft, process.fault_ns.soft),
        ("all zero (zero)", process.faults.zero, process.fault_ns.zero),
    ]
}

/// Faults by kind.
pub(crate) fn faults_table(process: &Paged) -> Table {
    let columns = [
        Column::text("fault", "Fault"),
        Column::count("number", "Number"),
        Column::time("p50", "p50"),
        Column::time("p99", "p99"),
        Column::time("max", "Longest"),
        Column::time("mean", "Mean"),
    ];
    let row = |(name, number, times): (&str, u64, FaultTime)| -> Row {
        let known = |ns: f64| Cell::from((number > 0).then_some(ns));
        let times = [times.p50, times.p99, times.max, times.mean].map(known);
        let head = [name.into(), number.into()];
        head.into_iter().chain(times).collect::<Vec<Cell>>().into()
    };
    Table::new("paged-faults", columns).with(faults(process).map(row))
}

/// Name and value of what a process moved.
pub(crate) fn transfers(process: &Paged) -> Vec<(&'static str, String)> {
    let efficiency = process.prefetch_efficiency().map_or_else(|| NONE.to_owned(), part);
    vec![
        ("page-outs", count(process.page_outs)),
        ("page-ins", count(process.page_ins)),
        ("parity pages", count(process.parity)),
        ("all transfers", count(process.transfers)),
        ("moved elsewhere", count(process.moves)),
        ("not sent again", count(process.clean_evictions)),
        ("all zero, not kept", count(process.zero_evictions)),
        ("read ahead", count(process.prefetch.pages)),
        ("read-aheads used", efficiency),
        ("engine's CPU time", time(process.seconds.engine * 1e9)),
    ]
}

/// Servers and what they held at the end.
pub(crate) fn servers_table(servers: &[PageServer]) -> Table {
    let columns = [
        Column::text("server", "Server"),
        Column::text("address", "Address"),
        Column::text("role", "Role"),
        Column::text("state", "At the end"),
        Column::count("pages", "Pages"),
    ];
    let row = |(number, server): (usize, &PageServer)| -> Row {
        vec![
            Cell::from(number),
            server.address.as_str().into(),
            server.role.to_string().into(),
            server.state.to_string().into(),
            server.pages.into(),
        ]
        .into()
    };
    Table::new("page-servers", columns).with(servers.iter().enumerate().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::{Value, plain};
    use pager_facts::Prediction;
    use serde_json::json;

    fn facts() -> PagerFacts {
        serde_json::from_value(json!({
            "policy": "parity-log", "local_bytes": 64 << 20,
            "servers": [{"address": "<b>", "role": "data", "state": "up", "pages": 12}],
            "processes": [{
                "seconds": {
                    "elapsed": 130.76, "user": 66.138, "system": 3.133, "init": 0.21,
                    "handling": 8.723, "network": 42.556, "queue": 4.0,
                },
                "faults": {"hard": 2055},
                "fault_ns": {"hard": {"p50": 25000.0, "p99": 130000.0, "max": 2e6, "mean": 3e4}},
                "page_outs": 2718, "page_ins": 2055, "transfers": 5452,
                "events": [{"at_s": 3.25, "what": "server 2 is down\u{1b}[2J"}],
            }],
        }))
        .unwrap()
    }

    #[test]
    fn the_sentence_says_where_the_time_went() {
        let said = plain(&sentence(&facts()).unwrap());
        assert_eq!(
            said,
            "The program ran for 131 s: 53 % its own work, 7 % fault handling, 33 % waiting for \
            pages, 3 % without a \
             processor, 5 % other."
        );
        assert_eq!(sentence(&PagerFacts::default()), None);
    }

    /// 64 % of a program's time is nobody's work: that is no reason to blame paging.
    #[test]
    fn a_run_without_transfers_blames_nobody_and_predicts_nothing() {
        let pager: PagerFacts = serde_json::from_value(json!({
            "processes": [{
                "seconds": {"elapsed": 10.0, "user": 3.4, "system": 0.2, "queue": 0.0},
                "faults": {"zero": 900},
            }],
        }))
        .unwrap();
        let said = plain(&sentence(&pager).unwrap());
        assert_eq!(
            said,
            "No page was transferred. The program ran for 10.0 s: 36 % its own work, 64 % other."
        );
        let about = about(pager.main().unwrap(), &pager);
        assert!(about.contains("nothing to predict") && about.contains("it slept"), "{about}");
        let table = seconds_table(&pager.main().unwrap().seconds);
        let names: Vec<_> = table.rows.iter().map(|row| row.cells[0].value.clone()).collect();
        assert!(names.contains(&Value::Text("Other".to_owned())), "{names:?}");
        assert!(!names.contains(&Value::Text("Network".to_owned())), "{names:?}");
    }

    /// As a program in Go ends.
    #[test]
    fn an_end_that_nobody_saw_is_not_said_to_have_been_seen() {
        let mut facts = facts();
        facts.processes[0].finished = Some(false);
        let said = plain(&sentence(&facts).unwrap());
        assert!(
            said.contains("its last part may be missing. It ran for at least 131 s: 53 %"),
            "{said}"
        );
        facts.predictions = vec![Prediction { network: "another".to_owned(), seconds: 9.0 }];
        let table = predictions_table(&facts, facts.main().unwrap()).unwrap();
        assert_eq!(table.rows[0].cells[0].value, Value::Text("the recorded part".to_owned()));
        // What it did not get to tell of, nobody knows.
        facts.processes[0].transfers = 0;
        let said = plain(&sentence(&facts).unwrap());
        assert!(said.contains("131 s, and had transferred no page by then: 53 %"), "{said}");
        let about = about(facts.main().unwrap(), &facts);
        assert!(about.contains("end was not recorded, so nothing is predicted"), "{about}");
    }

    #[test]
    fn what_is_not_as_it_should_be_is_told() {
        let pager: PagerFacts = serde_json::from_value(json!({"policy": "mirror", "processes": [
            {"pid": 7, "lost_pages": ["0x1000"]},
            {"pid": 8, "unprotected_groups": 2, "anomalies": 3},
            {"pid": 9},
        ]}))
        .unwrap();
        let told: Vec<String> = warnings(&pager).iter().map(|line| plain(line)).collect();
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[0].starts_with("Process 7 lost the contents of 1 page:"), "{told:?}");
        let second = "2 groups of pages of process 8 had no second copy";
        assert!(told[1].starts_with(second), "{told:?}");
        assert!(told[2].starts_with("Process 8: 3 pages not found"), "{told:?}");
        assert!(about(&pager.processes[0], &pager).starts_with("The figures are of process 7"));
        let alone = facts();
        assert!(!about(&alone.processes[0], &alone).contains("process 0"));
    }
}
