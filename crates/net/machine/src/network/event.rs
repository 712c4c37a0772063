//! What the network plays, one after the other.

use super::Message;
use crate::Time;

/// Something that happens to a packet.
///
/// Those of one moment happen in the order in which they were decided. Some are decided ahead; then
/// `before` says when it would have been, and so their order is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    pub time: Time,
    pub before: Time,
    /// The order of decisions, and below it the stage.
    number: u64,
    pub message: Message,
    pub packet: u32,
}

/// Where a packet is; below these: it wants the link after so many.
pub(super) type Stage = u8;

/// A lost one is sent again.
pub(super) const LOST: Stage = 252;
/// It is at its goal.
pub(super) const GOAL: Stage = 253;
/// It has been handled there.
pub(super) const HANDLED: Stage = 254;
/// The buffer of its message is free; `message` is the node.
pub(super) const FREED: Stage = 255;

const STAGE_BITS: u32 = Stage::BITS;

impl Event {
    pub fn new(time: Time, before: Time, number: u64, stage: Stage) -> Event {
        let number = number << STAGE_BITS | u64::from(stage);
        Event { time, before, number, message: 0, packet: 0 }
    }

    pub fn of(self, message: Message, packet: u32) -> Event {
        Event { message, packet, ..self }
    }

    pub fn stage(&self) -> Stage {
        self.number as Stage
    }

    /// The same of the next packet, so much later.
    pub fn follower(self, later: Time) -> Event {
        let number = self.number + (1 << STAGE_BITS);
        Event { time: self.time + later, number, packet: self.packet + 1, ..self }
    }
}
