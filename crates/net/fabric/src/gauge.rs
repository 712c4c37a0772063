//! How many messages waited in the receive queue when another arrived.
//!
//! The queue itself is in the network's hands; but a message was in it exactly from its arrival
//! until it was taken. So the length at an arrival is the number of earlier messages that were
//! taken later than it. The gauge keeps the last thousands of takings, which are in order, and
//! moves a finger to the arrival: usually not at all.

/// Takings remembered: more than any path holds.
const REMEMBERED: usize = 1 << 14;

/// Counts queue lengths for one node.
pub struct QueueGauge {
    taken: Box<[u64]>,
    count: u64,
    /// The oldest taking later than the last arrival asked about.
    first_later: u64,
}

impl QueueGauge {
    /// Of a queue that has been empty so far.
    pub fn new() -> QueueGauge {
        QueueGauge { taken: vec![0; REMEMBERED].into_boxed_slice(), count: 0, first_later: 0 }
    }

    /// Messages that had come and were not yet taken at `arrived` (ticks of this node).
    #[inline]
    pub fn length_at(&mut self, arrived: u64) -> u32 {
        let oldest = self.count.saturating_sub(REMEMBERED as u64);
        let mut first = self.first_later.max(oldest);
        while first > oldest && self.at(first - 1) > arrived {
            first -= 1;
        }
        while first < self.count && self.at(first) <= arrived {
            first += 1;
        }
        self.first_later = first;
        (self.count - first) as u32
    }

    /// A message was taken.
    #[inline]
    pub fn took(&mut self, at: u64) {
        self.taken[self.count as usize & (REMEMBERED - 1)] = at;
        self.count += 1;
    }

    #[inline]
    fn at(&self, number: u64) -> u64 {
        self.taken[number as usize & (REMEMBERED - 1)]
    }
}

impl Default for QueueGauge {
    fn default() -> QueueGauge {
        QueueGauge::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_counting(waits in prop::collection::vec((0u64..50, 0u64..400), 1..300)) {
            let mut gauge = QueueGauge::new();
            let (mut now, mut all) = (0u64, Vec::new());
            for (gap, age) in waits {
                now += gap;
                let arrived = now.saturating_sub(age);
                let expected = all.iter().filter(|taken| **taken > arrived).count();
                prop_assert_eq!(gauge.length_at(arrived) as usize, expected);
                gauge.took(now);
                all.push(now);
            }
        }
    }
}
