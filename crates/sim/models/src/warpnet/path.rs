//! The search for the quickest path, whose rule for ties decides which way packets go.
//!
//! It is defined on a list of candidates: a node met for the first time goes to its front, an
//! improved one keeps its place, and the first of those that have the smallest distance is settled
//! next. A heap ordered by (distance, insertion number descending) settles the same: the number is
//! fixed when a node is first met. Improving pushes a second entry; the one left behind comes out
//! later, with a distance that is no longer the node's.
//!
//! A ring of stacks, one a distance, was no faster on the benchmark: what a search costs is mostly
//! mispredicted branches.

use super::network::Network;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What the search knows of a node.
#[derive(Clone, Copy)]
struct Seen {
    distance: u32,
    /// How many had been met before it.
    insertion: u16,
    /// First node on the way to it.
    first: u16,
}

const UNSEEN: Seen = Seen { distance: u32::MAX, insertion: 0, first: 0 };

/// Memory of a search. Every search begins by clearing it, so that nothing passes from one event to
/// another.
struct Scratch {
    seen: Vec<Seen>,
    heap: BinaryHeap<Reverse<u64>>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> =
        const { RefCell::new(Scratch { seen: Vec::new(), heap: BinaryHeap::new() }) };
}

/// The first node after `from` on the quickest path to `to`, if lines are busy until `loads` and it
/// is `now`.
///
/// # Panics
/// When the two are the same or one of them is no node of the network.
#[inline]
pub(super) fn first_hop(
    network: &Network,
    loads: &[i32],
    now: i32,
    from: usize,
    to: usize,
) -> usize {
    assert!(from != to, "there is no way from node {from} to itself");
    SCRATCH.with_borrow_mut(|scratch| scratch.first_hop(network, loads, now, from, to))
}

impl Scratch {
    fn first_hop(
        &mut self,
        network: &Network,
        loads: &[i32],
        now: i32,
        from: usize,
        to: usize,
    ) -> usize {
        self.seen.clear();
        self.seen.resize(network.nodes(), UNSEEN);
        self.heap.clear();
        self.seen[from].distance = 0;
        let mut met = 0;
        let mut settled = from;
        loop {
            let Seen { distance: base, first, .. } = self.seen[settled];
            let lines = network.lines_of(settled);
            for (line, load) in network.lines[lines.clone()].iter().zip(&loads[lines]) {
                let distance = base + u32::from(line.send_time) + (load - now).max(0) as u32;
                let known = &mut self.seen[usize::from(line.to)];
                // False for a settled node: nothing found later is nearer.
                if distance < known.distance {
                    if known.distance == UNSEEN.distance {
                        known.insertion = met;
                        met += 1;
                    }
                    known.distance = distance;
                    known.first = if settled == from { line.to } else { first };
                    self.heap.push(Reverse(key(distance, known.insertion, line.to)));
                }
            }
            settled = self.settle();
            if settled == to {
                return usize::from(self.seen[to].first);
            }
        }
    }

    /// The next node to settle.
    #[inline]
    fn settle(&mut self) -> usize {
        while let Some(Reverse(key)) = self.heap.pop() {
            let (distance, node) = ((key >> 32) as u32, usize::from(key as u16));
            if self.seen[node].distance == distance {
                return node;
            }
        }
        unreachable!("in a network every node can be reached")
    }
}

/// Distance, then the latest met first; the node comes along.
#[inline]
fn key(distance: u32, insertion: u16, node: u16) -> u64 {
    u64::from(distance) << 32 | u64::from(u16::MAX - insertion) << 16 | u64::from(node)
}

#[cfg(test)]
mod tests {
    use super::super::GeneratorOptions;
    use super::super::network::{LineRow, NodeRow};
    use super::*;
    use proptest::prelude::*;

