//! For whom the ranks of a collective wait: what its result depends on, by the standard.
//!
//! A library may have a rank wait for more (a barrier within a broadcast, a child of a tree for its
//! parent); how it does that is not known, and such time is not counted.

use crate::list::{Operation, PLAIN};

/// On whose entering a rank's part of a collective depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
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
        use Operation as O;
        let Some(plain) = PLAIN.get(usize::from(operation)) else { return Dependence::All };
        match plain {
            O::Bcast | O::Ibcast | O::Bcast_init => Dependence::Root,
            O::Scatter | O::Iscatter | O::Scatter_init => Dependence::Root,
            O::Scatterv | O::Iscatterv | O::Scatterv_init => Dependence::Root,
            O::Reduce | O::Ireduce | O::Reduce_init => Dependence::OfRoot,
            O::Gather | O::Igather | O::Gather_init => Dependence::OfRoot,
            O::Gatherv | O::Igatherv | O::Gatherv_init => Dependence::OfRoot,
            O::Scan | O::Iscan | O::Scan_init => Dependence::Lower,
            O::Exscan | O::Iexscan | O::Exscan_init => Dependence::Lower,
            _ if is_of_neighbours(*plain) => Dependence::Neighbours,
            _ => Dependence::All,
        }
    }
}

fn is_of_neighbours(plain: Operation) -> bool {
    use Operation as O;
    matches!(
        plain,
        O::Neighbor_allgather
            | O::Ineighbor_allgather
            | O::Neighbor_allgather_init
            | O::Neighbor_allgatherv
            | O::Ineighbor_allgatherv
            | O::Neighbor_allgatherv_init
            | O::Neighbor_alltoall
            | O::Ineighbor_alltoall
            | O::Neighbor_alltoall_init
            | O::Neighbor_alltoallv
            | O::Ineighbor_alltoallv
            | O::Neighbor_alltoallv_init
            | O::Neighbor_alltoallw
            | O::Ineighbor_alltoallw
            | O::Neighbor_alltoallw_init
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{CLASSES, Class, NAMES};

    #[test]
    fn every_collective_depends_on_what_its_name_says() {
        let collectives = (0..NAMES.len() as u16).filter(|number| {
            use Class::{Collective, PrepareCollective, StartCollective};
            matches!(
                CLASSES[usize::from(*number)],
                Collective | StartCollective | PrepareCollective
            )
        });
        for number in collectives {
            let name = NAMES[usize::from(number)].to_lowercase();
            let expected =
                match name.trim_start_matches('i').trim_end_matches("_c").trim_end_matches("_init")
                {
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
