//! Simulations through the command line: one result on every engine, over every transport; wrong
//! input; sudden ends.

use crate::common::{fail, folder, fourstamp, run, succeed, text};
use record::{Field, Kind, Run, State};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SMALL: [&str; 5] = [
    "ping --stop 200",
    "phold --objects 64 --remote 0.5 --cutoff 40",
    "warpnet --network-nodes 40 --packets-per-node 2",
    "stb88 --corps 2 --cutoff 9000",
    "pucks --rows 3 --columns 4 --pucks 20 --cutoff 5",
];

/// A figure of the table that a run prints.
fn figure(out: &str, name: &str) -> String {
    let line = out.lines().find(|line| line.trim_start().starts_with(name));
    let line = line.unwrap_or_else(|| panic!("no {name} in\n{out}"));
    line.trim_start()[name.len()..].split_ascii_whitespace().next().unwrap_or_default().to_string()
}

fn digests(out: &str) -> [String; 3] {
    ["events", "trace digest", "state digest"].map(|name| figure(out, name))
}

#[test]
fn every_engine_and_transport_comes_to_the_same() {
    let folder = folder();
    for model in SMALL {
        let expected = digests(&succeed(folder.path(), &format!("warp {model} --seq")));
        for nodes in
            ["-n 1", "-n 2", "-n 3", "-n 4", "-n 2 --transport shm", "-n 3 --transport tcp"]
        {
            if model.starts_with("ping") && !nodes.starts_with("-n 1") && !nodes.starts_with("-n 2")
            {
                continue;
            }
            let out = succeed(folder.path(), &format!("warp {model} {nodes} --check"));
            assert_eq!(digests(&out), expected, "{model} {nodes}");
            assert!(out.contains("Matches the sequential run"), "{out}");
        }
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("listed").count(),
        0,
        "nothing was asked to be kept"
    );
}

/// As JSON the result stands alone, whatever else the command does.
#[test]
fn a_result_is_json_for_scripts() {
    let folder = folder();
    let said = succeed(folder.path(), "warp phold --cutoff 40 --check --out run --json");
    let result: serde_json::Value = serde_json::from_str(&said).expect("JSON and nothing else");
    let table = succeed(folder.path(), "warp phold --cutoff 40");
    assert_eq!(result["trace_digest"], figure(&table, "trace digest"), "{said}");
    assert!(result["check"]["sequential_s"].as_f64().is_some_and(|s| s > 0.0), "{said}");
    let error = fail(folder.path(), "warp phold --csv --json");
    assert!(error.contains("cannot be used with"), "{error}");
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
fn load_that_is_balanced_changes_no_result_and_is_in_the_tables() {
    let folder = folder();
    let model = "phold --objects 64 --work-steps 3000 --cutoff 150";
    let expected = digests(&succeed(folder.path(), &format!("warp {model} --seq")));
    let balance = "--placement heaped --balance --balance-interval 20ms --balance-idle 1";
    for transport in ["shm", "tcp"] {
        let run = format!("warp {model} -n 3 --transport {transport} {balance} --out {transport}");
        assert_eq!(digests(&succeed(folder.path(), &run)), expected, "{transport}");
        let table = |name: &str| {
            let path = folder.path().join(transport).join("warp").join(name);
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
        };
        let moved: u64 = column(&table("xl_stats.csv"), "migr").iter().sum();
        assert_eq!(table("migrations.csv").lines().count() as u64 - 1, moved, "{transport}");
        assert!(
            moved > 0 && table("load_cycles.csv").lines().count() > 3,
            "{transport}: {moved} moved"
        );
    }
}

#[test]
fn golden_counts_and_trace_of_warpnet() {
    let Some(golden) = golden() else { return };
    let folder = folder();
    let data = golden.join("data");
    let read = |path: PathBuf| {
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
    };
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
            ("35\u{202f}027".into(), "45\u{202f}319".into(), "936".into())
        );
    }
}

#[test]
fn golden_counts_of_stb88() {
    let Some(golden) = golden() else { return };
    let folder = folder();
    let data = format!("warp stb88 --data {}", golden.join("data").display());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("written");
    succeed(
        folder.path(),
        &format!("{data} --seq --cutoff 3000 --counts counts.csv --trace trace.csv"),
    );
    let (counts, trace) = (read("counts.csv"), read("trace.csv"));
    // The trace's head is of the run to 25000, which up to 3000 does the same.
    let head = std::fs::read_to_string(golden.join("golden/stb88_trace_head.csv")).expect("golden");
    let early = head.lines().skip(1).filter(|line| {
        line.split(',')
            .nth(1)
            .and_then(|time| time.parse::<i64>().ok())
            .is_some_and(|time| time <= 3000)
    });
    assert_eq!(trace.lines().count() - 1, early.count());
    for engine in [
        "-n 2 --transport shm --check",
        "-n 3 --transport tcp --placement round-robin",
        "-n 4 --check",
    ] {
        let out = succeed(
            folder.path(),
            &format!("{data} {engine} --cutoff 3000 --counts counts.csv --trace trace.csv"),
        );
        assert_eq!(
            out.contains("the model's invariants hold throughout"),
            engine.contains("--check"),
            "{out}"
        );
        assert_eq!(
            (read("counts.csv"), read("trace.csv")),
            (counts.clone(), trace.clone()),
            "{engine}"
        );
    }
}

