//! What waits to leave a node.
//!
//! Without a bound on unacknowledged messages it is a queue. With one (`max_acks`),
//! acknowledgements and GVT go first and are never held; then anti-messages by send time, which
//! have a bound of their own on the same count; then positive messages by send time. Nothing behind
//! the first one held goes either.

use crate::{Handle, NodeCounters, Packet, Payload, VirtualTime};
use std::collections::{BTreeMap, VecDeque};

pub(super) struct Outbox<P, S> {
    /// Without a bound everything, with one what is never held.
    queue: VecDeque<Waiting<P, S>>,
    bounded: Option<Bounded<P, S>>,
}

/// A packet, for whom, and when it was made.
pub(super) struct Waiting<P, S> {
    pub to: u16,
    pub packet: Packet<P>,
    pub made: S,
}

struct Bounded<P, S> {
    limit: u32,
    anti_limit: u32,
    unacknowledged: u32,
    /// By send time, then in order of coming.
    anti: BTreeMap<(VirtualTime, u64), Waiting<P, S>>,
    positive: BTreeMap<(VirtualTime, u64), Waiting<P, S>>,
    added: u64,
}

impl<P> Packet<P> {
    /// The virtual time that GVT must not pass while this is on its way.
    #[inline]
    pub(super) fn send_time(&self) -> VirtualTime {
        match self {
            Packet::Event { message, .. } => message.send,
            // Its sender may be committed already. It undoes nothing before it is due, nor is it
            // sent back unless its sender is not.
            Packet::Passed { message, .. } => message.receive.just_before(),
            // A part begins with a state: everything of it is undone when that changes.
            Packet::Part(part) => part.begin.just_before(),
            Packet::Anti(r) | Packet::Again(r) => r.send,
            // It will undo its sender's event at the send time itself, which must not be committed
            // before.
            Packet::Return(r) => r.send.just_before(),
            Packet::Ack { .. } | Packet::Gvt(_) => VirtualTime::FINISHED,
            Packet::Whereabouts(_) | Packet::Load(_) => VirtualTime::FINISHED,
        }
    }
}

impl<P: Payload, S> Outbox<P, S> {
    pub fn new(max_acks: Option<u32>, max_neg_acks: u32) -> Outbox<P, S> {
        let bounded = max_acks.map(|limit| Bounded {
            limit,
            anti_limit: max_neg_acks,
            unacknowledged: 0,
            anti: BTreeMap::new(),
            positive: BTreeMap::new(),
            added: 0,
        });
        Outbox { queue: VecDeque::new(), bounded }
    }

    /// Whether something waits for acknowledgements.
    #[inline]
    pub fn is_held(&self) -> bool {
        self.bounded.as_ref().is_some_and(Bounded::is_held)
    }

    #[inline]
    pub fn push(&mut self, to: u16, packet: Packet<P>, made: S) {
        let waiting = Waiting { to, packet, made };
        match &mut self.bounded {
            Some(bounded) if waiting.packet.is_acknowledged() => bounded.push(waiting),
            _ => self.queue.push_back(waiting),
        }
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.queue.len()
            + self.bounded.as_ref().map_or(0, |bounded| bounded.anti.len() + bounded.positive.len())
    }

    /// The next one that may leave.
    #[inline]
    pub fn next(&mut self, counters: &mut NodeCounters) -> Option<Waiting<P, S>> {
        self.queue
            .pop_front()
            .or_else(|| self.bounded.as_mut().and_then(|bounded| bounded.next(counters)))
    }

    /// So many messages have been taken at their receivers, or have arrived there
    /// ([`crate::AckAt`]).
    pub fn acknowledged(&mut self, messages: u32) {
        if let Some(bounded) = &mut self.bounded {
            bounded.unacknowledged = bounded.unacknowledged.saturating_sub(messages);
        }
    }

    /// Take back a positive message that has not left yet; `time`: what GVT must not pass while it
    /// is on its way.
    pub fn take_back(&mut self, to: u16, time: VirtualTime, copy: Handle) -> bool {
        let Some(bounded) = &mut self.bounded else { return false };
        let of_time = (time, 0)..=(time, u64::MAX);
        let is_it = |waiting: &Waiting<P, S>| {
            let positive = |packet: &Packet<P>| match packet {
                Packet::Event { copy: its, .. } | Packet::Passed { copy: its, .. } => *its == copy,
                _ => false,
            };
            waiting.to == to && positive(&waiting.packet)
        };
        let key = bounded
            .positive
            .range(of_time)
            .find(|(_, waiting)| is_it(waiting))
            .map(|(key, _)| *key);
        key.is_some_and(|key| bounded.positive.remove(&key).is_some())
    }

