//! The built command, run as a user would.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// `fourstamp` with these arguments, in this folder, with nothing of ours in its environment.
pub fn fourstamp(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
    command.current_dir(folder).args(arguments.split_whitespace()).stdin(Stdio::null());
    command.env_remove("FOURSTAMP_RUN_KEY");
    command
}

/// Run to the end.
#[allow(dead_code, reason = "not every test program runs it by itself")]
pub fn run(folder: &Path, arguments: &str) -> Output {
    fourstamp(folder, arguments).output().expect("the command starts")
}

/// Run to the end, which must be a good one; what it printed.
#[allow(dead_code, reason = "not every test program runs it by itself")]
pub fn succeed(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "fourstamp {arguments} failed\n{out}\n{err}");
    out
}

#[allow(dead_code, reason = "not every test program provokes failures")]
/// Run to the end, which must be exit code 2 with one line on standard error; that line.
pub fn fail(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "fourstamp {arguments}\n{err}");
    assert!(!err.contains("panicked"), "{err}");
    err
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A fresh folder that is removed afterwards.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A program of the tracer's own tests, built with one MPI library; `None` where that is not
/// installed.
#[allow(dead_code, reason = "not every test program traces")]
pub fn mpi_program(mpi: &str, name: &str, into: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../mpi/preload/tests/programs")
        .join(format!("{name}.c"));
    let program = into.join(name);
    let mut compiler = Command::new(format!("mpicc.{mpi}"));
    compiler.args(["-O1", "-g", "-w", "-o"]).arg(&program).arg(source).arg("-lpthread");
    let there = Command::new(format!("mpirun.{mpi}")).arg("--version").output().is_ok();
    match compiler.output() {
        Ok(output) if there => {
            assert!(output.status.success(), "{}", text(&output.stderr));
            Some(program)
        }
        _ => {
            println!("skipped: mpicc.{mpi} or mpirun.{mpi} is not installed");
            None
        }
    }
}

/// The messages files of a run.
#[allow(dead_code, reason = "not every test program looks into a run")]
pub fn messages(run: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(run.join("messages")).expect("a run has messages");
    files.map(|file| file.expect("readable").path()).collect()
}
