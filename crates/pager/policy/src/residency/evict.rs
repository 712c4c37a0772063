//! How pages leave memory.

use super::framed::Kept;
use super::{Asked, Residency, What};
use crate::table::{List, Seat, State, flag};
use crate::{Action, Checksum, Frame, Grabbed, Page};

/// Pages taken at once: more is not faster.
const BATCH: u64 = 64;

/// How much may be done at once.
#[derive(Clone, Copy)]
struct Effort {
    /// Pages that are no neighbours: each costs a call, and a thread may wait meanwhile.
    pieces: u32,
    /// Pages that are taken out, and sent if they have changed: a page that is asked for after them
    /// comes after them.
    taken: u32,
}

impl Effort {
    const ANY: Effort = Effort { pieces: u32::MAX, taken: u32::MAX };
    /// While there is room enough.
    const LITTLE: Effort = Effort { pieces: 2, taken: 8 };
}

impl Residency {
    /// Lets pages leave that somebody waits for the room of.
    pub(super) fn make_room(&mut self) {
        if self.gathering.is_on() {
            return;
        }
        let waiting = (self.waiting.len() as u64).min(self.room.base / 2);
        let wanted = waiting + self.room.excess();
        while self.room_coming() < wanted && self.leaving.can_go_on() {
            let missing = wanted - self.room_coming();
            if self.take_batch(missing.min(BATCH) as u32, Effort::ANY) == 0 {
                return;
            }
        }
    }

    /// Lets pages leave ahead of need, so that faults and streams find room: a few at a time, or
    /// many when there is little. Whether more should.
    pub fn tidy(&mut self) -> bool {
        if self.gathering.is_on() {
            return false;
        }
        let room = self.room_coming();
        let missing = self.room.missing(room, self.leaving.can_go_on());
        let effort = if room < self.room.low { Effort::ANY } else { Effort::LITTLE };
        let took = missing > 0 && self.take_batch(missing.min(BATCH) as u32, effort) > 0;
        self.room.went(took)
    }

    /// Room that there is, or is being made.
    fn room_coming(&self) -> u64 {
        self.room.budget - self.status.resident_pages + self.leaving.grabbing
    }

    /// Asks for up to `most` pages, in the order of their addresses, with about this effort.
    /// Returns for how many.
    fn take_batch(&mut self, most: u32, effort: Effort) -> u32 {
        let most = most.min(self.frames_for_leaving(most));
        // Sending is what is slow now: pages that need not be sent leave before others.
        let mut patience = if self.vault.backlog() > self.framed.count() / 4 { most } else { 0 };
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        let (mut pieces, mut taken) = (0, 0);
        while (batch.len() as u32) < most
            && pieces < effort.pieces
            && taken < effort.taken
            && let Some(seat) = self.queues.victim(&mut self.table, &mut patience)
        {
            let page = self.table.page(seat);
            let continues = batch.last().is_some_and(|(before, _)| before.0 + 1 == page.0);
            pieces += u32::from(!continues);
            taken += u32::from(!self.can_be_dropped(seat));
            batch.push((page, seat));
        }
        batch.sort_unstable();
        let count = batch.len() as u32;
        self.leaving.grabbing += u64::from(count);
        batch.retain(|&(page, seat)| !self.drop_clean(page, seat));
        let frames = self.framed.alloc_run(batch.len() as u32);
        for (&(page, seat), frame) in batch.iter().zip(frames) {
            self.framed[frame].owner = seat;
            self.table[seat].state = State::Grabbing;
            self.table[seat].frame = frame.0;
            self.asked.push_back(Asked { page, seat, what: What::Grab(frame) });
            self.out.push_back(Action::Grab { page, frame });
        }
        self.batch = batch;
        count
    }

    /// `false`: it must be taken out.
    fn drop_clean(&mut self, page: Page, seat: Seat) -> bool {
        let can = self.can_be_dropped(seat);
        if can {
            self.table[seat].state = State::Dropping;
            self.asked.push_back(Asked { page, seat, what: What::Drop });
            self.out.push_back(Action::Drop { page });
        }
        can
    }

    /// Makes up to `wanted` frames empty: first those of pages in limbo, the oldest first, each
    /// with its neighbours, so that free frames are neighbours too; then those of triggers. Returns
    /// how many there are.
    fn frames_for_leaving(&mut self, wanted: u32) -> u32 {
        let mut last = None;
        while self.framed.available() < wanted {
            let next = last.and_then(|frame| self.limbo_after(frame));
            let oldest = || {
                [List::Limbo, List::Trigger].into_iter().find_map(|list| self.queues.oldest(list))
            };
            let Some(seat) = next.or_else(oldest) else { break };
            last = Some(self.leave_limbo(seat));
        }
        self.framed.available()
    }

    pub(super) fn empty_frame(&mut self) -> Option<Frame> {
        if self.framed.available() == 0
            && let Some(seat) = self.queues.oldest(List::Limbo)
        {
            self.leave_limbo(seat);
        }
        self.framed.alloc()
    }