    /// The definition: a list of candidates, step by step. With `improved_to_front` it breaks the
    /// rule that an improved candidate keeps its place.
    fn by_definition(
        network: &Network,
        loads: &[i32],
        now: i32,
        (from, to): (usize, usize),
        improved_to_front: bool,
    ) -> usize {
        let mut distance = vec![None; network.nodes()];
        let mut parent = vec![from; network.nodes()];
        let mut settled = vec![false; network.nodes()];
        let mut candidates: Vec<usize> = Vec::new();
        distance[from] = Some(0);
        settled[from] = true;
        let mut u = from;
        while u != to {
            for l in network.lines_of(u) {
                let v = usize::from(network.lines[l].to);
                let w = i32::from(network.lines[l].send_time)
                    + if loads[l] > now { loads[l] - now } else { 0 };
                let new = distance[u].unwrap() + w;
                match distance[v] {
                    None => candidates.insert(0, v),
                    Some(old) if !settled[v] && new < old => {
                        if improved_to_front {
                            candidates.retain(|c| *c != v);
                            candidates.insert(0, v);
                        }
                    }
                    Some(_) => continue,
                }
                distance[v] = Some(new);
                parent[v] = u;
            }
            let nearest = candidates.iter().map(|c| distance[*c].unwrap()).min().unwrap();
            let place = candidates.iter().position(|c| distance[*c] == Some(nearest)).unwrap();
            u = candidates.remove(place);
            settled[u] = true;
        }
        let mut hop = to;
        while parent[hop] != from {
            hop = parent[hop];
        }
        hop
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn it_does_what_the_list_does(
            nodes in 2u32..60, seed: u64, busy in proptest::collection::vec(0i32..12, 1..40),
        ) {
            let network = Network::generate(&GeneratorOptions { nodes, seed }).unwrap();
            let weight = |l: usize| if l.is_multiple_of(7) { 40 } else { 1 };
            let load = |l: usize| 95 + busy[l % busy.len()] * weight(l);
            let loads: Vec<i32> = (0..network.lines()).map(load).collect();
            let all = || 0..network.nodes();
            for (from, to) in all().flat_map(|a| all().map(move |b| (a, b))) {
                if from != to {
                    let hop = first_hop(&network, &loads, 100, from, to);
                    prop_assert_eq!(hop, by_definition(&network, &loads, 100, (from, to), false));
                }
            }
        }
    }

    /// A network from lines (from, to, send time), in order.
    fn network(nodes: usize, lines: &[(i64, i64, i64)]) -> Network {
        let mut lines = lines.to_vec();
        lines.sort_by_key(|(from, _, _)| *from);
        let of = |node: i64| lines.iter().filter(move |(from, _, _)| *from == node).count() as i64;
        let node = |node: i64| NodeRow {
            initial_currency: 99,
            number_of_lines: of(node),
            first_line_index: (0..node).map(of).sum(),
            creation_delay: 50,
            max_packet_size: 100,
        };
        let line = |&(node_from, node_to, send_time): &(i64, i64, i64)| LineRow {
            node_from,
            node_to,
            send_time,
            initial_load: 0,
        };
        let nodes: Vec<_> = (0..nodes as i64).map(node).collect();
        Network::new(&nodes, &lines.iter().map(line).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn of_two_equal_ways_the_one_met_last_is_taken_and_the_parent_found_first_stays() {
        let diamond = network(4, &[(0, 1, 5), (0, 2, 5), (1, 3, 5), (2, 3, 5), (3, 0, 5)]);
        // 2 was met after 1, so it is settled first and becomes 3's parent; 1 does not improve on
        // it.
        assert_eq!(first_hop(&diamond, &[0; 5], 0, 0, 3), 2);
        let turned = network(4, &[(0, 2, 5), (0, 1, 5), (1, 3, 5), (2, 3, 5), (3, 0, 5)]);
        assert_eq!(first_hop(&turned, &[0; 5], 0, 0, 3), 1);
        // A busy line counts with what is left of its time.
        assert_eq!(first_hop(&diamond, &[0, 8, 0, 0, 0], 7, 0, 3), 1);
        assert_eq!(first_hop(&diamond, &[0, 7, 0, 0, 0], 7, 0, 3), 2);
    }

    #[test]
    fn an_improved_candidate_keeps_its_place() {
        // 1 is met first, at 9, then 2 at 6, then 3 at 4, which improves 1 to 6. Of 1 and 2, now
        // equal, 2 was met later: it is settled first and leads to 4. Had 1 moved to the front, 1
        // would, and the way would go through 3.
        let lines = [(0, 1, 9), (0, 2, 6), (0, 3, 4), (3, 1, 2), (1, 4, 3), (2, 4, 3), (4, 0, 1)];
        let network = network(5, &lines);
        let loads = [0; 7];
        assert_eq!(first_hop(&network, &loads, 0, 0, 4), 2);
        assert_eq!(by_definition(&network, &loads, 0, (0, 4), false), 2);
        assert_eq!(by_definition(&network, &loads, 0, (0, 4), true), 3);
    }

    #[test]
    fn a_search_leaves_nothing_behind() {
        let small = network(2, &[(0, 1, 1), (1, 0, 1)]);
        let large = Network::generate(&GeneratorOptions { nodes: 90, seed: 5 }).unwrap();
        let loads = vec![0; large.lines()];
        let before = first_hop(&large, &loads, 0, 0, 89);
        assert_eq!(first_hop(&small, &[0, 0], 0, 1, 0), 0);
        assert!(std::panic::catch_unwind(|| first_hop(&small, &[0, 0], 0, 0, 9)).is_err());
        assert_eq!(first_hop(&large, &loads, 0, 0, 89), before);
    }
}
