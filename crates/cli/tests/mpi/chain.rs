//! A chain of ranks that wait for each other, on every installed MPI library: blocked time goes
//! back to where the delay began, runs are compared by it, and what the story, the tables and the
//! trace say of a message that a rank was blocked for.

use crate::common::{folder, fourstamp, mpi_program, succeed, text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// How long rank 0 computes in each round, and rounds.
const LATE_MS: u32 = 40;
const ROUNDS: u32 = 6;
/// Other work on the machine can come between the program's stamps and the tracer's: tried again.
const TRIES: usize = 5;

/// Trace the chain; by rank the blocked time that the program says goes back to it, ns.
fn trace(home: &Path, mpi: &str, program: &Path, run: &str) -> BTreeMap<u32, f64> {
    trace_late(home, mpi, program, run, LATE_MS)
}

fn trace_late(
    home: &Path,
    mpi: &str,
    program: &Path,
    run: &str,
    late_ms: u32,
) -> BTreeMap<u32, f64> {
    let more = if mpi == "openmpi" { "--oversubscribe " } else { "" };
    let arguments = format!(
        "mpi trace --no-report --out {run} -- mpirun.{mpi} {more}-n 4 {} {late_ms} {ROUNDS}",
        program.display()
    );
    let mut trace = fourstamp(home, &arguments);
    crate::common::for_open_mpi(&mut trace);
    let output = trace.output().expect("the command starts");
    assert!(output.status.success(), "{arguments}\n{}", text(&output.stderr));
    let truth = |line: &str| {
        let (rank, ns) = line.strip_prefix("truth ")?.split_once(' ')?;
        Some((rank.parse().ok()?, ns.parse().ok()?))
    };
    text(&output.stdout).lines().filter_map(truth).collect()
}

/// What the report says: blocked time by the rank that it goes back to.
fn found(home: &Path) -> BTreeMap<u32, f64> {
    let report: Value = serde_json::from_str(&succeed(home, "report --json run")).unwrap();
    let mpi = find(&report, "origins").expect("an account of origins");
    let mut sums = BTreeMap::new();
    for origin in mpi["origins"].as_array().unwrap() {
        *sums.entry(origin["rank"].as_u64().unwrap() as u32).or_insert(0.0) +=
            origin["ns"].as_f64().unwrap();
    }
    assert_eq!(mpi["circle_ns"], 0, "{mpi}");
    sums
}

/// The object of this name that has an array of the same name.
fn find<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Object(map) => map
            .get(name)
            .filter(|inner| inner.get(name).is_some_and(Value::is_array))
            .or_else(|| map.values().find_map(|inner| find(inner, name))),
        Value::Array(all) => all.iter().find_map(|inner| find(inner, name)),
        _ => None,
    }
}

fn flat(text: &str) -> String {
    text.replace('\u{a0}', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn blocked_time_goes_back_to_where_the_delay_began() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "chain", home.path()) else { continue };
        let mut failures = Vec::new();
        for _ in 0..TRIES {
            let truth = trace(home.path(), mpi, &program, "run");
            let found = found(home.path());
            println!("{mpi}: planted {truth:?}, found {found:?}");
            let off = truth.iter().find(|(rank, truth)| {
                let found = found.get(rank).copied().unwrap_or(0.0);
                (found - **truth).abs() > 0.05 * **truth + 4e6
            });
            let told = flat(&succeed(home.path(), "report --terminal run"));
            std::fs::remove_dir_all(home.path().join("run")).unwrap();
            let shared = told.contains("4 ranks shared the ");
            let cores = std::thread::available_parallelism().unwrap().get();
            assert_eq!(shared, cores < 4, "{cores} cores: {told}");
            let says = told.contains("of all blocked time") && told.contains("goes back to rank 0");
            if off.is_none() && says {
                failures.clear();
                break;
            }
            let says = told.split("Transit is").next().unwrap_or_default();
            failures.push(format!("{mpi}: planted {truth:?}, found {found:?}\n{says}"));
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}

/// The longest waits name their messages, and lead to stories that are there.
fn check_page(home: &Path) {
    succeed(home, "report run");
    let page = std::fs::read_to_string(home.join("run/report.html")).unwrap();
    let (_, worst) = page.split_once("id=\"r0-mpi-worst\"").expect("the longest waits");
    let (worst, _) = worst.split_once("</section>").expect("a section ends");
    let links: Vec<&str> =
        worst.split("href=\"#").skip(1).filter_map(|link| link.split('"').next()).collect();
    assert!(links.iter().filter(|link| link.contains("story")).count() >= 5, "{links:?}");
    for link in links {
        assert!(page.contains(&format!("id=\"{link}\"")), "{link} leads nowhere");
    }
    let sites = succeed(home, "report --csv=mpi-blocked-sites run");
    assert!(sites.contains("main (chain.c:") && sites.contains("MPI_Recv"), "{sites}");
}

/// A row of the exported table of waits, by the names of its columns.
type Row = BTreeMap<String, String>;

/// The longest wait of rank 1 for a message: for rank 0, which computed.
fn longest_of_rank_1(home: &Path) -> Row {
    succeed(home, "export run --csv tables");
    let waits = std::fs::read_to_string(home.join("tables/waits.csv")).unwrap();
    let mut rows = waits.lines().map(|row| row.split(',').map(str::to_owned));
    let head: Vec<String> = rows.next().unwrap().collect();
    let rows = rows.map(|row| -> Row { head.iter().cloned().zip(row).collect() });
    let of_rank_1 = rows.filter(|row| row["rank"] == "1" && row["cause"] == "late-sender");
    of_rank_1.max_by_key(|row| row["blocked_ns"].parse::<i64>().unwrap()).unwrap()
}

#[test]
fn blocked_calls_are_a_table_and_arguments_of_their_slices() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "chain", home.path()) else { continue };
        trace(home.path(), mpi, &program, "run");
        let row = longest_of_rank_1(home.path());
        let said = ["function", "by", "src", "bytes"].map(|name| row[name].as_str());
        assert_eq!(said, ["MPI_Recv", "0", "0", "4"]);
        let ns: f64 = row["blocked_ns"].parse().unwrap();
        assert!(ns > 0.7e6 * f64::from(LATE_MS), "{row:?}");
        check_trace(home.path(), ns);
    }
}

