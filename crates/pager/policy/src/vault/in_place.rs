//! Basic parity: a page keeps its slot, and every page-out changes the parity too.
//!
//! The server gives back what the page was xor what it is, and that is mixed into the parity. The
//! page's own frame stays as it is (the program may want it back), so this works on a copy. A group
//! with an update under way is not dissolved before that has ended: until then nobody knows what
//! its parity includes.

use super::cells::{NONE, State};
use super::groups::{ParityState, Phase, Protection};
use super::operations::What;
use super::placing::Places;
use super::stores::{Choice, Owner};
use super::{Out, Policy, Vault};
use crate::{Action, Checksum, Failure, Frame, Outcome, Page, Place, Tag};

/// A page on its way to its slot, then its difference on the way to the parity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    cell: u32,
    group: u32,
    work: Frame,
    /// The slot held nothing before.
    fresh: bool,
}

impl Vault {
    /// If the page has a slot in a sound group, and nothing is under way there, it is brought up to
    /// date.
    pub(super) fn update_in_place(
        &mut self,
        page: Page,
        frame: Frame,
        checksum: Checksum,
        out: &mut Out,
    ) -> bool {
        if self.policy != Policy::Parity || self.parity_frames.available() == 0 {
            return false;
        }
        let Some(cell) = self.cells.newest(page) else { return false };
        let found = &mut self.cells[cell];
        if found.state != State::Stored || !self.groups[found.group].in_place() {
            return false;
        }
        (found.frame, found.checksum, found.moved) = (Some(frame), checksum, false);
        self.start_update(cell, false, out);
        true
    }

    /// Whether an update is under way in the group.
    pub(super) fn updating(&self, group: u32) -> bool {
        self.updates.iter().flatten().any(|update| update.group == group)
    }

    /// A page without a slot gets one, in the open group. `false`: it has to wait.
    pub(super) fn place_mixed(&mut self, cell: u32, out: &mut Out) -> bool {
        if self.parity_frames.available() == 0 {
            return false;
        }
        let moved = self.cells[cell].moved;
        let Some(open) = self.row.now() else { return self.open_mixed(cell, out) };
        match self.stores.data_place(&self.places(open, NONE), moved) {
            Choice::At(place) => self.join_mixed(open, cell, place, out),
            Choice::Wait => return false,
            Choice::Nowhere => {
                self.seal(open, out);
                self.try_end(open, out); // All its pages may have been replaced while it was open.
                return self.place_mixed(cell, out);
            }
        }
        true
    }

    /// The slot has the page, and gave back the difference.
    pub(super) fn swapped(&mut self, number: u32, outcome: Outcome, out: &mut Out) {
        let Some(update) = self.updates[number as usize] else { return };
        match outcome {
            Ok(_) if self.groups[update.group].parity != ParityState::Lost => {
                self.mix(number, update, out)
            }
            Ok(_) => self.end_update(number, update, false, out),
            Err(Failure::Full) if update.fresh => self.leave_group(number, update, out),
            Err(_) => {
                self.lose_slot(update.cell, out);
                self.end_update(number, update, false, out);
            }
        }
    }

    /// The parity includes the difference.
    pub(super) fn mixed(&mut self, number: u32, outcome: Outcome, out: &mut Out) {
        let Some(update) = self.updates[number as usize] else { return };
        match outcome {
            Ok(_) => self.groups[update.group].parity = ParityState::Stored,
            Err(_) => self.lose_parity(update.group, out),
        }
        self.end_update(number, update, outcome.is_ok(), out);
    }

    /// A group needs a place for its parity first. Without a second server, the page and a copy on
    /// the disk.
    fn open_mixed(&mut self, cell: u32, out: &mut Out) -> bool {
        let parity = match self.stores.parity_place(&Places::default(), true) {
            Choice::At(place) if place != Place::DISK => place,
            Choice::Wait => return false,
            _ => return self.place_in_turn(cell, Protection::Copy, out),
        };
        let place = match self.stores.data_place(&Places::of(parity), self.cells[cell].moved) {
            Choice::At(place) => place,
            Choice::Wait => return false,
            Choice::Nowhere => return self.place_in_turn(cell, Protection::Copy, out),
        };
        let group = self.groups.open(Protection::Mixed);
        let slot = self.stores.take(parity, Owner::Parity(group));
        (self.groups[group].parity_place, self.groups[group].parity_slot) = (parity, slot);
        self.row.open(group);
        self.join_mixed(group, cell, place, out);
        true
    }

