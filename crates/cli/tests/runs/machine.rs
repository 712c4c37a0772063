//! Programs on a simulated machine: times are what its file says, to the nanosecond, and the same
//! each time.

use crate::common::{fail, folder, messages, succeed};
use record::{Batch, Field, Run};
use std::path::Path;

/// A machine whose figures no two stages share.
const TWO: &str = r#"
name = "two boxes"
nodes = 4
topology = "switch"
[processor]
send = "3us"
receive = "5us"
look = "1us"
copy = "100MB/s"
[network]
latency = "70us"
bandwidth = "10MB/s"
header = "20B"
handler = "11us"
"#;

/// Each message's send wait, transit and receive wait, ns.
fn stages(run: &Path) -> Vec<[i64; 3]> {
    let run = Run::open(run).expect("a run");
    assert!(run.info.lost.is_nothing(), "{:?}", run.info.lost);
    let fields = [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs];
    let (mut batch, mut stages) = (Batch::new(), Vec::new());
    for chunk in run.chunks() {
        chunk.read(&fields, &mut batch).expect("readable");
        for row in 0..chunk.rows() {
            let [ready, sent, arrived, taken] = fields.map(|field| batch.column(field).at(row));
            // A cycle has no sender.
            if sent != record::NULL {
                stages.push([sent - ready, arrived - sent, taken - arrived]);
            }
        }
    }
    stages
}

#[test]
fn every_stage_takes_what_the_file_says() {
    let home = folder();
    std::fs::write(home.path().join("two.toml"), TWO).unwrap();
    let command = "bench pingpong --on two.toml --size 1000 --count 50 --warm-up 0 --out run";
    succeed(home.path(), command);
    let stages = stages(&home.path().join("run"));
    assert_eq!(stages.len(), 100);
    // To the wire: sending and a copy. On it: 1020 bytes and the latency. Then the handler.
    let transit = 3_000 + 10_000 + 102_000 + 70_000 + 11_000;
    // A receiver that sleeps takes it at once: receiving and a copy.
    for [wait, took, taken] in stages {
        assert_eq!((wait, took), (0, transit));
        assert!((15_000..=16_000).contains(&taken), "{taken}: it may be in the middle of a look");
    }
}

#[test]
fn a_run_is_the_same_to_the_last_stamp_each_time() {
    let home = folder();
    let bytes = |out: &str, command: &str| {
        succeed(home.path(), &format!("{command} --out {out}"));
        let files = messages(&home.path().join(out));
        assert!(!files.is_empty());
        files.iter().map(|file| std::fs::read(file).unwrap()).collect::<Vec<_>>()
    };
    for (number, command) in [
        "bench stream --all --nodes 8 --on mark3 --count 300",
        "bench burst --on myrinet --count 200",
        "warp phold --on mark3 --nodes 4 --cutoff 6",
        "warp ping --on sun3-ethernet --nodes 2 --cutoff 300",
    ]
    .into_iter()
    .enumerate()
    {
        let once = bytes(&format!("once-{number}"), command);
        assert!(once == bytes(&format!("again-{number}"), command), "{command}");
    }
}

/// What is said of measured runs, of launches, of clocks and of what else the machine did, is not
/// true of simulated ones.
#[test]
fn a_report_says_what_is_true_of_simulated_time() {
    let home = folder();
    for out in ["a", "b"] {
        let command = "bench pingpong --on myrinet --count 2000 --launches 5 --out";
        succeed(home.path(), &format!("{command} {out}"));
    }
    let words = |command: &str| {
        succeed(home.path(), command).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let report = words("report a --terminal");
    assert!(report.contains("2 nodes, 1 launch, 4000 messages"), "{report}");
    assert!(report.contains("time was simulated, so another launch is the same"), "{report}");
    assert!(!report.contains("may differ"), "{report}");
    assert!(report.contains("Source simulated time") && report.contains("Error bound 0"));
    assert!(report.contains("Simulated on Myrinet between VxWorks and Linux hosts"), "{report}");
    let explained = words("explain a");
    assert!(explained.contains("nothing outside this run delayed its messages"), "{explained}");
    assert!(explained.contains("fixed phase of 1.00 ms"), "its timer is found: {explained}");
    let compared = words("compare a b");
    assert!(compared.contains("a simulated run has one launch"), "{compared}");
    let run = Run::open(home.path().join("a")).expect("a run");
    assert_eq!(run.info.simulated_on["topology"], "switch");
}

/// A simulation has the sequential result on every machine and number of nodes, and more nodes take
/// less of the machine's time.
#[test]
fn a_simulation_keeps_its_result_and_gets_faster_with_nodes() {
    let home = folder();
    let result = |nodes: u32| {
        let command = format!("warp phold --on mark3 --nodes {nodes} --cutoff 10 --check --json");
        let out = succeed(home.path(), &command);
        let result: serde_json::Value = serde_json::from_str(&out).unwrap();
        let seconds = |name: &str| result[name].as_f64().unwrap();
        (result["trace_digest"].clone(), seconds("in_order_s") / seconds("seconds"))
    };
    let (digest, alone) = result(1);
    assert!((0.8..=1.0).contains(&alone), "states are saved on one node, too: {alone}");
    for (nodes, least) in [(2, 1.5), (8, 3.0)] {
        let (also, speedup) = result(nodes);
        assert_eq!(also, digest);
        assert!(speedup > least && speedup <= f64::from(nodes), "{speedup} on {nodes}");
    }
}

#[test]
fn what_cannot_be_is_told_in_a_line() {
    let home = folder();
    std::fs::write(home.path().join("bad.toml"), TWO.replace("\"3us\"", "\"-3us\"")).unwrap();
    for (command, said) in [
        ("bench pingpong --on bad.toml", "bad.toml:6: 'send' is -3 µs, but must be"),
        ("machine show none.toml", "cannot read none.toml"),
        ("machine print none", "`fourstamp machine list`"),
        ("bench pingpong --transport machine", "needs --on MACHINE"),
        ("bench pingpong --on mark3 --transport tcp", "belongs to transport machine"),
        ("bench pingpong --on mark3 --nodes 33", "has 32 nodes, not 33"),
        ("bench pingpong --on mark3 --topology hypercube", "leave out --topology"),
        ("bench pingpong --on mark3 --intervene pin", "on a simulated one, change its file"),
        ("warp phold --on mark3 --transport tcp", "cannot be used with"),
        ("warp phold --on myrinet", "what an event takes on"),
    ] {
        let error = fail(home.path(), command);
        assert!(error.contains(said), "{command}: {error}");
    }
    assert!(!home.path().join("runs").exists(), "nothing half-written stays");
}

#[test]
fn machines_are_listed_and_shown() {
    let home = folder();
    let list = succeed(home.path(), "machine list --csv");
    for name in list.lines().skip(1).filter_map(|line| line.split(',').next()) {
        let shown = succeed(home.path(), &format!("machine show {name} --csv"));
        assert!(shown.contains("network.bandwidth"), "{shown}");
        let file = home.path().join("copy.toml");
        std::fs::write(&file, succeed(home.path(), &format!("machine print {name}"))).unwrap();
        assert_eq!(shown, succeed(home.path(), "machine show copy.toml --csv"));
    }
    assert!(list.lines().count() > 5, "{list}");
}
