//! Who is launched when.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

/// In which order the contestants of a round are launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they were given, every other round backwards: what warms up or wears out steadily favours
    /// nobody.
    ThereAndBack,
    /// Drawn anew each round, from this seed: for a machine that changes in ways nobody knows.
    Drawn(u64),
}

impl Order {
    /// Each turn's round, from 0, and contestant. Every contestant has one turn a round.
    pub fn turns(self, rounds: u32, contestants: usize) -> Vec<(u32, usize)> {
        let mut random = match self {
            Order::ThereAndBack => None,
            Order::Drawn(seed) => Some(Pcg64Mcg::seed_from_u64(seed)),
        };
        let round = |round: u32| {
            let mut all: Vec<(u32, usize)> = (0..contestants).map(|at| (round, at)).collect();
            match &mut random {
                Some(random) => all.shuffle(random),
                None if round % 2 == 1 => all.reverse(),
                None => {}
            }
            all
        };
        (0..rounds).flat_map(round).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn there_and_back_again() {
        let turns = Order::ThereAndBack.turns(3, 2);
        assert_eq!(turns, [(0, 0), (0, 1), (1, 1), (1, 0), (2, 0), (2, 1)]);
    }

    proptest! {
        #[test]
        fn everyone_has_a_turn_a_round(rounds in 0u32..9, contestants in 0usize..9, seed: u64) {
            for order in [Order::ThereAndBack, Order::Drawn(seed)] {
                let mut turns = order.turns(rounds, contestants);
                prop_assert!(turns.is_sorted_by_key(|(round, _)| *round));
                prop_assert_eq!(&turns, &order.turns(rounds, contestants), "a seed is an order");
                turns.sort_unstable();
                let all = (0..rounds).flat_map(|round| (0..contestants).map(move |at| (round, at)));
                prop_assert_eq!(turns, all.collect::<Vec<_>>());
            }
        }
    }
}
