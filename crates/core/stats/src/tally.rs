//! A batch of times, counted once for many takers.
//!
//! The same batch is wanted by its block, its launch, its pair of nodes and more. Counting 30,000
//! values for each would cost as many times over; counting them once and handing on the few hundred
//! counters that were touched costs next to nothing. Counters are those of `grain` with 2^-9,
//! non-negative side only; negative times are rare and handed on as they are.

use crate::grain;
use crate::moments::Moments;

/// Relative resolution of a tally: 2^-SUB; exact below 2^SUB.
pub(crate) const SUB: u32 = 9;

/// Fewer values than this are listed one by one: looking through the dense counters would cost
/// more.
pub(crate) const FEW: usize = 512;

/// Dense counters, reused from batch to batch; all 0 in between.
pub(crate) struct Scratch {
    counters: Box<[u32; SIZE]>,
}

/// Enough for every counter of a non-negative `i64`, rounded up so that masking replaces a bounds
/// check.
const SIZE: usize = 1 << 15;
const _: () = assert!(grain::index::<SUB, SUB>(i64::MAX as u64) < SIZE);

/// The counted batch.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    moments: Moments,
    bins: Vec<(u16, u32)>,
    negatives: Vec<i64>,
}

impl Tally {
    /// Count `values` in place of what was counted before.
    pub fn fill(&mut self, values: &[i64], scratch: &mut Scratch) {
        self.moments = Moments::of(values);
        self.bins.clear();
        self.negatives.clear();
        if self.moments.min < 0 {
            self.negatives.extend(values.iter().filter(|&&v| v < 0));
        }
        if values.len() < FEW {
            let positive = values.iter().filter(|&&v| v >= 0);
            self.bins.extend(positive.map(|&v| (grain::index::<SUB, SUB>(v as u64) as u16, 1)));
        } else {
            self.fill_densely(values, scratch);
        }
    }

    /// Exact figures of the values.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Counters and counts of the values that are not negative. A counter may come more than once.
    pub fn bins(&self) -> &[(u16, u32)] {
        &self.bins
    }

    /// The negative values.
    pub fn negatives(&self) -> &[i64] {
        &self.negatives
    }

    fn fill_densely(&mut self, values: &[i64], scratch: &mut Scratch) {
        if self.moments.max < 0 {
            return;
        }
        let counters = &mut *scratch.counters;
        if self.negatives.is_empty() {
            values.iter().for_each(|&v| counters[slot(v)] += 1);
        } else {
            values.iter().filter(|&&v| v >= 0).for_each(|&v| counters[slot(v)] += 1);
        }
        let (from, to) = (slot(self.moments.min.max(0)), slot(self.moments.max));
        for (at, counter) in counters[from..=to].iter_mut().enumerate() {
            if *counter > 0 {
                self.bins.push(((from + at) as u16, *counter));
                *counter = 0;
            }
        }
    }
}

/// The smallest magnitude of a tally's counter.
pub(crate) fn low(index: u16) -> u64 {
    grain::low::<SUB, SUB>(usize::from(index))
}

#[inline(always)]
fn slot(value: i64) -> usize {
    grain::index::<SUB, SUB>(value as u64) & (SIZE - 1)
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch { counters: Box::new([0; SIZE]) }
    }
}
