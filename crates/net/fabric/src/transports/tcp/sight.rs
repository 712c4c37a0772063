//! Between which moments the bytes of a read came. Pure.

use crate::transports::sockets::arrive::{SEEN_AT_ONCE_NS, Span};
use crate::transports::sockets::stamp::Conversion;
use record::ArrivedClock;

/// What is known of the reads of a connection so far.
#[derive(Default)]
pub(super) struct Sight {
    /// Nothing had come before, on each clock: the last read's exact stamp.
    came_before: Option<(ArrivedClock, u64)>,
}

/// A read, as it was seen.
pub(super) struct Seen {
    /// The kernel's stamp of the last segment in it, or the reading thread's ticks.
    pub stamp: (ArrivedClock, u64),
    /// It filled its buffer, and may have cut a segment in two.
    pub cut: bool,
    /// When a look last found nothing, in ticks (zero: unknown).
    pub empty_at: u64,
}

impl Sight {
    /// Bounds for when the bytes of a read came.
    #[inline]
    pub fn span(&mut self, seen: &Seen, conversion: &mut Conversion) -> Span {
        let Seen { stamp: (on, latest), cut, empty_at } = *seen;
        let empty_at = match on {
            ArrivedClock::Kernel if empty_at != 0 => conversion.realtime_ns(empty_at),
            _ => empty_at,
        };
        // Found missing a moment ago and here now: it has just come.
        let just_now =
            empty_at != 0 && conversion.ns(latest.wrapping_sub(empty_at)) <= SEEN_AT_ONCE_NS;
        let before = self.came_before.filter(|(clock, _)| *clock == on).map_or(0, |(_, at)| at);
        let exact = !cut && (on == ArrivedClock::Kernel || just_now);
        if !cut || on == ArrivedClock::Receiver {
            self.came_before = Some((on, latest));
        }
        Span { clock: on, earliest: before.max(empty_at).min(latest), latest, exact }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clock::Clock;

    fn seen(stamp: (ArrivedClock, u64), cut: bool, empty_at: u64) -> Seen {
        Seen { stamp, cut, empty_at }
    }

    #[test]
    fn the_stamp_of_a_read_bounds_the_next() {
        let conversion = &mut Conversion::new(Clock::best(), 1.0);
        let mut sight = Sight::default();
        let kernel = |at| (ArrivedClock::Kernel, at);
        let first = sight.span(&seen(kernel(5000), false, 0), conversion);
        assert_eq!((first.earliest, first.latest, first.exact), (0, 5000, true));
        let cut = sight.span(&seen(kernel(6000), true, 0), conversion);
        assert_eq!((cut.earliest, cut.latest, cut.exact), (5000, 6000, false));
        let next = sight.span(&seen(kernel(7000), false, 0), conversion);
        assert_eq!(next.earliest, 5000, "a cut read's stamp is an upper bound only");
        let other = sight.span(&seen((ArrivedClock::Receiver, 9), false, 0), conversion);
        assert_eq!(other.earliest, 0, "clocks are not mixed");
    }

    #[test]
    fn without_stamps_a_look_that_found_nothing_is_the_earlier_bound() {
        let conversion = &mut Conversion::new(Clock::best(), 1.0);
        let mut sight = Sight::default();
        let at = |at, empty_at| seen((ArrivedClock::Receiver, at), false, empty_at);
        let long_after = sight.span(&at(9000, 5000), conversion);
        assert_eq!((long_after.earliest, long_after.exact), (5000, false));
        let at_once = sight.span(&at(9900, 9500), conversion);
        assert_eq!((at_once.earliest, at_once.exact), (9500, true));
    }
}
