//! Exports of a made-up MPI run and of a benchmark: traces that are sound JSON with paired arrows,
//! tables with every row.

use crate::common::{fail, folder, succeed};
use record::Run;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

fn made(folder: &Path) -> Run {
    crate::mpi::write(&folder.join("run"), 60);
    Run::open(folder.join("run")).expect("a closed run")
}

fn trace(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("the trace is there");
    let read: Value = serde_json::from_str(&text).expect("the trace is JSON");
    read["traceEvents"].as_array().expect("events").clone()
}

fn phase<'a>(events: &'a [Value], wanted: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["ph"] == wanted).collect()
}

/// Times as whole nanoseconds.
fn ns(time: &Value) -> i64 {
    (time.as_f64().expect("a time") * 1000.0).round() as i64
}

/// Slices by track: begin, end, name.
type Slices = BTreeMap<(u64, u64), Vec<(i64, i64, String)>>;

/// All slices.
fn slices(events: &[Value]) -> Slices {
    let mut slices = Slices::new();
    for event in phase(events, "X") {
        let track =
            (event["pid"].as_u64().expect("a process"), event["tid"].as_u64().expect("a thread"));
        let name = event["name"].as_str().expect("a name").to_owned();
        let (begin, length) = (ns(&event["ts"]), ns(&event["dur"]));
        slices.entry(track).or_default().push((begin, begin + length, name));
    }
    slices
}

/// The slice that an end of an arrow lies in.
fn slice_at(slices: &Slices, end: &Value) -> String {
    let track = (end["pid"].as_u64().expect("a process"), end["tid"].as_u64().expect("a thread"));
    let at = ns(&end["ts"]);
    let around = slices[&track].iter().find(|(from, to, _)| *from <= at && at < *to);
    around.unwrap_or_else(|| panic!("no slice around {end}")).2.clone()
}

#[test]
fn every_arrow_of_a_trace_leads_from_a_send_to_the_call_that_took_the_message() {
    let folder = folder();
    let run = made(folder.path());
    let said = succeed(folder.path(), "export run --perfetto trace.json");
    assert!(said.contains("ui.perfetto.dev") && !said.contains("limit"), "{said}");
    let events = trace(&folder.path().join("trace.json"));
    let slices = slices(&events);
    assert_eq!(slices.len(), 4, "a track a rank");
    let (starts, ends) = (phase(&events, "s"), phase(&events, "f"));
    assert_eq!((starts.len() as u64, ends.len() as u64), (run.rows(), run.rows()));
    let mut by_id: BTreeMap<u64, (&Value, Vec<&Value>)> = starts
        .iter()
        .map(|start| (start["id"].as_u64().expect("an id"), (*start, Vec::new())))
        .collect();
    assert_eq!(by_id.len(), starts.len(), "ids differ");
    ends.iter().for_each(|end| {
        by_id.get_mut(&end["id"].as_u64().expect("an id")).expect("a start").1.push(end)
    });
    for (start, ends) in by_id.values() {
        let [end] = ends[..] else { panic!("one end to {start}") };
        assert_eq!(slice_at(&slices, start), "MPI_Send");
        assert!(["MPI_Recv", "MPI_Wait"].contains(&slice_at(&slices, end).as_str()), "{end}");
        assert!(ns(&end["ts"]) > ns(&start["ts"]));
    }
    let polling =
        phase(&events, "X").into_iter().find(|slice| slice["name"] == "MPI_Testany (polling)");
    assert_eq!(polling.expect("polls")["args"]["polls"], 150);
    let send = phase(&events, "X")
        .into_iter()
        .find(|slice| slice["name"] == "MPI_Send" && slice["args"]["tag"] == 13)
        .expect("the planted send");
    assert_eq!(
        (&send["args"]["peer"], &send["args"]["at"]),
        (&0.into(), &"hand, over (halo.c:71)".into())
    );
}

#[test]
fn a_trace_can_be_cut_to_a_stretch_and_is_cut_at_its_limit() {
    let folder = folder();
    made(folder.path());
    succeed(folder.path(), "export run --perfetto part.json --from 0.02 --to 0.04");
    let part = trace(&folder.path().join("part.json"));
    let all_slices = slices(&part);
    let all = || all_slices.values().flatten();
    assert!(
        all().count() > 10 && all().all(|(from, to, _)| *from < 40_000_000 && *to >= 20_000_000)
    );
    assert_eq!(phase(&part, "s").len(), phase(&part, "f").len());
    phase(&part, "s")
        .iter()
        .chain(&phase(&part, "f"))
        .for_each(|end| drop(slice_at(&all_slices, end)));

    let said = succeed(folder.path(), "export run --perfetto few.json --limit 200");
    assert!(said.contains("because the limit of 200 events was reached"), "{said}");
    let few = trace(&folder.path().join("few.json"));
    let events = few.iter().filter(|event| event["ph"] != "M").count();
    assert!((20..=200).contains(&events), "{events}");
}

