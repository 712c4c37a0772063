//! What every command that starts nodes needs: from arguments to the fabric and its starter, and
//! the end of a run folder.

use crate::args::Topology;
use crate::job::LaunchedJob;
pub use crate::job::Nodes;
use crate::joining;
use anyhow::{Context, Error, Result};
use fabric::{NodePlace, RunKey, Spec, TransportKind};
use launch::{Coordinator, Hosting, NodeCommand, Note, Starter};
use record::{RunFolder, RunInfo};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// How nodes are started.
pub fn starter(nodes: &Nodes) -> Result<Starter> {
    let program = std::env::current_exe()
        .context("cannot find this program's own file, which nodes are started from")?;
    let command = |program: PathBuf| NodeCommand {
        program,
        arguments: vec!["node".into()],
        environment: Vec::new(),
    };
    Ok(match nodes {
        Nodes::OfJob(_) | Nodes::ByHand(_) => Starter::External,
        Nodes::Here => Starter::Local(command(program)),
        Nodes::InTmux => Starter::Tmux {
            session: format!("fourstamp-{}", std::process::id()),
            server: None,
            command: command(program),
        },
        Nodes::OverSsh(hosts) => Starter::Ssh {
            program: "ssh".into(),
            hosts: hosts.clone(),
            // Found there by its name, as it may lie elsewhere.
            command: command(program.file_name().map_or_else(|| "fourstamp".into(), PathBuf::from)),
        },
    })
}

/// How long the ranks of a job may take to join: they have started, but perhaps on many machines.
const RANKS_JOIN: Duration = Duration::from_secs(60);

/// How long a node's process may always be silent: it answers from a thread of its own, which a
/// busy machine may keep waiting.
pub const LEAST_ANSWER: Duration = Duration::from_secs(2);

/// A coordinator that listens at the address asked for, else where these nodes can reach it.
pub fn coordinator(nodes: &Nodes, asked: Option<SocketAddr>, key: RunKey) -> Result<Coordinator> {
    let address = match (asked, nodes) {
        (Some(address), _) => address,
        (None, Nodes::OfJob(leader)) => leader.address()?,
        (None, _) => Coordinator::LOOPBACK,
    };
    Ok(Coordinator::bind(address, key)?)
}

/// The key that nodes prove to hold: a fresh one, unless those who join are to be given it.
pub fn run_key(nodes: &Nodes) -> Result<RunKey> {
    match nodes {
        Nodes::ByHand(joining) => joining::run_key(joining),
        _ => Ok(RunKey::generate()?),
    }
}

/// Tell those who are to join where; other nodes are started when a launch begins.
pub fn invite(nodes: &Nodes, coordinator: &Coordinator, key: &RunKey, count: u16) -> Result<()> {
    match nodes {
        Nodes::OfJob(leader) => leader.invite(coordinator, key),
        Nodes::ByHand(_) => {
            joining::invite(coordinator, count);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// How long nodes may take to join, where we do not start them.
pub fn join_limit(nodes: &Nodes) -> Option<Duration> {
    match nodes {
        Nodes::OfJob(_) => Some(RANKS_JOIN),
        Nodes::ByHand(joining) => Some(joining.join_timeout),
        _ => None,
    }
}

/// What the nodes' starter is to know of how far a launch is.
pub fn hear(nodes: &Nodes, note: &Note) {
    match (nodes, note) {
        (Nodes::OfJob(leader), Note::Begun) => leader.all_have_come(),
        (Nodes::OfJob(leader), Note::Lost(what)) => leader.say_at_once(what),
        _ => {}
    }
}

/// Whether nodes may look for messages without pause: each can have a core.
pub fn has_a_core_each(nodes: u16) -> bool {
    match LaunchedJob::here() {
        Some(job) => job.has_a_core_each(),
        None => std::thread::available_parallelism()
            .is_ok_and(|cores| usize::from(nodes) <= cores.get()),
    }
}

/// A peer that is silent for so long is lost, ms. In simulated time nobody can be, and a machine
/// may be slow.
pub fn patience(kind: &TransportKind, asked: Duration) -> u64 {
    const SIMULATED: Duration = Duration::from_secs(24 * 3600);
    let patience = if kind.clock.is_some() { SIMULATED } else { asked };
    patience.as_millis() as u64
}

/// Say in the run on which machine it is simulated.
pub fn note_machine(info: &mut RunInfo, spec: &Spec) {
    let Some(machine) = fabric::machine_of(spec) else { return };
    info.parameters.insert("simulated_on".into(), machine.name.clone().into());
    info.simulated_on = serde_json::to_value(&machine).unwrap_or_default();
    info.notes.push(format!(
        "simulated on {}: its times are not this machine's, and another launch would be the same",
        machine.name
    ));
}

/// Who is linked with whom.
pub fn topology(asked: Topology, packet_bytes: usize) -> fabric::Topology {
    match asked {
        Topology::Mesh => fabric::Topology::Mesh,
        Topology::Hypercube => fabric::Topology::Hypercube {
            packet_bytes: u32::try_from(packet_bytes).unwrap_or(u32::MAX),
        },
    }
}

/// How nodes lie in processes.
pub fn hosting(spec: &Spec) -> Hosting {
    match spec.transport.kind.nodes {
        NodePlace::OneProcess => Hosting::OneProcess,
        _ => Hosting::ProcessEach,
    }
}

/// Close a run, also one that failed: what was recorded stays readable.
pub fn close(mut folder: RunFolder, failure: Option<Error>) -> Result<PathBuf> {
    let path = folder.path().to_path_buf();
    if let Some(error) = &failure {
        folder.info_mut().failures.push(format!("{error:#}"));
    }
    let closed = folder.close().with_context(|| format!("cannot close {}", path.display()));
    match (failure, closed) {
        (None, Ok(_)) => Ok(path),
        (None, Err(error)) => Err(error),
        (Some(error), Ok(info)) if info.rows() > 0 => {
            let kept =
                format!("{} rows recorded before that are in {}", info.rows(), path.display());
            Err(error.context(kept))
        }
        (Some(error), _) => Err(error),
    }
}
