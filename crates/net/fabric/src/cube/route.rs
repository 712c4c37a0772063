//! The route header: what a packet carries through the hypercube, behind the link's own header.
//!
//! ```text
//! magic u16 │ src u16 │ dst u16 │ hops u8 │ what u8 │ index u32 │ packets u32 │ bytes u32
//!   │ in_flight u32 │ taken u32 │ sent u64 │ piece
//! ```
//!
//! Little-endian, 36 bytes. A packet is believed only if it can be where it is: e-cube routing
//! makes one way from each source to each destination, so source, destination and hops tell at
//! which node it must be. Pure.

use super::Shape;
use crate::spec::NodeId;
use crate::transport::Flag;
use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Bytes of a packet before its piece of the payload.
pub(crate) const ROUTE_BYTES: usize = size_of::<WireRoute>();
const MAGIC: u16 = 0x4C34;

/// A route on the wire.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct WireRoute {
    magic: U16,
    src: U16,
    dst: U16,
    hops: u8,
    what: u8,
    index: U32,
    packets: U32,
    bytes: U32,
    in_flight: U32,
    taken: U32,
    sent: U64,
}

/// Where a packet comes from and goes to, and which part of what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub src: NodeId,
    pub dst: NodeId,
    /// Links crossed when it arrives at the next node.
    pub hops: u8,
    pub what: What,
    /// Number of the packet within its fragment.
    pub index: u32,
    /// Packets of the fragment.
    pub packets: u32,
    /// Payload bytes of the fragment.
    pub bytes: u32,
    /// Messages on their way from `src` to `dst` when the fragment was sent.
    pub in_flight: u32,
    /// Messages that `src` has taken from `dst`, modulo 2^32.
    pub taken: u32,
    /// When `src` handed it to its first link; filled in at the second.
    pub sent: u64,
}

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A piece of a fragment.
    Piece(Flag),
    /// It only tells what `src` has taken.
    Taken,
    /// `src` is lost: told from neighbour to neighbour.
    Obituary,
}

/// Why a packet is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RouteError {
    #[error("a packet of {0} bytes, too short for a route")]
    Short(usize),
    #[error("a packet that does not begin as one")]
    Magic,
    #[error("a packet of unknown kind {0}")]
    UnknownWhat(u8),
    #[error("a packet from node {src} to node {dst}, which cannot be here after {hops} hops")]
    OffRoute { src: NodeId, dst: NodeId, hops: u8 },
    #[error(
        "packet {index} of {packets}, with {piece} bytes of {bytes}: the numbers do not fit \
         together"
    )]
    Sizes { index: u32, packets: u32, piece: usize, bytes: u32 },
    #[error("packet {index} of message {seq}, but another was expected")]
    OutOfOrder { index: u32, seq: u64 },
    #[error("an acknowledgement of messages that were never sent")]
    AcknowledgesTooMuch,
}

impl What {
    fn code(self) -> u8 {
        match self {
            What::Piece(flag) => flag as u8,
            What::Taken => 0x40,
            What::Obituary => 0x41,
        }
    }

    fn from_code(code: u8) -> Result<What, RouteError> {
        match code {
            0x40 => Ok(What::Taken),
            0x41 => Ok(What::Obituary),
            _ => match Flag::from_code(code) {
                Some(flag) if flag != Flag::Barrier => Ok(What::Piece(flag)),
                _ => Err(RouteError::UnknownWhat(code)),
            },
        }
    }
}

