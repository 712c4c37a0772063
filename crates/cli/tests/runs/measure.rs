//! Every benchmark on every transport, small, through the command line: rows are as many as they
//! must be, and every stage is there.

use crate::common::{folder, fourstamp, succeed, text};
use record::{Kind, Run, State};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

/// Rows of a run by kind, with a look at every stamp.
fn rows(run: &Path) -> BTreeMap<&'static str, u64> {
    let run = Run::open(run).expect("a closed run");
    assert_eq!(run.info.state, State::Closed);
    assert!(run.info.lost.is_nothing(), "{:?}", run.info.lost);
    let mut by_kind = BTreeMap::new();
    let mut batch = record::Batch::new();
    for chunk in run.chunks() {
        chunk.read(record::Field::ALL.as_slice(), &mut batch).expect("readable");
        for row in 0..chunk.rows() {
            let at = |field| batch.column(field).at(row);
            let kind = Kind::from_code(at(record::Field::Kind) as u8).expect("a known kind");
            *by_kind.entry(kind.name()).or_default() += 1;
            let stamps = [
                record::Field::ReadyNs,
                record::Field::SentNs,
                record::Field::ArrivedNs,
                record::Field::TakenNs,
            ]
            .map(at);
            if kind == Kind::Cycle {
                assert!(
                    stamps[3] > stamps[0] && stamps[1] == record::NULL && stamps[2] == record::NULL
                );
            } else {
                assert!(!stamps.contains(&record::NULL), "{kind:?} {stamps:?}");
                assert!(stamps[0] <= stamps[1] && stamps[0] <= stamps[3], "{stamps:?}");
            }
        }
    }
    by_kind
}

fn measured(arguments: &str) -> BTreeMap<&'static str, u64> {
    let folder = folder();
    let out = succeed(folder.path(), &format!("bench {arguments} --out run"));
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("of the total time"), "{out}");
    rows(&folder.path().join("run"))
}

/// Over a bad network all messages come; what became of the datagrams is in the report, in `udp/`
/// and, moment by moment, in `causes/`.
#[test]
fn datagrams_and_what_became_of_them() {
    let folder = folder();
    let arguments = "bench stream --transport udp --receive blocking --count 2000 --launches 1 \
    --warm-up 10 --out run";
    let out =
        succeed(folder.path(), &format!("{arguments} --udp-faults loss=5%,reorder=5%,seed=3"));
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("messages sent again") && words.contains("swallowed by --udp-faults"),
        "{out}"
    );
    let run = folder.path().join("run");
    assert_eq!(rows(&run), [("data", 2000)].into());
    let column = |name| record::SideColumn { name, holds: record::Holds::Numbers };
    let table = |path: &str, names: &[&'static str]| {
        let columns: Vec<_> = names.iter().copied().map(column).collect();
        let mut reader = record::SideReader::open(&run.join(path), &columns).expect("the table");
        if reader.rows() == 0 {
            vec![Vec::new(); names.len()]
        } else {
            reader.read(0).expect("its rows")
        }
    };
    let counts =
        table("udp/counts-0-0.parquet", &["resent_by_timer", "resent_by_gap", "swallowed"]);
    assert!(counts[2][0] > 0, "{counts:?}");
    let closed = Run::open(&run).expect("a closed run");
    let causes = closed.causes().expect("a watched run");
    let of_sender = causes.iter().find(|of| of.node == 0).expect("the sender was watched");
    let resent: Vec<_> =
        of_sender.spans.iter().filter(|span| span.cause == record::Cause::Resent).collect();
    assert!(!resent.is_empty());
    assert!(
        resent.iter().map(|span| span.amount).sum::<i64>() <= counts[0][0] + counts[1][0],
        "{resent:?}"
    );
    let parameters = &closed.info.parameters;
    assert_eq!(
        (&parameters["max_acks"], &parameters["faults"]["loss"]),
        (&256.into(), &0.05.into())
    );
}

/// What makes no sense is refused in a line, before anything is started.
#[test]
fn wrong_words_about_datagrams_are_refused() {
    let folder = folder();
    for (arguments, said) in [
        (
            "--transport tcp --max-acks 3",
            "--max-acks belongs to transport udp: add --transport udp",
        ),
        ("--transport udp --period 2ms", "add --timer periodic"),
        ("--transport udp --datagram 100", "less is all header"),
        ("--transport udp --receive-task own --receive polling", "--receive blocking"),
        ("--transport udp --timer periodic --period 11s", "1 µs to 10 s"),
    ] {
        let line =
            crate::common::fail(folder.path(), &format!("bench pingpong {arguments} --out run"));
        assert!(line.contains(said), "{arguments}: {line}");
    }
    assert!(!folder.path().join("run").exists());
}

