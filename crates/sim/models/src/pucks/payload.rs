//! What pucks' messages carry, typed; the canonical bytes are made only where they are needed.
//! Comparing is typed and agrees with the bytes.

use super::body::{self, Body};
use super::name::{self, Name};
use std::cmp::Ordering;
use std::sync::Arc;
use timewarp::{Payload, VirtualTime};

/// Name, and number of the prediction.
const CANCEL: usize = name::BYTES + 4;
/// Name, four bytes that are 0, body.
const INFO: usize = CANCEL + body::BYTES;
/// Name, number of the prediction, virtual time, body.
const ACTION: usize = CANCEL + TIME + body::BYTES;
const TIME: usize = 16;

/// A message's payload.
#[derive(Clone, Debug, PartialEq)]
pub enum PucksPayload {
    /// The configuration's text.
    Start(Arc<str>),
    /// A prediction does not come true.
    Cancel {
        /// With whom it was.
        with: Name,
        /// Which it was.
        action: u32,
    },
    /// A puck's course.
    Info {
        /// Whose.
        puck: Name,
        /// Its course.
        body: Body,
    },
    /// A prediction.
    Action {
        /// With whom.
        with: Name,
        /// Which of its maker's.
        action: u32,
        /// When it comes true.
        time: VirtualTime,
        /// The puck as it then is.
        body: Body,
    },
}

impl Payload for PucksPayload {
    #[inline]
    fn encode(&self, bytes: &mut Vec<u8>) {
        match self {
            PucksPayload::Start(text) => bytes.extend(text.as_bytes()),
            PucksPayload::Cancel { with, action } => {
                bytes.extend_from_slice(&headed::<CANCEL>(*with, *action));
            }
            PucksPayload::Info { puck, body } => {
                let mut all = headed::<INFO>(*puck, 0);
                all[CANCEL..].copy_from_slice(&body.bytes());
                bytes.extend_from_slice(&all);
            }
            PucksPayload::Action { with, action, time, body } => {
                let mut all = headed::<ACTION>(*with, *action);
                all[CANCEL..CANCEL + TIME].copy_from_slice(&time_bytes(*time));
                all[CANCEL + TIME..].copy_from_slice(&body.bytes());
                bytes.extend_from_slice(&all);
            }
        }
    }

    /// By length: a text holds no zero byte, and every name is followed by one.
    fn decode(bytes: &[u8]) -> Option<PucksPayload> {
        if !bytes.contains(&0) {
            return Some(PucksPayload::Start(std::str::from_utf8(bytes).ok()?.into()));
        }
        let (with, rest) = bytes.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let (with, action) = (Name::decode(with)?, u32::from_be_bytes(*number));
        match bytes.len() {
            CANCEL => Some(PucksPayload::Cancel { with, action }),
            INFO if action == 0 => {
                Some(PucksPayload::Info { puck: with, body: Body::decode(rest.try_into().ok()?) })
            }
            ACTION => {
                let (time, rest) = rest.split_first_chunk()?;
                let body = Body::decode(rest.try_into().ok()?);
                Some(PucksPayload::Action { with, action, time: time_of(time)?, body })
            }
            _ => None,
        }
    }

    #[inline]
    fn order(&self, other: &PucksPayload) -> Ordering {
        use PucksPayload::{Action, Cancel, Info, Start};
        match (self, other) {
            (Start(ours), Start(theirs)) => ours.cmp(theirs),
            (Cancel { with: a, action: i }, Cancel { with: b, action: j }) => (a, i).cmp(&(b, j)),
            (Info { puck: a, body: x }, Info { puck: b, body: y }) => {
                a.cmp(b).then_with(|| x.order(y))
            }
            (
                Action { with: a, action: i, time: t, body: x },
                Action { with: b, action: j, time: u, body: y },
            ) => {
                let times = || sortable(*t).cmp(&sortable(*u));
                (a, i).cmp(&(b, j)).then_with(times).then_with(|| x.order(y))
            }
            _ => unlike(self, other),
        }
    }

