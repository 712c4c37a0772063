//! `cargo xtask bench stamps`: what a call of the stamper costs a program in C and one in Python.
//!
//! Both are as people install them: linked with the shared library, and the wheel.

use super::competition::Terms;
use super::contest::Contestant;
use super::figures::{Bound, Compared, Figure, Number, figure};
use crate::dist;
use crate::install;
use crate::process::{self, on_path};
use crate::workspace::{Build, Workspace};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How to measure.
#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    terms: Terms,
}

const C_NOTHING: &str = "C, nothing";
const C_NOW: &str = "C, now";
const C_HEADER: &str = "C, header";
const C_TAKEN: &str = "C, taken";
const PYTHON_NOTHING: &str = "Python, nothing";
const PYTHON_NOW: &str = "Python, now";
const PYTHON_HEADER: &str = "Python, header";
const PYTHON_TAKEN: &str = "Python, taken";

/// A figure of what a call takes over an empty loop.
const fn call(name: &'static str, ours: &'static str, peer: &'static str, ns: f64) -> Figure {
    let compared = (Number::CallNs, Compared::DifferenceNs);
    figure(name, ours, (ours, peer), compared, Bound::AtMost(ns))
}

const FIGURES: &[Figure] = &[
    call("c", C_NOW, C_NOTHING, 20.0),
    call("c", C_HEADER, C_NOTHING, 20.0),
    call("c", C_TAKEN, C_NOTHING, 40.0), // a stamp, and a row
    call("python", PYTHON_NOW, PYTHON_NOTHING, 200.0),
    call("python", PYTHON_HEADER, PYTHON_NOTHING, 200.0),
    call("python", PYTHON_TAKEN, PYTHON_NOTHING, 200.0),
];

const LIMIT: Duration = Duration::from_secs(300);

/// Runs the benchmark and prints its tables.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let figures = options.terms.choose(FIGURES)?;
    let packages = dist::make(workspace, Build::Release)?;
    let folder = workspace.fresh("stamps")?;
    let c = in_c(workspace, &packages.prefix, &folder);
    let python = in_python(workspace, &packages.wheel, &folder);
    options.terms.hold(&figures, |name| {
        let (language, operation) = name.split_once(", ").context("a language and a call")?;
        let program = if language == "C" { &c } else { &python };
        match program {
            Ok(program) => Ok(contestant(name, program.clone(), operation, &folder)),
            Err(why) => bail!("{why:#}"),
        }
    })
}

/// How a language's program is started.
#[derive(Clone)]
struct Program {
    words: Vec<PathBuf>,
    /// A variable of its environment.
    variable: (&'static str, PathBuf),
}

fn in_c(workspace: &Workspace, prefix: &Path, folder: &Path) -> Result<Program> {
    let (program, library) = (folder.join("stamps"), prefix.join("lib"));
    let cc = on_path("cc").context("no C compiler: apt install gcc")?;
    let mut compile = workspace.command(cc, &["-O2", "xtask/peers/stamps.c", "-o"]);
    compile.arg(&program).arg("-I").arg(prefix.join("include"));
    process::capture_within(compile.arg("-L").arg(&library).arg("-lfourstamp"), LIMIT)?;
    Ok(Program { words: vec![program], variable: ("LD_LIBRARY_PATH", library) })
}

fn in_python(workspace: &Workspace, wheel: &Path, folder: &Path) -> Result<Program> {
    let (python, installed) = (install::python(workspace)?, folder.join("python"));
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index"]);
    process::capture_within(pip.arg("--target").args([&installed, wheel]), LIMIT)?;
    let words = vec![python, workspace.root.join("xtask/peers/stamps.py")];
    Ok(Program { words, variable: ("PYTHONPATH", installed) })
}

fn contestant(
    name: &'static str,
    program: Program,
    operation: &'static str,
    folder: &Path,
) -> Contestant {
    let run = folder.join("run");
    let leaves = Some(run.clone());
    let command = move || {
        let mut command = Command::new(&program.words[0]);
        command.args(&program.words[1..]).arg(&run).arg(operation);
        command.env(program.variable.0, &program.variable.1);
        command
    };
    Contestant { name, command: Box::new(command), afterwards: None, numbers: None, leaves }
}
