//! Arguments of `fourstamp collect`.

use clap::Args;
use mpi_job::collect::{Reach, Source};
use std::path::PathBuf;

/// `fourstamp collect`.
#[derive(Args)]
#[command(after_help = "\
Ranks of a traced MPI program whose host does not see the run's folder keep their logs on that \
host, in /tmp (or TMPDIR, or FOURSTAMP_MPI_LOCAL) under fourstamp- and the run's number. This \
fetches them, each host's folder as a tar archive, and then closes and shows the run. The run \
knows its hosts if one of its ranks saw the folder; if none did, the program has said what to type.

Fetch as often as needed: what has come is in the run, and the next call fetches the rest. The \
hosts keep their folders unless you say --remove.

Examples:
  fourstamp collect runs/app-mpi-1                       over ssh
  fourstamp collect runs/app-mpi-1 n1:/tmp/fourstamp-3f  it knows no host
  fourstamp collect runs/app-mpi-1 --with 'kubectl exec {host} --'
  fourstamp collect runs/app-mpi-1 --with 'srun -N 1 -n 1 -w {host}'
  fourstamp collect runs/app-mpi-1 --without n7          n7 is down")]
pub struct CollectArgs {
    /// Run folder; made if it is not there
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Where logs are  [default: what the run knows]
    #[arg(value_name = "HOST:FOLDER")]
    pub sources: Vec<Source>,
    /// Run commands on a host by this command instead of ssh; {host} stands for the host
    #[arg(long, value_name = "COMMAND", value_parser = Reach::with)]
    pub with: Option<Reach>,
    /// Do without the logs of this host; the run says so
    #[arg(long, value_name = "HOST")]
    pub without: Vec<String>,
    /// Remove the folders from their hosts when the run is closed
    #[arg(long, conflicts_with = "logs_only")]
    pub remove: bool,
    /// Do not print the report at the end
    #[arg(long)]
    pub no_report: bool,
    /// Leave the logs as they are, for a job of its own to match: see `fourstamp report --shards`
    #[arg(long, conflicts_with = "no_report")]
    pub logs_only: bool,
}
