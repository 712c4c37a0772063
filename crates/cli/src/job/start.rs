//! The transport mpi outside of a job: the same command line, started again under mpirun.

use super::Asked;
use anyhow::{Context, Result, bail};
use fabric::mpi_library;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// Become `mpirun -n NODES fourstamp …`. Returns only if that cannot be.
pub fn under_mpirun(asked: &Asked) -> Result<()> {
    let Some(library) = mpi_library() else {
        // The same line as a rank would say.
        fabric::MpiProcess::begin()?;
        bail!("this fourstamp was built without the transport mpi");
    };
    let nodes = asked.nodes.unwrap_or(asked.usual_nodes);
    let Some(mpirun) = mpirun_of(&library) else {
        bail!(
            "transport mpi needs a launcher, but mpirun is not on PATH: install that of \
            {library}, or start `srun -n {nodes} fourstamp …` yourself"
        );
    };
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let mut command = Command::new(&mpirun);
    command.args(["-n", &nodes.to_string()]);
    if library.contains("Open MPI")
        && std::thread::available_parallelism().is_ok_and(|cores| cores.get() < nodes.into())
    {
        command.arg("--oversubscribe");
    }
    let error = command.arg(program).args(std::env::args_os().skip(1)).exec();
    Err(error).with_context(|| format!("cannot start {}", mpirun.display()))
}

/// The launcher of that library, as far as names tell.
pub fn mpirun_of(library: &str) -> Option<PathBuf> {
    let own = if library.contains("Open MPI") { "mpirun.openmpi" } else { "mpirun.mpich" };
    [own, "mpirun", "mpiexec"].iter().find_map(|name| on_path(name))
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
