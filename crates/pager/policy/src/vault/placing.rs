//! Putting cells into groups and to places.

use super::cells::{Cell, NONE, State};
use super::groups::{Phase, Protection};
use super::operations::What;
use super::queues::Queues;
use super::stores::{Choice, Owner, Places};
use super::{Out, Policy, Vault};
use crate::{Action, Checksum, Frame, Outcome, Page, Place, Purpose, Slot, Tag};

impl Vault {
    /// The frame's contents become the newest of the page. One use of the frame goes with it. A
    /// place is looked for in [`Vault::pump`].
    pub(super) fn keep(
        &mut self,
        page: Page,
        frame: Frame,
        checksum: Checksum,
        moved: bool,
        out: &mut Out,
    ) {
        let state = State::Waiting;
        let (place, slot) = (Place::DISK, Slot(0));
        let cell = Cell {
            page,
            checksum,
            version: 0,
            group: NONE,
            slot,
            place,
            frame: Some(frame),
            state,
            active: true,
            moved,
        };
        let (number, before) = self.cells.add(cell);
        self.queues.push_cell(number, moved);
        if let Some(before) = before {
            self.retire(before, out);
        }
    }

    /// The cell is not the newest of its page any more.
    pub(super) fn retire(&mut self, cell: u32, out: &mut Out) {
        self.cells[cell].active = false;
        self.wake(cell, out);
        let group = self.cells[cell].group;
        if group == NONE {
            self.cells[cell].state = State::Dropped;
            self.drop_frame(cell, out);
            return;
        }
        self.groups[group].active -= 1;
        self.groups.relist(group);
        self.try_end(group, out);
    }

    /// Whether anything found a place.
    pub(super) fn place_waiting(&mut self, out: &mut Out) -> bool {
        let mut any = false;
        while let Some(group) = self.queues.first_parity() {
            if !self.place_parity(group, out) {
                break;
            }
            self.queues.placed_parity();
            any = true;
        }
        for queue in Queues::CELLS {
            while let Some(cell) = self.queues.first_cell(queue) {
                if !self.place(cell, out) {
                    break;
                }
                self.queues.placed_cell(queue);
                any = true;
            }
        }
        any
    }

    /// A write was answered.
    pub(super) fn wrote(&mut self, cell: u32, outcome: Outcome, out: &mut Out) {
        let (group, place, slot) =
            (self.cells[cell].group, self.cells[cell].place, self.cells[cell].slot);
        if outcome.is_ok() {
            self.cells[cell].state = State::Stored;
            self.drop_frame(cell, out);
            self.groups[group].pending -= 1;
            return self.try_end(group, out);
        }
        self.discard_if_up(place, slot, Owner::Cell(cell), out);
        if self.groups[group].protection == Protection::Xor {
            // The parity includes it already, so it needs another place in the same group. It stays
            // pending.
            self.cells[cell].state = State::Waiting;
            return self.queues.push_cell(cell, true);
        }
        self.groups[group].pending -= 1;
        self.cells[cell].state = State::Lost;
        self.keep_from_frame(cell, out);
        self.try_end(group, out);
    }

    /// The contents that are still in the frame are put anew, if anybody wants them.
    pub(super) fn keep_from_frame(&mut self, cell: u32, out: &mut Out) {
        let found = &mut self.cells[cell];
        let (page, checksum, moved) = (found.page, found.checksum, found.moved);
        if !found.active {
            return self.drop_frame(cell, out);
        }
        if let Some(frame) = found.frame.take() {
            self.keep(page, frame, checksum, moved, out);
        }
    }

    /// When nobody needs the group any more, its slots are free.
    pub(super) fn try_end(&mut self, group: u32, out: &mut Out) {
        let found = &self.groups[group];
        if found.active > 0 || found.pending > 0 || found.job != NONE || found.phase == Phase::Open
        {
            return;
        }
        let members = std::mem::take(&mut self.groups[group].members);
        for &cell in &members {
            let (place, slot, state) =
                (self.cells[cell].place, self.cells[cell].slot, self.cells[cell].state);
            if state == State::Stored {
                self.discard_if_up(place, slot, Owner::Cell(cell), out);
            }
            self.cells.remove(cell);
        }
        let found = &mut self.groups[group];
        found.members = members;
        let (place, slot) = (found.parity.place, found.parity.slot);
        if found.holds_parity_slot() {
            self.discard_if_up(place, slot, Owner::Parity(group), out);
        }
        self.drop_parity_frame(group, out);
        self.room.reclaiming -= u32::from(self.groups[group].reclaimed);
        self.groups.remove(group);
    }

    /// The slot is free again. (Nothing to do at a place that is gone: its slots went with it.)
    pub(super) fn discard_if_up(&mut self, place: Place, slot: Slot, owner: Owner, out: &mut Out) {
        if self.stores.get(place).is_some_and(|store| store.up && store.owns(slot, owner)) {
            self.stores.give(place, slot);
            out.push_back(Action::Discard { place, slot });
        }
    }

    pub(super) fn drop_frame(&mut self, cell: u32, out: &mut Out) {
        if let Some(frame) = self.cells[cell].frame.take() {
            self.release(frame, out);
        }
    }

