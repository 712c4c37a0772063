//! The memory budget, and what is done when it is reached.
//!
//! First what is before GVT is collected. Then messages that other nodes sent from furthest ahead
//! are sent back, which undoes their senders and so makes them wait (message sendback: the Time
//! Warp Operating System's flow control). Then this node's own events furthest ahead are undone.
//! Then nothing runs until GVT has moved, but for what lies at GVT, which runs in any case: so GVT
//! moves, and a run whose committed state fits comes to its end.

use super::Node;
use super::slots::{NONE, Status, message_bytes};
use crate::pending::Entry;
use crate::{Cancellation, Message, Model, Packet, RunError, VirtualTime, Watch};

/// A node's budget. Counted are messages with their places in queues, saved states, records of
/// events, and the states of objects.
pub(super) struct Budget {
    limit: usize,
    /// Bytes of the objects' own states.
    pub states: usize,
    pub peak: usize,
    /// Most bytes that one event has added.
    reserve: usize,
}

/// What became of making room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// The event may run.
    Enough,
    /// Look again.
    Made,
    /// There will be none before GVT moves.
    Wait,
}

impl Budget {
    pub fn new(limit: Option<usize>) -> Budget {
        Budget { limit: limit.unwrap_or(usize::MAX), states: 0, peak: 0, reserve: 0 }
    }

    #[inline]
    pub fn is_bounded(&self) -> bool {
        self.limit != usize::MAX
    }
}

/// Of what could make room, this share is taken at a time, so that looking for it costs little.
const SHARE: usize = 16;

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// See to it that there is room for the event at hand.
    pub(super) fn make_room(&mut self, first: &Entry) -> Result<Room, RunError> {
        let used = self.memory();
        self.budget.peak = self.budget.peak.max(used);
        if used + self.budget.reserve <= self.budget.limit {
            return Ok(Room::Enough);
        }
        self.totals.counters.memory_pressed += 1;
        if self.collection.worthwhile {
            self.begin_collection();
        }
        if self.collection.is_active() || self.purge() {
            return Ok(Room::Made);
        }
        self.gvt.want();
        if self.setup.nodes == 1 && first.time > self.gvt.now {
            self.begin_wanted_round()?;
            return Ok(Room::Made);
        }
        if self.shed_committed()
            || self.setup.options.sendback && self.send_back(first.time)
            || self.retreat(first.time)
            || self.abandon_all_suspended()
        {
            return Ok(Room::Made);
        }
        if first.time > self.gvt.now {
            self.restraint.memory_to = self.gvt.now;
            return Ok(Room::Wait);
        }
        if used > self.budget.limit {
            let (node, budget) = (self.setup.id, self.budget.limit);
            return Err(RunError::Memory { node, needed: used, budget, time: first.time });
        }
        Ok(Room::Enough)
    }

    /// Whether a message that has just come had better go back: there is no room, and its sender
    /// runs ahead of us.
    pub(super) fn has_no_room_for(&mut self, message: &Message<M::Payload>) -> bool {
        self.setup.options.sendback
            && self.memory() + message_bytes(message) > self.budget.limit
            && message.send > self.local_minimum()
    }

    /// Send back the messages from other nodes that were sent from furthest ahead.
    fn send_back(&mut self, least: VirtualTime) -> bool {
        let may_go =
            |message: &Message<M::Payload>| message.send > least && message.receive > least;
        let candidates =
            self.slots.inputs().filter(|(_, slot)| slot.serial != 0 && may_go(&slot.message));
        let mut candidates: Vec<(VirtualTime, u32)> =
            candidates.map(|(at, slot)| (slot.message.send, at)).collect();
        keep_latest(&mut candidates);
        for (_, slot) in &candidates {
            self.return_message(*slot);
        }
        !candidates.is_empty()
    }

    fn return_message(&mut self, slot: u32) {
        let reference = self.reference(slot);
        let node = self.slots[slot].peer;
        let Ok(receiver) = self.route(reference.receiver, reference.receive) else { return };
        self.links.received(node).remove(reference.copy.serial);
        self.object(receiver).rare.returns_sent += 1;
        self.withdraw(receiver, slot);
        self.post(node, Packet::Return(reference));
    }

    /// Undo this node's own events that are furthest ahead, and cancel what they sent.
    fn retreat(&mut self, least: VirtualTime) -> bool {
        let ahead = |ran: &&super::Ran| {
            ran.time > least
                && self.histories.is_current(ran)
                && !self.histories[ran.done].committed
        };
        let mut latest: Vec<(VirtualTime, u32)> = self
            .collection
            .executed
            .iter()
            .filter(ahead)
            .map(|ran| (ran.time, self.histories[ran.done].object))
            .collect();
        keep_latest(&mut latest);
        let Some((to, _)) = latest.iter().min().copied() else { return false };
        for (_, index) in &latest {
            let undone = self.object(*index).rare.undone;
            self.roll_back_cancelling(*index, to, Cancellation::Aggressive);
            self.totals.counters.retreats += self.object(*index).rare.undone - undone;
        }
        // They wait until GVT has moved: else they would only be done, and undone, again.
        self.restraint.memory_to = self.restraint.memory_to.min(to.just_before());
        true
    }

    /// Forget committed records that are kept only to compute later states from, where the state at
    /// hand is as good.
    fn shed_committed(&mut self) -> bool {
        let used = self.memory();
        for index in 0..self.objects.len() {
            while self.object(index).records.is_all_committed() {
                self.free_oldest(index);
            }
        }
        self.memory() < used
    }

    /// Cancel what lazy cancellation still hopes to see sent again.
    fn abandon_all_suspended(&mut self) -> bool {
        for index in 0..self.objects.len() {
            if self.object(index).suspended != NONE {
                self.abandon_suspended(index, VirtualTime::POSINF);
            }
        }
        !self.agenda.cancels.is_empty()
    }

    /// Forget annihilated messages now, not when their times come up. Those that still call for
    /// cancellations stay.
    fn purge(&mut self) -> bool {
        if self.agenda.dead == 0 {
            return false;
        }
        let (slots, objects) = (&mut self.slots, &self.objects);
        let mut dead = Vec::new();
        self.agenda.pending.retain(|entry| {
            let goes = slots[entry.slot].status == Status::Dead
                && objects[entry.object.0].suspended == NONE;
            if goes {
                dead.push(entry.slot);
            }
            !goes
        });
        self.agenda.dead -= dead.len();
        dead.iter().for_each(|slot| slots.remove(*slot));
        !dead.is_empty()
    }

    /// Count an object's state at its present size.
    pub(super) fn count_state(&mut self, index: u32) {
        let heap = self.setup.model.state_heap_bytes(&self.objects[index].state);
        let counted = std::mem::replace(&mut self.object(index).state_heap, heap);
        self.budget.states = self.budget.states + heap - counted;
    }

    /// Remember what an event costs.
    pub(super) fn count_event(&mut self, index: u32, before: usize) {
        self.count_state(index);
        self.budget.reserve = self.budget.reserve.max(self.memory().saturating_sub(before));
    }
}

/// Keep the share that is latest.
fn keep_latest(all: &mut Vec<(VirtualTime, u32)>) {
    let keep = all.len().div_ceil(SHARE);
    if keep > 0 && keep < all.len() {
        all.select_nth_unstable_by(keep - 1, |a, b| b.cmp(a));
        all.truncate(keep);
    }
}