#[test]
fn golden_counts_and_trace_of_pucks() {
    let Some(golden) = golden() else { return };
    let folder = folder();
    let data = golden.join("data");
    let read = |path: PathBuf| {
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
    };
    let (counts, head) = (
        read(golden.join("golden/pucks_cutoff40.csv")),
        read(golden.join("golden/pucks_trace_head.csv")),
    );
    // Ours have a column of sends beyond the cutoff as well.
    let cut = |line: &str| line.split(',').take(5).collect::<Vec<_>>().join(",");
    for engine in ["--seq", "-n 2", "-n 3 --transport shm", "-n 2 --transport tcp"] {
        let run = format!("warp pucks --data {} {engine} --cutoff 40", data.display());
        let out = succeed(folder.path(), &format!("{run} --counts counts.csv --trace trace.csv"));
        let ours = read(folder.path().join("counts.csv"));
        let differing =
            counts.lines().zip(ours.lines()).position(|(golden, ours)| golden != cut(ours));
        assert_eq!((differing, ours.lines().count()), (None, counts.lines().count()), "{engine}");
        let trace = read(folder.path().join("trace.csv"));
        let pairs = head.lines().zip(trace.lines()).skip(1);
        let same = pairs.map(|(golden, ours)| same_event(golden, ours)).position(|same| !same);
        assert_eq!(same, None, "{engine}: first differing line");
        assert_eq!(
            (trace.lines().count(), figure(&out, "messages")),
            (37_240, "41\u{202f}746".into()),
            "{engine}"
        );
    }
    let out = succeed(
        folder.path(),
        &format!("warp pucks --data {} -n 2 --cutoff 40 --check", data.display()),
    );
    assert!(out.contains("the model's invariants hold throughout"), "{out}");
}

/// Whether two lines of traces say the same: the golden one is numbered, and its simtime may have
/// more digits than it needs.
fn same_event(golden: &str, ours: &str) -> bool {
    let fields = |line: &str, from: usize| {
        let mut all = line.split(',').skip(from).map(String::from);
        (all.next().and_then(|simtime| simtime.parse::<f64>().ok()), all.collect::<Vec<_>>())
    };
    fields(golden, 1) == fields(ours, 0)
}

#[test]
fn a_table_of_pucks_that_makes_no_sense_is_refused_in_a_line() {
    let folder = folder();
    for (arguments, expected) in [
        ("--pucks 0", "pucks = 0"),
        ("--sector-width 20", "a side of a sector is 4 radii or more"),
        ("--rows 1 --columns 1 --pucks 500", "they do not fit on the table"),
        (
            "--data nowhere",
            "--data must name the folder with pucks_objects.csv and pucks_initial_messages.csv",
        ),
    ] {
        let said = fail(folder.path(), &format!("warp pucks {arguments}"));
        assert!(said.contains(expected), "{arguments}: {said}");
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
            &format!(
                "warp phold --objects 64 --remote 0.5 --cutoff 40 --transport {transport} --out run"
            ),
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
        assert!(
            count(Kind::GvtRound) > 0 && count(Kind::Collection) > 0 && count(Kind::Gvt) > 0,
            "{rows:?}"
        );
        assert_eq!(
            figure(&out, "trace digest"),
            result["trace_digest"].as_str().expect("a digest")
        );
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
            assert!(
                !between_nodes || (ready <= sent && sent <= taken),
                "{kind:?}: {ready} {sent} {taken}"
            );
            let of_an_object =
                matches!(kind, Kind::Event | Kind::Anti | Kind::Execution | Kind::Rollback);
            assert!(
                !of_an_object
                    || (at(Field::DstObject) >= 0 && at(Field::VirtualReceive) != record::NULL)
            );
        }
    }
    by_kind
}

fn check_tables(folder: &Path, events: u64) {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a table");
    let objects = read("xl_stats.csv");
    let committed: u64 = column(&objects, "e com").iter().sum();
    assert_eq!((objects.lines().count(), committed), (65, events));
    assert_eq!(read("nodes.csv").lines().count(), 3);
    for node in 0..2 {
        let samples = read(&format!("samples-{node}.csv"));
        assert!(
            samples.lines().count() > 2,
            "node {node}: the first sample, the last, and the heading:\n{samples}"
        );
    }
    let mut hidden =
        std::fs::read_dir(folder).expect("listed").map(|entry| entry.expect("read").file_name());
    assert!(
        hidden.all(|name| !name.to_string_lossy().starts_with('.')),
        "what nodes leave for each other stays"
    );
}

