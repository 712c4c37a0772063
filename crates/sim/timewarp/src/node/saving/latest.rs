//! The latest of many times, and what they are without those that something interrupted.

/// How many are kept.
pub(super) const KEPT: usize = 64;
/// What takes more than so many times the median has lost its core meanwhile: a slice of the
/// scheduler is thousands of short events.
const INTERRUPTED: u64 = 32;

/// The latest times, ns.
#[derive(Default)]
pub(super) struct Latest {
    times: Vec<u64>,
    /// Where the next one goes once all places are taken.
    next: usize,
}

impl Latest {
    pub fn add(&mut self, time: u64) {
        if self.times.len() < KEPT {
            self.times.push(time);
            return;
        }
        self.times[self.next] = time;
        self.next = (self.next + 1) % KEPT;
    }

    /// The mean of those that nothing interrupted; `None` as long as there are few.
    pub fn usual(&self) -> Option<f64> {
        if self.times.len() < KEPT / 4 {
            return None;
        }
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        let longest = sorted[sorted.len() / 2].max(1).saturating_mul(INTERRUPTED);
        let usual = &sorted[..sorted.partition_point(|time| *time <= longest)];
        Some(usual.iter().sum::<u64>() as f64 / usual.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: impl IntoIterator<Item = u64>) -> Option<f64> {
        let mut latest = Latest::default();
        times.into_iter().for_each(|time| latest.add(time));
        latest.usual()
    }

    #[test]
    fn few_say_nothing_and_old_ones_are_forgotten() {
        assert_eq!(of([7; KEPT / 4 - 1]), None);
        assert_eq!(of([7; KEPT / 4]), Some(7.0));
        let changed = std::iter::repeat_n(7, KEPT * 3 / 2).chain(std::iter::repeat_n(9, KEPT));
        assert_eq!(of(changed), Some(9.0));
    }

    #[test]
    fn long_ones_count_and_interrupted_ones_do_not() {
        let (short, long) = ([100; 40], [1000; 20]);
        assert_eq!(of(short.into_iter().chain(long)), Some(400.0));
        assert_eq!(of(short.into_iter().chain(long).chain([4_000_000; 4])), Some(400.0));
    }
}