#[test]
fn pingpong_on_every_transport() {
    for transport in ["thread", "shm", "tcp"] {
        let rows = measured(&format!(
            "pingpong --transport {transport} --count 200 --launches 2 --warm-up 10"
        ));
        assert_eq!(
            rows,
            BTreeMap::from([("cycle", 400), ("data", 400), ("reply", 400)]),
            "{transport}"
        );
    }
}

#[test]
fn blocking_receivers() {
    for transport in ["thread", "shm", "tcp"] {
        let rows = measured(&format!(
            "pingpong --transport {transport} --receive blocking --count 50 --launches 1"
        ));
        assert_eq!(rows["reply"], 50, "{transport}");
    }
}

#[test]
fn stream_in_pairs_in_batches_and_at_a_rate() {
    assert_eq!(measured("stream --count 5000 --launches 1")["data"], 5000);
    assert_eq!(
        measured("stream --transport tcp --batch 10 --count 1000 --launches 1")["data"],
        1000
    );
    let at_a_rate = "stream --nodes 4 --transport thread --rate 1000 --count 100 --launches 1";
    assert_eq!(measured(at_a_rate)["data"], 200);
}

#[test]
fn stream_from_all_to_all_over_a_hypercube() {
    let rows = measured(
        "stream --all --nodes 4 --topology hypercube --size 3K --rate 500 --count 50 --launches 1",
    );
    assert_eq!(rows["data"], 200);
}

#[test]
fn burst_relay_and_sweep() {
    assert_eq!(measured("burst --messages 4 --gap 1ms --count 40 --launches 1")["data"], 40);
    let relay = measured("relay --transport tcp --count 30 --launches 1 --warm-up 0");
    assert_eq!(relay, BTreeMap::from([("cycle", 30), ("data", 90), ("reply", 30)]));
    let sweep = measured("sweep --largest 1K --repeats 1 --refine 2 --count 5 --launches 1");
    assert_eq!(sweep["cycle"], sweep["reply"]);
    assert!(sweep["cycle"] >= 5 * 20, "{sweep:?}");
}

#[test]
fn a_duration_and_a_stream_to_disk() {
    let folder = folder();
    succeed(folder.path(), "bench stream --duration 300ms --record stream --launches 1 --out run");
    assert!(rows(&folder.path().join("run"))["data"] > 100);
}

#[test]
fn unrecorded_messages_leave_cycles_only() {
    let folder = folder();
    succeed(folder.path(), "bench pingpong --no-record --count 100 --launches 1 --out run");
    assert_eq!(rows(&folder.path().join("run")), BTreeMap::from([("cycle", 100)]));
}

#[test]
fn csv_and_page_of_a_run() {
    let folder = folder();
    let csv = succeed(folder.path(), "bench pingpong --count 100 --launches 1 --csv --out run");
    assert!(csv.starts_with("stage,"), "{csv}");
    assert!(csv.lines().count() >= 6, "{csv}");
    succeed(folder.path(), "report run");
    let page = std::fs::read_to_string(folder.path().join("run/report.html")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(succeed(folder.path(), "report run --csv=tail").lines().count() > 10);
    assert!(page.len() < 1_000_000 && page.contains("<path class=\"k-a\""), "charts are there");
    let picture = succeed(folder.path(), "report run --svg=tail");
    assert!(picture.starts_with("<svg xmlns=") && picture.trim_end().ends_with("</svg>"));
    assert!(succeed(folder.path(), "report run --terminal").contains("receive wait"));
}

/// A name that is looked up and then made is another command's by then.
#[test]
fn benches_started_at_once_in_one_folder_each_get_a_folder_of_their_own() {
    let folder = folder();
    let start = || {
        let mut bench =
            fourstamp(folder.path(), "bench pingpong --transport thread --count 10 --launches 1");
        bench.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started")
    };
    let benches: Vec<_> = std::iter::repeat_with(start).take(6).collect();
    for bench in benches {
        let output = bench.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let runs = std::fs::read_dir(folder.path().join("runs")).expect("runs");
    let runs: Vec<_> = runs.map(|run| run.expect("listed").path()).collect();
    assert_eq!(runs.len(), 6, "{runs:?}");
    runs.iter().for_each(|run| assert_eq!(rows(run)["data"], 10, "{run:?}"));
}
