//! Simulations through the command line: one result on every engine, over every transport; wrong input; sudden ends.

mod common;

use common::{fail, folder, fourstamp, run, succeed, text};
use record::{Field, Kind, Run, State};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SMALL: [&str; 3] = [
    "ping --stop 200",
    "phold --objects 64 --remote 0.5 --cutoff 40",
    "warpnet --network-nodes 40 --packets-per-node 2",
];

/// A figure of the table that a run prints.
fn figure(out: &str, name: &str) -> String {
    let line = out.lines().find(|line| line.trim_start().starts_with(name));
    let line = line.unwrap_or_else(|| panic!("no {name} in\n{out}"));
    line.trim_start()[name.len()..].split_whitespace().next().unwrap_or_default().to_string()
}

fn digests(out: &str) -> [String; 3] {
    ["events", "trace digest", "state digest"].map(|name| figure(out, name))
}

#[test]
fn every_engine_and_transport_comes_to_the_same() {
    let folder = folder();
    for model in SMALL {
        let expected = digests(&succeed(folder.path(), &format!("warp {model} --seq")));
        for nodes in ["-n 1", "-n 2", "-n 3", "-n 4", "-n 2 --transport shm", "-n 3 --transport tcp"] {
            if model.starts_with("ping") && !nodes.starts_with("-n 1") && !nodes.starts_with("-n 2") {
                continue;
            }
            let out = succeed(folder.path(), &format!("warp {model} {nodes} --check"));
            assert_eq!(digests(&out), expected, "{model} {nodes}");
            assert!(out.contains("equal to the sequential run"), "{out}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 0, "nothing was asked to be kept");
}

#[test]
fn engine_options_change_no_result() {
    let folder = folder();
    let model = SMALL[1];
    let expected = digests(&succeed(folder.path(), &format!("warp {model} --seq")));
    for options in [
        "--cancellation aggressive --gvt-interval 1ms --gvt-events 100",
        "--memory 1M --throttle window:2 --placement round-robin",
        "--max-acks 4 --max-neg-acks 10 --penalty 2 --reward 1",
        "--undo records --undo-check --wait polling",
        "--undo snapshots:4 --throttle 4 --no-sendback --topology hypercube",
    ] {
        let out = succeed(folder.path(), &format!("warp {model} {options} --transport shm"));
        assert_eq!(digests(&out), expected, "{options}");
    }
}

#[test]
fn golden_counts_and_trace_of_warpnet() {
    let Some(golden) = golden() else { return };
    let folder = folder();
    let data = golden.join("data");
    let read =
        |path: PathBuf| std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let (counts, head) = (
        read(golden.join("golden/warpnet_cutoff250.csv")),
        read(golden.join("golden/warpnet_trace_head.csv")),
    );
    for engine in ["--seq", "-n 2", "-n 3 --transport shm", "-n 2 --transport tcp"] {
        let all = format!("warp warpnet --data {} {engine}", data.display());
        succeed(folder.path(), &format!("{all} --cutoff 250 --counts counts.csv"));
        assert_eq!(read(folder.path().join("counts.csv")), counts, "{engine}");
        let out = succeed(folder.path(), &format!("{all} --trace trace.csv"));
        let trace = read(folder.path().join("trace.csv"));
        let same = head.lines().zip(trace.lines()).position(|(golden, ours)| golden != ours);
        assert_eq!(same, None, "{engine}: first differing line");
        assert_eq!(trace.lines().count(), 35_028, "{engine}");
        assert_eq!(
            (figure(&out, "events"), figure(&out, "messages"), figure(&out, "final time")),
            ("35,027".into(), "45,319".into(), "936".into())
        );
    }
}

fn golden() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/twos");
    if !folder.join("golden").is_dir() {
        eprintln!("skipped: the golden files are not at {}", folder.display());
        return None;
    }
    Some(folder.canonicalize().expect("a folder that is there"))
}

#[test]
fn a_recorded_run_has_every_message_and_all_work() {
    for transport in ["thread", "shm", "tcp"] {
        let folder = folder();
        let out = succeed(
            folder.path(),
            &format!("warp phold --objects 64 --remote 0.5 --cutoff 40 --transport {transport} --out run"),
        );
        let run = Run::open(folder.path().join("run")).expect("a closed run");
        assert_eq!(run.info.state, State::Closed);
        assert!(run.info.lost.is_nothing(), "{:?}", run.info.lost);
        let rows = rows(&run);
        let count = |kind: Kind| rows.get(kind.name()).copied().unwrap_or(0);
        let result = &run.info.parameters["result"];
        let of = |name: &str| result[name].as_u64().unwrap_or_else(|| panic!("{name} in {result}"));
        assert!(count(Kind::Event) >= of("messages"), "{rows:?} {result}");
        assert_eq!(count(Kind::Execution), of("executed"), "{rows:?}");
        assert!(count(Kind::GvtRound) > 0 && count(Kind::Collection) > 0 && count(Kind::Gvt) > 0, "{rows:?}");
        assert_eq!(figure(&out, "trace digest"), result["trace_digest"].as_str().expect("a digest"));
        check_tables(&folder.path().join("run/warp"), of("events"));
        succeed(folder.path(), "report run");
        assert!(folder.path().join("run/report.html").exists());
    }
}

/// Rows by kind, with a look at every stamp and at the columns that only simulations have.
fn rows(run: &Run) -> BTreeMap<&'static str, u64> {
    let mut by_kind = BTreeMap::new();
    let mut batch = record::Batch::new();
    let fields = [
        Field::Kind,
        Field::Src,
        Field::Dst,
        Field::ReadyNs,
        Field::SentNs,
        Field::ArrivedNs,
        Field::TakenNs,
        Field::DstObject,
        Field::VirtualReceive,
    ];
    for chunk in run.chunks() {
        chunk.read(&fields, &mut batch).expect("readable");
        for row in 0..chunk.rows() {
            let at = |field| batch.column(field).at(row);
            let kind = Kind::from_code(at(Field::Kind) as u8).expect("a known kind");
            *by_kind.entry(kind.name()).or_default() += 1;
            let [ready, sent, arrived, taken] =
                [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs].map(at);
            assert!(ready != record::NULL && ready <= taken, "{kind:?} {ready} {taken}");
            let between_nodes = at(Field::Src) != at(Field::Dst);
            assert_eq!(between_nodes, sent != record::NULL && arrived != record::NULL, "{kind:?}");
            assert!(!between_nodes || (ready <= sent && sent <= taken), "{kind:?}: {ready} {sent} {taken}");
            let of_an_object = matches!(kind, Kind::Event | Kind::Anti | Kind::Execution | Kind::Rollback);
            assert!(
                !of_an_object || (at(Field::DstObject) >= 0 && at(Field::VirtualReceive) != record::NULL)
            );
        }
    }
    by_kind
}

fn check_tables(folder: &Path, events: u64) {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a table");
    let objects = read("xl_stats.csv");
    let column = objects
        .lines()
        .next()
        .expect("a heading")
        .split(',')
        .position(|name| name == "e com")
        .expect("a column");
    let committed: u64 = objects
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(column).expect("a field").parse::<u64>().expect("a number"))
        .sum();
    assert_eq!((objects.lines().count(), committed), (65, events));
    assert_eq!(read("nodes.csv").lines().count(), 3);
    assert_eq!(std::fs::read_dir(folder).expect("listed").count(), 2, "nothing else stays");
}

