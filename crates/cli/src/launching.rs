//! What every command that starts nodes needs: from arguments to the fabric and its starter, and the end of a run folder.

use crate::args::{Topology, Transport};
use anyhow::{Context, Error, Result};
use fabric::{Spec, TransportSpec};
use launch::{Hosting, NodeCommand, Starter};
use record::RunFolder;
use std::path::PathBuf;

/// Who starts the nodes.
#[derive(Clone, Debug)]
pub enum Nodes {
    /// We do, here.
    Here,
    /// We do, in tmux panes.
    InTmux,
    /// We do, on these hosts.
    OverSsh(Vec<String>),
}

/// How nodes are started.
pub fn starter(nodes: &Nodes) -> Result<Starter> {
    let program = std::env::current_exe()
        .context("cannot find this program's own file, which nodes are started from")?;
    let command =
        |program: PathBuf| NodeCommand { program, arguments: vec!["node".into()], environment: Vec::new() };
    Ok(match nodes {
        Nodes::Here => Starter::Local(command(program)),
        Nodes::InTmux => Starter::Tmux {
            session: format!("fourstamp-{}", std::process::id()),
            server: None,
            command: command(program),
        },
        Nodes::OverSsh(hosts) => {
            Starter::Ssh { program: "ssh".into(), hosts: hosts.clone(), command: command("fourstamp".into()) }
        }
    })
}

/// What carries the messages; the coordinator fills in where the nodes find each other.
pub fn transport(asked: Transport) -> TransportSpec {
    match asked {
        Transport::Thread => TransportSpec::Thread,
        Transport::Shm => TransportSpec::Shm { path: PathBuf::new() },
        Transport::Tcp => TransportSpec::Tcp { peers: Vec::new() },
    }
}

/// Who is linked with whom.
pub fn topology(asked: Topology, packet_bytes: usize) -> fabric::Topology {
    match asked {
        Topology::Mesh => fabric::Topology::Mesh,
        Topology::Hypercube => {
            fabric::Topology::Hypercube { packet_bytes: u32::try_from(packet_bytes).unwrap_or(u32::MAX) }
        }
    }
}

/// How nodes lie in processes.
pub fn hosting(spec: &Spec) -> Hosting {
    if spec.transport == TransportSpec::Thread { Hosting::OneProcess } else { Hosting::ProcessEach }
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
            let kept = format!("{} messages recorded before that are in {}", info.rows(), path.display());
            Err(error.context(kept))
        }
        (Some(error), _) => Err(error),
    }
}
