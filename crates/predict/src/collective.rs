//! Collectives as the messages that libraries make of them: binomial trees, recursive doubling and
//! halving, rings, Bruck's way, pairwise exchanges, by size and ranks.
//!
//! The algorithms: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication
//! Operations in MPICH", 2005. When which is taken: MPICH 4.0 (`MPIR_CVAR_*`) and Open MPI 4.1's
//! fixed decisions (`coll_tuned_decision_fixed.c`), in round figures.

mod exchanges;
mod trees;

/// What a collective does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    Barrier,
    Bcast,
    Reduce,
    Allreduce,
    Gather,
    Scatter,
    Allgather,
    Alltoall,
    ReduceScatter,
    Scan,
}

/// Whose decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Library {
    #[default]
    Mpich,
    OpenMpi,
}

impl Library {
    /// The largest message that goes at once between hosts, where it is one figure for all that the
    /// library runs over: of Open MPI `btl_tcp_eager_limit`, which its other transports are below.
    pub fn eager_bytes(self) -> Option<u64> {
        match self {
            Library::OpenMpi => Some(64 << 10),
            Library::Mpich => None,
        }
    }
}

/// A message of a collective; ranks are those of its communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Messages of one round do not wait for each other, those of a rank's next round do.
    pub round: u32,
    pub from: u16,
    pub to: u16,
    pub bytes: u64,
}

/// The messages of a collective of so many ranks, round by round. `bytes` is what a rank gives: its
/// vector, its block, or with `Scatter` and `Alltoall` the blocks for all.
pub fn hops(pattern: Pattern, library: Library, ranks: u16, root: u16, bytes: u64) -> Vec<Hop> {
    if ranks < 2 {
        return Vec::new();
    }
    let mut plan = Plan { ranks, root, round: 0, hops: Vec::new() };
    let block = bytes / u64::from(ranks);
    let open = library == Library::OpenMpi;
    match pattern {
        Pattern::Barrier => plan.dissemination(),
        Pattern::Bcast if bytes < 12 << 10 || ranks < 8 && !open => plan.spread(|_| bytes),
        Pattern::Bcast => {
            plan.spread(|below| below * block);
            plan.ring(block);
        }
        Pattern::Reduce => plan.gather_up(|_| bytes),
        Pattern::Allreduce if bytes <= if open { 10_000 } else { 2048 } => plan.doubling(bytes),
        Pattern::Allreduce if open => {
            plan.ring(block);
            plan.ring(block);
        }
        Pattern::Allreduce => plan.rabenseifner(bytes),
        Pattern::Gather => plan.gather_up(|below| below * bytes),
        Pattern::Scatter => plan.spread(|below| below * block),
        Pattern::Allgather => {
            let all = bytes * u64::from(ranks);
            if all < if open { 50_000 } else { 80 << 10 } {
                plan.bruck_gather(bytes);
            } else {
                plan.ring(bytes);
            }
        }
        Pattern::Alltoall => match block {
            0..=256 if ranks >= 8 => plan.bruck(block),
            0..=32_768 => plan.at_once(block),
            _ => plan.pairwise(block),
        },
        Pattern::ReduceScatter if bytes < 512 << 10 => plan.halving(bytes),
        Pattern::ReduceScatter => plan.pairwise(block),
        Pattern::Scan => plan.up_the_ranks(bytes),
    }
    plan.hops
}

/// A schedule that is being made.
struct Plan {
    ranks: u16,
    root: u16,
    round: u32,
    hops: Vec<Hop>,
}

impl Plan {
    fn hop(&mut self, from: u16, to: u16, bytes: u64) {
        self.hops.push(Hop { round: self.round, from, to, bytes });
    }

    /// The rank that is so far from the root.
    fn rank_at(&self, distance: u16) -> u16 {
        ((u32::from(self.root) + u32::from(distance)) % u32::from(self.ranks)) as u16
    }

    fn after(&self, rank: u16, distance: u16) -> u16 {
        ((u32::from(rank) + u32::from(distance)) % u32::from(self.ranks)) as u16
    }

    /// The greatest power of two that is not above the ranks.
    fn power(&self) -> u16 {
        1 << (15 - self.ranks.leading_zeros())
    }
}

#[cfg(test)]
mod tests;
