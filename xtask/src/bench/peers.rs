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
    /// With FFTW.
    Fftw,
}

/// Builds `xtask/peers/<name>.c`; its place. The error says what to install.
pub fn build(workspace: &Workspace, name: &str, compiler: Compiler) -> Result<PathBuf> {
    build_with(workspace, name, compiler, &[])
}

/// The same as a library to be loaded before a program's own.
pub fn build_library(workspace: &Workspace, name: &str, compiler: Compiler) -> Result<PathBuf> {
    build_with(workspace, name, compiler, &["-shared", "-fPIC"])
}

fn build_with(
    workspace: &Workspace,
    name: &str,
    compiler: Compiler,
    options: &[&str],
) -> Result<PathBuf> {
    let (program, remedy) = match compiler {
        Compiler::C | Compiler::Fftw => ("cc", "no C compiler: apt install gcc"),
        Compiler::Mpi => ("mpicc", "no mpicc: apt install libopenmpi-dev openmpi-bin"),
        Compiler::Mpich => ("mpicc.mpich", "no mpicc.mpich: apt install libmpich-dev mpich"),
    };
    let cc = on_path(program).context(remedy)?;
    let binary = workspace.scratch("peers")?.join(format!("{name}-{program}"));
    let source = workspace.root.join("xtask/peers").join(name).with_extension("c");
    let mut command =
        workspace.command(cc, &["-std=c11", "-O3", "-Wall", "-Wextra", "-Werror", "-pthread"]);
    command.args(options).arg(source).arg("-o").arg(&binary);
    if let Compiler::Fftw = compiler {
        command.arg("-lfftw3");
    }
    command.arg("-lm");
    let built = process::capture_within(&mut command, Duration::from_secs(60));
    match compiler {
        Compiler::Fftw => built.context("no FFTW: apt install libfftw3-dev")?,
        _ => built?,
    };
    Ok(binary)
}
