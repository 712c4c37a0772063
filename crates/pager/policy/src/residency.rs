//! Which pages are in memory, what leaves, what comes.
//!
//! Every page is in one [`State`]; those that take up local memory (resident, or on their way in or
//! out of residency) never exceed the budget. Frames hold pages that leave or left
//! ([`State::Framed`]); they are a memory of their own, of fixed size.

mod ahead;
mod answers;
mod clean;
mod evict;
mod fault;
mod framed;
mod gather;
mod hold;
mod leaving;
mod memory;
mod room;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use clean::Habit;
use framed::{Framed, Kept};
use gather::Gathering;
use leaving::Leaving;
use room::Room;

use crate::prefetch::{Rising, Streams};
use crate::replacement::Queues;
use crate::table::{List, Seat, State, Table, flag};
use crate::vault::Vault;
use crate::{
    Action, Checksum, Frame, Into, Operation, Options, Outcome, Page, Place, Role, Status,
};

/// Something that was asked of the driver about a page, and not answered yet.
#[derive(Clone, Copy, Debug)]
struct Asked {
    page: Page,
    /// [`Seat::NONE`] if the page is no longer the one that was meant.
    seat: Seat,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Zero,
    Install(Frame),
    Borrow(Frame),
    Grab(Frame),
    Drop,
}

impl What {
    fn leaves(self) -> bool {
        matches!(self, What::Grab(_) | What::Drop)
    }
}

pub(crate) struct Residency {
    out: VecDeque<Action>,
    table: Table,
    queues: Queues,
    framed: Framed,
    vault: Vault,
    reads: Reads,
    asked: VecDeque<Asked>,
    /// Pages that wait for room.
    waiting: VecDeque<Seat>,
    /// Pages to be brought at the next tick.
    later: Vec<Seat>,
    /// Put together for the driver: kept to use its memory again.
    batch: Vec<(Page, Seat)>,
    room: Room,
    leaving: Leaving,
    gathering: Gathering,
    habit: Habit,
    status: Status,
}

/// What is read ahead, and what was asked for in vain.
struct Reads {
    streams: Streams,
    rising: Rising,
    /// Keys of reads under way whose answers are of no use any more.
    ghosts: Vec<Page>,
}

impl Residency {
    pub fn new(options: Options) -> Residency {
        let streams = Streams::new(options.prefetch_pages);
        Residency {
            out: VecDeque::new(),
            table: Table::new(),
            queues: Queues::new(options.budget_pages),
            framed: Framed::new(options.staging_frames),
            vault: Vault::new(options.policy, &options.servers, options.staging_frames),
            reads: Reads { streams, rising: Rising::new(), ghosts: Vec::new() },
            asked: VecDeque::new(),
            waiting: VecDeque::new(),
            later: Vec::new(),
            batch: Vec::new(),
            room: Room::new(options.budget_pages),
            leaving: Leaving::default(),
            gathering: Gathering::default(),
            habit: Habit::NEW,
            status: Status::default(),
        }
    }

    pub fn frames(&self) -> u32 {
        self.framed.count() + self.vault.frames_wanted()
    }

    pub fn done(&mut self, operation: Operation, outcome: Outcome) {
        self.vault.done(operation, outcome, &mut self.out);
        self.settle();
    }

    pub fn granted(&mut self, place: Place, slots: u32) {
        self.vault.granted(place, slots, &mut self.out);
        self.settle();
    }

    pub fn down(&mut self, place: Place) {
        self.vault.down(place, &mut self.out);
        self.settle();
    }

    pub fn joined(&mut self, place: Place, role: Role) {
        self.vault.joined(place, role, &mut self.out);
        self.settle();
    }

    pub fn sum(&mut self, frame: Frame, checksum: Checksum) {
        self.vault.sum(frame, checksum, &mut self.out);
        self.settle();
    }

    pub fn tick(&mut self, now_ns: u64) {
        self.vault.tick(now_ns, &mut self.out);
        self.leaving.rested();
        for seat in std::mem::take(&mut self.later) {
            if self.table[seat].holds > 0 || self.table[seat].has(flag::WANTED) {
                self.bring(seat);
            }
        }
        self.settle();
    }

