//! Building the plain programs to compare with.

use crate::process::{self, on_path};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::time::Duration;

/// Which compiler a peer wants.
#[derive(Clone, Copy, Debug)]
pub enum Compiler {
    C,
    /// Of Open MPI.
    Mpi,
    Mpich,
}

/// Builds `xtask/peers/<name>.c`; its place. The error says what to install.
pub fn build(workspace: &Workspace, name: &str, compiler: Compiler) -> Result<PathBuf> {
    let (program, remedy) = match compiler {
        Compiler::C => ("cc", "no C compiler: apt install gcc"),
        Compiler::Mpi => ("mpicc", "no mpicc: apt install libopenmpi-dev openmpi-bin"),
        Compiler::Mpich => ("mpicc.mpich", "no mpicc.mpich: apt install libmpich-dev mpich"),
    };
    let cc = on_path(program).context(remedy)?;
    let binary = workspace.scratch("peers")?.join(format!("{name}-{program}"));
    let source = workspace.root.join("xtask/peers").join(name).with_extension("c");
    let mut command = workspace.command(cc, &["-std=c11", "-O3", "-Wall", "-Wextra", "-Werror", "-pthread"]);
    command.arg(source).arg("-o").arg(&binary).arg("-lm");
    process::capture_within(&mut command, Duration::from_secs(60))?;
    Ok(binary)
}
