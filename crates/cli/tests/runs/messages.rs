//! Which messages a report is about: the application's between nodes, or those that were chosen,
//! everywhere the same.

use crate::common::{fail, folder, succeed};
use clock::Ticks;
use record::{Batch, Field, Kind, RecorderOptions, Run, RunFolder, RunInfo, Stamper};
use std::collections::BTreeMap;
use std::path::Path;

/// Messages by kind, and whether within a node, counted row by row.
fn counted(run: &Path) -> BTreeMap<(Kind, bool), u64> {
    let run = Run::open(run).expect("a closed run");
    let mut counts = BTreeMap::new();
    let mut batch = Batch::new();
    for chunk in run.chunks() {
        chunk.read(&[Field::Kind, Field::Src, Field::Dst], &mut batch).expect("a sound chunk");
        for row in 0..batch.rows() {
            let at = |field| batch.column(field).at(row);
            let kind = Kind::from_code(at(Field::Kind) as u8).expect("a kind");
            if !kind.is_interval() {
                *counts.entry((kind, at(Field::Src) == at(Field::Dst))).or_default() += 1;
            }
        }
    }
    counts
}

/// Text without its line breaks, and numbers without their gaps.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `12 345` as the terminal writes it.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let (head, tail) = digits.split_at(digits.len() - 3);
    format!("{head} {tail}")
}

fn messages_line(report: &str, what: &str, taken: u64, all: u64) {
    let (taken, all) = (grouped(taken), grouped(all));
    let line = format!("Messages: {what}; {taken} of the run's {all} messages.");
    assert!(flat(report).contains(&line), "no '{line}' in\n{report}");
}

/// The `n` of a stage in the CSV of quantiles.
fn n_of(csv: &str, stage: &str) -> u64 {
    let line = csv.lines().find(|line| line.starts_with(&format!("{stage},")));
    line.map_or(0, |line| line.split(',').nth(1).expect("a field").parse().expect("a number"))
}

#[test]
fn a_simulations_report_is_about_events_between_nodes_unless_others_are_chosen() {
    let folder = folder();
    for (model, transport) in
        [("phold --objects 64 --remote 0.5 --cutoff 60", "shm"), ("ctls --corps 3", "tcp")]
    {
        let dir = folder.path().join(transport);
        succeed(
            folder.path(),
            &format!("warp {model} -n 2 --transport {transport} --out {transport}"),
        );
        let counts = counted(&dir);
        let all: u64 = counts.values().sum();
        let of = |kind, within| counts.get(&(kind, within)).copied().unwrap_or(0);
        let events = of(Kind::Event, false);
        assert!(events > 0 && events < all, "{counts:?}");
        let report = succeed(folder.path(), &format!("report {transport} --terminal"));
        messages_line(&report, "events between nodes", events, all);
        assert!(
            flat(&report).contains("Left out: ") && report.contains("--within-node"),
            "{report}"
        );
        let csv = succeed(folder.path(), &format!("report {transport} --csv"));
        for stage in ["end-to-end", "send-wait", "transit", "receive-wait"] {
            assert_eq!(n_of(&csv, stage), events, "{stage} in {csv}");
        }
        let within =
            succeed(folder.path(), &format!("report {transport} --terminal --within-node"));
        messages_line(&within, "events within a node", of(Kind::Event, true), all);
        let gvt = succeed(folder.path(), &format!("report {transport} --csv --kind gvt"));
        assert_eq!(n_of(&gvt, "end-to-end"), of(Kind::Gvt, false), "{gvt}");
        let everything = "--kind all --between-nodes --within-node";
        let csv = succeed(folder.path(), &format!("report {transport} --csv {everything}"));
        assert_eq!(n_of(&csv, "end-to-end"), all, "{csv}");
    }
}

