//! What is lost with a place or a slot, and which groups that breaks.

use super::cells::State;
use super::groups::{ParityState, Phase};
use super::stores::Owner;
use super::{Event, Out, Vault};
use crate::Urgency;

impl Vault {
    /// The slot holds the cell no more.
    pub(super) fn lose_slot(&mut self, cell: u32, out: &mut Out) {
        let lost = &mut self.cells[cell];
        let (place, slot, group, state) = (lost.place, lost.slot, lost.group, lost.state);
        // What is on the way to its slot is answered by itself.
        if state == State::Stored {
            lost.state = State::Lost;
            self.discard_if_up(place, slot, Owner::Cell(cell), out);
            self.break_group(group, out);
        }
    }

    /// The parity of the group is at its place no more.
    pub(super) fn lose_parity(&mut self, group: u32, out: &mut Out) {
        let found = &mut self.groups[group];
        if found.parity.state == ParityState::Stored {
            found.parity.state = ParityState::Lost;
            let (place, slot) = (found.parity.place, found.parity.slot);
            self.discard_if_up(place, slot, Owner::Parity(group), out);
            self.break_group(group, out);
        }
    }

    /// From now on the group only waits to be dissolved.
    pub(super) fn break_group(&mut self, group: u32, out: &mut Out) {
        if self.groups[group].phase == Phase::Broken {
            return self.queue(group);
        }
        if self.groups[group].phase == Phase::Open {
            self.seal(group, out);
        }
        self.groups[group].phase = Phase::Broken;
        self.groups.relist(group);
        self.groups.set_homesick(group, false);
        self.queue(group);
    }

    /// A thread waits for a page of this group.
    pub(super) fn hurry(&mut self, group: u32) {
        self.groups[group].queued = true;
        self.jobs.wait(group, Urgency::Fault);
    }

    pub(super) fn queue(&mut self, group: u32) {
        if !std::mem::replace(&mut self.groups[group].queued, true) {
            self.jobs.wait(group, Urgency::Background);
        }
    }

    pub(super) fn requeue(&mut self, group: u32) {
        if self.groups[group].phase == Phase::Broken && self.groups[group].active > 0 {
            self.queue(group);
        }
    }

    /// The member that has to be made again from the others, if any. If there are several missing,
    /// they are all lost.
    pub(super) fn lost_member(&mut self, group: u32, out: &mut Out) -> Result<Option<u32>, ()> {
        let found = &self.groups[group];
        let is_lost = |cell: &&u32| self.cells[**cell].state == State::Lost;
        let missing: Vec<u32> = found.members.iter().filter(is_lost).copied().collect();
        let recoverable = missing.len() == 1 && found.has_parity();
        let lost: Vec<u32> = missing.into_iter().filter(|&cell| self.cells[cell].active).collect();
        if lost.is_empty() || recoverable {
            return Ok(lost.first().copied());
        }
        for cell in lost {
            self.lose_cell(cell, out);
        }
        // The last active one may have been among them, and the group gone.
        self.requeue(group);
        Err(())
    }

    /// The page can never be read again.
    pub(super) fn lose_cell(&mut self, cell: u32, out: &mut Out) {
        let page = self.cells[cell].page;
        self.cells.forget(page);
        self.counts.lost += 1;
        self.events.push_back(Event::Lost { page });
        self.disappoint(cell);
        self.retire(cell, out);
    }
}
