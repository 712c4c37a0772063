//! One message on the hot path: the row that a node writes, in raw ticks.
//!
//! A row is eight words, one cache line, so that recording touches as little memory as it can. What
//! does not fit the base (objects, virtual times, tags, error bounds) travels in extra words that
//! the run's [`Schema`](crate::Schema) names.

use crate::Kind;

/// A stamp that was not observed.
pub const ABSENT: u64 = u64::MAX;

/// Whose clock an `arrived` stamp was read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ArrivedClock {
    /// The receiving node's.
    Receiver = 0,
    /// The sending node's: in shared memory it is the sender that puts the message into the queue.
    Sender = 1,
    /// The receiver's kernel: nanoseconds of `CLOCK_REALTIME`.
    Kernel = 2,
}

/// How an `arrived` stamp came about.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum How {
    /// Read off a clock when it happened.
    Observed = 0,
    /// Known to lie within an interval (see the column `arrived_error_ns`).
    Bracketed = 1,
    /// Computed from a model of the network.
    Modelled = 2,
}

/// One message as the hot path hands it over. Stamps are raw ticks, or [`ABSENT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The application has called send (source node's clock).
    pub ready: u64,
    /// Just before the network layer was given it (source node's clock).
    pub sent: u64,
    /// The receiver's network layer had it (on the clock that `arrived_clock` names).
    pub arrived: u64,
    /// The receiving program took it (destination node's clock).
    pub taken: u64,
    /// Number of the message at its source node; with `src` and the launch it identifies the
    /// message.
    pub seq: u64,
    /// Node that sent it.
    pub src: u16,
    /// Node that it was for.
    pub dst: u16,
    /// What it is for.
    pub kind: Kind,
    /// Links crossed: 1 between neighbours, 0 within a node.
    pub hops: u8,
    /// Whose clock `arrived` is on.
    pub arrived_clock: ArrivedClock,
    /// How `arrived` came about.
    pub arrived_how: How,
    /// Payload bytes, below 2^40.
    pub bytes: u64,
    /// Packets that carried it, below 2^24.
    pub packets: u32,
    /// Messages on their way to `dst` when it was sent, as the sender knew it; below 2^24.
    pub in_flight: u32,
    /// Messages already waiting in the receive queue when it arrived; below 2^24.
    pub queue_len: u32,
    /// Messages handed over in the same call.
    pub batch: u16,
}

/// Words of a row without extras.
pub const BASE_WORDS: usize = 8;

impl Row {
    /// A data message between these nodes, in one packet, of which nothing else is known: no stamp,
    /// no payload. For `Row { ready, taken, ..Row::between(src, dst) }`.
    pub const fn between(src: u16, dst: u16) -> Row {
        Row {
            ready: ABSENT,
            sent: ABSENT,
            arrived: ABSENT,
            taken: ABSENT,
            seq: 0,
            src,
            dst,
            kind: Kind::Data,
            hops: (src != dst) as u8,
            arrived_clock: ArrivedClock::Receiver,
            arrived_how: How::Observed,
            bytes: 0,
            packets: 1,
            in_flight: 0,
            queue_len: 0,
            batch: 1,
        }
    }

    /// Pack into words. Fields with fewer bits than their type are checked in debug builds and by
    /// the fabric's own limits.
    #[inline(always)]
    pub fn pack(&self) -> [u64; BASE_WORDS] {
        debug_assert!(self.bytes < 1 << 40 && self.packets < 1 << 24);
        debug_assert!(self.in_flight < 1 << 24 && self.queue_len < 1 << 24);
        [
            self.ready,
            self.sent,
            self.arrived,
            self.taken,
            self.seq,
            u64::from(self.src)
                | u64::from(self.dst) << 16
                | (self.kind as u64) << 32
                | u64::from(self.hops) << 40
                | (self.arrived_clock as u64) << 48
                | (self.arrived_how as u64) << 52,
            self.bytes | u64::from(self.packets) << 40,
            u64::from(self.in_flight)
                | u64::from(self.queue_len) << 24
                | u64::from(self.batch) << 48,
        ]
    }

    /// Unpack what [`Row::pack`] made; `None` if a word holds a code that does not exist (a damaged
    /// log).
    pub fn unpack(words: &[u64; BASE_WORDS]) -> Option<Row> {
        let ids = words[5];
        Some(Row {
            ready: words[0],
            sent: words[1],
            arrived: words[2],
            taken: words[3],
            seq: words[4],
            src: ids as u16,
            dst: (ids >> 16) as u16,
            kind: Kind::from_code((ids >> 32) as u8)?,
            hops: (ids >> 40) as u8,
            arrived_clock: ArrivedClock::from_code((ids >> 48) as u8 & 0xf)?,
            arrived_how: How::from_code((ids >> 52) as u8 & 0xf)?,
            bytes: words[6] & ((1 << 40) - 1),
            packets: (words[6] >> 40) as u32,
            in_flight: (words[7] & 0xff_ffff) as u32,
            queue_len: (words[7] >> 24 & 0xff_ffff) as u32,
            batch: (words[7] >> 48) as u16,
        })
    }
}

impl ArrivedClock {
    fn from_code(code: u8) -> Option<ArrivedClock> {
        [ArrivedClock::Receiver, ArrivedClock::Sender, ArrivedClock::Kernel]
            .get(usize::from(code))
            .copied()
    }
}

impl How {
    /// Every way, in the order of its code.
    pub const ALL: [How; 3] = [How::Observed, How::Bracketed, How::Modelled];

    /// Their names, in the order of the codes.
    pub const NAMES: [&str; 3] = ["observed", "bracketed", "modelled"];

    /// The way with this code.
    pub fn from_code(code: u8) -> Option<How> {
        How::ALL.get(usize::from(code)).copied()
    }

    /// The name that files and reports use.
    pub fn name(self) -> &'static str {
        How::NAMES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_row_survives_packing(
            stamps: [u64; 4],
            seq: u64,
            src: u16,
            dst: u16,
            kind in 0..Kind::ALL.len() as u8,
            hops: u8,
            clock in 0u8..3,
            how in 0u8..3,
            bytes in 0u64..1 << 40,
            packets in 0u32..1 << 24,
            in_flight in 0u32..1 << 24,
            queue_len in 0u32..1 << 24,
            batch: u16,
        ) {
            let [ready, sent, arrived, taken] = stamps;
            let row = Row {
                ready,
                sent,
                arrived,
                taken,
                seq,
                src,
                dst,
                hops,
                bytes,
                packets,
                in_flight,
                queue_len,
                batch,
                kind: Kind::from_code(kind).unwrap(),
                arrived_clock: ArrivedClock::from_code(clock).unwrap(),
                arrived_how: How::from_code(how).unwrap(),
            };
            prop_assert_eq!(Row::unpack(&row.pack()), Some(row));
        }
    }

    #[test]
    fn a_code_that_does_not_exist_is_refused() {
        let mut words = [0; BASE_WORDS];
        words[5] = 200 << 32;
        assert_eq!(Row::unpack(&words), None);
    }
}
