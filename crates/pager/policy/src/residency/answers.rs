//! What the vault has to tell.

use super::Residency;
use super::framed::Kept;
use crate::table::{List, Seat, State, flag};
use crate::vault::{Event, Fetched};
use crate::{Frame, Installed, Into, Page};

impl Residency {
    /// Whether there was anything.
    pub(super) fn hear(&mut self) -> bool {
        let mut heard = false;
        while let Some(event) = self.vault.event() {
            heard = true;
            match event {
                Event::Stored { frame, .. } => self.stored(frame),
                Event::Lost { page } => self.lost_outside(page),
                Event::Fetched { page, into: Into::Page(_), got } => self.fetched(page, got),
                Event::Fetched { into: Into::Frame(frame), got, .. } => {
                    self.fetched_framed(frame, got)
                }
            }
        }
        heard
    }

    /// The vault needs the frame no longer.
    fn stored(&mut self, frame: Frame) {
        let used = &mut self.framed[frame];
        used.kept = Kept::Yes;
        match used.owner {
            Seat::NONE => self.drop_frame(frame),
            Self::ASKED => {}
            owner => self.linger(owner),
        }
    }

    /// A page may stay in its frame for a while, unless it is on its way back already.
    pub(super) fn linger(&mut self, seat: Seat) {
        let entry = self.table[seat];
        if entry.state != State::Framed {
            return;
        }
        let list = match self.framed[Frame(entry.frame)].kept {
            Kept::No => List::Unsent,
            _ if entry.has(flag::TRIGGER) => List::Trigger,
            _ => List::Limbo,
        };
        self.queues.push(&mut self.table, seat, list);
    }

    /// A read into the program's memory has ended.
    fn fetched(&mut self, key: Page, got: Fetched) {
        if let Some(at) = self.reads.ghosts.iter().position(|&ghost| ghost == key) {
            self.reads.ghosts.swap_remove(at);
            if let Fetched::InFrame(frame) = got {
                self.vault.give_back(frame, &mut self.out);
            }
            return;
        }
        let seat =
            self.table.seat_of_key(key).filter(|&seat| self.table[seat].state == State::Coming);
        let Some(seat) = seat else {
            unreachable!("a read ended that was not under way: every other one is a ghost");
        };
        self.status.coming_pages -= 1;
        match got {
            Fetched::There(Installed::Done) => self.arrived(seat),
            Fetched::There(Installed::Protected) => self.arrived_clean(seat),
            Fetched::There(Installed::Present) => {
                self.status.surprises += 1;
                self.arrived(seat);
            }
            Fetched::There(Installed::Gone) => self.went(seat, State::Stored),
            Fetched::Gone => {
                // The driver has not seen any of it, so nobody is woken.
                self.went(seat, State::Stored);
                self.table[seat].set(flag::WANTED);
                self.later.push(seat);
            }
            Fetched::InFrame(frame) => self.install(seat, frame, true),
            Fetched::Lost => {
                self.status.resident_pages -= 1;
                self.lose(seat);
            }
        }
    }

    /// A read into a frame of ours has ended: a trigger.
    fn fetched_framed(&mut self, frame: Frame, got: Fetched) {
        self.status.coming_pages -= 1;
        let owner = self.framed[frame].owner;
        if owner == Seat::NONE {
            return self.drop_frame(frame);
        }
        match got {
            Fetched::There(_) => {
                self.framed[frame].checksum = self.vault.holds(self.table.key(owner));
                self.framed[frame].kept = Kept::Yes;
                self.table[owner].state = State::Framed;
                self.linger(owner);
            }
            Fetched::InFrame(_) | Fetched::Gone => {
                self.drop_frame(frame);
                self.table[owner].state = State::Stored;
                self.table[owner].clear(flag::TRIGGER);
            }
            Fetched::Lost => {
                self.drop_frame(frame);
                self.lose(owner);
            }
        }
        if self.table[owner].has(flag::WANTED) {
            self.bring(owner);
        }
    }

    /// The vault has lost a page. That is no harm if its contents are here as well.
    fn lost_outside(&mut self, key: Page) {
        let Some(seat) = self.table.seat_of_key(key) else { return };
        let entry = self.table[seat];
        match entry.state {
            State::Stored => self.lose(seat),
            State::Framed if self.framed[Frame(entry.frame)].kept == Kept::Yes => self.put(seat),
            _ => {}
        }
    }
}