#[test]
fn every_verb_that_reads_runs_takes_the_same_choice() {
    let folder = folder();
    let bench = "bench pingpong --transport thread --count 3000 --warm-up 0 --launches 3";
    succeed(folder.path(), &format!("{bench} --out a"));
    succeed(folder.path(), &format!("{bench} --out b"));
    let head = "Messages: replies between nodes; 9000 of the run's 18 000 messages.";
    for verb in ["report a --terminal", "explain a"] {
        let said = succeed(folder.path(), &format!("{verb} --kind reply"));
        assert!(flat(&said).contains(head), "{verb}: {said}");
    }
    let compared = succeed(folder.path(), "compare a b --kind reply --size 8");
    let line = "Messages: replies between nodes, 8 B; 9000 of the run's 18 000 messages.";
    assert!(flat(&compared).contains(line), "{compared}");
    let json = succeed(folder.path(), "compare a b --kind reply --json");
    assert!(json.contains("\"population\"") && json.contains("\"taken\": 9000"), "{json}");
    let story = succeed(folder.path(), "story a --pair 1:0 --slowest 2");
    assert_eq!(flat(&story).matches("from node 1 to node 0").count(), 2, "{story}");
    succeed(folder.path(), "export a --csv tables --pair 1:0");
    let table =
        std::fs::read_to_string(folder.path().join("tables/messages.csv")).expect("a table");
    assert_eq!(table.lines().count(), 9001, "a head and the rows of a pair");
    let quantiles =
        std::fs::read_to_string(folder.path().join("tables/quantiles.csv")).expect("a table");
    assert_eq!(n_of(&quantiles, "transit"), 9000, "{quantiles}");
}

#[test]
fn a_choice_that_leaves_nothing_says_what_there_is() {
    let folder = folder();
    let bench = "bench pingpong --transport thread --count 200 --warm-up 0 --launches 1 --out run";
    succeed(folder.path(), bench);
    for verb in [
        "report run --terminal",
        "compare run run",
        "explain run",
        "story run",
        "export run --csv tables",
    ] {
        for choice in ["--kind gvt", "--within-node", "--hops 7", "--pair 5:6", "--size 1M.."] {
            let said = fail(folder.path(), &format!("{verb} {choice}"));
            for there_is in
                ["data (200 between nodes)", "reply (200 between nodes)", "0:1, 1:0", "--size 8"]
            {
                assert!(said.contains(there_is), "{verb} {choice}: {said}");
            }
            assert_eq!(said.trim_end().lines().count(), 1, "{said}");
        }
    }
    assert!(!folder.path().join("tables").exists(), "nothing is written");
    for wrong in
        ["--kind cycle", "--hops 3..1", "--pair 0", "--size ..", "--kind data --message 0:0:1"]
    {
        let verb = if wrong.contains("message") { "story" } else { "report" };
        fail(folder.path(), &format!("{verb} run {wrong}"));
    }
}

#[test]
fn runs_on_one_page_have_names_that_tell_them_apart() {
    let folder = folder();
    for out in ["first", "second"] {
        let bench = format!(
            "bench pingpong --receive blocking --transport thread --count 200 --launches 1 --out \
            {out}"
        );
        succeed(folder.path(), &bench);
    }
    succeed(folder.path(), "report first second --out page.html");
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("the page");
    for name in ["first: pingpong over thread, blocking", "second: pingpong over thread, blocking"]
    {
        assert!(page.contains(&format!(">{name}</h2>")), "{name} is not a heading");
    }
    let csv = succeed(folder.path(), "report first second --csv");
    assert_eq!(csv.matches("run,stage,n").count(), 1, "{csv}");
    assert!(csv.contains("\nfirst,end-to-end,") && csv.contains("\nsecond,end-to-end,"), "{csv}");
}

/// A run of node 0 alone, recorded as a program of one's own would.
fn alone(path: &Path, record: impl FnOnce(&mut Stamper)) {
    let run = RunFolder::create(path, RunInfo::new("mine")).expect("a fresh folder");
    let mut node = run.stamper(0, true, RecorderOptions::default()).expect("a node");
    record(&mut node);
    node.finish().expect("its end");
    run.close().expect("a closed run");
}

#[test]
fn a_run_without_stages_says_why() {
    let folder = folder();
    alone(&folder.path().join("waiting"), |node| {
        for _ in 0..20 {
            node.log_sent(1, node.now(), node.now(), 8);
        }
    });
    let said = flat(&succeed(folder.path(), "report waiting --terminal"));
    for words in [
        "No message has all four stamps, so the time cannot be split into stages: 20 messages \
         (100 %) were sent, but no arrival is recorded; nothing tells the clock of node 1 (it \
         never joined the run, or its description is lost).",
        "20 sends without a matching receive.",
    ] {
        assert!(said.contains(words), "no '{words}' in {said}");
    }
    // Stamps that are there, but of a clock that stands three centuries off.
    alone(&folder.path().join("far"), |node| {
        for _ in 0..20 {
            node.log_sent(0, node.now(), Ticks(1 << 63), 8);
        }
    });
    let said = flat(&succeed(folder.path(), "report far --terminal"));
    let words = "20 stamps lie more than 73 years from the start of the run and count as missing";
    assert!(said.contains(words), "{said}");
}
