//! Putting fragments together again at their destination.
//!
//! Packets of one source come over one way and in order, so a source has at most one fragment under
//! way, and a packet that is not the next one is an error.

use super::route::{Route, RouteError};
use crate::transport::{Arrival, Head};

/// A fragment that is whole, or the packet that made it so.
pub(super) struct Whole {
    pub arrival: Arrival,
    /// `None`: it came in one packet, whose piece is the payload.
    pub payload: Option<Vec<u8>>,
}

/// The fragment that is coming from one source.
#[derive(Default)]
pub(super) struct Assembly {
    payload: Vec<u8>,
    /// The head of its first packet, and the packet that is due.
    first: Option<Head>,
    due: u32,
}

impl Assembly {
    /// Add a packet that is for this node. `link` is its arrival over the last link.
    #[inline]
    pub fn add(
        &mut self,
        link: &Arrival,
        route: &Route,
        piece: &[u8],
    ) -> Result<Option<Whole>, RouteError> {
        let first = *self
            .first
            .get_or_insert_with(|| Head { sent: sent_at_source(link, route), ..link.head });
        if route.index != self.due || link.head.seq != first.seq {
            return Err(RouteError::OutOfOrder { index: route.index, seq: link.head.seq });
        }
        if route.packets == 1 {
            self.first = None;
            return Ok(Some(Whole { arrival: end_to_end(link, route, first), payload: None }));
        }
        self.payload.extend_from_slice(piece);
        self.due += 1;
        if self.due < route.packets {
            return Ok(None);
        }
        (self.due, self.first) = (0, None);
        let payload = std::mem::take(&mut self.payload);
        Ok(Some(Whole { arrival: end_to_end(link, route, first), payload: Some(payload) }))
    }
}

/// When the source gave the packet to its first link: the link's own stamp on the first, kept in
/// the route later.
#[inline]
pub(super) fn sent_at_source(link: &Arrival, route: &Route) -> u64 {
    if route.hops == 1 { link.head.sent } else { route.sent }
}

/// The arrival of the whole: the last packet's, from the source.
fn end_to_end(link: &Arrival, route: &Route, first: Head) -> Arrival {
    let flag = match route.what {
        super::route::What::Piece(flag) => flag,
        _ => first.flag,
    };
    let head = Head { flag, in_flight: route.in_flight, ..first };
    Arrival { from: route.src, head, hops: route.hops, packets: route.packets, ..*link }
}

#[cfg(test)]
mod tests {
    use super::super::route::What;
    use super::*;
    use crate::transport::Flag;
    use record::{ArrivedClock, How, Kind};

    fn link(seq: u64, sent: u64, arrived: u64) -> Arrival {
        let head = Head {
            ready: 1,
            sent,
            seq,
            kind: Kind::Data,
            flag: Flag::Last,
            batch: 1,
            in_flight: 99,
        };
        Arrival {
            from: 1,
            head,
            arrived,
            clock: ArrivedClock::Receiver,
            how: How::Observed,
            error_ns: 0,
            arrived_ticks: arrived,
            just_now: false,
            hops: 1,
            packets: 1,
        }
    }

    fn route(hops: u8, index: u32, packets: u32) -> Route {
        let what = What::Piece(Flag::More);
        Route {
            src: 3,
            dst: 0,
            hops,
            what,
            index,
            packets,
            bytes: 6,
            in_flight: 5,
            taken: 0,
            sent: 40,
        }
    }

    #[test]
    fn a_fragment_has_its_first_packets_sending_and_its_last_packets_arrival() {
        let mut assembly = Assembly::default();
        assert!(assembly.add(&link(7, 10, 100), &route(1, 0, 3), b"ab").unwrap().is_none());
        assert!(assembly.add(&link(7, 11, 101), &route(1, 1, 3), b"cd").unwrap().is_none());
        let whole = assembly.add(&link(7, 12, 102), &route(1, 2, 3), b"ef").unwrap().unwrap();
        assert_eq!(whole.payload.as_deref(), Some(&b"abcdef"[..]));
        let Arrival { from, head, arrived, packets, .. } = whole.arrival;
        assert_eq!(
            (from, head.sent, arrived, packets, head.in_flight, head.flag),
            (3, 10, 102, 3, 5, Flag::More)
        );
        // A packet that has crossed more links carries its sending in the route.
        let one = assembly.add(&link(8, 13, 103), &route(2, 0, 1), b"").unwrap().unwrap();
        assert_eq!((one.arrival.head.sent, one.arrival.hops), (40, 2));
    }

    #[test]
    fn a_packet_out_of_its_turn_is_refused() {
        let mut assembly = Assembly::default();
        assembly.add(&link(7, 10, 100), &route(1, 0, 3), b"ab").unwrap();
        assert!(assembly.add(&link(7, 10, 100), &route(1, 2, 3), b"ef").is_err());
        assert!(assembly.add(&link(8, 10, 100), &route(1, 1, 3), b"cd").is_err());
        assert!(Assembly::default().add(&link(7, 10, 100), &route(1, 1, 3), b"cd").is_err());
    }
}
