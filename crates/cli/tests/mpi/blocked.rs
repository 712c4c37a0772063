//! Programs that measure by themselves how long each rank is blocked, and for whom: the report must
//! agree, and never count a nanosecond twice, on every installed MPI library.

use crate::common::{folder, fourstamp, mpi_program, succeed, text};
use calls::cause::CAUSES;
use mpi_lens::{CallTables, LensError};
use record::Run;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// How late a rank is in each round, and how many rounds there are.
const LATE_MS: u32 = 20;
const ROUNDS: u32 = 8;
/// Other work on the machine can come between the program's stamps and the tracer's: tried again.
const TRIES: usize = 5;

/// What ns there are of each wait, by the name of the figure.
type Waits = BTreeMap<String, f64>;

/// Trace a case; what the program says of itself.
fn trace(home: &Path, mpi: &str, program: &Path, case: &str, ranks: u32) -> Waits {
    let more = if mpi == "openmpi" { "--oversubscribe " } else { "" };
    let arguments = format!(
        "mpi trace --no-report --out run -- mpirun.{mpi} {more}-n {ranks} {} {case} {LATE_MS} \
         {ROUNDS}",
        program.display()
    );
    let mut trace = fourstamp(home, &arguments);
    crate::common::for_open_mpi(&mut trace);
    let output = trace.output().expect("the command starts");
    assert!(output.status.success(), "{arguments}\n{}", text(&output.stderr));
    let said = text(&output.stdout);
    let truth = said.lines().filter_map(|line| line.strip_prefix("truth "));
    truth
        .map(|line| {
            let (name, ns) = line.split_once(' ').expect("a name and a number");
            (name.to_owned(), ns.parse().expect("a number"))
        })
        .collect()
}

/// The figures of the report's series: name and value.
fn figures(home: &Path, series: &str) -> Waits {
    let csv = succeed(home, &format!("report --csv={series} run"));
    let figure = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        Some((fields.get(2)?.to_string(), fields.get(6)?.parse().ok()?))
    };
    csv.lines().skip(1).filter_map(figure).collect()
}

/// What the report says, by the names of the truth.
fn reported(home: &Path) -> Waits {
    let (waits, calls) = (figures(home, "mpi-waits"), figures(home, "mpi-calls"));
    let totals = waits.iter().filter_map(|(name, ns)| Some((name.strip_suffix(" total")?, *ns)));
    let collectives =
        calls.iter().filter_map(|(name, ns)| Some((name.strip_suffix(" ranks waited")?, *ns)));
    totals.chain(collectives).map(|(name, ns)| (name.to_owned(), ns)).collect()
}

/// Within 5 % of the truth, and a little for the way from the program's stamp to the tracer's.
fn is_near(truth: f64, found: f64) -> bool {
    (found - truth).abs() <= 0.05 * truth + 2e6
}

/// What is exact, whatever else the machine does.
fn check_account(home: &Path) {
    let waits = figures(home, "mpi-waits");
    let [blocked, in_calls, all] = ["blocked", "in calls", "all ranks"].map(|name| waits[name]);
    assert!(blocked <= in_calls && in_calls <= all, "{waits:?}");
    let causes = CAUSES.iter().map(|cause| waits[&format!("{cause} total")]);
    assert_eq!(causes.sum::<f64>(), blocked, "{waits:?}");
    let pairs = succeed(home, "report --csv=mpi-blocked run");
    let pairs =
        pairs.lines().skip(1).filter_map(|line| line.split(',').nth(6)?.parse::<f64>().ok());
    assert_eq!(pairs.sum::<f64>(), blocked);
    let calls = figures(home, "mpi-calls");
    for (name, ns) in &calls {
        let function = name.strip_suffix(" ranks waited");
        let in_it = function.and_then(|function| calls.get(&format!("{function} time in it")));
        assert!(in_it.is_none_or(|in_it| ns <= in_it), "{name} {ns} {in_it:?}");
    }
    check_calls(&home.join("run"));
}

/// Every blocked call is one of the table of calls, once, and was blocked within itself.
fn check_calls(run: &Path) {
    let run = Run::open(run).expect("a run");
    let tables = CallTables::of(&run);
    type Ends = (Option<i64>, Option<i64>);
    let mut spans: HashMap<u32, Vec<Ends>> = HashMap::new();
    let mut each = |call: mpi_lens::CallRow<'_>| {
        let column = |column| call.value(column);
        let span =
            (column(calls::table::CallColumn::Enter), column(calls::table::CallColumn::Exit));
        spans.entry(call.rank()).or_default().push(span);
        Ok::<(), LensError>(())
    };
    tables.each_call(&mut each).expect("sound tables");
    let mut seen = 0;
    let all = |call: &mpi_lens::BlockedCall| {
        let rows = spans.get_mut(&call.rank).expect("a rank with calls");
        // Taken out, so that a second account of the same call fails.
        let (enter, exit) = std::mem::take(&mut rows[call.call as usize]);
        assert_eq!(enter, Some(call.from_ns), "{call:?}");
        assert!(call.from_ns < call.until_ns && Some(call.until_ns) <= exit, "{call:?} {exit:?}");
        seen += 1;
    };
    tables.each_blocked(all).expect("sound tables");
    assert!(seen > 0, "somebody was blocked");
}