#[test]
fn a_run_without_calls_has_its_messages_as_slices_of_their_own() {
    let folder = folder();
    succeed(
        folder.path(),
        "bench pingpong --transport thread --count 50 --launches 1 --warm-up 0 --out bench",
    );
    succeed(folder.path(), "export bench --perfetto trace.json");
    let events = trace(&folder.path().join("trace.json"));
    let run = Run::open(folder.path().join("bench")).expect("a closed run");
    let begun = phase(&events, "b").len();
    assert_eq!(begun, phase(&events, "e").len());
    assert!(begun as u64 > run.rows(), "stages lie below messages: {begun} of {}", run.rows());
    let names: Vec<&str> =
        phase(&events, "b").iter().map(|event| event["name"].as_str().expect("a name")).collect();
    assert!(["cycle", "data to node 1"].iter().all(|name| names.contains(name)), "{names:?}");
    // An arrow for each message that goes to another node, from its mark to that where it arrived.
    let slices = slices(&events);
    let (starts, ends) = (phase(&events, "s"), phase(&events, "f"));
    assert_eq!((starts.len(), ends.len()), (100, 100), "50 there and 50 back");
    for start in &starts {
        let end = ends.iter().find(|end| end["id"] == start["id"]).expect("an end");
        assert_ne!(start["pid"], end["pid"]);
        let (from, to) = (slice_at(&slices, start), slice_at(&slices, end));
        assert!(from.contains(" to node ") && to.contains(" from node "), "{from}, {to}");
        assert!(ns(&end["ts"]) >= ns(&start["ts"]));
    }
    // Which of the stages take time at all is the machine's affair.
    assert!(["transit", "receive wait"].iter().any(|name| names.contains(name)), "{names:?}");
}

#[test]
fn all_tables_come_as_csv_and_never_half() {
    let folder = folder();
    let run = made(folder.path());
    succeed(folder.path(), "export run --csv tables");
    let table =
        |name: &str| std::fs::read_to_string(folder.path().join("tables").join(name)).expect(name);
    let messages = table("messages.csv");
    assert_eq!(messages.lines().count() as u64, run.rows() + 1);
    assert!(messages.starts_with("launch,seq,src,dst,kind,bytes,ready_ns,"), "{}", &messages[..80]);
    assert!(messages.lines().nth(1).expect("a message").contains(",data,"));
    let calls = table("calls.csv");
    assert!(calls.starts_with("rank,enter_ns,exit_ns,call,") && calls.contains(",MPI_Allreduce,"));
    assert!(table("sites.csv").contains("halo.c") && table("communicators.csv").contains("0-3"));
    assert!(
        table("series.csv").contains("mpi-blocked,,late-receiver,,3,0,20000000,ns")
            && table("quantiles.csv").contains("end-to-end")
    );
    let error = fail(folder.path(), "export run --csv tables");
    assert!(error.contains("choose another folder"), "{error}");
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|e| e.expect("an entry").file_name())
        .collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
}

#[test]
fn what_cannot_be_exported_is_said_in_a_line_and_leaves_nothing() {
    let folder = folder();
    made(folder.path());
    for (arguments, said) in [
        ("export run --perfetto nowhere/trace.json", "cannot write nowhere/trace.json"),
        ("export nothing --perfetto trace.json", "nothing"),
        ("export run --perfetto trace.json --from 2 --to 1", "--from must be less than --to"),
    ] {
        let error = fail(folder.path(), arguments);
        assert!(error.contains(said), "{arguments}: {error}");
    }
    let damaged = folder.path().join("run/mpi/calls-launch-0-node-2.parquet");
    let bytes = std::fs::read(&damaged).expect("a table");
    std::fs::write(&damaged, &bytes[..bytes.len() / 2]).expect("a file can be written");
    assert!(
        fail(folder.path(), "export run --perfetto trace.json").contains("calls-launch-0-node-2")
    );
    assert!(fail(folder.path(), "report run --terminal").contains("calls-launch-0-node-2"));
    assert!(!folder.path().join("trace.json").exists());
}

