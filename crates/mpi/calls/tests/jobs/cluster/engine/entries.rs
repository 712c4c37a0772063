//! Calls as the tracer logs them.

use super::{Engine, Event};
use crate::cluster::program::Envelope;
use calls::entry::{self, ANY_PEER, Call, Completion, flags};

impl Engine<'_> {
    /// Log a call that takes about so long and go on.
    pub(super) fn leave_after(
        &mut self,
        rank: usize,
        call: Call,
        length: i64,
        done: &[Completion],
    ) {
        let length = self.random.between(length / 2, length);
        let call = Call { enter: self.now as u64, exit: (self.now + length) as u64, ..call };
        self.ranks[rank].log.call(call, done);
        let gap = self.cost();
        self.at(self.now + length + gap, Event::Step(rank));
    }

    pub(super) fn go_on(&mut self, rank: usize) {
        let gap = self.cost();
        self.at(self.now + gap, Event::Step(rank));
    }

    pub(super) fn call(
        &self,
        rank: usize,
        name: &str,
        kind: u16,
        peer: usize,
        envelope: Envelope,
        bytes: u64,
    ) -> Call {
        let log = &self.ranks[rank].log;
        Call {
            operation: operation(name),
            flags: flags::MESSAGE | kind,
            peer: log.peer(envelope.communicator, peer),
            tag: envelope.tag.unwrap_or(entry::ANY_TAG),
            bytes,
            communicator: log.id(envelope.communicator),
            site: 1,
            ..Call::default()
        }
    }

    pub(super) fn receive_call(
        &self,
        rank: usize,
        name: &str,
        from: Option<usize>,
        envelope: Envelope,
    ) -> Call {
        let mut call = self.call(rank, name, flags::RECEIVES, from.unwrap_or(0), envelope, 1 << 20);
        if from.is_none() {
            call.peer = ANY_PEER;
            call.flags |= flags::ANY_SOURCE;
        }
        if envelope.tag.is_none() {
            call.flags |= flags::ANY_TAG;
        }
        Call { site: 2, ..call }
    }
}

pub(super) fn operation(name: &str) -> u16 {
    calls::list::NAMES.iter().position(|known| *known == name).unwrap() as u16
}
