//! The row of the transport `mpi`.

use crate::transports::{LookCost, NodePlace, TransportKind};

/// The row of this transport.
pub static MPI: TransportKind = TransportKind {
    name: "mpi",
    about: "MPI messages; nodes are the ranks of a job, over the MPI library of that job",
    nodes: NodePlace::MpiJob,
    look: LookCost::LibraryCall,
    brackets: true,
    over_tcp: true,
    open: super::open,
    ..TransportKind::PLAIN
};
