//! From the bounds of a read to the arrival of a fragment.

use super::stamp::Conversion;
use crate::spec::NodeId;
use crate::transport::{Arrival, Head};
use record::{ABSENT, ArrivedClock, How};

/// Without kernel stamps: what comes no later than this after a look that found nothing was seen
/// coming.
pub(crate) const SEEN_AT_ONCE_NS: u64 = 1000;

/// When the bytes of one read came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Whose clock the bounds are on: the kernel's (ns) or the receiver's (ticks).
    pub clock: ArrivedClock,
    /// Nothing of it came before.
    pub earliest: u64,
    /// All of it had come by then.
    pub latest: u64,
    /// `latest` is when the last byte came.
    pub exact: bool,
}

/// The arrival of a fragment from a direct neighbour. `came`: when, if anybody wants to know;
/// `same_clock`: the sender's stamps are on this node's clock.
#[inline]
pub(crate) fn arrival(
    from: NodeId,
    head: Head,
    came: Option<Span>,
    same_clock: bool,
    conversion: &mut Conversion,
) -> Arrival {
    let mut arrival = Arrival::of_neighbour(from, head);
    if let Some(span) = came {
        stamp(&mut arrival, span, same_clock, conversion);
    }
    arrival
}

/// When it arrived, from the bounds that its read gave.
#[inline]
fn stamp(arrival: &mut Arrival, span: Span, same_clock: bool, conversion: &mut Conversion) {
    arrival.clock = span.clock;
    arrival.arrived = span.latest;
    let on_kernel = span.clock == ArrivedClock::Kernel;
    if !span.exact {
        let mut earliest = span.earliest;
        // It did not arrive before it was sent, which can be told where both read the same clock.
        if same_clock && arrival.head.sent != ABSENT {
            let sent = if on_kernel {
                conversion.realtime_ns(arrival.head.sent)
            } else {
                arrival.head.sent
            };
            earliest = if sent <= span.latest { earliest.max(sent) } else { earliest };
        }
        let half = (span.latest - earliest).div_ceil(2);
        arrival.arrived = span.latest - half;
        arrival.how = How::Bracketed;
        arrival.error_ns = if on_kernel { half } else { conversion.ns(half) };
    }
    arrival.just_now = !on_kernel && span.exact;
    arrival.arrived_ticks =
        if on_kernel { conversion.ticks(arrival.arrived) } else { arrival.arrived };
}
