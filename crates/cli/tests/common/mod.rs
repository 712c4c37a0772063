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

/// The messages files of a run.
#[allow(dead_code, reason = "not every test program looks into a run")]
pub fn messages(run: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(run.join("messages")).expect("a run has messages");
    files.map(|file| file.expect("readable").path()).collect()
}
