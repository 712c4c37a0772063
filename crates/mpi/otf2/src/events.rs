//! What a trace says of a region and of a collective, with the format's numbers.

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
