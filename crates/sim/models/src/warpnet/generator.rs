//! Networks of any size, drawn from a seed, of the character of the benchmark's.
//!
//! The benchmark's map is sparse and flat: 93 of its 137 nodes have two lines, 40 have three, two
//! have four and two have one, and packets need many hops. So nodes lie on a strip folded into rows
//! of about equal length and height (two lines each), and some pairs of neighbours across a fold
//! are joined, spread evenly. Shares of send times and creation delays are the benchmark's.

use super::network::{LineRow, NODES_MAX, Network, NodeRow};
use crate::ModelError;
use crate::error::demand;
use serde::{Deserialize, Serialize};
use timewarp::Random;

/// Send times and how many of the benchmark's 158 pairs of lines have them.
const SEND_TIMES: [(i64, u64); 7] = [(3, 26), (4, 51), (5, 59), (6, 10), (7, 6), (8, 2), (10, 4)];
/// Creation delays and how many of the benchmark's 137 nodes have them.
const CREATION_DELAYS: [(i64, u64); 4] = [(40, 48), (50, 50), (60, 28), (70, 11)];
/// Pairs of lines in the benchmark that a tree would not need, and its nodes.
const EXTRA_PAIRS: (usize, usize) = (22, 137);
const LOAD: i64 = 100;
const CURRENCY: i64 = 99;
const PACKET_SIZE: i64 = 100;

/// Which network to draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GeneratorOptions {
    /// Nodes, 2 to 32767.
    pub nodes: u32,
    /// Of all draws.
    pub seed: u64,
}

impl Default for GeneratorOptions {
    fn default() -> GeneratorOptions {
        GeneratorOptions { nodes: 137, seed: 1 }
    }
}

impl Network {
    /// Draw a network: connected, lines in pairs of opposite direction and equal send time, 1 to 4
    /// lines a node.
    ///
    /// # Errors
    /// When there are too few nodes or too many.
    pub fn generate(options: &GeneratorOptions) -> Result<Network, ModelError> {
        let nodes = options.nodes as usize;
        demand((2..=NODES_MAX).contains(&nodes), "nodes", nodes, "give 2 to 32767")?;
        let mut random = Random::new(options.seed, 0);
        let neighbours = neighbours(nodes, &mut random);
        let mut first_line_index = 0;
        let (mut node_rows, mut line_rows) = (Vec::with_capacity(nodes), Vec::new());
        for (from, own) in neighbours.iter().enumerate() {
            node_rows.push(NodeRow {
                initial_currency: CURRENCY,
                number_of_lines: own.len() as i64,
                first_line_index,
                creation_delay: pick(&CREATION_DELAYS, &mut random),
                max_packet_size: PACKET_SIZE,
            });
            first_line_index += own.len() as i64;
            line_rows.extend(own.iter().map(|&(to, send_time)| LineRow {
                node_from: from as i64,
                node_to: to as i64,
                send_time,
                initial_load: LOAD,
            }));
        }
        Network::new(&node_rows, &line_rows)
    }
}

/// For every node, the nodes next to it and the time to each, in the order of its lines.
fn neighbours(nodes: usize, random: &mut Random) -> Vec<Vec<(usize, i64)>> {
    let along = (1..nodes).map(|node| (node - 1, node));
    let mut neighbours = vec![Vec::new(); nodes];
    for (a, b) in along.chain(across(nodes, random)) {
        let time = pick(&SEND_TIMES, random);
        neighbours[a].push((b, time));
        neighbours[b].push((a, time));
    }
    // The order of lines decides between paths of equal length, so it must not follow the numbers.
    neighbours.iter_mut().for_each(|own| shuffle(own, random));
    neighbours
}

/// Pairs of nodes to be joined across a fold: one out of each stretch of equal length along the
/// strip.
fn across(nodes: usize, random: &mut Random) -> Vec<(usize, usize)> {
    let width = nodes.isqrt().max(2);
    let opposite = |node: usize| (node / width + 1) * width + (width - 1 - node % width);
    let candidates: Vec<_> = (0..nodes)
        .map(|node| (node, opposite(node)))
        // At the fold itself the two are neighbours on the strip.
        .filter(|(node, other)| *other < nodes && *other > node + 1)
        .collect();
    let wanted = (nodes * EXTRA_PAIRS.0 / EXTRA_PAIRS.1).min(candidates.len());
    let stretch = |index: usize| index * candidates.len() / wanted.max(1);
    (0..wanted)
        .map(|index| {
            let (begin, end) = (stretch(index), stretch(index + 1));
            candidates[begin + random.below((end - begin) as u64) as usize]
        })
        .collect()
}

fn pick(choices: &[(i64, u64)], random: &mut Random) -> i64 {
    let all = choices.iter().map(|(_, share)| share).sum();
    let mut drawn = random.below(all);
    for &(value, share) in choices {
        if drawn < share {
            return value;
        }
        drawn -= share;
    }
    unreachable!("a number below the sum of the shares falls into one of them")
}

fn shuffle<T>(values: &mut [T], random: &mut Random) {
    for last in (1..values.len()).rev() {
        values.swap(last, random.below(last as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_network_is_sound(nodes in 2u32..700, seed: u64) {
            let network = Network::generate(&GeneratorOptions { nodes, seed }).unwrap();
            prop_assert_eq!(network.nodes(), nodes as usize);
            let (_, lines) = network.rows();
            for line in &lines {
                prop_assert!((3..=10).contains(&line.send_time));
                let back = (line.node_to, line.node_from);
                let partner = lines.iter().find(|other| (other.node_from, other.node_to) == back);
                prop_assert_eq!(partner.map(|l| l.send_time), Some(line.send_time));
            }
        }
    }

    #[test]
    fn the_default_is_like_the_benchmark() {
        let network = Network::generate(&GeneratorOptions::default()).unwrap();
        assert_eq!((network.nodes(), network.lines()), (137, 316));
        let mut degrees = [0; 5];
        network.rows().0.iter().for_each(|node| degrees[node.number_of_lines as usize] += 1);
        assert!(
            degrees[1] <= 2 && (90..=98).contains(&degrees[2]) && degrees[4] <= 6,
            "{degrees:?}"
        );
    }

    #[test]
    fn a_seed_says_it_all() {
        let draw = |seed| Network::generate(&GeneratorOptions { nodes: 50, seed }).unwrap();
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
        assert!(Network::generate(&GeneratorOptions { nodes: 1, seed: 0 }).is_err());
        assert!(Network::generate(&GeneratorOptions { nodes: 32_768, seed: 0 }).is_err());
        assert!(Network::generate(&GeneratorOptions { nodes: 32_767, seed: 0 }).is_ok());
    }
}
