//! `fourstamp predict` against planted truth: runs in simulated time, of which the time on another
//! machine is known to the nanosecond, and an MPI program whose computing is known.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod collectives;
#[path = "../common/mod.rs"]
mod common;
mod late;
mod polls;
mod refused;

use common::{fail, folder, fourstamp, mpi_program, run, succeed, text};
use std::path::Path;
use std::process::Output;

/// A machine that shared memory on one host could be.
const HERE: &str = r#"
name = "this host"
nodes = 8
topology = "switch"
[processor]
send = "1us"
receive = "1us"
[network]
latency = "1us"
bandwidth = "2GB/s"
"#;

/// The table of completion: on the machine recorded on, and on the other one, s.
struct Completion {
    recorded: f64,
    measured: f64,
    target: f64,
    /// The interval of the other.
    within: [f64; 2],
}

fn completion(home: &Path, command: &str) -> Completion {
    let table = succeed(home, &format!("{command} --csv=completion"));
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    Completion {
        recorded: number(0, 1),
        measured: number(0, 4),
        target: number(1, 1),
        within: [number(1, 2), number(1, 3)],
    }
}

fn near(a: f64, b: f64, part: f64) -> bool {
    (a / b - 1.0).abs() <= part
}

#[test]
fn a_run_on_one_machine_foretells_the_run_on_another() {
    let home = folder();
    let workloads = [
        ("pingpong", "bench pingpong --warm-up 0 --count 300 --size 1000"),
        ("relay", "bench relay --warm-up 0 --count 100 --size 5000"),
        ("stream", "bench stream --warm-up 0 --count 600 --size 4000"),
    ];
    for (name, command) in workloads {
        for machine in ["gigabit-2017", "myrinet", "sun3-ethernet"] {
            succeed(home.path(), &format!("{command} --on {machine} --out {name}-{machine}"));
        }
        for (from, to) in [("gigabit-2017", "sun3-ethernet"), ("sun3-ethernet", "myrinet")] {
            let there = completion(home.path(), &format!("predict {name}-{to} --on {to}"));
            let foretold = completion(home.path(), &format!("predict {name}-{from} --on {to}"));
            let words = format!(
                "{name} from {from} to {to}: {} foretold, {} played there, {} measured",
                foretold.target, there.recorded, there.measured
            );
            assert!(near(foretold.target, there.measured, 0.005), "{words}");
            // There, interrupts of the timer were taken for computing.
            assert!(near(foretold.target, there.recorded, 0.005), "{words}");
            let [least, most] = foretold.within;
            assert!((least..=most).contains(&foretold.target), "{words}");
        }
    }
}

#[test]
fn another_latency_is_as_many_times_on_the_path_as_messages_are() {
    let home = folder();
    succeed(home.path(), "bench pingpong --warm-up 0 --count 100 --on gigabit-2017 --out run");
    let same = completion(home.path(), "predict run --latency 1x");
    let twice = completion(home.path(), "predict run --latency 2x");
    // 200 messages of 19 us each.
    assert!(near(twice.target - same.target, 200.0 * 19e-6, 1e-6));
    let page = home.path().join("page.html");
    let curve = "predict run --curve latency=0.5x..2x --csv=curve --page page.html";
    let curve = succeed(home.path(), curve);
    assert_eq!(curve.lines().count(), 10, "{curve}");
    assert!(std::fs::read_to_string(page).unwrap().contains("What bounds it"));
}

#[test]
fn launches_are_taken_together_and_what_was_measured_there_stands_beside() {
    let home = folder();
    for (count, out) in [(300, "one"), (310, "two"), (100, "other")] {
        let command = format!("bench pingpong --warm-up 0 --count {count} --size 1000");
        succeed(home.path(), &format!("{command} --on gigabit-2017 --out {out}"));
        succeed(home.path(), &format!("{command} --on myrinet --out {out}-there"));
    }
    let command = "predict one two --on myrinet --measured one-there --measured two-there";
    let table = succeed(home.path(), &format!("{command} --csv=completion"));
    let cells: Vec<f64> = table
        .lines()
        .nth(2)
        .unwrap()
        .rsplit(',')
        .take(5)
        .map(|cell| cell.parse().unwrap())
        .collect();
    let [error, measured, most, least, predicted] = cells[..] else { panic!("{table}") };
    assert!(error.abs() < 0.005 && near(predicted, measured, 0.005), "{table}");
    // Launches of 300 and of 310 trips: the interval holds both.
    assert!(most / least > 310.0 / 300.0 - 0.005, "{table}");
    let alone = succeed(home.path(), "predict one --on myrinet --csv=completion");
    assert!(alone.lines().nth(2).unwrap().ends_with(",,"), "nothing was measured: {alone}");
    let pairs = succeed(home.path(), "predict one --bandwidth 10x --csv=pairs");
    assert_eq!(pairs.lines().count(), 3, "{pairs}");
    assert!(pairs.contains("0 → 1,300,"), "{pairs}");
    for command in ["predict one other --on myrinet", "predict one --on myrinet --measured other"] {
        let said = fail(home.path(), command);
        assert!(said.contains("not a launch of the same program"), "{command}: {said}");
    }
}

