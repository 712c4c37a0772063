//! Sums by key, with a cap on the keys.
//!
//! When there are more keys than the cap, the smallest stay: that leaves the same ones, complete,
//! whatever the order in which rows and accumulators came. A key that was left out once had as many
//! smaller ones before it, and still has.

use std::collections::{BTreeMap, HashMap};

/// What is summed up.
pub(super) trait Sum: Clone + Default {
    /// Take in what `other` took in.
    fn merge(&mut self, other: &Self);
}

/// A key: a number, or two.
pub(super) type Key = (i64, i64);

/// Sums by key.
#[derive(Clone, Debug)]
pub(super) struct Sums<T> {
    cap: usize,
    each: HashMap<Key, T>,
    /// The key that came last, with what is not in `each` yet: rows of one key follow each other.
    last: Option<(Key, T)>,
    left_out: T,
    left_out_keys: u64,
}

impl<T: Sum> Sums<T> {
    /// No keys yet, `cap` at most.
    pub fn new(cap: usize) -> Sums<T> {
        Sums { cap, each: HashMap::new(), last: None, left_out: T::default(), left_out_keys: 0 }
    }

    /// What is summed up for `key`.
    #[inline]
    pub fn at(&mut self, key: Key) -> &mut T {
        if self.last.as_ref().is_none_or(|(last, _)| *last != key) {
            self.settle();
        }
        &mut self.last.get_or_insert_with(|| (key, T::default())).1
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, mut other: Sums<T>) {
        other.settle();
        self.left_out.merge(&other.left_out);
        self.left_out_keys += other.left_out_keys;
        for (key, theirs) in other.each {
            self.put(key, &theirs);
        }
    }

    /// The smallest keys with their sums, then how many were left out (at least) and the sum of
    /// those.
    pub fn finish(mut self) -> (BTreeMap<Key, T>, u64, T) {
        self.settle();
        self.evict(self.cap);
        (self.each.into_iter().collect(), self.left_out_keys, self.left_out)
    }

    fn settle(&mut self) {
        if let Some((key, sum)) = self.last.take() {
            self.put(key, &sum);
        }
    }

    fn put(&mut self, key: Key, sum: &T) {
        self.each.entry(key).or_default().merge(sum);
        if self.each.len() >= 2 * self.cap {
            self.evict(self.cap);
        }
    }

    /// Leave out all but the `most` smallest keys.
    fn evict(&mut self, most: usize) {
        if self.each.len() <= most {
            return;
        }
        let mut keys: Vec<Key> = self.each.keys().copied().collect();
        keys.sort_unstable();
        for key in &keys[most..] {
            if let Some(sum) = self.each.remove(key) {
                self.left_out.merge(&sum);
                self.left_out_keys += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Sum for u64 {
        fn merge(&mut self, other: &u64) {
            *self += other;
        }
    }

    proptest! {
        #[test]
        fn the_smallest_keys_stay_whole_in_any_order(
            keys in prop::collection::vec(0..40_i64, 0..300), cut in 0..300_usize,
        ) {
            let take = |keys: &[i64]| {
                let mut sums = Sums::<u64>::new(5);
                keys.iter().for_each(|&key| *sums.at((key, 0)) += 1);
                sums
            };
            let (left, right) = keys.split_at(cut.min(keys.len()));
            let mut merged = take(right);
            merged.merge(take(left));
            let mut truth: BTreeMap<Key, u64> = BTreeMap::new();
            keys.iter().for_each(|&key| *truth.entry((key, 0)).or_default() += 1);
            let expected: BTreeMap<Key, u64> = truth.into_iter().take(5).collect();
            let rest = keys.len() as u64 - expected.values().sum::<u64>();
            for sums in [merged, take(&keys)] {
                let (kept, _, left_out) = sums.finish();
                prop_assert_eq!(&kept, &expected);
                prop_assert_eq!(left_out, rest);
            }
        }
    }
}
