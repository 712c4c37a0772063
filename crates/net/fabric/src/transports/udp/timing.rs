//! How long to wait for an acknowledgement: the measured round trips, as RFC 6298 reckons with
//! them.
//!
//! All times are ticks, whatever a tick is.

/// Most doublings of the patience.
const DOUBLINGS_MAX: u32 = 12;

/// Times that the core reckons with, in ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// The periodic timer's period; `None`: adaptive.
    pub period: Option<u64>,
    /// Before the first round trip is known.
    pub first: u64,
    /// Never less: the peer may be about to answer, and its acknowledgement rides on that.
    pub least: u64,
    /// Never more.
    pub most: u64,
}

/// Smoothed round-trip time.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundTrips {
    times: Times,
    smoothed: u64,
    variation: u64,
    /// Doublings since the last round trip was measured. Without it a network slower than the first
    /// guess would have everything sent twice, and no round trip could ever be measured (RFC 6298,
    /// 5.5 and Karn's rule).
    doublings: u32,
    pub least: u64,
}

impl RoundTrips {
    pub fn new(times: Times) -> RoundTrips {
        RoundTrips { times, smoothed: 0, variation: 0, doublings: 0, least: u64::MAX }
    }

    /// A message that was sent once was acknowledged after so long (Karn's rule: no others).
    #[inline]
    pub fn add(&mut self, time: u64) {
        self.least = self.least.min(time);
        self.doublings = 0;
        if self.smoothed == 0 {
            (self.smoothed, self.variation) = (time.max(1), time / 2);
            return;
        }
        let off = self.smoothed.abs_diff(time);
        self.variation = self.variation - self.variation / 4 + off / 4;
        self.smoothed = (self.smoothed - self.smoothed / 8 + time / 8).max(1);
    }

    /// The time was over for some message.
    pub fn expired(&mut self) {
        self.doublings = (self.doublings + 1).min(DOUBLINGS_MAX);
    }

    /// How long to wait for the acknowledgement of a message that has been sent so many times.
    #[inline]
    pub fn patience(&self, times_sent: u32) -> u64 {
        let once = match self.smoothed {
            0 => self.times.first,
            smoothed => (smoothed + 4 * self.variation).max(self.times.least),
        };
        let doublings = times_sent.saturating_sub(1).max(self.doublings).min(DOUBLINGS_MAX);
        (once << doublings).min(self.times.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: Times =
        Times { period: None, first: 2_000_000, least: 200_000, most: 200_000_000 };

    #[test]
    fn patience_follows_the_round_trips_and_doubles() {
        let mut trips = RoundTrips::new(TIMES);
        assert_eq!(trips.patience(1), 2_000_000);
        trips.add(400_000);
        assert_eq!(trips.patience(1), 400_000 + 4 * 200_000);
        for _ in 0..200 {
            trips.add(10_000);
        }
        assert_eq!((trips.patience(1), trips.patience(2)), (200_000, 400_000));
        assert_eq!(trips.patience(40), 200_000_000);
        trips.expired();
        assert_eq!(
            (trips.patience(1), trips.patience(2), trips.patience(3)),
            (400_000, 400_000, 800_000)
        );
        trips.add(10_000);
        assert_eq!(trips.patience(1), 200_000, "a measured round trip ends that");
        assert_eq!(trips.least, 10_000);
    }
}