#[test]
fn a_machine_on_which_it_was_not_recorded_is_refused() {
    let home = folder();
    std::fs::write(home.path().join("here.toml"), HERE).unwrap();
    succeed(home.path(), "bench pingpong --warm-up 0 --count 100 --on sun3-ethernet --out run");
    let command = "predict run --from here.toml --on myrinet";
    let refused = run(home.path(), command);
    assert_eq!(refused.status.code(), Some(3));
    let said = text(&refused.stderr);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("no prediction") && said.contains("--anyway"), "{said}");
    assert!(refused.stdout.is_empty());
    let anyway = succeed(home.path(), &format!("{command} --anyway"));
    assert!(anyway.replace('\n', " ").contains("outside of the interval"), "{anyway}");
}

#[test]
fn what_cannot_be_predicted_is_said_in_a_line() {
    let home = folder();
    let small = HERE.replace("nodes = 8", "nodes = 2");
    std::fs::write(home.path().join("small.toml"), small).unwrap();
    succeed(home.path(), "bench relay --warm-up 0 --count 10 --on gigabit-2017 --out run");
    succeed(home.path(), "bench pingpong --transport thread --count 10 --launches 1 --out real");
    succeed(home.path(), "bench relay --warm-up 0 --count 10 --on gigabit-2017 --out half");
    let file = home.path().join("half/run.json");
    let closed = std::fs::read_to_string(&file).unwrap();
    assert!(closed.contains("\"closed\","));
    std::fs::write(&file, closed.replace("\"closed\",", "\"cut\",")).unwrap();
    for (command, reason) in [
        ("predict run", "on which machine"),
        ("predict half --on myrinet", "half: it was cut"),
        ("predict run --on myrinet --measured half", "half: it was cut"),
        ("predict run run --on myrinet", "the same run as run"),
        ("predict run --on small.toml", "has 2 nodes, and the run 3"),
        ("predict real --on myrinet", "nothing says what machine it was recorded on"),
        ("predict nothing --on myrinet", "nothing"),
        ("predict run --bandwidth fast", "a multiple"),
        ("predict run --latency 1000000x --bandwidth 0.000001x", "out of what a machine may have"),
        ("predict run --on myrinet --nodes 2", "--nodes is for simulations"),
        ("predict run --on myrinet --as-recorded", "--as-recorded is for traced MPI programs"),
        ("predict run --curve colour=1x..2x", "bandwidth, latency or cpu"),
        ("predict run --curve latency=2x..1x", "smaller"),
    ] {
        let said = fail(home.path(), command);
        assert!(said.contains(reason), "{command}: {said}");
    }
}

fn trace(home: &Path, mpi: &str, out: &str, program: &str) {
    assert!(traced(home, mpi, out, program).status.success());
}

/// The same, whatever becomes of its ranks.
fn traced(home: &Path, mpi: &str, out: &str, program: &str) -> Output {
    let more = if mpi == "openmpi" { "--oversubscribe " } else { "" };
    let arguments = format!("mpi trace --no-report --out {out} -- mpirun.{mpi} {more}{program}");
    let mut trace = fourstamp(home, &arguments);
    crate::common::for_open_mpi(&mut trace);
    trace.output().unwrap()
}

/// How many receives for any source took another message than recorded, there and on the other
/// machine, of how many.
fn changed(home: &Path, command: &str) -> [(u64, u64); 2] {
    let table = succeed(home, &format!("{command} --csv=wildcards"));
    let row = |line: &str| {
        let mut cells = line.rsplit(',').skip(1).map(|cell| cell.parse().unwrap());
        (cells.next().unwrap(), cells.next().unwrap())
    };
    let rows: Vec<(u64, u64)> = table.lines().skip(1).map(row).collect();
    rows.try_into().unwrap()
}

