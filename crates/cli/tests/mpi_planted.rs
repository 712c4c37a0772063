//! Delays planted in programs of every language: the report puts them where they belong, for what
//! they are.

mod common;

use common::{folder, fourstamp, text};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Messages of a planted program.
const ROUNDS: f64 = 20.0;
/// Each delay, as planted.c names it; its milliseconds; the wait that the report must find.
const DELAYS: [(&str, f64, &str); 5] = [
    ("late_sender", 25.0, "late-sender"),
    ("asleep", 50.0, "not-collected"),
    ("unexpected", 50.0, "unexpected"),
    ("rendezvous", 50.0, "late-receiver"),
    ("waitall", 25.0, "late-sender"),
];
const WAITS: [&str; 5] =
    ["late-sender", "late-receiver", "unexpected", "not-collected", "collective"];

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mpi/preload/tests/programs").join(name)
}

/// Build a program; `None`, and why, where its compiler is missing.
fn build(compiler: &str, name: &str, flags: &[&str], into: &Path) -> Option<PathBuf> {
    let program = into.join(format!("planted-{}", flags.join("")));
    let mut command = Command::new(compiler);
    command.args(["-O1", "-g", "-w", "-o"]).arg(&program).args(flags).arg(source(name));
    match command.output() {
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

/// The waits that the report finds in a traced program: seconds of each, and how far the figure may
/// be off.
fn waits(
    home: &Path,
    mpi: &str,
    program: &str,
    (delay, ms, _): (&str, f64, &str),
) -> Vec<(f64, f64)> {
    let launcher = if mpi == "openmpi" { "mpirun.openmpi --oversubscribe" } else { "mpirun.mpich" };
    let run = home.join("run");
    let arguments =
        format!("mpi trace --no-report --out run -- {launcher} -n 2 {program} {delay} {ms}");
    let mut trace = fourstamp(home, &arguments);
    trace.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    if mpi == "mpich" {
        trace.env("MPI4PY_MPIABI", "mpich").env("LD_LIBRARY_PATH", home);
    }
    let output = trace.output().expect("the command starts");
    assert!(output.status.success(), "{arguments}\n{}", text(&output.stderr));
    let csv = common::succeed(home, "report --csv=mpi-waits run");
    std::fs::remove_dir_all(run).expect("the run can be removed");
    let number = |group: String| {
        let line = csv.lines().find(|line| line.split(',').nth(2) == Some(&group));
        let line = line.unwrap_or_else(|| panic!("no {group} in\n{csv}"));
        line.split(',').nth(6).and_then(|number| number.parse::<f64>().ok()).expect("a number")
            / 1e9
    };
    WAITS
        .iter()
        .map(|wait| (number(format!("{wait} total")), number(format!("{wait} error"))))
        .collect()
}

/// All delays in one program. Where other work on the machine came between, the delay is planted
/// again.
fn check(home: &Path, mpi: &str, program: &str) {
    for delay in DELAYS {
        let amiss: Vec<String> = (0..5).map_while(|_| amiss(home, mpi, program, delay)).collect();
        assert!(amiss.len() < 5, "{}", amiss.join("\n"));
    }
}

/// A wait that is not what was planted, if there is one: others that ran meanwhile can make it
/// longer, or the one that waits late.
fn amiss(home: &Path, mpi: &str, program: &str, delay: (&str, f64, &str)) -> Option<String> {
    let planted_s = ROUNDS * delay.1 / 1e3;
    let mut amiss = None;
    for (wait, (total, error)) in WAITS.iter().zip(&waits(home, mpi, program, delay)) {
        let context = format!("{program} over {mpi}, {delay:?}: {wait} {total} s ± {error} s");
        println!("{context}");
        // Where the receiver is late, the sender waits for it in the barrier.
        let meets = *wait == "collective" && ["asleep", "unexpected"].contains(&delay.0);
        let (least_s, most_s) = match *wait == delay.2 || meets {
            true => (0.9 * planted_s, 1.6 * planted_s),
            false => (0.0, 0.25 * planted_s),
        };
        if *total < least_s || *total >= most_s {
            amiss = Some(context);
        }
    }
    amiss
}

fn check_c(mpi: &str) {
    let home = folder();
    if let Some(program) = build(&format!("mpicc.{mpi}"), "planted.c", &[], home.path()) {
        check(home.path(), mpi, &program.display().to_string());
    }
}

#[test]
fn in_c_over_open_mpi() {
    check_c("openmpi");
}

#[test]
fn in_c_over_mpich() {
    check_c("mpich");
}

#[test]
fn in_the_three_bindings_of_fortran() {
    let home = folder();
    for binding in ["-DMPIF_H", "-DUSE_MPI", "-DUSE_F08"] {
        let flags = [binding, "-fallow-argument-mismatch"];
        if let Some(program) = build("mpifort.openmpi", "planted.F90", &flags, home.path()) {
            check(home.path(), "openmpi", &program.display().to_string());
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
            trace.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
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

#[test]
fn in_python() {
    let python = std::env::var("FOURSTAMP_TEST_PYTHON").unwrap_or_else(|_| "python3".into());
    let there = Command::new(&python).args(["-c", "import mpi4py"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        println!("skipped: {python} has no mpi4py; name one that has in FOURSTAMP_TEST_PYTHON");
        return;
    }
    let home = folder();
    check(home.path(), "openmpi", &format!("{python} {}", source("planted.py").display()));
}
