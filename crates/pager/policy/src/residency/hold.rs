//! Pages that a system call is using.

use super::Residency;
use crate::Page;
use crate::table::State;

impl Residency {
    /// Half the budget may be held: the other half is for the faults of everybody else.
    pub fn hold(&mut self, first: Page, pages: u64) -> bool {
        let (mut new, mut full) = (0, false);
        for (_, seat) in self.pages(first, pages) {
            new += u64::from(self.table[seat].holds == 0);
            full |= self.table[seat].holds == u8::MAX;
        }
        if full || self.status.held_pages + new > self.room.budget / 2 {
            return false;
        }
        self.status.held_pages += new;
        for (_, seat) in self.pages(first, pages) {
            self.table[seat].holds += 1;
            if matches!(self.table[seat].state, State::Resident | State::Clean) {
                self.queues.remove(&mut self.table, seat);
            }
            self.bring(seat);
        }
        self.settle();
        true
    }

    pub fn held(&self, first: Page, pages: u64) -> bool {
        self.pages(first, pages).all(|(_, seat)| {
            matches!(self.table[seat].state, State::Resident | State::Clean | State::Lost)
        })
    }

    pub fn release(&mut self, first: Page, pages: u64) {
        for (_, seat) in self.pages(first, pages) {
            if self.table[seat].holds > 0 {
                self.let_go(seat);
            }
        }
        self.settle();
    }
}
