//! Who is launched when.

/// Each turn's round, from 0, and contestant. Every contestant has one turn a round, every other
/// round backwards: what warms up or wears out steadily favours nobody.
pub fn turns(rounds: u32, contestants: usize) -> Vec<(u32, usize)> {
    let turn = |round: u32, place: usize| match round % 2 {
        0 => (round, place),
        _ => (round, contestants - 1 - place),
    };
    (0..rounds).flat_map(|round| (0..contestants).map(move |place| turn(round, place))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn there_and_back_again() {
        assert_eq!(turns(3, 2), [(0, 0), (0, 1), (1, 1), (1, 0), (2, 0), (2, 1)]);
    }

    proptest! {
        #[test]
        fn everyone_has_a_turn_a_round(rounds in 0u32..9, contestants in 0usize..9) {
            let mut turns = turns(rounds, contestants);
            prop_assert!(turns.is_sorted_by_key(|(round, _)| *round));
            turns.sort_unstable();
            let all = (0..rounds).flat_map(|round| (0..contestants).map(move |at| (round, at)));
            prop_assert_eq!(turns, all.collect::<Vec<_>>());
        }
    }
}