/// A case until it agrees with its truth; its account must always be right.
fn check(home: &Path, mpi: &str, program: &Path, (case, ranks, says): (&str, u32, &str)) {
    let mut failures = Vec::new();
    for _ in 0..TRIES {
        let truth = trace(home, mpi, program, case, ranks);
        let found = reported(home);
        check_account(home);
        let told = succeed(home, "report --terminal run").replace(['\u{a0}', '\n'], " ");
        std::fs::remove_dir_all(home.join("run")).expect("the run can be removed");
        let mut off: Vec<String> = truth
            .iter()
            .map(|(name, ns)| (name, *ns, found.get(name).copied().unwrap_or(0.0)))
            .inspect(|(name, ns, found)| println!("{mpi} {case} {name}: {ns} planted, {found}"))
            .filter(|(_, ns, found)| !is_near(*ns, *found))
            .map(|(name, ns, found)| format!("{mpi} {case} {name}: {ns} planted, {found}"))
            .collect();
        if !told.contains(says) {
            off.push(format!("{mpi} {case}: {says:?} is not in\n{told}"));
        }
        if off.is_empty() {
            return;
        }
        failures.extend(off);
    }
    panic!("{}", failures.join("\n"));
}

fn check_all(cases: &[(&str, u32, &str)]) {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "blocked", home.path()) else { continue };
        cases.iter().for_each(|case| check(home.path(), mpi, &program, *case));
    }
}

#[test]
fn messages_are_waited_for_once_and_for_the_right_cause() {
    check_all(&[
        ("sendrecv", 2, "Rank 0 was blocked"),
        ("probe", 2, "Rank 1 was blocked"),
        ("rendezvous", 2, "because rank 1 posted its receives late"),
        ("waitall", 4, "Late sender"),
        ("isends", 4, "Late receiver"),
        ("ring", 4, "Late receiver"),
    ]);
}

#[test]
fn a_message_that_lies_about_is_no_wait_of_its_sender() {
    check_all(&[("lying", 2, "Unexpected"), ("lyingisend", 2, "Unexpected")]);
}

#[test]
fn collectives_wait_for_those_they_depend_on() {
    check_all(&[
        ("bcast", 4, "in collectives"),
        ("bcastchild", 4, "in collectives"),
        ("scatter", 4, "in collectives"),
        ("reduce", 4, "in collectives"),
        ("gather", 4, "in collectives"),
        ("allreduce", 4, "in collectives"),
        ("alltoall", 4, "in collectives"),
        ("barrier", 4, "in collectives"),
        ("scan", 4, "in collectives"),
        // As many as a small machine has cores: MPICH waits in a fence without giving way.
        ("fence", 2, "in collectives"),
        ("ibarrier", 4, "in collectives"),
        ("neighbor", 4, "in collectives"),
        ("neighbordist", 4, "in collectives"),
    ]);
}

/// Two ranks: as many as a small machine has cores, since MPICH waits without giving way.
#[test]
fn one_sided_communication_waits_for_posts_completes_and_locks() {
    check_all(&[
        ("pscw_post", 2, "Late post"),
        ("pscw_complete", 2, "Late complete"),
        ("lock", 2, "Lock: a rank was blocked"),
        ("lockplain", 2, "Lock: a rank was blocked"),
        ("lockshared", 2, "Lock: a rank was blocked"),
        ("lockall", 2, "Lock: a rank was blocked"),
        ("lockreader", 2, "Lock: a rank was blocked"),
    ]);
}

/// Nobody holds what another wants: no wait is a lock's, whatever the library waits for.
#[test]
fn locks_that_do_not_conflict_and_a_target_outside_mpi_are_no_late_rank() {
    check_all(&[
        ("lockreaders", 2, "no late rank is known"),
        ("progress", 2, "no late rank is known"),
    ]);
}

/// Such a program has no messages, and all the same tables of who waited for whom.
#[test]
fn a_program_of_one_sided_communication_alone_is_exported() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "blocked", home.path()) else { continue };
        trace(home.path(), mpi, &program, "lock", 2);
        succeed(home.path(), "export run --csv tables");
        let waits = std::fs::read_to_string(home.path().join("tables/waits.csv")).expect("waits");
        let locks: Vec<&str> =
            waits.lines().filter(|line| line.contains(",lock,1,MPI_Win_unlock,")).collect();
        assert!(locks.iter().any(|line| line.starts_with("0,")), "{waits}");
        assert!(locks.iter().all(|line| line.contains(",MPI_Win_lock,")), "{waits}");
        let calls = std::fs::read_to_string(home.path().join("tables/calls.csv")).expect("calls");
        assert!(calls.contains("MPI_Put"), "{calls}");
    }
}