    #[inline]
    fn bytes(&self) -> usize {
        match self {
            PucksPayload::Start(text) => text.len(),
            PucksPayload::Cancel { .. } => CANCEL,
            PucksPayload::Info { .. } => INFO,
            PucksPayload::Action { .. } => ACTION,
        }
    }
}

/// A name and a number, and room for the rest.
#[inline]
fn headed<const N: usize>(name: Name, number: u32) -> [u8; N] {
    let mut bytes = [0; N];
    bytes[..name::BYTES].copy_from_slice(&name.bytes());
    bytes[name::BYTES..CANCEL].copy_from_slice(&number.to_be_bytes());
    bytes
}

/// Messages of one selector carry one kind, so this is for whoever compares others.
#[cold]
fn unlike(ours: &PucksPayload, theirs: &PucksPayload) -> Ordering {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    ours.encode(&mut a);
    theirs.encode(&mut b);
    a.cmp(&b)
}

/// In the order of the bytes, in which a negative time comes after a positive one.
#[inline]
fn sortable(time: VirtualTime) -> (u64, u64) {
    (time.simtime().to_bits(), time.words()[1])
}

#[inline]
fn time_bytes(time: VirtualTime) -> [u8; TIME] {
    let mut bytes = [0; TIME];
    let parts = bytes.as_chunks_mut().0;
    parts[0] = time.simtime().to_bits().to_be_bytes();
    parts[1] = time.words()[1].to_be_bytes();
    bytes
}

/// `None` for bytes that are no time's, as a negative zero's.
fn time_of(bytes: &[u8; TIME]) -> Option<VirtualTime> {
    let [simtime, seq] = *bytes.as_chunks::<8>().0 else { return None };
    let seq = u64::from_be_bytes(seq);
    let time = VirtualTime::new(f64::from_be_bytes(simtime), (seq >> 32) as u32, seq as u32);
    (time_bytes(time) == *bytes).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::super::body::Vector;
    use super::super::name::tests::names;
    use super::*;
    use crate::payload_laws::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn numbers() -> impl Strategy<Value = f64> {
        prop_oneof![Just(0.0), Just(-0.0), Just(1.0), Just(-1.0), any::<f64>()]
    }

    fn bodies() -> impl Strategy<Value = Body> {
        (numbers(), numbers(), numbers(), numbers(), numbers(), numbers(), numbers()).prop_map(
            |(px, py, vx, vy, r, m, t)| Body {
                p: Vector::new(px, py),
                v: Vector::new(vx, vy),
                r,
                m,
                t,
            },
        )
    }

    fn payloads() -> impl Strategy<Value = PucksPayload> {
        let time = || {
            (numbers(), 0u32..3, 0u32..3).prop_map(|(at, one, two)| VirtualTime::new(at, one, two))
        };
        prop_oneof![
            "[ -~]{0,100}".prop_map(|text| PucksPayload::Start(text.into())),
            (names(), 0u32..3).prop_map(|(with, action)| PucksPayload::Cancel { with, action }),
            (names(), bodies()).prop_map(|(puck, body)| PucksPayload::Info { puck, body }),
            (names(), 0u32..3, time(), bodies()).prop_map(|(with, action, time, body)| {
                PucksPayload::Action { with, action, time, body }
            }),
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
        }

        #[test]
        fn rubbish_is_none_or_itself(
            bytes in vec(any::<u8>(), 0..120), flips in vec((0usize..96, any::<u8>()), 0..3),
            payload in payloads(),
        ) {
            let mut damaged = encoded(&payload);
            for (at, with) in flips.iter().filter(|(at, _)| *at < payload.bytes()) {
                damaged[*at] ^= with;
            }
            for bytes in [bytes, damaged] {
                is_refused_or_itself::<PucksPayload>(&bytes)?;
            }
        }
    }

    #[test]
    fn a_message_stays_small() {
        assert!(size_of::<PucksPayload>() <= 80, "{}", size_of::<PucksPayload>());
    }
}