    /// The places that the group uses now, apart from that of `but`.
    pub(super) fn places(&self, group: u32, but: u32) -> Places {
        let mut places = Places::default();
        let found = &self.groups[group];
        for &member in found.members.iter().filter(|member| **member != but) {
            let cell = &self.cells[member];
            if matches!(cell.state, State::Writing | State::Stored) {
                places.push(cell.place);
            }
        }
        if found.holds_parity_slot() {
            places.push(found.parity.place);
        }
        places
    }

    /// `false`: it has to wait.
    fn place(&mut self, cell: u32, out: &mut Out) -> bool {
        let found = &self.cells[cell];
        if found.state == State::Dropped {
            self.cells.remove(cell);
            return true;
        }
        if found.group != NONE {
            return self.place_again(cell, out);
        }
        match self.policy {
            Policy::Disk => self.place_alone(cell, out),
            Policy::None => self.place_in_turn(cell, Protection::Nothing, out),
            Policy::Mirror => self.place_in_turn(cell, Protection::Copy, out),
            Policy::ParityLog => self.place_in_turn(cell, Protection::Xor, out),
        }
    }

    /// To the server whose turn it is, in the open group whose turn it is.
    pub(super) fn place_in_turn(
        &mut self,
        cell: u32,
        protection: Protection,
        out: &mut Out,
    ) -> bool {
        let moved = self.cells[cell].moved;
        loop {
            let taken = self.row.now().map(|open| self.places(open, NONE)).unwrap_or_default();
            match self.stores.data_place(&taken, moved) {
                Choice::At(place) => return self.join_group(cell, place, protection, out),
                Choice::Wait => return false,
                Choice::Nowhere => {}
            }
            // A group that is sealed can be dissolved to make room.
            match self.row.now().or_else(|| self.row.any()) {
                Some(open) => self.seal(open, out),
                None if self.room.reclaiming > 0 && !moved => return false,
                None => return self.place_alone(cell, out),
            }
        }
    }

    /// On the disk, which needs no parity.
    pub(super) fn place_alone(&mut self, cell: u32, out: &mut Out) -> bool {
        if !self.stores.disk_open() {
            return false;
        }
        let group = self.groups.open(Protection::Nothing);
        self.add_member(group, cell);
        self.write_cell(cell, Place::DISK, out);
        self.groups.set_homesick(group, self.policy != Policy::Disk);
        self.seal(group, out);
        true
    }

    fn join_group(
        &mut self,
        cell: u32,
        place: Place,
        protection: Protection,
        out: &mut Out,
    ) -> bool {
        if self.row.now().is_none()
            && protection == Protection::Xor
            && !self.held.has_parity_frame()
        {
            return false;
        }
        let group = self.row.now().unwrap_or_else(|| self.groups.open(protection));
        self.row.open(group);
        self.add_member(group, cell);
        self.protect(group, cell, out);
        self.write_cell(cell, place, out);
        let width = if protection == Protection::Xor { self.width() } else { 1 };
        if self.groups[group].members.len() >= width {
            self.seal(group, out);
        }
        self.next_turn();
        true
    }

    pub(super) fn next_turn(&mut self) {
        if self.row.step() {
            self.stores.next_turn();
        }
    }

    pub(super) fn width(&self) -> usize {
        self.stores.width().min(self.widest)
    }

    pub(super) fn add_member(&mut self, group: u32, cell: u32) {
        self.cells[cell].group = group;
        self.groups[group].members.push(cell);
        self.groups[group].active += 1;
    }

    fn write_cell(&mut self, cell: u32, place: Place, out: &mut Out) {
        let slot = self.stores.take(place, Owner::Cell(cell));
        let version = self.operations.next_version();
        let operation = self.operations.ask(place, What::Write { cell });
        let found = &mut self.cells[cell];
        (found.place, found.slot, found.version, found.state) =
            (place, slot, version, State::Writing);
        self.groups[found.group].pending += 1;
        let purpose = if found.moved { Purpose::Move } else { Purpose::PageOut };
        let tag = Tag { version, checksum: found.checksum };
        let frame = found.frame.expect("what is written is in a frame");
        out.push_back(Action::Write { operation, place, slot, frame, tag, purpose });
    }

    /// A member whose write failed: another place, none that the group uses, so that one loss stays
    /// one.
    fn place_again(&mut self, cell: u32, out: &mut Out) -> bool {
        let group = self.cells[cell].group;
        if self.groups[group].active == 0 {
            self.groups[group].pending -= 1;
            self.cells[cell].state = State::Lost;
            self.drop_frame(cell, out);
            self.try_end(group, out);
            return true;
        }
        let taken = self.places(group, cell);
        let place = match self.stores.data_place(&taken, true) {
            Choice::At(place) => place,
            Choice::Wait => return false,
            Choice::Nowhere => {
                match (self.stores.disk(), self.stores.data_place(&Places::default(), true)) {
                    (Choice::At(disk), _) => disk,
                    (_, Choice::At(shared)) => shared,
                    _ => return false,
                }
            }
        };
        self.groups[group].pending -= 1;
        self.write_cell(cell, place, out);
        if self.groups[group].phase != Phase::Broken && (place == Place::DISK || taken.has(place)) {
            self.groups.set_homesick(group, true);
        }
        true
    }
}
