//! The MPI libraries that tests and benchmarks use, by the names that Debian gives their programs
//! when both are there.

use crate::process::on_path;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An MPI library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    OpenMpi,
    Mpich,
}

impl Library {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Library::OpenMpi => "Open MPI",
            Library::Mpich => "MPICH",
        }
    }

    /// One of its programs: `mpicc`, `mpirun`.
    pub fn program(self, name: &str) -> Result<PathBuf> {
        let (ending, package) = match self {
            Library::OpenMpi => ("openmpi", "libopenmpi-dev openmpi-bin"),
            Library::Mpich => ("mpich", "libmpich-dev mpich"),
        };
        let remedy = || format!("no {name} of {}: apt install {package}", self.name());
        on_path(&format!("{name}.{ending}")).with_context(remedy)
    }

    /// The words that start `ranks` ranks of a program.
    pub fn run(self, ranks: u32, program: &Path) -> Result<Vec<String>> {
        let mpirun = self.program("mpirun")?;
        let mut words = vec![mpirun.display().to_string()];
        if self == Library::OpenMpi {
            words.push("--oversubscribe".into());
        }
        words.extend(["-n".into(), ranks.to_string(), program.display().to_string()]);
        Ok(words)
    }

    /// What a program in Python with mpi4py must be told to use it. `folder` is for what the loader
    /// is to find: Debian does not give MPICH the name that mpi4py asks for.
    pub fn for_python(self, folder: &Path) -> Result<[(&'static str, OsString); 2]> {
        let abi = match self {
            Library::OpenMpi => "openmpi",
            Library::Mpich => {
                mpich_for_python(folder)?;
                "mpich"
            }
        };
        Ok([("MPI4PY_MPIABI", abi.into()), ("LD_LIBRARY_PATH", folder.into())])
    }
}

/// Open MPI refuses root unless told twice; it matters to no one else.
pub fn as_root_too(command: &mut Command) -> &mut Command {
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
}

/// What `run.json` says of a traced run, if every message was matched.
pub fn all_matched(run: &Path) -> Result<Value> {
    let file = run.join("run.json");
    let text = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut info: Value = serde_json::from_slice(&text)?;
    ensure!(info["state"] == "closed", "the run is {}, not closed", info["state"]);
    let facts = info["parameters"]["mpi"].take();
    for key in ["unmatched_sends", "unmatched_receives", "causality_violations"] {
        let found = facts[key].as_u64().with_context(|| format!("run.json has no mpi.{key}"))?;
        ensure!(found == 0, "{key}: {found}");
    }
    Ok(facts)
}

fn mpich_for_python(folder: &Path) -> Result<()> {
    let triplets = ["x86_64-linux-gnu", "aarch64-linux-gnu"];
    let libraries =
        triplets.map(|triplet| Path::new("/usr/lib").join(triplet).join("libmpich.so.12"));
    let library = libraries.iter().find(|library| library.exists()).context("no libmpich.so.12")?;
    let link = folder.join("libmpi.so.12");
    if !link.exists() {
        std::os::unix::fs::symlink(library, link)?;
    }
    Ok(())
}
