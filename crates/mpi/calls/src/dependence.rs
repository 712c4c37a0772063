//! For whom the ranks of a collective wait: what its result depends on, by the standard.
//!
//! A library may have a rank wait for more (a barrier within a broadcast, a child of a tree for its
//! parent); how it does that is not known, and such time is not counted.

use crate::list::{Operation, PLAIN};

/// On whose entering a rank's part of a collective depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependence {
    /// All on all.
    All,
    /// All on the root, the root on nobody.
    Root,
    /// The root on all, the others on nobody.
    OfRoot,
    /// Each on those of smaller rank.
    Lower,
    /// Each on its neighbours.
    Neighbours,
}

impl Dependence {
    /// That of a function.
    pub fn of(operation: u16) -> Dependence {
        use Operation::{
            Bcast, Exscan, Gather, Gatherv, Ibcast, Iexscan, Igather, Igatherv,
            Ineighbor_allgather, Ineighbor_allgatherv, Ineighbor_alltoall, Ineighbor_alltoallv,
            Ineighbor_alltoallw, Ireduce, Iscan, Iscatter, Iscatterv, Neighbor_allgather,
            Neighbor_allgatherv, Neighbor_alltoall, Neighbor_alltoallv, Neighbor_alltoallw, Reduce,
            Scan, Scatter, Scatterv,
        };
        match PLAIN.get(usize::from(operation)) {
            Some(Bcast | Ibcast | Scatter | Iscatter | Scatterv | Iscatterv) => Dependence::Root,
            Some(Reduce | Ireduce | Gather | Igather | Gatherv | Igatherv) => Dependence::OfRoot,
            Some(Scan | Iscan | Exscan | Iexscan) => Dependence::Lower,
            Some(
                Neighbor_allgather | Neighbor_allgatherv | Neighbor_alltoall | Neighbor_alltoallv
                | Neighbor_alltoallw | Ineighbor_allgather | Ineighbor_allgatherv
                | Ineighbor_alltoall | Ineighbor_alltoallv | Ineighbor_alltoallw,
            ) => Dependence::Neighbours,
            _ => Dependence::All,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{CLASSES, Class, NAMES};

    #[test]
    fn every_collective_depends_on_what_its_name_says() {
        let collectives = (0..NAMES.len() as u16).filter(|number| {
            matches!(CLASSES[usize::from(*number)], Class::Collective | Class::StartCollective)
        });
        for number in collectives {
            let name = NAMES[usize::from(number)].to_lowercase();
            let expected = match name.trim_start_matches('i').trim_end_matches("_c") {
                name if name.starts_with("neighbor") => Dependence::Neighbours,
                "bcast" | "scatter" | "scatterv" => Dependence::Root,
                "reduce" | "gather" | "gatherv" => Dependence::OfRoot,
                "scan" | "exscan" => Dependence::Lower,
                _ => Dependence::All,
            };
            assert_eq!(Dependence::of(number), expected, "{name}");
        }
    }
}
