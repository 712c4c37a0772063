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
use super::object::extent::Extent;
use super::parts::{Ended, Stay};
use super::slots::Status;
use super::{Node, protocol};
use crate::{Cancellation, Model, Packet, Part, RunError, VirtualTime, Watch, Whereabouts};

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Move what this node has of an object from `cut` on, or from as early as it can be cut after
    /// that, to another node. `None`: it is not here, does not move, or nothing is left of it.
    pub(super) fn cut(&mut self, index: u32, cut: VirtualTime, to: u16) -> Option<VirtualTime> {
        self.deliver_incoming();
        if !self.setup.may_move || to == self.setup.id || to >= self.setup.nodes || self.finished {
            return None;
        }
        let earliest = self
            .local_minimum()
            .max(self.gvt.now)
            .max(self.objects[index].extent.begin)
            .just_after();
        let cut = cut.max(earliest);
        let object = &self.objects[index];
        if !object.extent.is_last() || cut >= VirtualTime::POSINF {
            return None;
        }
        self.setup.model.state_bytes(&object.state)?;
        self.roll_back_cancelling(index, cut, Cancellation::Aggressive);
        self.abandon_suspended_from(index, cut);
        let state = self.setup.model.state_bytes(&self.objects[index].state)?;
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
        let id = self.objects.id(index);
        let version = self.moving.atlas.version(id) + 1;
        self.moving.atlas.learn(id, Stay { begin, version, at: Err(to) });
        self.object(index).extent.end = begin;
        self.object(index).rare.migrations += 1;
        self.totals.counters.migrations_out += 1;
        self.list_migration(id, to, begin, version);
        self.budget.states += state.len();
        self.moving.ended.push(Ended {
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
            self.agenda.cancels.push_back(at);
            at = self.slots[at].next_output;
        }
    }

    /// Take an object's messages that are due from `cut` on out of the pending set, and forget the
    /// annihilated ones.
    fn take_pending_from(&mut self, index: u32, cut: VirtualTime) -> Vec<u32> {
        let taken = self.agenda.take_from(index, cut, &mut self.restraint.held);
        let mut inputs = Vec::with_capacity(taken.len());
        for slot in taken {
            match self.slots[slot].status {
                Status::Dead => {
                    self.agenda.dead -= 1;
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
        let state = self.setup.model.state_from_bytes(part.object, &part.state);
        let state =
            state.ok_or_else(|| protocol(from, "a state that does not belong to this model"))?;
        let here = self.moving.atlas.part_here(part.object, part.version);
        let newer = part.version > self.moving.atlas.version(part.object);
        if !self.setup.may_move || part.begin <= self.gvt.now || part.begin >= VirtualTime::POSINF {
            return Err(protocol(from, format!("a part from {}, which is impossible", part.begin)));
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
        let heap = self.setup.model.state_heap_bytes(&state);
        self.budget.states += size_of::<M::State>() + heap;
        let mut object = Object::new(state, heap);
        object.copying = self.histories.saving.copying(self.setup.model, id);
        object.rare.created = 0;
        object.extent = Extent::from(begin);
        (object.committed, object.now) = (begin.just_before(), begin.just_before());
        let index = self.objects.house(id, object);
        self.totals.counters.migrations_in += 1;
        self.moving.atlas.learn(id, Stay { begin, version, at: Ok(index) });
        self.post(
            from,
            Packet::Whereabouts(Whereabouts { object: id, begin, version, node: self.setup.id }),
        );
    }

    fn begin_again(&mut self, index: u32, begin: VirtualTime, state: M::State) {
        self.roll_back(index, begin);
        self.object(index).state = state;
        self.count_state(index);
        self.moving.mind_end(index, self.objects[index].extent.end);
    }

    /// Another node says where an object is.
    pub(super) fn take_whereabouts(
        &mut self,
        from: u16,
        said: &Whereabouts,
    ) -> Result<(), RunError> {
        self.check_object(from, said.object)?;
        if !self.setup.may_move || said.version == 0 || said.node >= self.setup.nodes {
            return Err(protocol(from, format!("object {} on node {}", said.object.0, said.node)));
        }
        if said.node == from {
            self.confirm_arrival(said.object, said.version);
        }
        // Of parts that are here, or come here, this node hears from who sends them.
        if said.node != self.setup.id {
            let (begin, version) = (said.begin, said.version);
            self.moving.atlas.learn(said.object, Stay { begin, version, at: Err(said.node) });
        }
        Ok(())
    }

    /// Move some object to some node, cut somewhere. For tests: results do not depend on it.
    pub fn force_move(&mut self, choice: u64) {
        if self.setup.nodes == 1 {
            return;
        }
        let index = (choice % u64::from(self.objects.len())) as u32;
        let to = (choice >> 32) % u64::from(self.setup.nodes);
        let object = &self.objects[index];
        let cut = match (choice >> 56) % 4 {
            0 => VirtualTime::NEGINF,
            1 => object.now.just_after(),
            2 => object.now,
            _ => self.gvt.now.after(((choice >> 48) % 16) as f64),
        };
        self.cut(index, cut, to as u16);
    }
}
