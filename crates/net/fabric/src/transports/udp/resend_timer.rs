//! When what has not been acknowledged goes again: after a patience of its own that follows the
//! round trips, or all of it at the end of each period, as on Myrinet. Pure.

use super::timing::{RoundTrips, Times};

/// The timer of one peer.
#[derive(Clone, Copy)]
pub(super) struct ResendTimer {
    pub trips: RoundTrips,
    /// `None`: adaptive.
    period: Option<u64>,
    /// When to look again: not too late, perhaps too early.
    look_at: u64,
}

impl ResendTimer {
    /// `now`: from when the periods count.
    pub fn new(times: Times, now: u64) -> ResendTimer {
        ResendTimer {
            trips: RoundTrips::new(times),
            period: times.period,
            look_at: times.period.map_or(u64::MAX, |period| now.saturating_add(period)),
        }
    }

    #[inline]
    pub fn is_adaptive(&self) -> bool {
        self.period.is_none()
    }

    /// When to look next.
    #[inline]
    pub fn deadline(&self) -> u64 {
        self.look_at
    }

    /// A unit has gone at `now`, `times_sent` times by now.
    #[inline]
    pub fn sent(&mut self, now: u64, times_sent: u32) {
        if self.is_adaptive() {
            self.look_at = self.look_at.min(self.until(now, times_sent));
        }
    }

    /// Until when to wait for the acknowledgement of a unit that went last at `sent_at`.
    #[inline]
    pub fn until(&self, sent_at: u64, times_sent: u32) -> u64 {
        sent_at.saturating_add(self.trips.patience(times_sent))
    }

    /// The period that ends by `now` is over; `false`: there are none. The phase stays, also after
    /// a pause of many periods.
    pub fn next_period(&mut self, now: u64) -> bool {
        let Some(period) = self.period.map(|period| period.max(1)) else { return false };
        let missed = (now - self.look_at) / period;
        self.look_at = self.look_at.saturating_add((missed + 1).saturating_mul(period));
        true
    }

    /// Look again at the earliest end of a patience that is left, if any is.
    pub fn look_again(&mut self, earliest: Option<u64>) {
        self.look_at = earliest.unwrap_or(u64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: Times = Times { period: None, first: 100, least: 10, most: 100_000 };

    #[test]
    fn an_adaptive_timer_looks_at_the_earliest_patience() {
        let mut timer = ResendTimer::new(TIMES, 7);
        assert!(timer.is_adaptive() && timer.deadline() == u64::MAX, "nothing is on its way");
        timer.sent(1000, 2);
        assert_eq!(timer.deadline(), 1200);
        timer.sent(1050, 1);
        assert_eq!(timer.deadline(), 1150);
        timer.sent(1100, 1);
        assert_eq!(timer.deadline(), 1150);
        assert!(!timer.next_period(1150));
        timer.look_again(Some(1200));
        assert_eq!(timer.deadline(), 1200);
        timer.look_again(None);
        assert_eq!(timer.deadline(), u64::MAX);
    }

    #[test]
    fn periods_keep_their_phase_whatever_is_sent() {
        let mut timer = ResendTimer::new(Times { period: Some(50), ..TIMES }, 7);
        timer.sent(10, 1);
        assert_eq!(timer.deadline(), 57);
        assert!(timer.next_period(57));
        assert_eq!(timer.deadline(), 107);
        assert!(timer.next_period(290));
        assert_eq!(timer.deadline(), 307, "a pause of four periods");
    }
}
