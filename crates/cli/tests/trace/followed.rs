//! A program that is traced with its children, and what comes of it.

use crate::messages::facts_of;
use record::Run;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use streams::SocketsFacts;

/// What is known of the connections of a program that runs in a folder, and what was said, in one
/// line.
pub fn followed<S: AsRef<OsStr>>(home: &Path, program: &[S]) -> (SocketsFacts, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
    command.args(["trace", "--follow", "--out", "run", "--"]).args(program);
    let Output { status, stderr, .. } =
        command.current_dir(home).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert!(status.success(), "{said}");
    let facts = facts_of(&Run::open(home.join("run")).unwrap());
    (facts, said.split_whitespace().collect::<Vec<_>>().join(" "))
}
