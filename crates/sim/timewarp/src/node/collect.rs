//! Fossil collection: committing what can no longer be undone, a little at a time.
//!
//! A pass goes through what was executed, in order of execution, in steps of bounded length between
//! events. What lies before or at GVT is committed with everything older of its object; what does
//! not goes back to the end of the queue.
//!
//! At GVT as well, because sends go strictly later: whatever is still to be sent or cancelled was
//! sent at GVT or later, so it is received after GVT, and no rollback reaches down to GVT itself.

use super::Node;
use super::history::Kept;
use super::slots::NONE;
use crate::running::Frame;
use crate::{Committed, History, Model, RunError, VirtualTime, Watch, Work};

/// How many entries ahead memory is asked for.
const AHEAD: usize = 4;

/// A pass under way.
#[derive(Default)]
pub(super) struct Collection {
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
}

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// GVT has moved: go through everything again.
    pub(super) fn begin_collection(&mut self) {
        self.collection.left = self.executed.len();
        self.collection.active = true;
        self.collection.worthwhile = false;
    }

    /// One step of the pass.
    #[inline(never)]
    pub(super) fn collect_some(&mut self) -> Result<(), RunError> {
        let begin = self.watch.now();
        let committed = self.committed;
        let looks = self.collection.left.min(self.options.collection_step as usize);
        let gvt = self.gvt.now;
        for _ in 0..looks {
            let Some(ran) = self.executed.pop_front() else { break };
            self.fetch_before_commit();
            if !self.histories.is_current(&ran) || self.histories[ran.done].committed {
                continue;
            }
            match ran.time <= gvt {
                true => self.commit_through(ran.done)?,
                false => self.executed.push_back(ran),
            }
        }
        self.collection.left -= looks;
        self.counters.collection_steps += 1;
        self.counters.collection_step_max = self.counters.collection_step_max.max(looks as u64);
        let events = (self.committed - committed) as u32;
        self.horizon.committed += u64::from(events);
        self.watch.worked(begin, Work::Collection { gvt, events });
        if self.collection.left == 0 {
            self.collection.active = false;
            if !self.ended.is_empty() {
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
        if let Some(far) = self.executed.get(2 * AHEAD) {
            memory::prefetch_for_writing(&self.histories[far.done]);
        }
        if let Some(near) = self.executed.get(AHEAD) {
            let record = &self.histories[near.done];
            let object = &self.objects[record.object as usize];
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
            let oldest = self.object(index).oldest;
            self.commit_oldest(index)?;
            if oldest == record {
                return Ok(());
            }
        }
    }

    #[inline]
    fn commit_oldest(&mut self, index: u32) -> Result<(), RunError> {
        let record = self.object(index).oldest;
        if self.histories[record].rare.is_some() {
            self.commit_rare(index, record)?;
        }
        self.account(index, record);
        let done = &mut self.histories[record];
        done.committed = true;
        let (time, newer, copies) = (done.time, done.newer, done.remotes);
        done.remotes = NONE;
        self.free_copies(copies);
        let object = self.object(index);
        (object.oldest, object.committed) = (newer, time);
        self.committed += 1;
        self.final_time = self.final_time.max(time.simtime());
        match self.model.history(self.ids[index as usize]) {
            History::Copy => self.free_oldest(index),
            History::Records | History::Snapshots { .. } => self.free_up_to_copy(index, record),
        }
        Ok(())
    }

    /// Lines are printed, and a fault that came true ends the run.
    #[cold]
    fn commit_rare(&mut self, index: u32, record: u32) -> Result<(), RunError> {
        let Some(rare) = self.histories[record].rare.take() else { return Ok(()) };
        let (id, time) = (self.ids[index as usize], self.histories[record].time);
        if let Some(fault) = rare.fault {
            let frame = Frame {
                model: self.model,
                objects: self.places.len() as u32,
                limits: &self.limits,
            };
            return Err(frame.error(id, time, fault));
        }
        self.counters.lines += rare.lines.len() as u64;
        rare.lines.iter().for_each(|line| self.watch.printed(time, id, line));
        Ok(())
    }

    /// Count a committed event, and add it to its object's digest.
    #[inline]
    fn account(&mut self, index: u32, record: u32) {
        let done = &self.histories[record];
        let (time, messages, sent, dropped) = (done.time, done.messages, done.sent, done.dropped);
        let id = self.ids[index as usize];
        self.trace_digest = self.trace_digest.wrapping_add(done.digest);
        let object = &mut self.objects[index as usize];
        object.events += 1;
        object.messages += u64::from(messages);
        object.committed_sends += u64::from(sent);
        if dropped > 0 {
            object.rare.drops += u64::from(dropped);
        }
        if self.is_paced {
            object.pace.committed(sent - dropped);
        }
        if self.options.causes {
            self.tell_causes(record);
        }
        let spent_ns = self.times.of(record);
        self.watch.committed(Committed { time, object: id, messages, sent, dropped, spent_ns });
    }

    /// Forget an object's oldest record of all, with its messages.
    #[inline]
    pub(super) fn free_oldest(&mut self, index: u32) {
        let record = self.object(index).base;
        let (newer, inputs) = (self.histories[record].newer, self.histories[record].inputs);
        self.free_inputs(inputs);
        self.histories.remove(record);
        let object = self.object(index);
        object.base = newer;
        if newer == NONE {
            object.newest = NONE;
        } else {
            self.histories[newer].older = NONE;
        }
    }

    /// Records before the latest committed copy of the state are of no use any more.
    fn free_up_to_copy(&mut self, index: u32, record: u32) {
        if !matches!(self.histories[record].kept, Kept::Copy(_)) {
            return;
        }
        while self.object(index).base != record {
            self.free_oldest(index);
        }
    }

    #[inline]
    fn free_inputs(&mut self, chain: u32) {
        let mut at = chain;
        while at != NONE {
            let slot = &self.slots[at];
            let (next, serial, peer) = (slot.next_input, slot.serial, slot.peer);
            if serial != 0 {
                // A message from another node can no longer be cancelled.
                self.channels[usize::from(peer)].received.remove(serial);
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
        for index in 0..self.objects.len() as u32 {
            while self.object(index).base != NONE {
                self.free_oldest(index);
            }
        }
    }

    /// Whether everything before this has been committed.
    pub(super) fn is_collected(&self, time: VirtualTime) -> bool {
        !self.collection.is_active() && self.gvt.now >= time
    }
}
