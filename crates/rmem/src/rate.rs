//! The rate of the network: the most that went one way in a tenth of a second. Right where the network was ever busy; too low where it never was, and then
//! hardly anybody waited for it.

/// How long a window is.
const WINDOW_NS: f64 = 100_000_000.0;

/// Bytes that came and went.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    ns_per_tick: f64,
    since: u64,
    /// In this window: in, out.
    window: [u64; 2],
    all: [u64; 2],
    best: f64,
}

impl Rate {
    pub fn new(ns_per_tick: f64, now: u64) -> Rate {
        Rate { ns_per_tick, since: now, window: [0; 2], all: [0; 2], best: 0.0 }
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
        let more = self.window.iter().max().copied().unwrap_or(0);
        self.best = self.best.max(more as f64 / ns * 1e9);
        for (all, window) in self.all.iter_mut().zip(&mut self.window) {
            *all += std::mem::take(window);
        }
        self.since = now;
    }

    /// `None` before anything has travelled.
    pub fn bytes_per_second(&self) -> Option<f64> {
        (self.best > 0.0).then_some(self.best)
    }

    /// What the bytes of the busier direction take at that rate, s.
    pub fn seconds(&self) -> f64 {
        let bytes = self.all.iter().zip(self.window).map(|(all, window)| all + window).max().unwrap_or(0);
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
            // Two bytes in for one out; 10 MB in the busiest tenth of a second.
            rate.came(1_000_000 * window as usize);
            rate.went(500_000 * window as usize);
            rate.look(window * 200_000_000 - 1);
            rate.look(window * 200_000_000);
        }
        assert_eq!(rate.bytes_per_second(), Some(1e8));
        assert_eq!(rate.seconds(), 0.55);
    }
}
