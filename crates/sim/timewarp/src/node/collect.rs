//! Fossil collection: committing what can no longer be undone, a little at a time.
//!
//! A pass goes through what was executed, in order of execution, in steps of bounded length between
//! events. What lies before or at GVT is committed with everything older of its object; what does
//! not goes back to the end of the queue.
//!
//! At GVT as well, because sends go strictly later: whatever is still to be sent or cancelled was
//! sent at GVT or later, so it is received after GVT, and no rollback reaches down to GVT itself.

use super::Node;
use super::history::{Kept, Ran};
use super::slots::NONE;
use crate::{Committed, Model, RunError, VirtualTime, Watch, Work};
use std::collections::VecDeque;

/// How many entries ahead memory is asked for.
const AHEAD: usize = 4;

/// A pass under way.
#[derive(Default)]
pub(super) struct Collection {
    /// What was executed and is not committed, in order of execution; some of it has been undone.
    pub executed: VecDeque<Ran>,
    /// Entries still to be looked at; none: no pass is under way.
    left: usize,
    active: bool,
    /// Something has been executed since that can be committed already.
    pub worthwhile: bool,
}

impl Collection {
    #[inline]
    pub fn is_active(&self) -> bool {
        self.active
    }

    fn begin(&mut self) {
        self.left = self.executed.len();
        self.active = true;
        self.worthwhile = false;
    }