    fn join_mixed(&mut self, group: u32, cell: u32, place: Place, out: &mut Out) {
        self.add_member(group, cell);
        let slot = self.stores.take(place, Owner::Cell(cell));
        (self.cells[cell].place, self.cells[cell].slot) = (place, slot);
        self.start_update(cell, true, out);
        if self.groups[group].members.len() >= self.width() {
            self.seal(group, out);
        }
        self.next_turn();
    }

    fn start_update(&mut self, cell: u32, fresh: bool, out: &mut Out) {
        let work = self.parity_frames.alloc().expect("looked for before");
        self.uses.begin(work, Page(0));
        let version = self.next_version();
        let found = &mut self.cells[cell];
        (found.version, found.state) = (version, State::Writing);
        let (place, slot, group) = (found.place, found.slot, found.group);
        let tag = Tag { version, checksum: found.checksum };
        let from = found.frame.expect("what is written is in a frame");
        self.groups[group].pending += 1;
        let number = self.add_update(Update { cell, group, work, fresh });
        let operation = self.operations.ask(place, What::Swap { update: number });
        out.push_back(Action::Clear { frame: work });
        out.push_back(Action::Xor { from, into: work });
        out.push_back(Action::Swap { operation, place, slot, frame: work, tag });
    }

    fn add_update(&mut self, update: Update) -> u32 {
        let free = self.updates.iter().position(Option::is_none);
        let number = free.unwrap_or_else(|| {
            self.updates.push(None);
            self.updates.len() - 1
        });
        self.updates[number] = Some(update);
        number as u32
    }

    fn mix(&mut self, number: u32, update: Update, out: &mut Out) {
        let version = self.next_version();
        let group = &mut self.groups[update.group];
        group.parity_version = version;
        let (place, slot) = (group.parity_place, group.parity_slot);
        let operation = self.operations.ask(place, What::Mix { update: number });
        out.push_back(Action::Mix { operation, place, slot, frame: update.work, version });
        self.counts.parity_outs += 1;
    }

    /// The page had not come to its slot, so the parity knows nothing of it: it goes elsewhere.
    fn leave_group(&mut self, number: u32, update: Update, out: &mut Out) {
        let Update { cell, group, work, .. } = update;
        self.updates[number as usize] = None;
        self.release(work, out);
        self.discard_if_up(self.cells[cell].place, self.cells[cell].slot, Owner::Cell(cell), out);
        self.groups[group].members.retain(|member| *member != cell);
        self.groups[group].pending -= 1;
        self.groups[group].active -= u32::from(self.cells[cell].active);
        self.cells[cell].group = NONE;
        let active = self.cells[cell].active;
        self.cells[cell].state = if active { State::Waiting } else { State::Dropped };
        if !active {
            self.drop_frame(cell, out);
        }
        self.waiting[usize::from(!self.cells[cell].moved)].push_back(cell);
        self.after_update(group, out);
    }

    /// `safe`: the page is in its slot and the parity includes it. If not, it is put anew from its
    /// frame.
    fn end_update(&mut self, number: u32, update: Update, safe: bool, out: &mut Out) {
        let Update { cell, group, work, .. } = update;
        self.updates[number as usize] = None;
        self.release(work, out);
        self.groups[group].pending -= 1;
        let in_slot = self.cells[cell].state == State::Writing;
        if in_slot {
            self.cells[cell].state = State::Stored;
        }
        match in_slot && safe {
            true => self.drop_frame(cell, out),
            false => self.keep_from_frame(cell, out),
        }
        self.after_update(group, out);
    }

    fn after_update(&mut self, group: u32, out: &mut Out) {
        self.groups.relist(group);
        if self.groups[group].phase == Phase::Broken {
            self.queue(group);
        }
        self.try_end(group, out);
    }
}
