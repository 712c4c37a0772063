//! `fourstamp mpi trace` as a user runs it, and the bad input that users give it.

use crate::common::{OPEN_MPI_FOLDER, fail, folder, for_open_mpi, fourstamp, mpi_program, text};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn mpirun(mpi: &str, ranks: u32) -> String {
    let more = if mpi == "openmpi" { "--oversubscribe " } else { "" };
    format!("mpirun.{mpi} {more}-n {ranks}")
}

fn trace(folder: &Path, arguments: &str) -> Output {
    let mut command = fourstamp(folder, &format!("mpi trace {arguments}"));
    for_open_mpi(&mut command);
    command.output().expect("the command starts")
}

fn facts(run: &Path) -> serde_json::Value {
    let text = std::fs::read(run.join("run.json")).expect("a run has run.json");
    serde_json::from_slice(&text).expect("run.json is JSON")
}

#[test]
fn a_program_is_traced_and_keeps_its_output_and_exit_code() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "kinds", home.path()) else { continue };
        let words = format!("{} {} immediate 50", mpirun(mpi, 2), program.display());
        let traced = trace(home.path(), &format!("--out run -- {words}"));
        let (out, err) = (text(&traced.stdout), text(&traced.stderr));
        assert_eq!(traced.status.code(), Some(0), "{err}");
        assert_eq!(out.lines().filter(|line| line.starts_with("rank ")).count(), 2, "{out}");
        assert_eq!(out.lines().count(), 2, "standard output is the program's: {out}");
        assert!(err.contains("fourstamp report"), "{err}");
        let facts = facts(&home.path().join("run"));
        let mpi = &facts["parameters"]["mpi"];
        assert_eq!((&mpi["sends"], &mpi["matched"]), (&100.into(), &100.into()), "{mpi}");
        assert_eq!(facts["state"], "closed");
    }
}

#[test]
fn a_failure_is_the_programs_own() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "kinds", home.path()) else { continue };
        let code = trace(
            home.path(),
            &format!("--no-report --out code -- {} {} code", mpirun(mpi, 2), program.display()),
        );
        assert_eq!(code.status.code(), Some(3), "{}", text(&code.stderr));
        let abort = trace(
            home.path(),
            &format!("--no-report --out abort -- {} {} abort", mpirun(mpi, 2), program.display()),
        );
        assert_eq!(abort.status.code(), Some(7), "{}", text(&abort.stderr));
        let facts = facts(&home.path().join("abort"));
        assert_eq!(facts["state"], "cut");
        let last = facts["parameters"]["mpi"]["in_progress"].to_string();
        assert!(last.contains("MPI_Abort"), "{last}");
    }
}

#[test]
fn bad_input_is_one_line() {
    let home = folder();
    let err = fail(home.path(), "mpi trace -- no-such-mpirun -n 2 ./app");
    assert!(err.contains("cannot find no-such-mpirun"), "{err}");
    std::fs::write(home.path().join("static.c"), "int main(void) { return 0; }")
        .expect("a folder to write to");
    let mut compiler = Command::new("cc");
    let built =
        compiler.current_dir(home.path()).args(["-static", "-o", "static", "static.c"]).status();
    if built.is_ok_and(|status| status.success()) {
        let err = fail(home.path(), "mpi trace -- ./static");
        assert!(err.contains("statically linked") && err.lines().count() == 1, "{err}");
    } else {
        println!("skipped: no C compiler that links statically");
    }
}

#[test]
fn a_program_without_mpi_keeps_its_exit_code() {
    let home = folder();
    for (program, code) in [("true", 0), ("false", 1)] {
        let traced = trace(home.path(), &format!("-- {program}"));
        let err = text(&traced.stderr);
        assert_eq!(traced.status.code(), Some(code), "{err}");
        assert!(err.contains("no rank called MPI_Init") && err.lines().count() == 1, "{err}");
    }
    let left = std::fs::read_dir(home.path().join("runs")).expect("made for the run").count();
    assert_eq!(left, 0, "a run of nothing is not kept");
}

/// The launcher's own failure is not blamed on the program.
#[test]
fn a_launcher_that_fails_is_told_apart_from_a_program_without_mpi() {
    for (mpi, option) in [("openmpi", "-n 4096"), ("mpich", "--no-such-option")] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "kinds", home.path()) else { continue };
        let words = format!("mpirun.{mpi} {option} {} immediate 5", program.display());
        let failed = trace(home.path(), &format!("--no-report -- {words}"));
        let err = text(&failed.stderr);
        assert_ne!(failed.status.code(), Some(0), "{err}");
        assert!(err.contains(&format!("nothing was traced: mpirun.{mpi} ended")), "{err}");
        assert!(!err.contains("no rank called MPI_Init"), "{err}");
        std::fs::write(home.path().join("fails"), "#!/bin/sh\nexit 3\n").unwrap();
        let program = home.path().join("fails");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let words = format!("{} {}", mpirun(mpi, 2), program.display());
        let err = text(&trace(home.path(), &format!("--no-report -- {words}")).stderr);
        assert!(err.contains("no rank called MPI_Init"), "{err}");
    }
}

#[test]
fn a_tracer_behind_the_launcher_is_told_where_it_belongs() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "kinds", home.path()) else { continue };
        let all = mpirun(mpi, 2);
        let mut words = all.split(' ').chain([env!("CARGO_BIN_EXE_fourstamp"), "mpi", "trace"]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).arg("--").arg(&program).args(["immediate", "5"]);
        command.current_dir(home.path());
        let output = for_open_mpi(&mut command).output().unwrap();
        let err = text(&output.stderr);
        let remedy = format!("fourstamp mpi trace -- mpirun -n 2 {}", program.display());
        assert_eq!(err.matches(&remedy).count(), 1, "{err}");
        assert!(!output.status.success() && !home.path().join("runs").exists(), "{err}");
    }
}

#[test]
fn a_run_is_called_like_the_program_behind_timeout() {
    let home = folder();
    let Some(program) = mpi_program("mpich", "kinds", home.path()) else { return };
    let job = format!("timeout 60 {} {} blocking 3", mpirun("mpich", 2), program.display());
    let traced = trace(home.path(), &format!("--no-report -- {job}"));
    assert!(traced.status.success(), "{}", text(&traced.stderr));
    assert!(home.path().join("runs/kinds-mpi-1/run.json").is_file());
}

#[test]
fn a_mixture_of_libraries_is_said_in_one_line() {
    let home = folder();
    let (Some(program), Some(_)) = (
        mpi_program("openmpi", "kinds", home.path()),
        mpi_program("mpich", "planted", home.path()),
    ) else {
        return;
    };
    // Ranks of Open MPI that are started one by one make the same folder, unless each has its own.
    let apart = home.path().join("apart.sh");
    let own = format!("{OPEN_MPI_FOLDER}=$(mktemp -d -p \"${{0%/*}}\") exec \"$@\"\n");
    fs::write(&apart, own).unwrap();
    let job = format!("{} sh {} {}", mpirun("mpich", 3), apart.display(), program.display());
    let mixed = trace(home.path(), &format!("--no-report -- {job} collectives"));
    let err = text(&mixed.stderr);
    let said: Vec<&str> =
        err.lines().filter(|line| line.contains("different MPI libraries")).collect();
    assert_eq!(said.len(), 1, "{err}");
    assert_eq!(mixed.status.code(), Some(0), "the program runs on: {err}");
}
