//! How pages leave memory.

use super::{Asked, Residency, What};
use crate::table::{List, Seat, State, flag};
use crate::{Action, Checksum, Frame, Grabbed, Page};

/// Pages taken at once: more is not faster.
const BATCH: u64 = 64;
/// So many pages that cannot be taken, one after another, and eviction rests until the next tick.
const BUSY_MAX: u32 = 128;

impl Residency {
    /// Lets pages leave ahead of need, so that a fault finds room.
    pub(super) fn make_room(&mut self) {
        let wanted = (self.waiting.len() as u64).min(self.budget / 2);
        let coming = self.budget - self.status.resident_pages + self.grabbing;
        if coming >= self.room_low + wanted {
            return;
        }
        let mut missing = self.room_high + wanted - coming;
        while missing > 0 && self.busy_streak < BUSY_MAX {
            let taken = self.take_batch(missing.min(BATCH) as u32);
            if taken == 0 {
                return;
            }
            missing -= u64::from(taken);
        }
    }

    /// Asks for up to `most` pages, in the order of their addresses. Returns for how many.
    fn take_batch(&mut self, most: u32) -> u32 {
        let most = most.min(self.frames_for_leaving(most));
        // Sending is what is slow now: pages that need not be sent leave before others.
        let mut patience = if self.vault.backlog() as usize > self.uses.len() / 2 { most } else { 0 };
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        while (batch.len() as u32) < most
            && let Some(seat) = self.queues.victim(&mut self.table, &mut patience)
        {
            batch.push((self.table.page(seat), seat));
        }
        batch.sort_unstable();
        let count = batch.len() as u32;
        let frames = self.frames.alloc_run(count).unwrap_or_default();
        for (&(page, seat), frame) in batch.iter().zip(frames) {
            self.uses[frame.0 as usize].owner = seat;
            self.table[seat].state = State::Grabbing;
            self.table[seat].frame = frame.0;
            self.asked.push_back(Asked { page, seat, what: What::Grab(frame) });
            self.out.push_back(Action::Grab { page, frame });
        }
        self.grabbing += u64::from(count);
        self.batch = batch;
        count
    }

    /// Makes up to `wanted` frames empty: first those of pages in limbo, the oldest first, then those of triggers. Returns how many there are.
    fn frames_for_leaving(&mut self, wanted: u32) -> u32 {
        while self.frames.available() < wanted {
            if !self.leave_limbo(List::Limbo) && !self.leave_limbo(List::Trigger) {
                break;
            }
        }
        self.frames.available()
    }

    pub(super) fn empty_frame(&mut self) -> Option<Frame> {
        if self.frames.available() == 0 {
            self.leave_limbo(List::Limbo);
        }
        self.frames.alloc()
    }

    /// The oldest page of a list is outside only, from now on.
    fn leave_limbo(&mut self, list: List) -> bool {
        let Some(seat) = self.queues.pop(&mut self.table, list) else { return false };
        let frame = Frame(self.table[seat].frame);
        let entry = &mut self.table[seat];
        entry.state = State::Stored;
        entry.frame = self.uses[frame.0 as usize].left;
        entry.clear(flag::TRIGGER);
        self.drop_frame(frame);
        true
    }

    pub fn grabbed(&mut self, page: Page, how: Grabbed) {
        let Some(Asked { seat, what: What::Grab(frame), .. }) = self.answered(page, true) else { return };
        if how == Grabbed::Busy {
            self.busy_streak += 1;
            self.status.busy += 1;
        }
        match (seat, how) {
            (Seat::NONE, Grabbed::Taken(_)) => self.drop_frame(frame),
            (Seat::NONE, _) => self.unused_frame(frame),
            (seat, Grabbed::Taken(checksum)) => self.taken(seat, frame, checksum),
            (seat, Grabbed::Absent) => self.absent(seat, frame),
            (seat, Grabbed::Busy) => self.busy(seat, frame),
        }
        self.settle();
    }

    fn taken(&mut self, seat: Seat, frame: Frame, checksum: Checksum) {
        self.left(seat);
        self.busy_streak = 0;
        self.evictions = self.evictions.wrapping_add(1);
        let used = &mut self.uses[frame.0 as usize];
        used.left = self.evictions;
        used.checksum = Some(checksum);
        let dirty = self.vault.holds(self.table.key(seat)) != Some(checksum);
        let entry = &mut self.table[seat];
        entry.state = State::Framed;
        entry.learn(dirty);
        if dirty {
            self.status.evictions_dirty += 1;
            self.put(seat, frame, checksum);
        } else {
            self.status.evictions_clean += 1;
            self.linger(seat);
        }
        self.bring_if_wanted(seat);
    }

    /// The program gave the page up, and the driver did not know.
    fn absent(&mut self, seat: Seat, frame: Frame) {
        self.left(seat);
        self.unused_frame(frame);
        self.status.surprises += 1;
        self.table[seat].state = State::Zero;
        self.forget_outside(seat);
        self.bring_if_wanted(seat);
    }

    fn busy(&mut self, seat: Seat, frame: Frame) {
        self.grabbing -= 1;
        self.unused_frame(frame);
        let wanted = self.table[seat].has(flag::WANTED);
        self.arrived(seat);
        if wanted {
            self.touched_resident(self.table.page(seat), seat);
        }
    }

    /// It takes up no local memory any more.
    fn left(&mut self, seat: Seat) {
        debug_assert_eq!(self.table[seat].state, State::Grabbing);
        self.grabbing -= 1;
        self.status.resident_pages -= 1;
    }

    fn bring_if_wanted(&mut self, seat: Seat) {
        let entry = &mut self.table[seat];
        if entry.has(flag::WANTED) || entry.holds > 0 {
            entry.clear(flag::WANTED);
            self.bring(seat);
        }
    }

    /// Nothing was put into the frame.
    pub(super) fn unused_frame(&mut self, frame: Frame) {
        self.uses[frame.0 as usize] = super::UNUSED;
        self.frames.free(frame);
    }
}
