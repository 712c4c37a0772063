//! The programs in C.

use std::path::{Path, PathBuf};
use std::process::Command;

/// One of them, or a library for it, compiled into a folder.
pub fn compiled(folder: &Path, name: &str, options: &[&str]) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let (source, program) = (sources.join(format!("{name}.c")), folder.join(name));
    let mut compiler = Command::new("cc");
    compiler.arg("-O1").args(options).arg("-o").arg(&program).arg(source);
    assert!(compiler.status().unwrap().success());
    program
}
