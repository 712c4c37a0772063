//! Moving objects: cutting one here, and taking in what was cut elsewhere.
//!
//! ```text
//!            begin           cut
//!   here       ├── events ───┤· · · · · · · · · ·      goes when GVT passes the cut
//!                            │ state, messages due from the cut on
//!   there                    ├── events ──────────►    is undone when the state at the cut changes
//! ```
//!
//! Events from the cut on are undone first and what they sent is cancelled, so records of events
//! and copies of sent messages never move: they name places of this node. What lazy cancellation
//! hoped to see sent again from the cut on is cancelled as well, for the same reason. Only the
//! state at the cut and the messages due from then on go.

use super::object::Object;
use super::parts::{Ended, Stay};
use super::slots::Status;
use super::{Node, protocol};
use crate::{
    Cancellation, Model, ObjectId, Packet, Part, RunError, VirtualTime, Watch, Whereabouts,
};

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Move what this node has of an object from `cut` on, or from as early as it can be cut after
    /// that, to another node. `None`: it is not here, does not move, or nothing is left of it.
    pub(super) fn cut(&mut self, index: u32, cut: VirtualTime, to: u16) -> Option<VirtualTime> {
        self.deliver_incoming();
        if !self.may_move || to == self.id || to >= self.nodes || self.finished {
            return None;
        }
        let earliest = self
            .local_minimum()
            .max(self.gvt.now)
            .max(self.objects[index as usize].begin)
            .just_after();
        let cut = cut.max(earliest);
        let object = &self.objects[index as usize];
        if object.end != VirtualTime::INVALID || cut >= VirtualTime::POSINF {
            return None;
        }
        self.model.state_bytes(&object.state)?;
        self.roll_back_cancelling(index, cut, Cancellation::Aggressive);
        self.abandon_suspended_from(index, cut);
        let state = self.model.state_bytes(&self.objects[index as usize].state)?;
        self.send_part(index, cut, to, state);
        let inputs = self.take_pending_from(index, cut);
        self.object(index).rare.moved_inputs += inputs.len() as u64;
        for slot in inputs {
            // It is received where it ends.
            self.object(index).received -= 1;
            self.pass_on(slot, to);
        }
        Some(cut)
    }

    fn send_part(&mut self, index: u32, begin: VirtualTime, to: u16, state: Vec<u8>) {
        let id = self.ids[index as usize];
        let version = self.atlas.version(id) + 1;
        self.note_stay(id, Stay { begin, version, at: Err(to) });
        self.object(index).end = begin;
        self.object(index).rare.migrations += 1;
        self.counters.migrations_out += 1;
        self.list_migration(id, to, begin, version);
        self.budget.states += state.len();
        self.ended.push(Ended {
            index,
            end: begin,
            version,
            to,
            sent: state.clone(),
            stale: false,
        });
        self.post(
            to,
            Packet::Part(Box::new(Part { object: id, begin, version, moves: true, state })),
        );
    }

    /// Cancel what lazy cancellation has kept of what was sent from `cut` on.
    fn abandon_suspended_from(&mut self, index: u32, cut: VirtualTime) {
        let (mut before, mut at) = (super::slots::NONE, self.object(index).suspended);
        while at != super::slots::NONE && self.slots[at].message.send < cut {
            (before, at) = (at, self.slots[at].next_output);
        }
        match before {
            super::slots::NONE => self.object(index).suspended = super::slots::NONE,
            _ => self.slots[before].next_output = super::slots::NONE,
        }
        while at != super::slots::NONE {
            self.cancels.push_back(at);
            at = self.slots[at].next_output;
        }
    }

    /// Take an object's messages that are due from `cut` on out of the pending set, and forget the
    /// annihilated ones.
    fn take_pending_from(&mut self, index: u32, cut: VirtualTime) -> Vec<u32> {
        let mut taken = Vec::new();
        let mut stays = |entry: &crate::pending::Entry| {
            let goes = entry.object == ObjectId(index) && entry.time >= cut;
            if goes {
                taken.push((entry.time, entry.slot));
            }
            !goes
        };
        self.pending.retain(&mut stays);
        self.held.retain(&mut stays);
        taken.sort_unstable();
        let mut inputs = Vec::with_capacity(taken.len());
        for (_, slot) in taken {
            match self.slots[slot].status {
                Status::Dead => {
                    self.dead -= 1;
                    self.slots.remove(slot);
                }
                _ => inputs.push(slot),
            }
        }
        inputs
    }

    /// A part of an object comes, or the state that it begins with has changed.
    pub(super) fn take_part(&mut self, from: u16, part: &Part) -> Result<(), RunError> {
        self.check_object(from, part.object)?;
        self.deliver_incoming();
        let state = self.model.state_from_bytes(part.object, &part.state);
        let state = state.ok_or_else(|| protocol(from, "a state that is none of this model's"))?;
        let here = self.atlas.part_here(part.object, part.version);
        let newer = part.version > self.atlas.version(part.object);
        if !self.may_move || part.begin <= self.gvt.now || part.begin >= VirtualTime::POSINF {
            return Err(protocol(from, format!("a part from {}, which cannot be", part.begin)));
        }
        match (part.moves, here) {
            (true, None) if newer => self.move_in(from, part, state),
            (false, Some(index)) => self.begin_again(index, part.begin, state),
            _ => {
                return Err(protocol(
                    from,
                    format!("part {} of object {}", part.version, part.object.0),
                ));
            }
        }
        Ok(())
    }

    fn move_in(&mut self, from: u16, part: &Part, state: M::State) {
        let Part { object: id, begin, version, .. } = *part;
        let heap = self.model.state_heap_bytes(&state);
        self.budget.states += size_of::<M::State>() + heap;
        let mut object = Object::new(state, heap);
        object.rare.created = 0;
        (object.begin, object.committed, object.now) =
            (begin, begin.just_before(), begin.just_before());
        let index = self.house(id, object);
        self.counters.migrations_in += 1;
        self.note_stay(id, Stay { begin, version, at: Ok(index) });
        self.post(
            from,
            Packet::Whereabouts(Whereabouts { object: id, begin, version, node: self.id }),
        );
    }

    /// Give an object a number here.
    fn house(&mut self, id: ObjectId, object: Object<M::State>) -> u32 {
        match self.vacant.pop() {
            Some(index) => {
                self.ids[index as usize] = id;
                self.objects[index as usize] = object;
                index
            }
            None => {
                self.ids.push(id);
                self.objects.push(object);
                (self.objects.len() - 1) as u32
            }
        }
    }

    fn begin_again(&mut self, index: u32, begin: VirtualTime, state: M::State) {
        self.roll_back(index, begin);
        self.object(index).state = state;
        self.count_state(index);
        self.mind_end(index);
    }

    /// Another node says where an object is.
    pub(super) fn take_whereabouts(
        &mut self,
        from: u16,
        said: &Whereabouts,
    ) -> Result<(), RunError> {
        self.check_object(from, said.object)?;
        if !self.may_move || said.version == 0 || said.node >= self.nodes {
            return Err(protocol(from, format!("object {} on node {}", said.object.0, said.node)));
        }
        if said.node == from {
            self.confirm_arrival(said.object, said.version);
        }
        // Of parts that are here, or come here, this node hears from who sends them.
        if said.node != self.id {
            let (begin, version) = (said.begin, said.version);
            self.note_stay(said.object, Stay { begin, version, at: Err(said.node) });
        }
        Ok(())
    }

    /// Move some object to some node, cut somewhere. For tests: results do not depend on it.
    pub fn force_move(&mut self, choice: u64) {
        if self.nodes == 1 {
            return;
        }
        let index = (choice % self.objects.len() as u64) as u32;
        let to = (choice >> 32) % u64::from(self.nodes);
        let object = &self.objects[index as usize];
        let cut = match (choice >> 56) % 4 {
            0 => VirtualTime::NEGINF,
            1 => object.now.just_after(),
            2 => object.now,
            _ => self.gvt.now.after(((choice >> 48) % 16) as f64),
        };
        self.cut(index, cut, to as u16);
    }
}