    /// The page in the next frame, if it is in limbo.
    fn limbo_after(&self, frame: Frame) -> Option<Seat> {
        let seat = self.framed.owner_after(frame)?;
        let in_limbo =
            seat != Seat::NONE && seat != Self::ASKED && self.table[seat].list == List::Limbo;
        in_limbo.then_some(seat)
    }

    /// A page in limbo is outside only, from now on. Its frame is free.
    fn leave_limbo(&mut self, seat: Seat) -> Frame {
        self.queues.remove(&mut self.table, seat);
        let frame = Frame(self.table[seat].frame);
        let entry = &mut self.table[seat];
        entry.state = State::Stored;
        entry.frame = self.framed[frame].left;
        entry.clear(flag::TRIGGER);
        self.drop_frame(frame);
        frame
    }

    pub fn grabbed(&mut self, page: Page, how: Grabbed) {
        let Some(asked) = self.answered(page, true) else { return };
        if how == Grabbed::Busy {
            self.leaving.busy();
            self.status.busy += 1;
        }
        let keeps_frame = asked.seat != Seat::NONE && matches!(how, Grabbed::Taken(_));
        if let (What::Grab(frame), false) = (asked.what, keeps_frame) {
            self.give_frame_up(frame, how);
        }
        match (asked.what, asked.seat, how) {
            (_, Seat::NONE, _) => {}
            (What::Grab(frame), seat, Grabbed::Taken(checksum)) => {
                self.taken(seat, frame, checksum)
            }
            (_, seat, Grabbed::TakenZeros) => self.taken_zeros(seat),
            (_, seat, Grabbed::Absent) => self.absent(seat),
            (_, seat, Grabbed::Busy) => self.busy(seat),
            (_, seat, Grabbed::Taken(_) | Grabbed::Dropped) => self.dropped(seat),
        }
        self.settle();
    }

    /// It was to be filled by a grab.
    fn give_frame_up(&mut self, frame: Frame, how: Grabbed) {
        match how {
            Grabbed::Taken(_) | Grabbed::TakenZeros => self.drop_frame(frame),
            Grabbed::Dropped | Grabbed::Absent | Grabbed::Busy => self.framed.free(frame),
        }
    }

    fn taken(&mut self, seat: Seat, frame: Frame, checksum: Checksum) {
        self.left(seat);
        let left = self.leaving.left();
        let used = &mut self.framed[frame];
        (used.left, used.checksum) = (left, Some(checksum));
        let dirty = self.vault.holds(self.table.key(seat)) != Some(checksum);
        used.kept = if dirty { Kept::No } else { Kept::Yes };
        if self.may_stay_clean(seat) {
            self.habit.learn(dirty);
        }
        let entry = &mut self.table[seat];
        entry.state = State::Framed;
        entry.learn(dirty);
        if dirty {
            self.status.evictions_dirty += 1;
        } else {
            self.status.evictions_clean += 1;
        }
        self.linger(seat);
        self.bring_if_wanted(seat);
        self.send_oldest();
    }

    /// Pages that changed wait in their frames before they are sent: those that come back soon, as
    /// many do where memory is just too small, need not be. Half the frames are for them, the
    /// others for what is on its way.
    fn send_oldest(&mut self) {
        while self.queues.length(List::Unsent) > u64::from(self.framed.count() / 2)
            && let Some(seat) = self.queues.pop(&mut self.table, List::Unsent)
        {
            self.put(seat);
        }
    }

    /// Nobody needs to keep zeros: they are made again when somebody touches the page.
    fn taken_zeros(&mut self, seat: Seat) {
        self.leaving.left();
        self.status.evictions_zeros += 1;
        self.left_as_zeros(seat);
    }

    /// The program gave the page up, and the driver did not know.
    fn absent(&mut self, seat: Seat) {
        self.status.surprises += 1;
        self.left_as_zeros(seat);
    }

    fn left_as_zeros(&mut self, seat: Seat) {
        self.left(seat);
        self.table[seat].state = State::Zero;
        self.forget_outside(seat);
        self.bring_if_wanted(seat);
    }

    fn busy(&mut self, seat: Seat) {
        self.leaving.grabbing -= 1;
        let wanted = self.table[seat].has(flag::WANTED);
        self.arrived(seat);
        if wanted {
            self.touched_resident(self.table.page(seat), seat);
        }
    }

    /// It takes up no local memory any more.
    pub(super) fn left(&mut self, seat: Seat) {
        debug_assert!(matches!(self.table[seat].state, State::Grabbing | State::Dropping));
        self.leaving.grabbing -= 1;
        self.status.resident_pages -= 1;
    }

    pub(super) fn bring_if_wanted(&mut self, seat: Seat) {
        let entry = &mut self.table[seat];
        if entry.has(flag::WANTED) || entry.holds > 0 {
            entry.clear(flag::WANTED);
            self.bring(seat);
        }
    }
}
