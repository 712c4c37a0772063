//! The transport mpi outside of a job: the same command line, started again under mpirun.

use super::Asked;
use anyhow::{Context, Result, bail};
use fabric::{MpiFamily, mpi_library};
use mpi_job::Launcher;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// A launcher that belongs to an MPI library.
pub struct Mpirun {
    pub path: PathBuf,
    pub family: MpiFamily,
}

/// Become `mpirun -n NODES fourstamp …`. Returns only if that cannot be.
pub fn under_mpirun(asked: &Asked) -> Result<()> {
    let nodes = asked.nodes.unwrap_or(asked.usual_nodes);
    let Some(mpirun) = Mpirun::find()? else {
        bail!(
            "transport mpi needs a launcher, but no mpirun of Open MPI or MPICH is on PATH: \
            install one, or start `srun -n {nodes} fourstamp …` yourself"
        );
    };
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let mut command = Command::new(&mpirun.path);
    command.args(["-n", &nodes.to_string()]);
    if mpirun.family == MpiFamily::OpenMpi
        && std::thread::available_parallelism().is_ok_and(|cores| cores.get() < nodes.into())
    {
        command.arg("--oversubscribe");
    }
    let error = command.arg(program).args(std::env::args_os().skip(1)).exec();
    Err(error).with_context(|| format!("cannot start {}", mpirun.path.display()))
}

impl Mpirun {
    /// The first on PATH; where the user names a library, the first of that.
    ///
    /// # Errors
    /// When the library that the user names cannot be used.
    pub fn find() -> Result<Option<Mpirun>> {
        let named = std::env::var_os(fabric::MPI_LIBRARY_VARIABLE);
        let named = named.filter(|named| !named.is_empty()).map(|_| mpi_library(None));
        let wanted = named.transpose()?.map(|library| library.family);
        Ok(Mpirun::all().find(|mpirun| wanted.is_none_or(|family| family == mpirun.family)))
    }

    /// One whose ranks on several hosts know which job they belong to without MPI: Open MPI's, if
    /// there is one.
    pub fn naming_its_job() -> Option<Mpirun> {
        let of_open_mpi = |mpirun: &Mpirun| mpirun.family == MpiFamily::OpenMpi;
        Mpirun::all().find(of_open_mpi).or_else(|| Mpirun::all().next())
    }

    fn all() -> impl Iterator<Item = Mpirun> {
        let names = ["mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich"];
        names.into_iter().filter_map(on_path).filter_map(Mpirun::at)
    }

    fn at(path: PathBuf) -> Option<Mpirun> {
        let family = match Launcher::by_its_word(&path) {
            Launcher::OpenMpi => MpiFamily::OpenMpi,
            Launcher::Hydra => MpiFamily::Mpich,
            Launcher::Srun | Launcher::Unknown => return None,
        };
        Some(Mpirun { path, family })
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
