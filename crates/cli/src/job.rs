//! Being a rank of a job that mpirun or srun has started.
//!
//! Every rank runs the same command line. Rank 0 coordinates as it would at a desk, and is node 0
//! as well; the others find out where it is (`meeting.rs`) and join it as nodes of their rank's
//! number. So there is one run folder, one progress line, one report, and one line when something
//! fails: rank 0's.

mod launcher;
mod meeting;
mod nodes;
mod start;

pub use launcher::LaunchedJob;
pub use nodes::Leader;
pub use start::Mpirun;

use crate::args::{JoiningArgs, Transport};
use crate::failure::{Said, one_line};
use anyhow::{Result, bail};
use fabric::{MPI, MpiProcess, NodePlace, TCP, mpi_library};
use meeting::Meeting;

/// Who starts the nodes.
pub enum Nodes {
    /// We do, here.
    Here,
    /// We do, in tmux panes.
    InTmux,
    /// We do, on these hosts.
    OverSsh(Vec<String>),
    /// The user does, or a scheduler: each joins with `fourstamp node --join`.
    ByHand(JoiningArgs),
    /// mpirun or srun has: they are the ranks of its job.
    OfJob(Leader),
}

impl Nodes {
    /// Whether they may be on other machines.
    pub fn are_elsewhere(&self) -> bool {
        !matches!(self, Nodes::Here | Nodes::InTmux)
    }
}

/// What the command line says about nodes.
pub struct Asked {
    /// What is to carry the messages, if that is said.
    pub transport: Option<Transport>,
    /// Outside of a job, when it is not said.
    pub usual_transport: Transport,
    /// Nodes, if that is said.
    pub nodes: Option<u16>,
    /// Outside of a job, when it is not said.
    pub usual_nodes: u16,
}

/// What came of it.
pub struct Part<'a> {
    /// What carries the messages.
    pub transport: Transport,
    /// Nodes in all.
    pub nodes: u16,
    /// Who starts them.
    pub starter: &'a Nodes,
}

/// Do `act` in the process that coordinates; be a node of it in the others.
pub fn take_part(asked: &Asked, act: impl FnOnce(&Part<'_>) -> Result<()>) -> Result<()> {
    match LaunchedJob::here() {
        Some(job) => in_job(job, asked, act),
        None if asked.transport.is_some_and(needs_job) => start::under_mpirun(asked),
        None => act(&Part {
            transport: asked.transport.unwrap_or(asked.usual_transport),
            nodes: asked.nodes.unwrap_or(asked.usual_nodes),
            starter: &Nodes::Here,
        }),
    }
}

fn in_job(
    job: LaunchedJob,
    asked: &Asked,
    act: impl FnOnce(&Part<'_>) -> Result<()>,
) -> Result<()> {
    let rank = job.rank;
    let taken = checked(&job, asked).and_then(|transport| meet(job, transport, act));
    match taken {
        // Every rank would say the same.
        Err(error) if rank > 0 && !error.is::<Alone>() => Err(Said.into()),
        other => other,
    }
}

/// Said by a rank that is not the first, for want of anybody else.
#[derive(Debug, thiserror::Error)]
#[error("rank {rank}: {reason}")]
struct Alone {
    rank: u16,
    reason: String,
}

/// What carries the messages in this job.
fn checked(job: &LaunchedJob, asked: &Asked) -> Result<Transport> {
    if let Some(nodes) = asked.nodes.filter(|nodes| *nodes != job.ranks) {
        bail!(
            "--nodes {nodes} does not match the job's {} ranks, each of which is a node: leave \
            --nodes out, or start {nodes} ranks",
            job.ranks
        );
    }
    let transport = asked.transport.unwrap_or_else(|| usual(job));
    match transport.nodes {
        NodePlace::OneProcess => {
            bail!(
                "transport {} keeps all nodes in one process: start it without mpirun or srun, or \
                choose mpi, tcp or shm",
                transport.name
            )
        }
        NodePlace::OneMachine if !job.one_host => {
            bail!("transport {} needs all ranks on one host: choose mpi or tcp", transport.name)
        }
        _ => Ok(transport),
    }
}

/// What carries the messages of a job unless something else is asked for.
fn usual(job: &LaunchedJob) -> Transport {
    if !job.speaks_mpi {
        return &TCP;
    }
    match mpi_library(None) {
        Ok(_) => &MPI,
        Err(why) => {
            if job.rank == 0 {
                eprintln!("messages go over tcp: {why}");
            }
            &TCP
        }
    }
}

/// Whether a transport works among the ranks of a job only.
pub fn needs_job(transport: Transport) -> bool {
    transport.nodes == NodePlace::MpiJob
}

fn meet(
    job: LaunchedJob,
    transport: Transport,
    act: impl FnOnce(&Part<'_>) -> Result<()>,
) -> Result<()> {
    let meeting = match needs_job(transport) {
        true => Meeting::OverMpi(mpi_process(&job)?),
        false => Meeting::ByFile(meeting::Place::of(&job)?),
    };
    if job.rank > 0 {
        let rank = job.rank;
        return nodes::join(&job, meeting).map_err(|error| match rank {
            1 => Alone { rank, reason: one_line(&error) }.into(),
            _ => error,
        });
    }
    let nodes = job.ranks;
    let starter = Nodes::OfJob(Leader::new(job, meeting));
    let result = act(&Part { transport, nodes, starter: &starter });
    let Nodes::OfJob(leader) = starter else { return result };
    leader.end(result)
}

fn mpi_process(job: &LaunchedJob) -> Result<MpiProcess> {
    let process = MpiProcess::begin()?;
    if process.ranks() != job.ranks {
        bail!(
            "{} sees {} of the {} ranks that {} has started, because they belong to different MPI \
            libraries: {}, set FOURSTAMP_MPI_LIBRARY to the file of the launcher's library, or \
            give --transport tcp",
            process.library(),
            process.ranks(),
            job.ranks,
            job.launcher,
            job.launcher_of(process.library())
        );
    }
    Ok(process)
}