#[test]
fn a_sequential_run_can_be_recorded_too() {
    let folder = folder();
    succeed(folder.path(), "warp ping --stop 100 --seq --out run --counts counts.csv --trace trace.csv");
    let run = Run::open(folder.path().join("run")).expect("closed");
    assert_eq!(rows(&run).get("execution"), Some(&101));
    let counts = std::fs::read_to_string(folder.path().join("counts.csv")).expect("written");
    assert!(counts.ends_with("TOTAL,all,101,101,100,0\n"), "{counts}");
    assert_eq!(
        std::fs::read_to_string(folder.path().join("trace.csv")).expect("written").lines().count(),
        102
    );
}

#[test]
fn wrong_input_is_one_line_and_leaves_nothing() {
    let folder = folder();
    for (arguments, words) in [
        ("warp pucks", &["pucks", "ping, phold, warpnet and diary"][..]),
        ("warp ping -n 3", &["3 nodes for 2 objects"]),
        ("warp ping --stop=-1", &["stop", "-1"]),
        ("warp phold --remote 2", &["remote = 2", "0 to 1"]),
        ("warp phold --lookahead 0", &["lookahead"]),
        ("warp phold --throttle fast", &["fast", "window"]),
        ("warp phold --cutoff soon", &["soon"]),
        ("warp phold --topology hypercube -n 3 --transport shm", &["1, 2, 4, 8"]),
        ("warp warpnet --data nowhere", &["nowhere/warpnet_nodes.csv", "--data"]),
        ("warp warpnet --update-nodes 500", &["update_nodes", "137"]),
        ("warp phold --memory 10 --cutoff 10", &["budget", "--memory"]),
        ("warp ping --counts nowhere/counts.csv", &["nowhere"]),
        ("warp ping --frequency 3", &["--frequency"]),
    ] {
        let line = fail(folder.path(), arguments);
        words.iter().for_each(|word| assert!(line.contains(word), "{arguments}: {line}"));
        let from_clap = line.starts_with("error:");
        assert!(from_clap || line.lines().count() == 1, "{arguments}: {line}");
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("listed").count(),
            0,
            "{arguments} leaves nothing"
        );
    }
}

