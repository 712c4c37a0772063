//! What warpnet's messages carry, typed; the canonical bytes are made only where they are needed.
//!
//! The message that begins a simulation carries the configuration's text. Comparing is typed and
//! agrees with the bytes.

use super::packet::{self, NetworkPacket};
use super::{CREATE, UPDATE};
use std::cmp::Ordering;
use std::sync::Arc;
use timewarp::Payload;

const BEGIN: &[u8] = b"begin_simulation";
const SELECTOR_BYTES: usize = 4;

/// A message's payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WarpnetPayload {
    /// The configuration's text.
    Begin,
    /// Create a packet.
    Create,
    /// A packet arrives.
    Packet(NetworkPacket),
    /// Part of another node's picture.
    Update(UpdateBody),
}

/// Node numbers, their currencies, then the loads of their lines, packed, unused ones 0. Shared
/// between the copies that an engine keeps of a message; nobody can change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateBody(Arc<[u16]>);

impl UpdateBody {
    /// Of these numbers.
    pub fn new(numbers: &[u16]) -> UpdateBody {
        UpdateBody(numbers.into())
    }

    /// The numbers.
    #[inline]
    pub fn numbers(&self) -> &[u16] {
        &self.0
    }
}

impl WarpnetPayload {
    /// Place in the order of kinds, by their first bytes.
    #[inline]
    fn rank(&self) -> u8 {
        match self {
            WarpnetPayload::Create => 0,
            WarpnetPayload::Packet(_) => 1,
            WarpnetPayload::Update(_) => 2,
            WarpnetPayload::Begin => 3,
        }
    }
}

impl Payload for WarpnetPayload {
    fn encode(&self, bytes: &mut Vec<u8>) {
        match self {
            WarpnetPayload::Begin => bytes.extend(BEGIN),
            WarpnetPayload::Create => bytes.extend(CREATE.to_be_bytes()),
            WarpnetPayload::Packet(packet) => packet.encode(bytes),
            WarpnetPayload::Update(body) => {
                bytes.extend(UPDATE.to_be_bytes());
                bytes.extend(body.numbers().iter().flat_map(|number| number.to_be_bytes()));
            }
        }
    }

    fn decode(bytes: &[u8]) -> Option<WarpnetPayload> {
        if bytes == BEGIN {
            return Some(WarpnetPayload::Begin);
        }
        let (selector, rest) = bytes.split_first_chunk()?;
        match i32::from_be_bytes(*selector) {
            CREATE => rest.is_empty().then_some(WarpnetPayload::Create),
            super::PACKET => {
                NetworkPacket::decode(bytes.try_into().ok()?).map(WarpnetPayload::Packet)
            }
            UPDATE => {
                let (pairs, odd) = rest.as_chunks();
                let numbers = pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
                odd.is_empty().then_some(WarpnetPayload::Update(UpdateBody(numbers)))
            }
            _ => None,
        }
    }

    #[inline]
    fn order(&self, other: &WarpnetPayload) -> Ordering {
        match (self, other) {
            (WarpnetPayload::Packet(ours), WarpnetPayload::Packet(theirs)) => ours.order(theirs),
            (WarpnetPayload::Update(ours), WarpnetPayload::Update(theirs)) => {
                ours.numbers().cmp(theirs.numbers())
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    #[inline]
    fn bytes(&self) -> usize {
        match self {
            WarpnetPayload::Begin => BEGIN.len(),
            WarpnetPayload::Create => SELECTOR_BYTES,
            WarpnetPayload::Packet(_) => packet::BYTES,
            WarpnetPayload::Update(body) => SELECTOR_BYTES + size_of_val(body.numbers()),
        }
    }

    #[inline]
    fn heap_bytes(&self) -> usize {
        /// The counts of an `Arc`.
        const COUNTS: usize = 2 * size_of::<usize>();
        match self {
            WarpnetPayload::Update(body) => COUNTS + size_of_val(body.numbers()),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload_laws::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn packets() -> impl Strategy<Value = NetworkPacket> {
        let node = || prop_oneof![0u16..25, Just(100), Just(101), 9_990u16..10_010, any::<u16>()];
        let number = || prop_oneof![0i32..3, any::<i32>()];
        (node(), number(), number(), node(), node(), node()).prop_map(
            |(creator, created, size, next, last, destination)| NetworkPacket {
                creator,
                created,
                size,
                next,
                last,
                destination,
            },
        )
    }

    fn payloads() -> impl Strategy<Value = WarpnetPayload> {
        prop_oneof![
            1 => Just(WarpnetPayload::Begin),
            1 => Just(WarpnetPayload::Create),
            4 => packets().prop_map(WarpnetPayload::Packet),
            4 => vec(prop_oneof![0u16..3, any::<u16>()], 0..6)
                .prop_map(|numbers| WarpnetPayload::Update(UpdateBody::new(&numbers))),
        ]
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_the_bytes(a in payloads(), b in payloads()) {
            is_ordered_as_its_bytes(&a, &b)?;
        }

        #[test]
        fn bytes_come_back_as_what_they_were(payload in payloads()) {
            is_read_as_it_was_written(&payload)?;
            prop_assert_eq!(WarpnetPayload::decode(&encoded(&payload)), Some(payload));
        }

        #[test]
        fn rubbish_is_none_or_itself(
            bytes in vec(any::<u8>(), 0..120), selector in 0u8..4,
            flips in vec((0usize..100, any::<u8>()), 0..3), packet in packets(),
        ) {
            let mut headed = vec![0, 0, 0, selector];
            headed.extend(&bytes);
            let mut damaged = encoded(&WarpnetPayload::Packet(packet));
            flips.iter().for_each(|(at, with)| damaged[*at] ^= with);
            for bytes in [bytes, headed, damaged] {
                is_refused_or_itself::<WarpnetPayload>(&bytes)?;
            }
        }
    }

    #[test]
    fn a_message_stays_small() {
        assert!(size_of::<WarpnetPayload>() <= 24);
    }
}
