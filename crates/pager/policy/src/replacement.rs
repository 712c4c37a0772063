//! Who leaves first: three lists of resident pages, and three of pages in frames, linked through
//! the table.
//!
//! Nobody sees the program touch a page that is in memory. All that is known is when a page came,
//! and whether it comes back soon after it has left. So: pages leave in the order of their arrival
//! (*probation*), except that pages which came back soon stay longer (*protected*, at most three
//! quarters of the budget, then on probation again), and pages that a stream has read and passed
//! leave at once (*passing*). A page that left stays in a frame for a while (*limbo*), where a
//! wrong choice costs little. As in 2Q (Johnson and Shasha, VLDB 1994) and the kernel's refault
//! distance.

use crate::table::{List, Seat, Table, flag};

#[derive(Clone, Copy)]
struct Ends {
    head: Seat,
    tail: Seat,
    length: u64,
}

const EMPTY: Ends = Ends { head: Seat::NONE, tail: Seat::NONE, length: 0 };

/// The six lists.
pub(crate) struct Queues {
    ends: [Ends; 7],
    protected_max: u64,
    /// The newest pages never leave: a thread that waited for a page must get to use it.
    newest: u64,
}

impl Queues {
    pub fn new(budget: u64) -> Queues {
        Queues { ends: [EMPTY; 7], protected_max: budget * 3 / 4, newest: (budget / 4).min(16) }
    }

    pub fn length(&self, list: List) -> u64 {
        self.ends[list as usize].length
    }

    /// A page is in memory now.
    pub fn arrived(&mut self, table: &mut Table, seat: Seat) {
        let hot = table[seat].has(flag::HOT);
        table[seat].clear(flag::HOT);
        self.push(table, seat, if hot { List::Protected } else { List::Probation });
        if self.length(List::Protected) > self.protected_max {
            self.demote(table);
        }
    }

    /// Who leaves next. Pages that were dirty when they left before are passed over, `patience`
    /// times at most, if that is asked for.
    pub fn victim(&mut self, table: &mut Table, patience: &mut u32) -> Option<Seat> {
        if let Some(seat) = self.pop(table, List::Passing) {
            return Some(seat);
        }
        while self.length(List::Probation) + self.length(List::Protected) > self.newest {
            if self.length(List::Probation) <= self.newest {
                self.demote(table);
            }
            let seat = self.pop(table, List::Probation)?;
            if *patience == 0 || !table[seat].likely_dirty() {
                return Some(seat);
            }
            *patience -= 1;
            self.push(table, seat, List::Probation);
        }
        None
    }

    /// The oldest protected page is on probation again.
    fn demote(&mut self, table: &mut Table) {
        if let Some(oldest) = self.pop(table, List::Protected) {
            self.push(table, oldest, List::Probation);
        }
    }

    pub fn push(&mut self, table: &mut Table, seat: Seat, list: List) {
        debug_assert_eq!(table[seat].list, List::None);
        let ends = &mut self.ends[list as usize];
        let entry = &mut table[seat];
        (entry.list, entry.prev, entry.next) = (list, ends.tail, Seat::NONE);
        match ends.tail {
            Seat::NONE => ends.head = seat,
            tail => table[tail].next = seat,
        }
        ends.tail = seat;
        ends.length += 1;
    }

    pub fn oldest(&self, list: List) -> Option<Seat> {
        let head = self.ends[list as usize].head;
        (head != Seat::NONE).then_some(head)
    }

    pub fn pop(&mut self, table: &mut Table, list: List) -> Option<Seat> {
        let head = self.oldest(list)?;
        self.remove(table, head);
        Some(head)
    }

    /// Out of whatever list it is in, if any.
    pub fn remove(&mut self, table: &mut Table, seat: Seat) {
        let entry = table[seat];
        if entry.list == List::None {
            return;
        }
        let ends = &mut self.ends[entry.list as usize];
        match entry.prev {
            Seat::NONE => ends.head = entry.next,
            prev => table[prev].next = entry.next,
        }
        match entry.next {
            Seat::NONE => ends.tail = entry.prev,
            next => table[next].prev = entry.prev,
        }
        ends.length -= 1;
        table[seat].list = List::None;
    }
}

#[cfg(test)]
mod tests;
