//! The row of the transport `mpi`, also of a build without it.

use crate::transports::{LookCost, NodePlace, TransportKind};

/// The row of this transport.
pub static MPI: TransportKind = TransportKind {
    name: "mpi",
    about: "MPI messages; nodes are the ranks of a job (needs a build with --features mpi)",
    nodes: NodePlace::MpiJob,
    look: LookCost::LibraryCall,
    brackets: true,
    over_tcp: true,
    open: super::open,
    ..TransportKind::PLAIN
};
