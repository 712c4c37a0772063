//! What an installed `mpi.h` declares.

use super::Mpi;
use std::collections::BTreeMap;
use std::process::Command;

/// Functions by name without `MPI_`, each with the declarations of its arguments.
pub type Header = BTreeMap<String, Vec<String>>;

/// The header of a library.
pub fn of(mpi: Mpi) -> Header {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("all.c");
    std::fs::write(&source, "#include <mpi.h>\n").unwrap();
    let mut compiler = Command::new(format!("mpicc.{}", mpi.0));
    let output = compiler.args(["-E", "-P"]).arg(&source).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.split(';').filter_map(|words| declared(&words.replace('\n', " "))).collect()
}

/// `int MPI_Send(const void *buf, …)` as its name and arguments.
fn declared(words: &str) -> Option<(String, Vec<String>)> {
    let at = words.find(" MPI_").filter(|at| words[..*at].trim_end().ends_with("int"))?;
    let (name, rest) = words[at + " MPI_".len()..].split_once('(')?;
    let arguments = rest.split(')').next()?;
    let arguments = arguments.split(',').map(str::trim).filter(|one| !["", "void"].contains(one));
    Some((name.trim().to_owned(), arguments.map(str::to_owned).collect()))
}
