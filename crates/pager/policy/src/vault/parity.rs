//! The parity of a group: made in a frame while the group is open, and sent when it is full.
//!
//! A group of one has its only member as parity, in the frame that it was put in.

use super::cells::NONE;
use super::groups::{Group, ParityState, Phase, Protection};
use super::operations::{Summed, What};
use super::stores::{Choice, Owner};
use super::{Out, Policy, Vault};
use crate::{Action, Checksum, Outcome, Place, Purpose, Tag};

impl Vault {
    /// The group takes no more members: its parity can go.
    pub(super) fn seal(&mut self, group: u32, out: &mut Out) {
        self.row.close(group);
        let found = &mut self.groups[group];
        found.phase = Phase::Sealed;
        match (found.protection, found.parity.frame) {
            (Protection::Xor, Some(frame)) => {
                found.pending += 1;
                self.operations.sum(frame, Summed::Parity(group));
                out.push_back(Action::Sum { frame });
            }
            (Protection::Copy, _) => {
                found.pending += 1;
                found.parity.sum = Some(self.cells[found.members[0]].checksum);
                self.queues.push_parity(group);
            }
            _ => {}
        }
        self.groups.relist(group);
    }

    pub(super) fn parity_summed(&mut self, group: u32, checksum: Checksum) {
        self.groups[group].parity.sum = Some(checksum);
        self.queues.push_parity(group);
    }

    /// `false`: it has to wait.
    pub(super) fn place_parity(&mut self, group: u32, out: &mut Out) -> bool {
        if self.groups[group].active == 0 {
            self.groups[group].pending -= 1;
            self.try_end(group, out);
            return true;
        }
        let taken = self.places(group, NONE);
        let choice = match self.policy {
            Policy::Mirror => self.stores.parity_place(&taken, false),
            _ => self.stores.parity_place(&taken, true),
        };
        match choice {
            Choice::At(place) => self.write_parity(group, place, out),
            Choice::Wait => return false,
            Choice::Nowhere => self.go_without_parity(group, out),
        }
        true
    }

    /// The parity's write was answered.
    pub(super) fn wrote_parity(&mut self, group: u32, outcome: Outcome, out: &mut Out) {
        let found = &mut self.groups[group];
        let (place, slot) = (found.parity.place, found.parity.slot);
        if outcome.is_ok() {
            found.parity.state = ParityState::Stored;
            found.pending -= 1;
            self.drop_parity_frame(group, out);
            return self.try_end(group, out);
        }
        found.parity.state = ParityState::Absent;
        self.discard_if_up(place, slot, Owner::Parity(group), out);
        self.queues.push_parity(group);
    }

    /// The pages of such a group would not survive their place.
    pub(super) fn lacks_parity(&self, group: &Group) -> bool {
        group.protection != Protection::Nothing && !group.has_parity()
    }

    pub(super) fn drop_parity_frame(&mut self, group: u32, out: &mut Out) {
        if let Some(frame) = self.groups[group].parity.frame.take() {
            self.release(frame, out);
        }
    }

    pub(super) fn protect(&mut self, group: u32, cell: u32, out: &mut Out) {
        let Some(from) = self.cells[cell].frame else { return };
        match (self.groups[group].protection, self.groups[group].parity.frame) {
            (Protection::Copy, _) => {
                self.held.add(from);
                self.groups[group].parity.frame = Some(from);
            }
            (Protection::Xor, Some(into)) => out.push_back(Action::Xor { from, into }),
            (Protection::Xor, None) => {
                let into = self.held.parity_frame();
                self.groups[group].parity.frame = Some(into);
                out.push_back(Action::Clear { frame: into });
                out.push_back(Action::Xor { from, into });
            }
            _ => {}
        }
    }

    fn write_parity(&mut self, group: u32, place: Place, out: &mut Out) {
        let slot = self.stores.take(place, Owner::Parity(group));
        let version = self.operations.next_version();
        let operation = self.operations.ask(place, What::Parity { group });
        let found = &mut self.groups[group];
        (found.parity.state, found.parity.place, found.parity.slot, found.parity.version) =
            (ParityState::Writing, place, slot, version);
        let (Some(frame), Some(checksum)) = (found.parity.frame, found.parity.sum) else { return };
        let tag = Tag { version, checksum };
        out.push_back(Action::Write {
            operation,
            place,
            slot,
            frame,
            tag,
            purpose: Purpose::Parity,
        });
        self.counts.parity_outs += 1;
        let away = place == Place::DISK && found.phase != Phase::Broken;
        self.groups.set_homesick(group, away || self.groups[group].homesick);
    }

    fn go_without_parity(&mut self, group: u32, out: &mut Out) {
        self.groups[group].pending -= 1;
        if self.groups[group].phase == Phase::Broken {
            return; // What is in the frame may still be needed to make a member again.
        }
        self.groups.set_homesick(group, true);
        self.drop_parity_frame(group, out);
    }
}