/// A machine on which long messages go at once, and leave room for others between their packets.
fn packets_at_once() -> String {
    format!("{HERE}packet = \"1500B\"\neager = \"8MiB\"\n")
}

/// Rank 0 of `collect` computes for 60 ms with each of two results a round. Here that of rank 2 is
/// there after 50 ms and that of rank 1 after 100: a round takes 50 + 60 + 60. With 10 MB/s the
/// 2 MB of rank 2 are there after 250 ms: rank 0 is done with rank 1 by then, and a round takes
/// 250 + 60. Were it to take that of rank 2 first, it would be 250 + 60 + 60.
#[test]
fn who_receives_from_any_source_takes_what_comes_first_there() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "collect", home.path()) else { continue };
        std::fs::write(home.path().join("here.toml"), packets_at_once()).unwrap();
        trace(home.path(), mpi, "run", &format!("-n 3 {} 3", program.display()));
        let command = "predict run --from here.toml --anyway --bandwidth 0.005x";
        let there = completion(home.path(), command);
        // What the scheduler did is in the recording: sleeps may only have become longer.
        assert!(there.recorded > 0.99 * 3.0 * 0.170, "{mpi}: {}", there.recorded);
        assert!(there.target > 0.99 * 3.0 * 0.310, "{mpi}: {}", there.target);
        assert_eq!(changed(home.path(), command), [(0, 6), (6, 6)], "{mpi}");
        let said = succeed(home.path(), command).replace('\n', " ");
        assert!(said.contains("6 of 6 receives (100"), "{mpi}: {said}");
        let asked = "Messages above 64 KiB wait for their receives";
        assert!(!said.contains(asked), "{mpi}: {said}");
        let silent = packets_at_once().replace("eager = \"8MiB\"\n", "");
        std::fs::write(home.path().join("silent.toml"), silent).unwrap();
        let said =
            succeed(home.path(), "predict run --from silent.toml --anyway --bandwidth 0.005x");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(said.contains(asked), mpi == "openmpi", "{mpi}: {said}");
        let kept = completion(home.path(), &format!("{command} --as-recorded"));
        let saved = kept.target - there.target;
        assert!(saved > 0.95 * 3.0 * 0.060, "{mpi}: {saved}");
    }
}

#[test]
fn who_answers_whom_it_received_from_is_predicted_as_recorded_and_that_is_said() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "collect", home.path()) else { continue };
        std::fs::write(home.path().join("here.toml"), packets_at_once()).unwrap();
        trace(home.path(), mpi, "run", &format!("-n 3 {} 3 answer", program.display()));
        let command = "predict run --from here.toml --anyway --bandwidth 0.005x";
        let said = run(home.path(), command);
        assert!(said.status.success(), "{mpi}");
        let line = text(&said.stderr);
        assert_eq!(line.trim_end().lines().count(), 1, "{mpi}: {line}");
        let words = "rank 0 would answer rank 2, which has not asked yet: messages are taken as \
                     recorded";
        assert!(line.contains(words), "{mpi}: {line}");
        let kept = completion(home.path(), &format!("{command} --as-recorded"));
        let there = completion(home.path(), command);
        assert_eq!((there.target, there.within), (kept.target, kept.within), "{mpi}");
        assert!(there.target > 0.99 * 3.0 * 0.370, "{mpi}: {}", there.target);
        let table = fail(home.path(), &format!("{command} --csv=wildcards"));
        assert!(table.contains("wildcards"), "{mpi}: {table}");
    }
}

#[test]
fn an_mpi_program_is_predicted_by_its_computing_and_its_messages() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "chain", home.path()) else { continue };
        std::fs::write(home.path().join("here.toml"), HERE).unwrap();
        trace(home.path(), mpi, "run", &format!("-n 4 {} 40 6", program.display()));
        let command = "predict run --from here.toml --anyway";
        let faster = completion(home.path(), &format!("{command} --cpu 2x"));
        assert!(faster.measured > 6.0 * 0.04, "{mpi}");
        // What the scheduler did is in the recording: the chain may only have become shorter.
        assert!(faster.recorded > 6.0 * 0.04 && faster.recorded < 1.05 * faster.measured, "{mpi}");
        assert!(near(faster.target, faster.recorded / 2.0, 0.05), "{mpi}");
        let slower = completion(home.path(), &format!("{command} --latency 20000x"));
        // 20 ms a message: each of the six rounds hands on from rank to rank.
        assert!(slower.target > faster.recorded + 6.0 * 0.02, "{mpi}");
    }
}
