//! How nodes are linked.

use serde::{Deserialize, Serialize};

/// How nodes are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topology {
    /// Each node has a link to the switch, one way and the other at the same time; the switch
    /// passes a packet on as it comes in.
    Switch,
    /// One wire for all: a packet at a time.
    Bus,
    /// Nodes whose numbers differ in one bit are linked, both ways at once; packets are stored and
    /// forwarded, lowest differing dimension first.
    Hypercube,
    /// Every two nodes have links of their own.
    Mesh,
}

impl Topology {
    pub const ALL: [Topology; 4] =
        [Topology::Switch, Topology::Bus, Topology::Hypercube, Topology::Mesh];

    /// The word that files use.
    pub fn word(self) -> &'static str {
        match self {
            Topology::Switch => "switch",
            Topology::Bus => "bus",
            Topology::Hypercube => "hypercube",
            Topology::Mesh => "mesh",
        }
    }

    /// How many links there are among so many nodes.
    pub(crate) fn links(self, nodes: u16) -> usize {
        let nodes = usize::from(nodes);
        match self {
            Topology::Switch => 2 * nodes,
            Topology::Bus => 1,
            Topology::Hypercube => nodes * dimensions(nodes),
            Topology::Mesh => nodes * nodes,
        }
    }

    /// How many links are on the way from a node to another.
    pub(crate) fn crossed(self, from: u16, to: u16) -> u8 {
        match self {
            Topology::Switch => 2,
            Topology::Bus | Topology::Mesh => 1,
            Topology::Hypercube => (from ^ to).count_ones() as u8,
        }
    }

    /// The link on that way after so many others.
    pub(crate) fn link(self, nodes: u16, from: u16, to: u16, passed: u8) -> usize {
        let (count, at, goal) = (usize::from(nodes), usize::from(from), usize::from(to));
        match self {
            Topology::Switch if passed == 0 => at,
            Topology::Switch => count + goal,
            Topology::Bus => 0,
            Topology::Mesh => at * count + goal,
            Topology::Hypercube => {
                let ahead = (0..passed).fold(at ^ goal, |differ, _| differ & (differ - 1));
                let dimension = ahead.trailing_zeros() as usize;
                (goal ^ ahead) * dimensions(count) + dimension
            }
        }
    }

    /// Whether a packet is whole at each node on its way before it goes on.
    pub(crate) fn stores(self) -> bool {
        self == Topology::Hypercube
    }
}

fn dimensions(nodes: usize) -> usize {
    nodes.next_power_of_two().trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(topology: Topology, nodes: u16, from: u16, to: u16) -> Vec<usize> {
        let link = |passed| topology.link(nodes, from, to, passed);
        (0..topology.crossed(from, to)).map(link).collect()
    }

    #[test]
    fn a_route_in_a_cube_corrects_the_lowest_bit_first() {
        // 5 = 101 to 6 = 110: by dimension 0 to 4, then by dimension 1 to 6.
        assert_eq!(route(Topology::Hypercube, 8, 5, 6), [5 * 3, 4 * 3 + 1]);
        let hops = |to| route(Topology::Hypercube, 32, 0, to).len();
        let mut by_hops = [0; 6];
        (1..32).for_each(|to| by_hops[hops(to)] += 1);
        assert_eq!(by_hops, [0, 5, 10, 10, 5, 1]);
    }

    #[test]
    fn every_link_of_a_route_exists_and_no_two_pairs_of_a_mesh_share_one() {
        for topology in Topology::ALL {
            let links = topology.links(8);
            let mut used = std::collections::BTreeSet::new();
            for (from, to) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
                if from == to {
                    continue;
                }
                let route = route(topology, 8, from, to);
                assert!(route.iter().all(|link| *link < links), "{topology:?}");
                assert!(used.insert(route) || topology == Topology::Bus, "{topology:?}");
            }
        }
    }
}