#[test]
fn the_report_of_a_traced_run_tells_what_was_planted() {
    let folder = folder();
    made(folder.path());
    let said = succeed(folder.path(), "report run --terminal");
    assert!(said.starts_with("100 % of the messages matched"), "{said}");
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["exchange (halo.c:41)", "computing 50.0 ms"] {
        assert!(flat.contains(part), "{part} is not in\n{said}");
    }
    let blocked = succeed(folder.path(), "report run --csv=mpi-blocked-table");
    // Blocked, late sender, late receiver, collectives.
    let pair = blocked.lines().find(|line| line.starts_with("3,0,")).expect("rank 3 waited for 0");
    assert!(pair.split(',').skip(3).take(2).eq(["0", "20000000"]), "{blocked}");
    succeed(folder.path(), "report run");
    assert!(folder.path().join("run/report.html").exists());
}

/// A log of histograms has a line for each stage and launch, and the quantiles are those of the
/// report.
#[test]
fn a_run_is_handed_to_the_tools_of_others() {
    let folder = folder();
    let at = folder.path();
    succeed(
        at,
        "bench pingpong --transport thread --receive blocking --count 2000 --launches 2 --out run",
    );
    succeed(at, "export run --hdr run.hlog --openmetrics run.prom");
    let log = std::fs::read_to_string(at.join("run.hlog")).expect("the log is there");
    for stage in ["end-to-end", "send-wait", "transit", "receive-wait"] {
        let lines = log.lines().filter(|line| line.starts_with(&format!("Tag={stage},")));
        assert_eq!(lines.count(), 2, "{stage} in {log}");
    }
    let text = std::fs::read_to_string(at.join("run.prom")).expect("the text is there");
    let run = Run::open(at.join("run")).expect("a closed run");
    let messages = run.chunks().iter().map(|chunk| chunk.rows()).sum::<usize>();
    let count = text
        .lines()
        .find_map(|line| line.strip_prefix("fourstamp_message_seconds_count{stage=\"transit\"} "))
        .and_then(|number| number.parse().ok())
        .unwrap_or(0);
    // Two messages and a cycle each.
    assert_eq!(3 * count, 2 * messages, "{text}");
    assert!(text.contains("quantile=\"0.99\"") && text.ends_with("# EOF\n"), "{text}");
    let refused = fail(at, "export run --hdr nowhere/run.hlog");
    assert!(refused.contains("nowhere"), "{refused}");
}

/// Both formats of a trace hold the same, and Perfetto's own is the smaller.
#[test]
fn a_trace_in_perfettos_own_format_says_the_same_in_less() {
    let folder = folder();
    made(folder.path());
    let said = |file: &str| {
        let said = succeed(folder.path(), &format!("export run --perfetto {file}"));
        said.replace(file, "")
    };
    assert_eq!(said("trace.json"), said("trace.pftrace"));
    let bytes = |file: &str| std::fs::read(folder.path().join(file)).expect("a trace");
    let own = bytes("trace.pftrace");
    let json = bytes("trace.json");
    assert!(own.starts_with(&[0x0a]) && own.len() < json.len(), "{} {}", own.len(), json.len());
    println!("{} against {} bytes", own.len(), json.len());
}

/// The library's own reader finds every call, both ends of every message, and every collective.
#[test]
fn a_trace_for_otf2_has_what_the_run_has() {
    let folder = folder();
    let run = made(folder.path());
    if crate::common::text(&crate::common::run(folder.path(), "export run --otf2 trace").stderr)
        .contains("no library that writes OTF2")
    {
        return println!("skipped: libotf2 is not installed");
    }
    let said = succeed(folder.path(), "export run --otf2 other");
    let calls = mpi_lens::CallTables::of(&run);
    let mut of_run = 0;
    mpi_lens::spans(&calls, |_, _| of_run += 1).expect("tables");
    assert!(said.contains(&format!("{of_run} calls, {} messages", run.rows())), "{said}");
    let Ok(read) =
        Command::new("otf2-print").arg("trace/traces.otf2").current_dir(&folder).output()
    else {
        return println!("skipped: no otf2-print");
    };
    let text = String::from_utf8_lossy(&read.stdout);
    assert!(read.status.success() && read.stderr.is_empty(), "{read:?}");
    let count = |event: &str| {
        text.lines().filter(|line| line.split(' ').next() == Some(event)).count() as u64
    };
    assert_eq!((count("ENTER"), count("LEAVE")), (of_run, of_run));
    assert_eq!((count("MPI_SEND"), count("MPI_RECV")), (run.rows(), run.rows()));
    assert_eq!(count("MPI_COLLECTIVE_BEGIN"), count("MPI_COLLECTIVE_END"));
    assert!(count("MPI_COLLECTIVE_END") > 0 && text.contains("Allreduce"), "{text}");
    // The planted rendezvous keeps its tag.
    assert!(text.lines().any(|line| line.contains("Receiver: 0") && line.contains("Tag: 13")));
    fail(folder.path(), "export run --otf2 trace");
}
