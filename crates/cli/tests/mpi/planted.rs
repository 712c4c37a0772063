//! Delays planted in programs of every language, over both MPI libraries: the report finds each
//! wait to within 5 % of what the program's own stamps say, or within an interval that it states
//! and that is narrower than a fifth of that.

use crate::common::{folder, fourstamp, mpi_source, python_with_mpi4py, text};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is planted in one run: all kinds that the report's figures tell apart, those that they do
/// not, and those that are harder where nothing tells how long messages are on their way.
const RUNS: [&str; 4] = [
    "late_sender,asleep,unexpected,rendezvous,bcast,reduce,allreduce,barrier",
    "waitall",
    "asleep",
    "unexpected",
];
const DELAY_MS: u32 = 12;
const ROUNDS: u32 = 6;
/// Other work on the machine can come between the program's stamps and the tracer's: tried again.
const TRIES: usize = 8;
/// What is planted of each kind, in all its rounds; less than this part of it is no figure.
const PLANTED_NS: f64 = (DELAY_MS * ROUNDS) as f64 * 1e6;
const LEAST: f64 = 0.1;

/// ns by the name of the figure.
type Figures = BTreeMap<String, f64>;

/// When a rank was where in a round, in ns on the machine's clock.
#[derive(Clone, Copy)]
struct Stamps {
    aligned: f64,
    posted: f64,
    entered: f64,
    left: f64,
}

/// Build a program; `None`, and why, where its compiler is missing.
fn build(compiler: &str, name: &str, flags: &[&str], into: &Path) -> Option<PathBuf> {
    let program = into.join(format!("planted-{}", flags.join("")));
    let mut command = Command::new(compiler);
    command.current_dir(into).args(["-O1", "-g", "-w", "-o"]).arg(&program).args(flags);
    match command.arg(mpi_source(name)).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", text(&output.stderr));
            Some(program)
        }
        Err(_) => {
            println!("skipped: {compiler} is not installed");
            None
        }
    }
}

/// The program in a language, as it is run over a library.
fn program(language: &str, mpi: &str, home: &Path) -> Option<String> {
    let built = match language {
        "C" => build(&format!("mpicc.{mpi}"), "planted.c", &[], home),
        "Fortran" => {
            let flags = ["-DUSE_F08", "-fallow-argument-mismatch"];
            build(&format!("mpifort.{mpi}"), "planted.F90", &flags, home)
        }
        _ => {
            let script = mpi_source("planted.py");
            return Some(format!("{} {}", python_with_mpi4py()?, script.display()));
        }
    };
    built.map(|program| program.display().to_string())
}

/// `fourstamp mpi trace` of a program on two ranks.
fn trace(home: &Path, mpi: &str, program: &str) -> String {
    let launcher = if mpi == "openmpi" { "mpirun.openmpi --oversubscribe" } else { "mpirun.mpich" };
    let arguments = format!("mpi trace --no-report --out run -- {launcher} -n 2 {program}");
    let mut trace = fourstamp(home, &arguments);
    crate::common::for_open_mpi(&mut trace);
    if mpi == "mpich" {
        // mpi4py looks for a library by a name that Debian does not give to MPICH's.
        let libraries = crate::common::mpich_by_its_other_name(home);
        trace.env("MPI4PY_MPIABI", "mpich").env("LD_LIBRARY_PATH", libraries);
    }
    let output = trace.output().expect("the command starts");
    assert!(output.status.success(), "{arguments}\n{}", text(&output.stderr));
    text(&output.stdout)
}

/// What the ranks said: the kinds, with the stamps of both ranks in each round.
fn rounds(said: &str) -> BTreeMap<String, Vec<[Stamps; 2]>> {
    let mut ranks: BTreeMap<(String, usize), Vec<Stamps>> = BTreeMap::new();
    for line in said.lines().filter_map(|line| line.trim().strip_prefix("at ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ns: Vec<f64> = words[2..].iter().map(|word| word.parse().expect("ns")).collect();
        let [aligned, posted, entered, left] = ns[..] else { panic!("{line}") };
        let rank = (words[0].to_owned(), words[1].parse().expect("a rank"));
        ranks.entry(rank).or_default().push(Stamps { aligned, posted, entered, left });
    }
    let both = |kind: &str| {
        let [zero, one] = [0, 1].map(|rank| ranks[&(kind.to_owned(), rank)].clone());
        zero.into_iter().zip(one).map(|(zero, one)| [zero, one]).collect()
    };
    let kinds = ranks.keys().filter(|(_, rank)| *rank == 0);
    kinds.map(|(kind, _)| (kind.clone(), both(kind))).collect()
}

/// The waits of a round, by the report's names.
fn waits(kind: &str, ranks: &[Stamps; 2]) -> Vec<(&'static str, f64)> {
    let waits_for = |late: usize| {
        let waits = &ranks[1 - late];
        ranks[late].entered.min(waits.left) - waits.entered
    };
    match kind {
        "bcast" => vec![("MPI_Bcast", waits_for(0))],
        "reduce" => vec![("MPI_Reduce", waits_for(1))],
        "allreduce" => vec![("MPI_Allreduce", waits_for(0)), ("MPI_Allreduce", waits_for(1))],
        "barrier" => vec![("MPI_Barrier", waits_for(0)), ("MPI_Barrier", waits_for(1))],
        _ => waits_for_message(kind, ranks),
    }
}

/// Of a message from rank 0 to rank 1. One of a few bytes is there as soon as it is sent.
fn waits_for_message(kind: &str, [sent, got]: &[Stamps; 2]) -> Vec<(&'static str, f64)> {
    let mut waits = vec![("late-sender", sent.entered.min(got.left) - got.entered)];
    match kind {
        // The first of its two messages is told by nobody.
        "waitall" => {}
        "rendezvous" => waits.push(("late-receiver", got.posted.min(sent.left) - sent.entered)),
        _ => waits.extend([
            ("unexpected", got.posted - sent.entered),
            ("not-collected", got.entered - got.posted.max(sent.entered)),
        ]),
    }
    waits
}

/// The truth of all rounds. Those of every kind begin with a barrier.
fn truths(said: &str) -> Figures {
    let mut sums = Figures::new();
    for (kind, rounds) in rounds(said) {
        for ranks in &rounds {
            let [zero, one] = ranks.map(|rank| rank.aligned);
            let aligned = [("MPI_Barrier", (zero - one).abs())];
            for (name, ns) in waits(&kind, ranks).into_iter().chain(aligned) {
                *sums.entry(name.to_owned()).or_default() += ns.max(0.0);
            }
        }
    }
    sums
}

/// What the report says: each wait, and how far it may be off.
fn reported(home: &Path) -> (Figures, Figures) {
    let figures = |series: &str, ending: &str| {
        let csv = crate::common::succeed(home, &format!("report --csv={series} run"));
        let figure = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            let name = fields.get(2)?.strip_suffix(ending)?;
            // mpi4py calls the functions with large counts where there are any.
            let name = name.strip_suffix("_c").unwrap_or(name).to_owned();
            Some((name, fields.get(6)?.parse().ok()?))
        };
        csv.lines().skip(1).filter_map(figure).collect::<Figures>()
    };
    let mut found = figures("mpi-waits", " total");
    found.extend(figures("mpi-calls", " ranks waited"));
    (found, figures("mpi-waits", " error"))
}

