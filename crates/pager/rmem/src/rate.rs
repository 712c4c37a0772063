//! The rate of the network: the most that went one way in a window. Right where the network was
//! ever busy; too low where it never was, and then hardly anybody waited for it.

/// A window is at least so long ...
const WINDOW_NS: f64 = 100_000_000.0;
/// ... and has at least so many bytes one way, because whole batches are counted when their last
/// byte is there, and several may end in one moment ...
const WINDOW_BYTES: u64 = 8 << 20;
/// ... unless that takes too long.
const LONG_NS: f64 = 10_000_000_000.0;

/// Bytes that came and went.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    ns_per_tick: f64,
    since: u64,
    /// In this window: in, out.
    window: [u64; 2],
    all: [u64; 2],
    best: Option<f64>,
    /// Of the window that is not over.
    now: Option<f64>,
}

impl Rate {
    pub fn new(ns_per_tick: f64, now: u64) -> Rate {
        Rate { ns_per_tick, since: now, window: [0; 2], all: [0; 2], best: None, now: None }
    }

    /// So many bytes came.
    pub fn came(&mut self, bytes: usize) {
        self.window[0] += bytes as u64;
    }

    /// So many bytes have got there.
    pub fn went(&mut self, bytes: usize) {
        self.window[1] += bytes as u64;
    }

    /// Time passes: end the window if it is long enough.
    pub fn look(&mut self, now: u64) {
        let ns = now.saturating_sub(self.since) as f64 * self.ns_per_tick;
        if ns < WINDOW_NS {
            return;
        }
        let more = self.window[0].max(self.window[1]);
        let rate = more as f64 / ns * 1e9;
        self.now = (more > 0).then_some(rate);
        if more < WINDOW_BYTES && ns < LONG_NS {
            return;
        }
        self.best = Some(self.best.unwrap_or(0.0).max(rate));
        for (all, window) in self.all.iter_mut().zip(&mut self.window) {
            *all += std::mem::take(window);
        }
        self.since = now;
    }

    /// `None` before anything has travelled.
    pub fn bytes_per_second(&self) -> Option<f64> {
        self.best.filter(|best| *best > 0.0).or(self.now)
    }

    /// What the bytes of the busier direction take at that rate, s.
    pub fn seconds(&self) -> f64 {
        let bytes =
            self.all.iter().zip(self.window).map(|(all, window)| all + window).max().unwrap_or(0);
        self.bytes_per_second().map_or(0.0, |rate| bytes as f64 / rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_window_is_the_rate() {
        let mut rate = Rate::new(0.5, 0);
        assert_eq!((rate.bytes_per_second(), rate.seconds()), (None, 0.0));
        for window in 1..=10u64 {
            // Two bytes in for one out; 100 MB in the busiest tenth of a second.
            rate.came(10_000_000 * window as usize);
            rate.went(5_000_000 * window as usize);
            rate.look(window * 200_000_000 - 1);
            rate.look(window * 200_000_000);
        }
        assert_eq!(rate.bytes_per_second(), Some(1e9));
        assert_eq!(rate.seconds(), 0.55);
    }

    #[test]
    fn batches_that_end_together_do_not_make_a_slow_network_fast() {
        let mut rate = Rate::new(1.0, 0);
        // 1 MB in one moment every quarter of a second: 4 MB a second.
        for batch in 1..=40u64 {
            rate.came(1_000_000);
            (0..25).for_each(|look| rate.look(batch * 250_000_000 + look * 10_000_000));
        }
        let found = rate.bytes_per_second().unwrap();
        assert!((found / 4e6 - 1.0).abs() < 0.15, "{found}");
    }

    #[test]
    fn a_short_run_has_the_rate_of_what_there_was() {
        let mut rate = Rate::new(1.0, 0);
        rate.went(1_000_000);
        rate.look(500_000_000);
        assert_eq!((rate.bytes_per_second(), rate.seconds()), (Some(2e6), 0.5));
    }
}
