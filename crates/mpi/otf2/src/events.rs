//! What a trace says of those who took part and of what they did, with the format's numbers.

/// What sort of region it is (`OTF2_RegionRole`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Role {
    /// A function of which no more is known.
    Function = 1,
    /// Work of the program.
    Code = 4,
    /// A barrier.
    Barrier = 15,
    /// One gives to all.
    OneToAll = 23,
    /// All give to one.
    AllToOne = 24,
    /// All give to all.
    AllToAll = 25,
    /// Another collective.
    OtherCollective = 26,
    /// Sends or receives, or waits for either.
    PointToPoint = 28,
}

/// Which collective it is (`OTF2_CollectiveOp`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Operation {
    /// `MPI_Barrier`
    Barrier = 0,
    /// `MPI_Bcast`
    Bcast = 1,
    /// `MPI_Gather`
    Gather = 2,
    /// `MPI_Gatherv`
    Gatherv = 3,
    /// `MPI_Scatter`
    Scatter = 4,
    /// `MPI_Scatterv`
    Scatterv = 5,
    /// `MPI_Allgather`
    Allgather = 6,
    /// `MPI_Allgatherv`
    Allgatherv = 7,
    /// `MPI_Alltoall`
    Alltoall = 8,
    /// `MPI_Alltoallv`
    Alltoallv = 9,
    /// `MPI_Alltoallw`
    Alltoallw = 10,
    /// `MPI_Allreduce`
    Allreduce = 11,
    /// `MPI_Reduce`
    Reduce = 12,
    /// `MPI_Reduce_scatter`
    ReduceScatter = 13,
    /// `MPI_Scan`
    Scan = 14,
    /// `MPI_Exscan`
    Exscan = 15,
    /// `MPI_Reduce_scatter_block`
    ReduceScatterBlock = 16,
}

impl Operation {
    const ALL: [(&'static str, Operation, Role); 17] = {
        use Operation as Op;
        [
            ("MPI_Barrier", Op::Barrier, Role::Barrier),
            ("MPI_Bcast", Op::Bcast, Role::OneToAll),
            ("MPI_Gather", Op::Gather, Role::AllToOne),
            ("MPI_Gatherv", Op::Gatherv, Role::AllToOne),
            ("MPI_Scatter", Op::Scatter, Role::OneToAll),
            ("MPI_Scatterv", Op::Scatterv, Role::OneToAll),
            ("MPI_Allgather", Op::Allgather, Role::AllToAll),
            ("MPI_Allgatherv", Op::Allgatherv, Role::AllToAll),
            ("MPI_Alltoall", Op::Alltoall, Role::AllToAll),
            ("MPI_Alltoallv", Op::Alltoallv, Role::AllToAll),
            ("MPI_Alltoallw", Op::Alltoallw, Role::AllToAll),
            ("MPI_Allreduce", Op::Allreduce, Role::AllToAll),
            ("MPI_Reduce", Op::Reduce, Role::AllToOne),
            ("MPI_Reduce_scatter", Op::ReduceScatter, Role::AllToAll),
            ("MPI_Scan", Op::Scan, Role::OtherCollective),
            ("MPI_Exscan", Op::Exscan, Role::OtherCollective),
            ("MPI_Reduce_scatter_block", Op::ReduceScatterBlock, Role::AllToAll),
        ]
    };

    /// The blocking collective of this name, that with large counts too; none of neighbourhoods,
    /// which the format has not.
    #[must_use]
    pub fn named(function: &str) -> Option<(Operation, Role)> {
        let plain = function.strip_suffix("_c").unwrap_or(function);
        Operation::ALL
            .iter()
            .find(|(name, ..)| *name == plain)
            .map(|&(_, operation, role)| (operation, role))
    }
}

/// A rank's part in a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collective {
    /// Which one.
    pub operation: Operation,
    /// The communicator's number in the trace; 0 is the world.
    pub communicator: u32,
    /// Its root, by its place in the communicator, if it has one.
    pub root: Option<u32>,
    /// Bytes that this rank gives.
    pub bytes: u64,
}

/// A call, or another stretch of time that a location spent on one thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call {
    /// Begin, ns on the timeline.
    pub from: i64,
    /// End.
    pub to: i64,
    /// What it was: a number that [`Trace::region`](crate::Trace::region) gave.
    pub region: u32,
    /// The collective that it was, if any.
    pub collective: Option<Collective>,
}

/// One end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// When, ns on the timeline.
    pub at: i64,
    /// The process at the other end.
    pub peer: u32,
    /// Its tag.
    pub tag: u32,
    /// Its payload.
    pub bytes: u64,
}

/// A process, and the machine that it ran on.
#[derive(Clone, Debug)]
pub struct Process {
    /// E.g. `rank 3`.
    pub name: String,
    /// The name of its machine.
    pub host: String,
}

/// A thread of a process: what events are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Number of the process.
    pub process: u32,
    /// Its thread, from 0.
    pub thread: u32,
}

impl Location {
    /// Its number in the trace. That of a process's first thread is the process's own, by which
    /// the world counts its ranks.
    pub(crate) fn number(self) -> u64 {
        u64::from(self.thread) << 32 | u64::from(self.process)
    }
}

/// A function, or another thing to spend time on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// What sort it is of.
    pub role: Role,
    /// Whether it belongs to MPI.
    pub is_mpi: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collectives_are_known_by_name_and_neighbourhoods_are_not() {
        assert_eq!(
            Operation::named("MPI_Allreduce_c"),
            Some((Operation::Allreduce, Role::AllToAll))
        );
        assert_eq!(Operation::named("MPI_Neighbor_allgather"), None);
        assert_eq!(Operation::named("MPI_Ibcast"), None);
    }
}
