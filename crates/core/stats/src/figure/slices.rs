//! A run in slices of equal length, however long it is: when there are too many of them, two
//! become one.

use std::collections::BTreeMap;

use crate::distribution::GroupDistribution;

/// Slices kept, at most.
const SLICES_MOST: usize = 256;
/// The first length, ns: a power of two, as all are.
const FIRST: u32 = 10;

/// Values by when they were.
#[derive(Clone, Debug)]
pub struct TimeSlices {
    /// A slice is 2^`log_ns` long.
    log_ns: u32,
    slices: BTreeMap<i64, GroupDistribution>,
}

impl Default for TimeSlices {
    fn default() -> TimeSlices {
        TimeSlices { log_ns: FIRST, slices: BTreeMap::new() }
    }
}

impl TimeSlices {
    /// Count a value at a moment of the run.
    pub(super) fn add(&mut self, at_ns: i64, value: i64) {
        self.slices.entry(at_ns >> self.log_ns).or_default().add(value);
        while self.slices.len() > SLICES_MOST {
            self.lengthen(self.log_ns + 1);
        }
    }

    /// Take in what `other` took in.
    pub(super) fn merge(&mut self, mut other: TimeSlices) {
        let longer = self.log_ns.max(other.log_ns);
        self.lengthen(longer);
        other.lengthen(longer);
        for (at, of) in other.slices {
            self.slices.entry(at).or_default().merge(&of);
        }
        while self.slices.len() > SLICES_MOST {
            self.lengthen(self.log_ns + 1);
        }
    }

    /// Make slices longer.
    pub fn lengthen(&mut self, log_ns: u32) {
        let steps = log_ns.saturating_sub(self.log_ns);
        if steps > 0 {
            let slices = std::mem::take(&mut self.slices);
            for (at, of) in slices {
                self.slices.entry(at >> steps).or_default().merge(&of);
            }
            self.log_ns = log_ns;
        }
    }

    /// The binary logarithm of a slice's length, ns.
    pub fn log_ns(&self) -> u32 {
        self.log_ns
    }

    /// Begin of each slice that has values, and these.
    pub fn each(&self) -> impl Iterator<Item = (i64, &GroupDistribution)> {
        self.slices.iter().map(|(at, of)| (*at << self.log_ns, of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_lengthen_with_the_run_and_lose_nothing() {
        let (mut one, mut other) = (TimeSlices::default(), TimeSlices::default());
        (0..5_000).for_each(|at| one.add(at * 1_000_000, at));
        (5_000..5_010).for_each(|at| other.add(at * 1_000_000, at));
        one.merge(other);
        assert!(one.slices.len() <= SLICES_MOST && one.slices.len() >= SLICES_MOST / 4);
        assert_eq!(one.each().map(|(_, of)| of.count()).sum::<u64>(), 5_010);
        let length = 1_i64 << one.log_ns();
        for (begin, of) in one.each() {
            let within = begin..begin + length;
            let ends = [of.moments().min, of.moments().max];
            assert!(ends.iter().all(|at| within.contains(&(at * 1_000_000))));
        }
    }
}
