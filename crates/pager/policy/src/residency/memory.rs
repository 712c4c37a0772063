//! How the program's memory comes, goes and moves.

use super::Residency;
use super::framed::Kept;
use crate::table::{List, Seat, State, flag};
use crate::{Frame, Page, table::Piece};

impl Residency {
    /// The owner of a frame whose page is gone while an answer about the frame is still to come.
    pub(super) const ASKED: Seat = Seat(u32::MAX - 1);

    pub fn map(&mut self, first: Page, pages: u64) {
        self.give_up(first, pages);
        if pages > 0 {
            self.table.map(first, pages);
        }
        self.settle();
    }

    pub fn unmap(&mut self, first: Page, pages: u64) {
        self.give_up(first, pages);
        self.settle();
    }

    fn give_up(&mut self, first: Page, pages: u64) {
        for (_, seat) in self.pages(first, pages) {
            self.unhold(seat);
            self.vacate(seat);
        }
        self.table.unmap(first, pages);
    }

    pub fn forget(&mut self, first: Page, pages: u64) {
        for (_, seat) in self.pages(first, pages) {
            self.forget_page(seat);
        }
        self.settle();
    }

    /// Who waits for the page sees zeros: it was given up while they waited.
    fn forget_page(&mut self, seat: Seat) {
        let entry = self.table[seat];
        if entry.state == State::Zero {
            return;
        }
        let wanted = entry.has(flag::WANTED | flag::WAITING) || entry.holds > 0;
        self.vacate(seat);
        self.table[seat].state = State::Zero;
        self.table[seat].flags = 0;
        if wanted {
            self.bring(seat);
        }
    }

    pub fn moved(&mut self, from: Page, to: Page, pages: u64) {
        self.give_up(to, pages);
        for (_, seat) in self.pages(from, pages) {
            self.unhold(seat);
            self.leave_address(seat);
        }
        self.table.moved(from, to, pages);
        self.settle();
    }

    /// What is on its way to the old address will not find the page there; whoever waits at the old
    /// address waits for nothing.
    fn leave_address(&mut self, seat: Seat) {
        if self.table[seat].state == State::Coming {
            self.haunt(seat);
            self.table[seat].state = State::Stored;
            self.table[seat].frame = self.leaving.evictions;
        }
        if self.table[seat].state == State::Clean {
            self.table[seat].state = State::Resident;
        }
        self.table[seat].clear(flag::WAITING | flag::WANTED);
    }

    /// Leaves no trace of a page's contents. Its state is for the caller to set.
    fn vacate(&mut self, seat: Seat) {
        let entry = self.table[seat];
        self.queues.remove(&mut self.table, seat);
        for asked in self.asked.iter_mut().filter(|a| a.seat == seat) {
            asked.seat = Seat::NONE;
        }
        match entry.state {
            State::Free | State::Zero | State::Stored | State::Lost => {}
            State::Filling | State::Resident | State::Clean | State::Borrowing => {
                self.status.resident_pages -= 1;
            }
            State::Dropping => {
                self.status.resident_pages -= 1;
                self.leaving.grabbing -= 1;
            }
            State::Grabbing => {
                self.status.resident_pages -= 1;
                self.leaving.grabbing -= 1;
                self.framed[Frame(entry.frame)].owner = Seat::NONE;
            }
            State::Installing => {
                self.status.resident_pages -= 1;
                self.framed[Frame(entry.frame)].owner = Self::ASKED;
            }
            State::Framed if self.framed[Frame(entry.frame)].kept == Kept::Soon => {
                self.framed[Frame(entry.frame)].owner = Seat::NONE
            }
            State::Framed => self.drop_frame(crate::Frame(entry.frame)),
            State::Coming => self.haunt(seat),
            State::ComingFramed => self.framed[Frame(entry.frame)].owner = Seat::NONE,
        }
        self.forget_outside(seat);
    }

    /// A read is under way that nobody wants any more.
    fn haunt(&mut self, seat: Seat) {
        self.status.resident_pages -= 1;
        self.status.coming_pages -= 1;
        self.reads.ghosts.push(self.table.key(seat));
    }

    pub(super) fn forget_outside(&mut self, seat: Seat) {
        if self.table[seat].has(flag::KEPT) {
            self.table[seat].clear(flag::KEPT);
            self.vault.forget(self.table.key(seat), &mut self.out);
        }
    }

    fn unhold(&mut self, seat: Seat) {
        if self.table[seat].holds > 0 {
            self.table[seat].holds = 1;
            self.let_go(seat);
        }
    }

    /// One hold less.
    pub(super) fn let_go(&mut self, seat: Seat) {
        let entry = &mut self.table[seat];
        entry.holds -= 1;
        if entry.holds > 0 {
            return;
        }
        self.status.held_pages -= 1;
        if matches!(entry.state, State::Resident | State::Clean) {
            self.queues.push(&mut self.table, seat, List::Probation);
        }
    }

    pub(super) fn pages(
        &self,
        first: Page,
        pages: u64,
    ) -> impl Iterator<Item = (Page, Seat)> + use<> {
        self.table.pieces(first, pages).into_iter().flat_map(Piece::pages)
    }
}
