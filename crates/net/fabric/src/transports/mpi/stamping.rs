//! When has a message arrived? MPI does not tell.
//!
//! It came after the last look that found nothing had begun and before the look that found it
//! ended. If that is a microsecond or less, the node was looking when it came, and the arrival is
//! *observed*; else it is *bracketed* by the two (and by the moment at which it was sent, where
//! both read one clock). Pure: what time it is is an argument.

use crate::pin::{ticks_of, ticks_per_ns};
use crate::transport::Arrival;
use crate::transports::looks::Looks;
use clock::Clock;
use record::{ABSENT, How};
use std::time::Duration;

/// A message found so soon after a look that found nothing has come while the node was looking.
const SEEN_AT_ONCE: Duration = Duration::from_micros(1);

/// What a node knows about when its messages came.
pub(super) struct Stamping {
    /// Some message carries stamps. Before that no clock is read.
    wanted: bool,
    looks: Looks,
    seen_at_once_ticks: u64,
    ticks_per_ns: f64,
}

impl Stamping {
    pub fn new(clock: &Clock) -> Stamping {
        Stamping {
            wanted: false,
            looks: Looks::from(clock.now().0),
            seen_at_once_ticks: ticks_of(clock, SEEN_AT_ONCE),
            ticks_per_ns: ticks_per_ns(clock),
        }
    }

    /// A message with stamps was sent at `sent`, and the next look has not begun.
    #[inline]
    pub fn sends(&mut self, sent: u64) {
        self.wanted = true;
        self.looks.next_after(sent);
    }

    /// A look that began after `spinning_since`, if that is not `u64::MAX`, found nothing.
    #[inline]
    pub fn found_nothing(&mut self, spinning_since: u64, now: impl FnOnce() -> u64) {
        if self.wanted {
            if spinning_since != u64::MAX {
                self.looks.next_after(spinning_since);
            }
            self.looks.found_nothing();
            self.looks.next_after(now());
        }
    }

    /// Fill in when a message arrived that is found at `now`, from the bounds that the looks give.
    #[inline]
    pub fn stamp(&mut self, arrival: &mut Arrival, same_clock: bool, now: u64) {
        self.wanted = true;
        let empty_at = self.looks.empty_at();
        arrival.arrived = now;
        if now.wrapping_sub(empty_at) <= self.seen_at_once_ticks {
            arrival.just_now = true;
        } else {
            let sent = arrival.head.sent;
            // It did not arrive before it was sent, which can be told where both read the same
            // clock.
            let since_sent = same_clock && sent != ABSENT && sent <= now;
            let earliest = if since_sent { empty_at.max(sent) } else { empty_at };
            let half = now.saturating_sub(earliest).div_ceil(2);
            arrival.arrived = now - half;
            arrival.how = How::Bracketed;
            arrival.error_ns = (half as f64 / self.ticks_per_ns).ceil() as u64;
        }
        arrival.arrived_ticks = arrival.arrived;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Flag, Head};

    /// Two ticks a nanosecond, and a look that found nothing from 10,000 on.
    fn stamping() -> Stamping {
        let looks = Looks::from(10_000);
        Stamping { wanted: true, looks, seen_at_once_ticks: 2000, ticks_per_ns: 2.0 }
    }

    fn stamped(stamping: &mut Stamping, sent: u64, same_clock: bool, now: u64) -> Arrival {
        let head = Head { ready: 1, sent, ..Head::control(Flag::Last) };
        let mut arrival = Arrival::of_neighbour(1, head);
        stamping.stamp(&mut arrival, same_clock, now);
        arrival
    }

    #[test]
    fn what_is_found_a_moment_after_nothing_was_has_just_come() {
        let arrival = stamped(&mut stamping(), 11_000, true, 12_000);
        assert_eq!((arrival.arrived, arrival.how, arrival.just_now), (12_000, How::Observed, true));
    }

    #[test]
    fn what_is_found_later_is_bracketed_by_the_looks_and_by_its_sending() {
        for (sent, same_clock, arrived, error_ns) in [
            (ABSENT, true, 15_000, 2500),
            (16_000, false, 15_000, 2500),
            (16_000, true, 18_000, 1000),
            (9_000, true, 15_000, 2500),
            (30_000, true, 15_000, 2500),
        ] {
            let arrival = stamped(&mut stamping(), sent, same_clock, 20_000);
            assert_eq!((arrival.arrived, arrival.error_ns), (arrived, error_ns), "{sent}");
            assert!(arrival.how == How::Bracketed && !arrival.just_now);
        }
    }

    #[test]
    fn no_clock_is_read_before_a_message_with_stamps() {
        let mut stamping = Stamping { wanted: false, ..stamping() };
        stamping.found_nothing(u64::MAX, || panic!("no stamps"));
        stamping.sends(30_000);
        stamping.found_nothing(u64::MAX, || 40_000);
        assert_eq!(stamping.looks.empty_at(), 30_000, "it was sent before that look");
        stamping.found_nothing(45_000, || 50_000);
        assert_eq!(stamping.looks.empty_at(), 45_000, "it has looked without pause since");
    }
}
