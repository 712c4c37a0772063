//! End-to-end time along the run, in a few hundred slices of a timeline whose length is not known beforehand.
//!
//! Slices are a power of two of nanoseconds long. When a message lies beyond the slices that there may be, their length doubles
//! and neighbours join. Slices begin at multiples of their length, so two accumulators' slices always nest
//! and the order of messages does not matter.

use record::NULL;

use std::collections::VecDeque;

use crate::analysis::SeriesBin;

use crate::distribution::BlockDistribution;

/// Slices at most; a long run has between half of these and all.
const SLICES: i64 = 800;
/// The shortest slice: 2^10 ns.
const SHORTEST: u32 = 10;

/// The timeline in slices.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    shift: u32,
    /// Number of the first slice: it begins at `first << shift`.
    first: i64,
    slices: VecDeque<BlockDistribution>,
}

impl Default for Series {
    fn default() -> Series {
        Series { shift: SHORTEST, first: 0, slices: VecDeque::new() }
    }
}

impl Series {
    /// Take in end-to-end times by when each message was ready. Messages that lack either are passed over.
    pub fn add(&mut self, ready: &[i64], end_to_end: &[i64]) {
        let present = ready.iter().zip(end_to_end).filter(|&(&ready, &time)| ready != NULL && time != NULL);
        let (low, high) =
            present.fold((i64::MAX, i64::MIN), |(low, high), (&at, _)| (low.min(at), high.max(at)));
        if low > high {
            return;
        }
        self.cover(low, high);
        let mut from = 0;
        while from < ready.len() {
            let slice = ready[from] >> self.shift;
            let same = |row: usize| {
                ready[row] >> self.shift == slice && ready[row] != NULL && end_to_end[row] != NULL
            };
            let to = (from..ready.len()).find(|&row| !same(row)).unwrap_or(ready.len());
            if to > from {
                self.slices[(slice - self.first) as usize].add_slice(&end_to_end[from..to]);
            }
            from = to.max(from + 1);
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: &Series) {
        let Some(last) = other.slices.len().checked_sub(1) else { return };
        let begin = other.first << other.shift;
        let end = ((other.first + last as i64) << other.shift).saturating_add((1 << other.shift) - 1);
        self.cover(begin, end);
        while self.shift < other.shift {
            self.double();
        }
        for (at, theirs) in other.slices.iter().enumerate().filter(|(_, slice)| slice.count() > 0) {
            let slice = (other.first + at as i64) >> (self.shift - other.shift);
            self.slices[(slice - self.first) as usize].merge(theirs);
        }
    }

    /// The slices that have messages.
    pub fn bins(&self) -> Vec<SeriesBin> {
        let filled = self.slices.iter().zip(self.first..).filter(|(slice, _)| slice.count() > 0);
        filled.map(|(slice, number)| bin(slice, number << self.shift, 1 << self.shift)).collect()
    }

    /// See that there are slices from `low` to `high`, doubling their length as often as that takes.
    fn cover(&mut self, low: i64, high: i64) {
        loop {
            let (mut first, mut last) = (low >> self.shift, high >> self.shift);
            if !self.slices.is_empty() {
                first = first.min(self.first);
                last = last.max(self.first + self.slices.len() as i64 - 1);
            }
            if last - first < SLICES {
                return self.extend(first, last);
            }
            self.double();
        }
    }

    fn extend(&mut self, first: i64, last: i64) {
        if self.slices.is_empty() {
            self.first = first;
        }
        while self.first > first {
            self.slices.push_front(BlockDistribution::default());
            self.first -= 1;
        }
        self.slices.resize((last - first + 1) as usize, BlockDistribution::default());
    }

    fn double(&mut self) {
        let mut joined = VecDeque::new();
        let first = self.first >> 1;
        for (slice, number) in self.slices.drain(..).zip(self.first..) {
            match joined.get_mut(((number >> 1) - first) as usize) {
                None => joined.push_back(slice),
                Some(neighbour) => neighbour.merge(&slice),
            }
        }
        (self.slices, self.first, self.shift) = (joined, first, self.shift + 1);
    }
}

fn bin(slice: &BlockDistribution, from_ns: i64, length: i64) -> SeriesBin {
    let quantiles = slice.quantiles(&[0.5, 0.99]);
    SeriesBin {
        from_ns,
        to_ns: from_ns.saturating_add(length),
        count: slice.count(),
        p50_ns: quantiles[0],
        p99_ns: quantiles[1],
        max_ns: slice.moments().max,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn every_message_is_in_its_slice_in_any_order(
            messages in prop::collection::vec((-1_000_000..50_000_000_i64, 0..100_i64), 1..300), parts in 1..5_usize,
        ) {
            let take = |messages: &[(i64, i64)]| {
                let (ready, time): (Vec<i64>, Vec<i64>) = messages.iter().copied().unzip();
                let mut series = Series::default();
                series.add(&ready, &time);
                series
            };
            let mut merged = Series::default();
            messages.chunks(messages.len().div_ceil(parts)).rev().for_each(|part| merged.merge(&take(part)));
            let bins = merged.bins();
            prop_assert_eq!(&bins, &take(&messages).bins());
            prop_assert!(bins.len() as i64 <= SLICES);
            for bin in bins {
                let inside = |&&(ready, _): &&(i64, i64)| bin.from_ns <= ready && ready < bin.to_ns;
                let within: Vec<i64> = messages.iter().filter(inside).map(|&(_, time)| time).collect();
                prop_assert_eq!(bin.count, within.len() as u64);
                prop_assert_eq!(Some(bin.max_ns), within.iter().copied().max());
            }
        }
    }

    #[test]
    fn the_longest_timeline_fits() {
        let mut series = Series::default();
        series.add(&[i64::MIN + 1, NULL, 0, i64::MAX], &[1, 2, 3, NULL]);
        assert_eq!(series.bins().iter().map(|bin| bin.count).sum::<u64>(), 2);
    }
}