#[test]
fn a_network_with_a_missing_line_is_named_with_its_file() {
    let Some(golden) = golden() else { return };
    let folder = folder();
    for name in ["warpnet_nodes.csv", "warpnet_lines.csv"] {
        std::fs::copy(golden.join("data").join(name), folder.path().join(name)).expect("copied");
    }
    let path = folder.path().join("warpnet_lines.csv");
    let lines = std::fs::read_to_string(&path).expect("read");
    let without: Vec<&str> =
        lines.lines().enumerate().filter(|(at, _)| *at != 17).map(|(_, line)| line).collect();
    std::fs::write(&path, without.join("\n")).expect("written");
    let line = fail(folder.path(), "warp warpnet --data . --counts counts.csv");
    assert!(line.contains("warpnet_lines.csv, line 18") && line.lines().count() == 1, "{line}");
    assert!(!folder.path().join("counts.csv").exists());
}

#[test]
fn a_node_killed_in_the_middle_is_named_and_the_rest_is_kept() {
    for transport in ["shm", "tcp"] {
        let folder = folder();
        let arguments =
            format!("warp phold --cutoff 1e8 --transport {transport} --out run --counts counts.csv");
        let warp = fourstamp(folder.path(), &arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let warp = warp.expect("started");
        let sheet = folder.path().join("run/live/launch-0-node-1.json");
        wait_for("node 1 to record", || sheet.exists());
        std::thread::sleep(Duration::from_millis(1000));
        let pid =
            record::NodeSheet::parse(&std::fs::read(&sheet).expect("a sheet"), &sheet).expect("whole").pid;
        let killed = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
        assert!(killed.expect("kill runs").success());
        let output = warp.wait_with_output().expect("it ends by itself");
        let line = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(line.contains("node 1") && line.lines().count() == 1, "{line}");
        let kept = Run::open(folder.path().join("run")).expect("readable");
        assert!(kept.rows() > 1000, "{} rows", kept.rows());
        assert!(!kept.info.failures.is_empty());
        assert!(!folder.path().join("counts.csv").exists());
        assert!(run(folder.path(), "report run --terminal").status.success());
    }
}

#[test]
fn ctrl_c_says_how_far_it_was_and_keeps_what_was_recorded() {
    let folder = folder();
    let warp = fourstamp(folder.path(), "warp phold --cutoff 1e8 --transport shm --out run")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    wait_for("node 1 to record", || folder.path().join("run/live/launch-0-node-1.json").exists());
    std::thread::sleep(Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-INT", &warp.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let output = warp.wait_with_output().expect("it ends");
    let line = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert!(line.contains("stopped at virtual time") && line.contains("no result"), "{line}");
    assert!(Run::open(folder.path().join("run")).expect("closed").rows() > 1000);
}

fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