    /// The least send time of what waits.
    pub fn least(&self) -> VirtualTime {
        let queued = self.queue.iter().map(|waiting| waiting.packet.send_time());
        let first = |map: &BTreeMap<(VirtualTime, u64), Waiting<P, S>>| {
            map.first_key_value().map(|((time, _), _)| *time)
        };
        let held = self.bounded.iter().flat_map(|b| [first(&b.anti), first(&b.positive)]).flatten();
        queued.chain(held).min().unwrap_or(VirtualTime::FINISHED)
    }
}

impl<P: Payload, S> Bounded<P, S> {
    fn push(&mut self, waiting: Waiting<P, S>) {
        self.added += 1;
        let key = (waiting.packet.send_time(), self.added);
        match waiting.packet {
            Packet::Event { .. } | Packet::Passed { .. } => self.positive.insert(key, waiting),
            // What comes back, or goes out again to meet its anti-message, frees memory: it goes
            // with the anti-messages.
            _ => self.anti.insert(key, waiting),
        };
    }

    fn is_held(&self) -> bool {
        let limit = if self.anti.is_empty() { self.limit } else { self.anti_limit };
        self.unacknowledged >= limit && !(self.anti.is_empty() && self.positive.is_empty())
    }

    fn next(&mut self, counters: &mut NodeCounters) -> Option<Waiting<P, S>> {
        let (queue, limit) = match self.anti.is_empty() {
            false => (&mut self.anti, self.anti_limit),
            true => (&mut self.positive, self.limit),
        };
        if queue.is_empty() {
            return None;
        }
        if self.unacknowledged >= limit {
            counters.held_by_acks += 1;
            return None;
        }
        self.unacknowledged += 1;
        queue.pop_first().map(|(_, waiting)| waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Message, ObjectId, Reference};

    fn event(send: f64, serial: u64) -> Packet<()> {
        let time = VirtualTime::at(send);
        let message = Message {
            sender: ObjectId(0),
            receiver: ObjectId(1),
            send: time,
            receive: time.after(1.0),
            selector: 0,
            counter: 0,
            payload: (),
        };
        Packet::Event { message, copy: Handle { slot: 0, serial } }
    }

    fn anti(send: f64) -> Packet<()> {
        let time = VirtualTime::at(send);
        Packet::Anti(Reference {
            copy: Handle { slot: 0, serial: 1 },
            sender: ObjectId(0),
            receiver: ObjectId(1),
            send: time,
            receive: time.after(1.0),
        })
    }

    /// What leaves, until nothing may.
    fn leaving(outbox: &mut Outbox<(), ()>) -> Vec<VirtualTime> {
        let mut counters = NodeCounters::default();
        let next = || outbox.next(&mut counters).map(|waiting| waiting.packet.send_time());
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn without_a_bound_it_is_a_queue() {
        let mut outbox = Outbox::new(None, 1);
        [5.0, 3.0].into_iter().for_each(|send| outbox.push(1, event(send, 1), ()));
        assert_eq!(outbox.least(), VirtualTime::at(3.0));
        assert_eq!(leaving(&mut outbox), [5.0, 3.0].map(VirtualTime::at));
        assert!(!outbox.take_back(1, VirtualTime::at(3.0), Handle { slot: 0, serial: 1 }));
    }

    #[test]
    fn with_one_the_earliest_go_first_and_the_rest_waits_for_acknowledgements() {
        let mut outbox = Outbox::new(Some(2), 4);
        for (serial, send) in [(1, 5.0), (2, 3.0), (3, 4.0)] {
            outbox.push(1, event(send, serial), ());
        }
        outbox.push(1, anti(9.0), ());
        outbox.push(1, Packet::Ack { messages: 1 }, ());
        let first = [VirtualTime::FINISHED, VirtualTime::at(9.0), VirtualTime::at(3.0)];
        assert_eq!(leaving(&mut outbox), first);
        assert!(outbox.is_held() && outbox.len() == 2);
        outbox.push(1, anti(9.5), ());
        assert_eq!(leaving(&mut outbox), [VirtualTime::at(9.5)], "these have a bound of their own");
        let copy = Handle { slot: 0, serial: 3 };
        assert!(!outbox.take_back(2, VirtualTime::at(4.0), copy), "for another node");
        assert!(outbox.take_back(1, VirtualTime::at(4.0), copy));
        outbox.acknowledged(3);
        assert_eq!(leaving(&mut outbox), [VirtualTime::at(5.0)]);
        assert!(!outbox.is_held() && outbox.least() == VirtualTime::FINISHED);
    }
}