    /// So many entries have been looked at. Whether the pass is over.
    fn looked(&mut self, entries: usize) -> bool {
        self.left -= entries;
        self.active = self.left > 0;
        !self.active
    }
}

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// GVT has moved: go through everything again.
    pub(super) fn begin_collection(&mut self) {
        self.collection.begin();
    }

    /// One step of the pass.
    #[inline(never)]
    pub(super) fn collect_some(&mut self) -> Result<(), RunError> {
        let begin = self.watch.now();
        let committed = self.totals.committed;
        let looks = self.collection.left.min(self.setup.options.collection_step as usize);
        let gvt = self.gvt.now;
        for _ in 0..looks {
            let Some(ran) = self.collection.executed.pop_front() else { break };
            self.fetch_before_commit();
            if !self.histories.is_current(&ran) || self.histories[ran.done].committed {
                continue;
            }
            match ran.time <= gvt {
                true => self.commit_through(ran.done)?,
                false => self.collection.executed.push_back(ran),
            }
        }
        let is_over = self.collection.looked(looks);
        self.totals.counters.collection_steps += 1;
        self.totals.counters.collection_step_max =
            self.totals.counters.collection_step_max.max(looks as u64);
        let events = (self.totals.committed - committed) as u32;
        self.restraint.committed += u64::from(events);
        self.watch.worked(begin, Work::Collection { gvt, events });
        if is_over {
            if !self.moving.ended.is_empty() {
                self.let_parts_go();
            }
            self.watch.advanced(gvt);
        }
        Ok(())
    }

    /// Ask for what committing the next few will touch: the records first, what they name a little
    /// later.
    #[inline]
    fn fetch_before_commit(&self) {
        if let Some(far) = self.collection.executed.get(2 * AHEAD) {
            memory::prefetch_for_writing(&self.histories[far.done]);
        }
        if let Some(near) = self.collection.executed.get(AHEAD) {
            let record = &self.histories[near.done];
            let object = &self.objects[record.object];
            memory::prefetch_for_writing(&object.now);
            memory::prefetch_for_writing(&object.committed);
            if let Some(slot) = self.slots.get(record.inputs) {
                memory::prefetch_for_writing(slot);
            }
        }
    }

    /// Commit an event and everything older of its object.
    #[inline]
    fn commit_through(&mut self, record: u32) -> Result<(), RunError> {
        let index = self.histories[record].object;
        loop {
            let oldest = self.object(index).records.oldest();
            self.commit_oldest(index)?;
            if oldest == record {
                return Ok(());
            }
        }
    }

    #[inline]
    fn commit_oldest(&mut self, index: u32) -> Result<(), RunError> {
        let record = self.object(index).records.oldest();
        if self.histories[record].rare.is_some() {
            self.commit_rare(index, record)?;
        }
        self.account(index, record);
        let done = &mut self.histories[record];
        done.committed = true;
        let (time, newer, copies) = (done.time, done.newer, done.outputs.remotes);
        done.outputs.remotes = NONE;
        self.free_copies(copies);
        let object = self.object(index);
        object.records.commit(newer);
        object.committed = time;
        // The object's own word is on a line that is not at hand.
        if self.histories.saving.copies_always() || self.objects[index].copying.is_at_every_event()
        {
            self.free_oldest(index);
        } else {
            self.free_up_to_copy(index, record);
        }
        Ok(())
    }

    /// Lines are printed, and a fault that came true ends the run.
    #[cold]
    fn commit_rare(&mut self, index: u32, record: u32) -> Result<(), RunError> {
        let Some(rare) = self.histories[record].rare.take() else { return Ok(()) };
        let (id, time) = (self.objects.id(index), self.histories[record].time);
        if let Some(fault) = rare.fault {
            let frame = self.setup.frame();
            return Err(frame.error(id, time, fault));
        }
        self.totals.counters.lines += rare.lines.len() as u64;
        rare.lines.iter().for_each(|line| self.watch.printed(time, id, line));
        Ok(())
    }

    /// Count a committed event, and add it to its object's digest.
    #[inline]
    fn account(&mut self, index: u32, record: u32) {
        let done = &self.histories[record];
        let (time, messages, sent, dropped) = (done.time, done.messages, done.sent, done.dropped);
        let id = self.objects.id(index);
        self.totals.commit(time, done.digest);
        let object = &mut self.objects[index];
        object.counts.commit(messages, sent);
        if dropped > 0 {
            object.rare.drops += u64::from(dropped);
        }
        if self.setup.is_paced {
            object.pace.committed(sent - dropped);
        }
        if self.setup.options.causes {
            self.tell_causes(record);
        }
        let spent_ns = self.histories.times.of(record);
        self.watch.committed(Committed { time, object: id, messages, sent, dropped, spent_ns });
    }

    /// Forget an object's oldest record of all, with its messages.
    #[inline]
    pub(super) fn free_oldest(&mut self, index: u32) {
        let record = self.object(index).records.base();
        let (newer, inputs) = (self.histories[record].newer, self.histories[record].inputs);
        self.free_inputs(inputs);
        self.histories.remove(record);
        self.object(index).records.forget(newer);
        if newer != NONE {
            self.histories[newer].older = NONE;
        }
    }

    /// Records before the latest committed copy of the state are of no use any more.
    fn free_up_to_copy(&mut self, index: u32, record: u32) {
        if !self.has_copy(record) {
            return;
        }
        while self.object(index).records.base() != record {
            self.free_oldest(index);
        }
        let newer = self.histories[record].newer;
        let nobody_needs_it = newer == NONE || self.has_copy(newer);
        if nobody_needs_it && self.object(index).copying.is_each_time() {
            self.free_oldest(index);
        }
    }

    fn has_copy(&self, record: u32) -> bool {
        matches!(self.histories[record].kept, Kept::Copy(_))
    }

    #[inline]
    fn free_inputs(&mut self, chain: u32) {
        let mut at = chain;
        while at != NONE {
            let slot = &self.slots[at];
            let (next, serial, peer) = (slot.next_input, slot.serial, slot.peer);
            if serial != 0 {
                // A message from another node can no longer be cancelled.
                self.links.received(peer).remove(serial);
            }
            self.slots.remove(at);
            at = next;
        }
    }

    #[inline]
    fn free_copies(&mut self, chain: u32) {
        let mut at = chain;
        while at != NONE {
            let next = self.slots[at].next_output;
            self.slots.remove(at);
            at = next;
        }
    }

    /// Everything is committed: what is left are records kept for copies.
    pub(super) fn free_all(&mut self) {
        for index in 0..self.objects.len() {
            while self.object(index).records.base() != NONE {
                self.free_oldest(index);
            }
        }
    }

    /// Whether everything before this has been committed.
    pub(super) fn is_collected(&self, time: VirtualTime) -> bool {
        !self.collection.is_active() && self.gvt.now >= time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is executed during a pass is for the next one.
    #[test]
    fn a_pass_looks_at_what_was_there_when_it_began() {
        let mut collection = Collection::default();
        let ran = Ran { time: VirtualTime::at(1.0), done: 0, generation: 0 };
        collection.executed.extend([ran; 3]);
        collection.worthwhile = true;
        collection.begin();
        collection.executed.push_back(ran);
        assert!(collection.is_active() && !collection.worthwhile);
        assert!(!collection.looked(2) && collection.looked(1) && !collection.is_active());
        let mut empty = Collection::default();
        empty.begin();
        assert!(empty.is_active() && empty.looked(0), "a pass over nothing is told as well");
    }
}
