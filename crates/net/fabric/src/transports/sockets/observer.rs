//! Who looks at a node's sockets: the clock that it reads, what the kernel's stamps are on that
//! clock, and when it last looked in vain.

use super::arrive::{SEEN_AT_ONCE_NS, Span, arrival};
use super::stamp::Conversion;
use crate::pin::ticks_per_ns;
use crate::spec::NodeId;
use crate::transport::{Arrival, Head};
use crate::transports::looks::Looks;
use clock::Clock;

/// One node's view of its sockets.
pub(crate) struct Observer {
    pub clock: Clock,
    pub conversion: Conversion,
    pub looks: Looks,
}

impl Observer {
    pub fn new(clock: Clock) -> Observer {
        let conversion = Conversion::new(clock, 1.0 / ticks_per_ns(&clock));
        Observer { clock, conversion, looks: Looks::default() }
    }

    /// This node's ticks.
    #[inline]
    pub fn now(&self) -> u64 {
        self.clock.now().0
    }

    /// Whether what is here at `now` has just come: a moment ago it was found missing.
    #[inline]
    pub fn seen_at_once(&self, now: u64) -> bool {
        let empty_at = self.looks.empty_at();
        empty_at != 0 && self.conversion.ns(now.wrapping_sub(empty_at)) <= SEEN_AT_ONCE_NS
    }

    /// The arrival of a fragment from a direct neighbour; see [`arrival`].
    #[inline]
    pub fn arrival(
        &mut self,
        from: NodeId,
        head: Head,
        came: Option<Span>,
        same_clock: bool,
    ) -> Arrival {
        arrival(from, head, came, same_clock, &mut self.conversion)
    }
}