#[test]
fn the_story_of_a_message_begins_with_who_was_blocked_for_it() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "chain", home.path()) else { continue };
        trace(home.path(), mpi, &program, "run");
        let row = longest_of_rank_1(home.path());
        let story = |more: &str| {
            succeed(home.path(), &format!("story run --message 0:0:{}{more}", row["seq"]))
        };
        let text = flat(&story(""));
        assert!(text.starts_with("Rank 1 was blocked "), "{text}");
        let call = "for this message in MPI_Recv at main (chain.c:";
        assert!(text.contains(call) && text.contains("rank 0 had not sent it yet"), "{text}");
        let json: Value = serde_json::from_str(&story(" --json")).unwrap();
        let blocked = &json["stories"][0]["product"]["blocked"][0];
        assert_eq!(blocked["blocked_ns"].to_string(), row["blocked_ns"], "{json}");
        check_page(home.path());
    }
}

#[test]
fn blocked_time_is_compared_by_cause_and_by_rank() {
    let home = folder();
    let built = |mpi| Some((mpi, mpi_program(mpi, "chain", home.path())?));
    let Some((mpi, program)) = ["openmpi", "mpich"].into_iter().find_map(built) else { return };
    let sides = "--a a1 --a a2 --a a3 --b b1 --b b2 --b b3";
    let mut compared = String::new();
    let is_longer = |csv: &str, sum: &str| {
        let row = csv.lines().find(|line| line.starts_with(&format!("{sum},"))).expect(sum);
        let ratio: f64 = row.split(',').nth(3).and_then(|cell| cell.parse().ok()).expect("a ratio");
        (2.4..3.6).contains(&ratio) && row.contains("longer")
    };
    // A machine that is busy with other things lets runs of one program differ.
    let is_told = (0..TRIES).any(|_| {
        for (side, late_ms) in [("a", LATE_MS), ("b", 3 * LATE_MS)] {
            for n in 1..=3 {
                let run = format!("{side}{n}");
                let _ = std::fs::remove_dir_all(home.path().join(&run));
                trace_late(home.path(), mpi, &program, &run, late_ms);
            }
        }
        compared = succeed(home.path(), &format!("compare {sides} --csv=compared-totals"));
        ["blocked: late sender", "blocked for rank 0"].iter().all(|sum| is_longer(&compared, sum))
    });
    assert!(is_told, "{compared}");
    // One run a side cannot decide anything, here as elsewhere.
    let csv = succeed(home.path(), "compare a1 b1 --csv=compared-totals");
    let row = csv.lines().find(|line| line.starts_with("blocked, ") || line.contains("all ranks"));
    assert!(row.expect("all of it").contains("undecided"), "{csv}");
    let json: Value =
        serde_json::from_str(&succeed(home.path(), &format!("compare {sides} --json"))).unwrap();
    let names = |name: &str| json.to_string().contains(name);
    assert!(names("\"totals\"") && names("blocked: late sender"), "{json}");
}

/// Collectives alone: there are no times of messages, and blocked time is compared all the same.
#[test]
fn programs_without_messages_are_compared_by_blocked_time() {
    let home = folder();
    let built = |mpi| Some((mpi, mpi_program(mpi, "blocked", home.path())?));
    let Some((mpi, program)) = ["openmpi", "mpich"].into_iter().find_map(built) else { return };
    let more = if mpi == "openmpi" { "--oversubscribe " } else { "" };
    for run in ["a", "b"] {
        let words = format!("mpirun.{mpi} {more}-n 2 {} barrier 10 4", program.display());
        let mut trace = fourstamp(home.path(), &format!("mpi trace --out {run} -- {words}"));
        crate::common::for_open_mpi(&mut trace);
        assert!(trace.output().unwrap().status.success());
    }
    let text = flat(&succeed(home.path(), "compare a b"));
    assert!(text.starts_with("The runs have no times of messages to compare; "), "{text}");
    assert!(text.contains("blocked: collectives") && !text.contains("Distributions"), "{text}");
    let refused = crate::common::fail(home.path(), "compare a b --fail-if p50>+2%");
    assert!(refused.contains("no stage in common"), "{refused}");
}

/// The slice of that call says so too, and no slice says of more than its own length.
fn check_trace(home: &Path, ns: f64) {
    succeed(home, "export run --perfetto trace.json");
    let trace = std::fs::read_to_string(home.join("trace.json")).unwrap();
    let trace: Value = serde_json::from_str(&trace).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let held: Vec<&Value> =
        events.iter().filter(|event| event["args"].get("blocked_ns").is_some()).collect();
    for slice in &held {
        let (blocked, dur) = (&slice["args"]["blocked_ns"], &slice["dur"]);
        assert!(blocked.as_f64().unwrap() <= 1e3 * dur.as_f64().unwrap() + 1.0, "{slice}");
    }
    let of_call = held.iter().find(|slice| slice["args"]["blocked_ns"].as_f64() == Some(ns));
    let args = &of_call.expect("the longest wait has its slice")["args"];
    assert_eq!((&args["cause"], &args["for_rank"]), (&"late-sender".into(), &0.into()), "{args}");
}
