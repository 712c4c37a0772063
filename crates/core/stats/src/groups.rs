//! Messages by one column: a distribution per stage and group, with a cap on the groups.
//!
//! When there are more groups than the cap, those with the smallest keys stay. That rule, unlike
//! "first come", leaves the same groups whatever the order in which batches were added and
//! accumulators merged, and those that stay are complete: a key among the smallest of all is among
//! the smallest of any part.

use std::collections::{BTreeMap, HashSet};

use crate::distribution::GroupDistribution;
use crate::tally::Tally;

/// What a group is known by: its value; for pairs source and destination.
pub(crate) type Key = (i64, i64);

/// Keys of left-out groups that are told apart; beyond this many the count of left-out groups is a
/// lower bound.
const LEFT_OUT_KEYS: usize = 1 << 16;

/// The distributions of one group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    /// Messages (or cycles).
    pub messages: u64,
    /// Stages A to D.
    pub stages: [GroupDistribution; 4],
    /// Stage A of messages within a node, which have no other stage.
    pub within_node: GroupDistribution,
}

/// The groups of one column.
#[derive(Clone, Debug)]
pub(crate) struct Grouping {
    cap: usize,
    groups: BTreeMap<Key, Box<Group>>,
    left_out: HashSet<Key>,
    left_out_messages: u64,
}

/// A cell's counted stages: A to D, then stage A of messages within a node.
pub(crate) type Counted = [Tally; 5];

impl Grouping {
    /// No groups yet, `cap` at most.
    pub fn new(cap: usize) -> Grouping {
        Grouping { cap, groups: BTreeMap::new(), left_out: HashSet::new(), left_out_messages: 0 }
    }

    /// Take in `messages` messages of one group.
    pub fn add(&mut self, key: Key, messages: u64, counted: &Counted) {
        if let Some(group) = self.group(key, messages) {
            group.add(messages, counted);
        }
    }

    /// Take in all of `theirs` as messages of one group.
    pub fn merge_group(&mut self, key: Key, theirs: &Group) {
        if let Some(group) = self.group(key, theirs.messages) {
            group.merge(theirs);
        }
    }

    /// Whether `key` is beyond the cap; then its messages have been counted as left out.
    pub fn leaves_out(&mut self, key: Key, messages: u64) -> bool {
        self.group(key, messages).is_none()
    }

    /// Take in all groups of `other`.
    pub fn merge(&mut self, other: Grouping) {
        self.left_out_messages += other.left_out_messages;
        for key in other.left_out {
            // Its smallest keys are of the same run: what it left out is no smaller than what it
            // kept.
            self.evict(key);
        }
        for (key, theirs) in other.groups {
            self.merge_group(key, &theirs);
        }
    }

    /// The groups by ascending key.
    pub fn groups(&self) -> impl Iterator<Item = (Key, &Group)> {
        self.groups.iter().map(|(&key, group)| (key, &**group))
    }

    /// Groups left out, and their messages.
    pub fn left_out(&self) -> (u64, u64) {
        (self.left_out.len() as u64, self.left_out_messages)
    }

    /// Whether there is more than one group.
    pub fn varies(&self) -> bool {
        self.groups.len() + self.left_out.len() > 1
    }

    /// The group of `key`; `None` when it is left out, with its messages counted as such.
    fn group(&mut self, key: Key, messages: u64) -> Option<&mut Group> {
        let full = self.groups.len() >= self.cap && !self.groups.contains_key(&key);
        let last = self.groups.last_key_value().map(|(&last, _)| last);
        if self.left_out.contains(&key) || (full && last.is_some_and(|last| key > last)) {
            self.left_out_messages += messages;
            self.note_left_out(key);
            return None;
        }
        if full && let Some(last) = last {
            self.evict(last);
        }
        Some(self.groups.entry(key).or_default())
    }

    fn evict(&mut self, key: Key) {
        if let Some(group) = self.groups.remove(&key) {
            self.left_out_messages += group.messages;
        }
        self.note_left_out(key);
    }

    fn note_left_out(&mut self, key: Key) {
        if self.left_out.len() < LEFT_OUT_KEYS {
            self.left_out.insert(key);
        }
    }
}

impl Group {
    /// Take in `messages` messages.
    pub fn add(&mut self, messages: u64, counted: &Counted) {
        self.messages += messages;
        let distributions = self.stages.iter_mut().chain([&mut self.within_node]);
        for (distribution, tally) in distributions.zip(counted) {
            if tally.moments().count > 0 {
                distribution.add_tally(tally);
            }
        }
    }

    fn merge(&mut self, other: &Group) {
        self.messages += other.messages;
        self.within_node.merge(&other.within_node);
        self.stages.iter_mut().zip(&other.stages).for_each(|(mine, theirs)| mine.merge(theirs));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Scratch;
    use proptest::prelude::*;

    fn counted(value: i64) -> Counted {
        let mut counted = Counted::default();
        counted[0].fill(&[value], &mut Scratch::default());
        counted
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_smallest_keys_stay_complete_in_any_order(
            keys in prop::collection::vec(0..40_i64, 1..120),
            cut in 0..120_usize,
        ) {
            let take = |keys: &[i64]| {
                let mut grouping = Grouping::new(8);
                keys.iter().for_each(|&key| grouping.add((key, 0), 1, &counted(key)));
                grouping
            };
            let (left, right) = keys.split_at(cut.min(keys.len()));
            let mut merged = take(right);
            merged.merge(take(left));
            for grouping in [merged, take(&keys)] {
                let mut truth: BTreeMap<i64, u64> = BTreeMap::new();
                keys.iter().for_each(|&key| *truth.entry(key).or_default() += 1);
                let kept: Vec<(i64, u64)> =
                    grouping.groups().map(|(key, group)| (key.0, group.messages)).collect();
                let expected: Vec<(i64, u64)> =
                    truth.iter().take(8).map(|(&key, &count)| (key, count)).collect();
                let left_out: Vec<u64> = truth.values().skip(8).copied().collect();
                prop_assert_eq!(kept, expected);
                prop_assert_eq!(
                    grouping.left_out(),
                    (left_out.len() as u64, left_out.iter().sum())
                );
            }
        }
    }
}