/// The rows of the table for a run, and those of them that are amiss.
fn compare(home: &Path, name: &str, said: &str) -> (Vec<String>, Vec<String>) {
    let (truths, (found, errors)) = (truths(said), reported(home));
    let (mut rows, mut amiss) = (Vec::new(), Vec::new());
    for (wait, truth) in &truths {
        let [found, error] = [&found, &errors].map(|of| of.get(wait).copied().unwrap_or(0.0));
        if found.max(*truth) < LEAST * PLANTED_NS {
            continue;
        }
        let off = found - truth;
        let row = format!(
            "{name:<28} {wait:<13} planted {:>9.3} ms, found {:>9.3} ms, {:>+6.2} %, ± {:.3} ms",
            truth / 1e6,
            found / 1e6,
            100.0 * off / truth,
            error / 1e6
        );
        let is_near = off.abs() <= 0.05 * truth;
        let is_within = off.abs() <= error && 2.0 * error < 0.2 * truth;
        if !is_near && !is_within {
            amiss.push(row.clone());
        }
        rows.push(row);
    }
    (rows, amiss)
}

/// Runs of a program in one language over one library, each until it is right.
fn check(language: &str, mpi: &str) {
    let home = folder();
    let Some(program) = program(language, mpi, home.path()) else { return };
    for kinds in RUNS {
        let mut failures = Vec::new();
        for _ in 0..TRIES {
            let command = format!("{program} {kinds} {DELAY_MS} {ROUNDS}");
            let said = trace(home.path(), mpi, &command);
            let what = if kinds.contains(',') { "all" } else { kinds };
            let name = format!("{language}, {mpi}, {what}");
            let (rows, amiss) = compare(home.path(), &name, &said);
            std::fs::remove_dir_all(home.path().join("run")).expect("the run can be removed");
            if amiss.is_empty() {
                rows.iter().for_each(|row| println!("{row}"));
                failures.clear();
                break;
            }
            failures.extend(amiss);
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}

/// One after another: two ranks take two cores.
#[test]
fn every_wait_is_found_in_every_language_over_both_libraries() {
    for language in ["C", "Fortran", "Python"] {
        for mpi in ["openmpi", "mpich"] {
            check(language, mpi);
        }
    }
}

/// The calls of a Fortran program come through the layers of its library. The places are lines of
/// the program all the same, in every binding of both libraries.
#[test]
fn places_of_fortran_are_lines_of_the_program() {
    for (mpi, launcher) in
        [("openmpi", "mpirun.openmpi --oversubscribe"), ("mpich", "mpirun.mpich")]
    {
        for binding in ["-DMPIF_H", "-DUSE_MPI", "-DUSE_F08"] {
            let home = folder();
            let flags = [binding, "-fallow-argument-mismatch"];
            let compiler = format!("mpifort.{mpi}");
            let Some(program) = build(&compiler, "planted.F90", &flags, home.path()) else {
                continue;
            };
            let arguments = format!(
                "mpi trace --no-report --out run -- {launcher} -n 2 {} late_sender 1",
                program.display()
            );
            let mut trace = fourstamp(home.path(), &arguments);
            crate::common::for_open_mpi(&mut trace);
            let output = trace.output().expect("the command starts");
            assert!(output.status.success(), "{mpi} {binding}: {}", text(&output.stderr));
            let sites = std::fs::read_to_string(home.path().join("run/mpi/sites.csv"));
            let sites = sites.expect("the places");
            assert!(sites.lines().count() > 4, "{mpi} {binding}: {sites}");
            for site in sites.lines().skip(1) {
                let is_line = site.contains("planted.F90,") && !site.contains("planted.F90,,");
                assert!(is_line, "{mpi} {binding}: {site}");
            }
        }
    }
}
