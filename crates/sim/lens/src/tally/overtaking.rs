//! Messages that were taken ahead of others which had arrived at their node before them, as the
//! stamps tell. The engine counts those that its search took ahead; where links are looked at in
//! turn, a message on one passes what lies on another without any search.

use std::collections::BTreeMap;

use record::{Field, Kind, NULL};
use stats::Columns;
use stats::build::within_node;

/// Messages kept; of a run with more nothing is said.
const MOST: usize = 1 << 22;

/// Event messages between nodes: arrived and taken, by node. A simulation is one launch.
#[derive(Clone, Default)]
pub struct OvertakingTally {
    of: BTreeMap<i64, Vec<(i64, i64)>>,
    count: usize,
}

impl OvertakingTally {
    /// Take in messages.
    pub fn add(&mut self, columns: &Columns) {
        for row in 0..columns.rows() {
            let at = |field| columns.at(field, row);
            let (arrived, taken) = (at(Field::ArrivedNs), at(Field::TakenNs));
            let is_event = at(Field::Kind) == Kind::Event as i64 && !within_node(columns, row);
            if !is_event || arrived == NULL || taken == NULL {
                continue;
            }
            self.count += 1;
            if self.count <= MOST {
                self.of.entry(at(Field::Dst)).or_default().push((arrived, taken));
            }
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: OvertakingTally) {
        self.count += other.count;
        if self.count > MOST {
            return self.of.clear();
        }
        for (node, messages) in other.of {
            self.of.entry(node).or_default().extend(messages);
        }
    }

    /// `None` where there is no such message, or where there are too many to be kept.
    pub fn shown(self) -> Option<u64> {
        (self.count > 0 && self.count <= MOST).then(|| self.of.into_values().map(overtook).sum())
    }
}

/// Messages of a node that were taken before one that had arrived earlier.
fn overtook(mut messages: Vec<(i64, i64)>) -> u64 {
    messages.sort_unstable();
    // The latest taking of all that arrived earlier; those that arrived together pass nobody.
    let mut latest = i64::MIN;
    let mut count = 0;
    for together in messages.chunk_by(|one, other| one.0 == other.0) {
        count += together.iter().filter(|(_, taken)| *taken < latest).count() as u64;
        latest = together.iter().map(|(_, taken)| *taken).fold(latest, i64::max);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_taken_before_an_earlier_arrival_overtook() {
        assert_eq!(overtook(vec![(1, 10), (2, 11), (3, 12)]), 0);
        // The second passes the first; the third passes both, and counts once.
        assert_eq!(overtook(vec![(1, 10), (2, 9), (3, 8)]), 2);
        // What arrived together passes nobody, in whichever order it is taken.
        assert_eq!(overtook(vec![(1, 10), (1, 9), (2, 11)]), 0);
        assert_eq!(overtook(vec![(5, 6), (1, 10)]), 1);
    }
}
