//! Pages that a system call is using.

use super::Residency;
use crate::Page;
use crate::table::{Seat, State};

impl Residency {
    pub fn hold(&mut self, first: Page, pages: u64) -> bool {
        let seats: Vec<Seat> = self.pages(first, pages).map(|(_, seat)| seat).collect();
        let held = self.hold_seats(&seats);
        if held {
            seats.into_iter().for_each(|seat| self.bring(seat));
            self.settle();
        }
        held
    }

    pub fn pin(&mut self, first: Page, pages: u64) -> bool {
        let seats = self.pages(first, pages).map(|(_, seat)| seat);
        let seats: Vec<Seat> = seats.filter(|seat| self.is_there(*seat)).collect();
        self.hold_seats(&seats)
    }

    /// Half the usual budget may be held: the other half is for the faults of everybody else.
    fn hold_seats(&mut self, seats: &[Seat]) -> bool {
        let new = seats.iter().filter(|seat| self.table[**seat].holds == 0).count() as u64;
        let full = seats.iter().any(|seat| self.table[*seat].holds == u8::MAX);
        if full || self.status.held_pages + new > self.room.base / 2 {
            return false;
        }
        self.status.held_pages += new;
        for &seat in seats {
            self.table[seat].holds += 1;
            if self.is_there(seat) {
                self.queues.remove(&mut self.table, seat);
            }
        }
        true
    }

    fn is_there(&self, seat: Seat) -> bool {
        matches!(self.table[seat].state, State::Resident | State::Clean)
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
