//! End-to-end time along the run, in a few hundred slices of the timeline.

use record::NULL;

use crate::analysis::SeriesBin;
use crate::distribution::BlockDistribution;
use crate::timeline::{Slice, Timeline};

/// Slices at most.
const SLICES: i64 = 800;

/// End-to-end times by slice.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    slices: Timeline<BlockDistribution>,
}

impl Default for Series {
    fn default() -> Series {
        Series { slices: Timeline::new(SLICES) }
    }
}

impl Slice for BlockDistribution {
    fn merge(&mut self, other: &BlockDistribution) {
        BlockDistribution::merge(self, other);
    }

    fn is_empty(&self) -> bool {
        self.count() == 0
    }
}

impl Series {
    /// Take in end-to-end times by when each message was ready. Messages that lack either are
    /// passed over.
    pub fn add(&mut self, ready: &[i64], end_to_end: &[i64]) {
        let present =
            ready.iter().zip(end_to_end).filter(|&(&ready, &time)| ready != NULL && time != NULL);
        let (low, high) =
            present.fold((i64::MAX, i64::MIN), |(low, high), (&at, _)| (low.min(at), high.max(at)));
        if low > high {
            return;
        }
        self.slices.cover(low, high);
        let mut from = 0;
        while from < ready.len() {
            let slice = self.slices.number(ready[from]);
            let same = |row: usize| {
                self.slices.number(ready[row]) == slice
                    && ready[row] != NULL
                    && end_to_end[row] != NULL
            };
            let to = (from..ready.len()).find(|&row| !same(row)).unwrap_or(ready.len());
            if to > from {
                self.slices.at(ready[from]).add_slice(&end_to_end[from..to]);
            }
            from = to.max(from + 1);
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: &Series) {
        self.slices.merge(&other.slices);
    }

    /// The slices that have messages.
    pub fn bins(&self) -> Vec<SeriesBin> {
        let filled = self.slices.slices().filter(|(_, _, slice)| !slice.is_empty());
        filled.map(|(from, length, slice)| bin(slice, from, length)).collect()
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
            messages in prop::collection::vec((-1_000_000..50_000_000_i64, 0..100_i64), 1..300),
            parts in 1..5_usize,
        ) {
            let take = |messages: &[(i64, i64)]| {
                let (ready, time): (Vec<i64>, Vec<i64>) = messages.iter().copied().unzip();
                let mut series = Series::default();
                series.add(&ready, &time);
                series
            };
            let mut merged = Series::default();
            messages
                .chunks(messages.len().div_ceil(parts))
                .rev()
                .for_each(|part| merged.merge(&take(part)));
            let bins = merged.bins();
            prop_assert_eq!(&bins, &take(&messages).bins());
            prop_assert!(bins.len() as i64 <= SLICES);
            for bin in bins {
                let inside = |&&(ready, _): &&(i64, i64)| bin.from_ns <= ready && ready < bin.to_ns;
                let within: Vec<i64> =
                    messages.iter().filter(inside).map(|&(_, time)| time).collect();
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