#[test]
fn a_sequential_run_can_be_recorded_too() {
    let folder = folder();
    succeed(
        folder.path(),
        "warp ping --stop 100 --seq --out run --counts counts.csv --trace trace.csv",
    );
    let run = Run::open(folder.path().join("run")).expect("closed");
    assert_eq!(rows(&run).get("execution"), Some(&101));
    let counts = std::fs::read_to_string(folder.path().join("counts.csv")).expect("written");
    assert!(counts.ends_with("TOTAL,all,101,101,100,0\n"), "{counts}");
    assert_eq!(
        std::fs::read_to_string(folder.path().join("trace.csv")).expect("written").lines().count(),
        102
    );
}

/// A simulation that is timed, followed and compared leaves its path, its speed-up and its flow,
/// for people and for programs.
#[test]
fn a_critical_path_and_a_speed_up_are_in_the_tables_and_on_the_page() {
    let folder = folder();
    let said = succeed(
        folder.path(),
        "warp phold --objects 64 --cutoff 500 --work-steps 200 --critical-path --check --sample \
        10ms --out run",
    );
    assert!(
        said.contains("critical path: ") && said.contains("times as fast as one node"),
        "{said}"
    );
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a table");
    let path = read("run/warp/critical_path.csv");
    let ends: Vec<u64> = path
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(5).expect("a field").parse().expect("ns"))
        .collect();
    assert!(ends.len() > 10 && ends.windows(2).all(|pair| pair[0] <= pair[1]));
    assert!(read("run/warp/speedup.csv").lines().count() > 1);
    succeed(folder.path(), "report run");
    let page = read("run/report.html");
    assert!(page.contains("Speed-up along the run") && page.contains("The critical path"));
    succeed(folder.path(), "export run --csv tables");
    let executed = read("tables/flow.csv").lines().count() as u64 - 1;
    let counted: u64 = column(&read("tables/xl_stats.csv"), "e starts").iter().sum();
    assert_eq!(executed, counted);
    assert!(
        fail(folder.path(), "warp phold --timing none --stretch 3")
            .contains("--timing process or wall")
    );
}

/// The numbers in a column of a table.
fn column(table: &str, name: &str) -> Vec<u64> {
    let at = table.lines().next().expect("a heading").split(',').position(|found| found == name);
    let field = |line: &str| {
        line.split(',').nth(at.expect("a column")).expect("a field").parse().expect("a number")
    };
    table.lines().skip(1).map(field).collect()
}

#[test]
fn wrong_input_is_one_line_and_leaves_nothing() {
    let folder = folder();
    for (arguments, words) in [
        ("warp gloom", &["gloom", "choose from"][..]),
        ("warp ping -n 3", &["3 nodes for 2 objects"]),
        ("warp ping --stop=-1", &["stop", "-1"]),
        ("warp phold --remote 2", &["remote = 2", "0 to 1"]),
        ("warp phold --lookahead 0", &["lookahead"]),
        ("warp phold --throttle fast", &["fast", "window"]),
        ("warp phold --cutoff soon", &["soon"]),
        ("warp phold --topology hypercube -n 3 --transport shm", &["1, 2, 4, 8"]),
        ("warp warpnet --data nowhere", &["nowhere/warpnet_nodes.csv", "--data"]),
        ("warp stb88 --data nowhere", &["nowhere/stb88_objects.csv", "--data"]),
        ("warp stb88 --corps 0", &["corps = 0", "1 to 200"]),
        ("warp stb88 --data . --seed 3", &["--data", "--seed"]),
        ("warp ctls --corps 2", &["corps = 2", "3 to 99"]),
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
fn a_configuration_that_is_a_pipe_is_refused_not_waited_for() {
    let folder = folder();
    std::fs::write(folder.path().join("main.cfg"), "@pipe.cfg\n").expect("written");
    let made = Command::new("mkfifo").arg(folder.path().join("pipe.cfg")).status();
    assert!(made.is_ok_and(|status| status.success()));
    for config in ["main.cfg", "pipe.cfg"] {
        let line = fail(folder.path(), &format!("warp ping --stop 5 --config {config}"));
        assert!(line.contains("pipe.cfg") && line.contains("not a regular file"), "{line}");
    }
}

#[test]
fn a_table_that_is_a_pipe_is_refused_not_waited_for() {
    let folder = folder();
    let made = Command::new("mkfifo").arg(folder.path().join("warpnet_nodes.csv")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let line = fail(folder.path(), "warp warpnet --data .");
    assert!(line.contains("warpnet_nodes.csv") && line.contains("not a regular file"), "{line}");
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
        let arguments = format!(
            "warp phold --cutoff 1e8 --transport {transport} --out run --counts counts.csv"
        );
        let warp = fourstamp(folder.path(), &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let warp = warp.expect("started");
        let sheet = folder.path().join("run/live/launch-0-node-1.json");
        wait_for("node 1 to record", || sheet.exists());
        std::thread::sleep(Duration::from_millis(1000));
        let pid = record::NodeSheet::parse(&std::fs::read(&sheet).expect("a sheet"), &sheet)
            .expect("whole")
            .pid;
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
    assert_eq!(output.status.code(), Some(130), "{line}");
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