    /// Reads into the program's memory are noted as they are handed out: only the newest one of a
    /// page is [welcome](Self::welcome).
    pub fn next_action(&mut self) -> Option<Action> {
        let action = self.out.pop_front()?;
        if let Action::Read { operation, into: Into::Page(page), .. } = action
            && let Some(seat) = self.table.seat(page)
            && self.table[seat].state == State::Coming
        {
            self.table[seat].frame = operation.0 as u32;
        }
        Some(action)
    }

    pub fn status(&self) -> Status {
        let lists = [List::Unsent, List::Limbo, List::Trigger];
        Status {
            leaving_pages: self.framed.leaving(),
            limbo_pages: lists.map(|list| self.queues.length(list)).iter().sum(),
            vault: self.vault.status(),
            ..self.status.clone()
        }
    }

    pub fn reads(&self) -> (u64, u64) {
        (self.status.faults_hard, self.status.page_ins_prefetch)
    }

    pub fn evictions_dirty(&self) -> u64 {
        self.status.evictions_dirty
    }

    pub fn settled(&self) -> bool {
        let nothing_moves = self.asked.is_empty()
            && self.waiting.is_empty()
            && self.later.is_empty()
            && self.reads.ghosts.is_empty();
        nothing_moves
            && self.status.coming_pages == 0
            && self.framed.leaving() == 0
            && self.vault.settled()
    }

    /// After every input: what the vault has to tell, then who waits for room, then who has to
    /// leave.
    fn settle(&mut self) {
        self.hear();
        loop {
            self.gather_on();
            self.serve();
            self.make_room();
            if !self.hear() {
                break;
            }
        }
        self.come_down();
        self.status.resident_pages_max =
            self.status.resident_pages_max.max(self.status.resident_pages);
        self.status.waiting_pages = self.waiting.len() as u64;
        debug_assert!(self.status.resident_pages <= self.room.budget);
    }

    /// Its frame has the only copy: the vault is to keep it.
    fn put(&mut self, seat: Seat) {
        let frame = Frame(self.table[seat].frame);
        let Some(checksum) = self.framed[frame].checksum else { return };
        self.queues.remove(&mut self.table, seat);
        self.framed[frame].kept = Kept::Soon;
        self.table[seat].set(flag::KEPT);
        self.vault.put(self.table.key(seat), frame, checksum, &mut self.out);
    }

    fn lose(&mut self, seat: Seat) {
        let page = self.table.page(seat);
        let entry = &mut self.table[seat];
        entry.state = State::Lost;
        entry.clear(flag::WANTED | flag::WAITING | flag::TRIGGER | flag::HOT);
        self.status.lost.push(page);
        self.out.push_back(Action::Poison { page });
    }

    /// A page is in memory.
    fn arrived(&mut self, seat: Seat) {
        let entry = &mut self.table[seat];
        entry.state = State::Resident;
        entry.clear(flag::WANTED | flag::TRIGGER);
        if entry.holds == 0 {
            self.queues.arrived(&mut self.table, seat);
        }
    }

    /// A page that was to arrive did not, because the driver could not put it there. Who waits for
    /// it is woken, and faults again; a system call waits on.
    fn went(&mut self, seat: Seat, to: State) {
        self.status.resident_pages -= 1;
        let entry = &mut self.table[seat];
        entry.state = to;
        entry.clear(flag::WANTED | flag::HOT);
        if to == State::Stored {
            entry.frame = self.leaving.evictions;
        }
        if entry.holds > 0 {
            self.later.push(seat);
        }
    }

    /// A frame of ours is of no use any more.
    fn drop_frame(&mut self, frame: Frame) {
        self.framed.free(frame);
        self.out.push_back(Action::Empty { frame });
    }

    /// Finds what was asked, oldest first.
    fn answered(&mut self, page: Page, leaves: bool) -> Option<Asked> {
        let at = self.asked.iter().position(|a| a.page == page && a.what.leaves() == leaves);
        debug_assert!(at.is_some(), "an answer about page {} that nobody waits for", page.0);
        self.asked.remove(at?)
    }
}