impl Route {
    /// Read the route off a packet that came to node `me`; what follows it is the piece.
    #[inline]
    pub fn decode<'a>(
        packet: &'a [u8],
        me: NodeId,
        shape: &Shape,
    ) -> Result<(Route, &'a [u8]), RouteError> {
        let Ok((wire, piece)) = WireRoute::ref_from_prefix(packet) else {
            return Err(RouteError::Short(packet.len()));
        };
        if wire.magic != MAGIC {
            return Err(RouteError::Magic);
        }
        let route = Route {
            src: wire.src.get(),
            dst: wire.dst.get(),
            hops: wire.hops,
            what: What::from_code(wire.what)?,
            index: wire.index.get(),
            packets: wire.packets.get(),
            bytes: wire.bytes.get(),
            in_flight: wire.in_flight.get(),
            taken: wire.taken.get(),
            sent: wire.sent.get(),
        };
        route.check(piece.len(), me, shape)?;
        Ok((route, piece))
    }

    /// The header's bytes.
    #[inline]
    pub fn encode(&self) -> [u8; ROUTE_BYTES] {
        zerocopy::transmute!(WireRoute {
            magic: MAGIC.into(),
            src: self.src.into(),
            dst: self.dst.into(),
            hops: self.hops,
            what: self.what.code(),
            index: self.index.into(),
            packets: self.packets.into(),
            bytes: self.bytes.into(),
            in_flight: self.in_flight.into(),
            taken: self.taken.into(),
            sent: self.sent.into(),
        })
    }

    fn check(&self, piece: usize, me: NodeId, shape: &Shape) -> Result<(), RouteError> {
        let Route { src, dst, hops, index, packets, bytes, .. } = *self;
        let known = src < shape.nodes && dst < shape.nodes && src != me;
        let here = match self.what {
            // It spreads on every link, and is for whoever has not heard it.
            What::Obituary => dst == src,
            _ => src != dst && place_after(src, dst, hops) == Some(me),
        };
        if !known || !here {
            return Err(RouteError::OffRoute { src, dst, hops });
        }
        let whole =
            bytes as usize <= shape.fragment_bytes_max && packets == shape.packets(bytes as usize);
        let sized = match self.what {
            What::Piece(Flag::Bye) | What::Taken | What::Obituary => {
                (index, packets, bytes, piece) == (0, 1, 0, 0)
            }
            What::Piece(_) => {
                whole && index < packets && piece == shape.piece(bytes as usize, index).len()
            }
        };
        if sized { Ok(()) } else { Err(RouteError::Sizes { index, packets, piece, bytes }) }
    }
}

/// The next node on the way: the lowest dimension in which the numbers differ is crossed first
/// (e-cube).
#[inline]
pub(crate) fn next_node(here: NodeId, dst: NodeId) -> NodeId {
    let differing = here ^ dst;
    here ^ (differing & differing.wrapping_neg())
}

/// Where a packet is after so many hops; `None` if it would have been there before.
fn place_after(src: NodeId, dst: NodeId, hops: u8) -> Option<NodeId> {
    let mut here = src;
    for _ in 0..hops {
        if here == dst {
            return None;
        }
        here = next_node(here, dst);
    }
    (hops > 0).then_some(here)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shape() -> Shape {
        Shape { nodes: 16, packet_bytes: 100, fragment_bytes_max: 1000 }
    }

    proptest! {
        #[test]
        fn a_route_reaches_its_destination_by_links_only(src in 0u16..1024, dst in 0u16..1024) {
            let (mut here, mut crossed) = (src, Vec::new());
            while here != dst {
                let next = next_node(here, dst);
                prop_assert!((here ^ next).is_power_of_two());
                crossed.push((here ^ next).trailing_zeros());
                here = next;
            }
            prop_assert_eq!(crossed.len() as u32, (src ^ dst).count_ones());
            prop_assert!(crossed.is_sorted(), "dimensions in rising order: what makes it free of \
            deadlock");
        }

        #[test]
        fn a_packet_survives_the_wire(
            src in 0u16..16, dst in 0u16..16, bytes in 0usize..=1000, pick: u32,
            in_flight: u32, taken: u32, sent: u64,
        ) {
            prop_assume!(src != dst);
            let shape = shape();
            let packets = shape.packets(bytes);
            let index = pick % packets;
            let hops = 1 + (pick % (src ^ dst).count_ones()) as u8;
            let me = place_after(src, dst, hops).unwrap();
            let what = What::Piece(Flag::Last);
            let route = Route {
                src, dst, hops, what, index, packets, bytes: bytes as u32, in_flight, taken, sent,
            };
            let piece = vec![7; shape.piece(bytes, index).len()];
            let packet = [&route.encode()[..], &piece].concat();
            prop_assert_eq!(Route::decode(&packet, me, &shape), Ok((route, &piece[..])));
            // Anywhere else on the cube it is refused.
            prop_assert!(Route::decode(&packet, me ^ 1, &shape).is_err());
            prop_assert!(Route::decode(&packet[..packet.len() - 1], me, &shape).is_err());
        }

        #[test]
        fn noise_never_panics(
            noise in prop::collection::vec(any::<u8>(), 0..200), me in 0u16..16, magic: bool,
        ) {
            let mut noise = noise;
            if magic && noise.len() >= 2 {
                noise[..2].copy_from_slice(&MAGIC.to_le_bytes());
            }
            let _ = Route::decode(&noise, me, &shape());
        }
    }
}
