//! What brings a page into memory: a touch, a system call, a stream.

use super::framed::Kept;
use super::{Asked, Residency, What};
use crate::table::{List, Seat, State, flag};
use crate::{Access, Action, Fault, Frame, Installed, Into, Page, Urgency};

impl Residency {
    pub fn fault(&mut self, page: Page, write: bool) -> Option<Fault> {
        let Some(seat) = self.table.seat(page) else {
            self.status.faults_unknown += 1;
            return None;
        };
        // That a page is written to first is no habit of it.
        if write && self.table[seat].state != State::Zero && !self.table[seat].likely_dirty() {
            self.table[seat].learn(true);
        }
        let kind = self.touched(page, seat);
        self.settle();
        Some(kind)
    }

    fn touched(&mut self, page: Page, seat: Seat) -> Fault {
        let entry = self.table[seat];
        match entry.state {
            State::Free => unreachable!("a free seat has no page"),
            _ if entry.has(flag::WAITING) => {
                self.status.faults_joined += 1;
                Fault::Soft
            }
            State::Zero => self.touched_zero(page, seat),
            State::Resident | State::Clean => self.touched_resident(page, seat),
            State::Stored => self.touched_stored(page, seat),
            State::Framed | State::ComingFramed if entry.has(flag::TRIGGER) => {
                self.touched_trigger(page, seat)
            }
            State::Framed | State::Grabbing | State::Dropping => self.touched_limbo(page, seat),
            State::Coming | State::ComingFramed => {
                self.status.faults_joined += 1;
                self.table[seat].set(flag::WANTED);
                Fault::Soft
            }
            State::Filling | State::Installing | State::Borrowing => {
                self.status.faults_stale += 1;
                Fault::Stale
            }
            State::Lost => {
                self.out.push_back(Action::Poison { page });
                Fault::Lost
            }
        }
    }

    fn touched_zero(&mut self, page: Page, seat: Seat) -> Fault {
        self.status.faults_zero += 1;
        self.demand(seat);
        for ahead in 1..=u64::from(self.reads.rising.touched(page)) {
            let Some(seat) = self.table.seat(Page(page.0 + ahead)) else { break };
            if self.spare_room() == 0 {
                break;
            }
            if self.table[seat].state == State::Zero && !self.table[seat].has(flag::WAITING) {
                self.status.zeros_ahead += 1;
                self.zero(seat);
            }
        }
        Fault::Zero
    }

    /// Most likely another thread touched it, and it has arrived since. If the program dropped the
    /// page without a word, zeros are right.
    pub(super) fn touched_resident(&mut self, page: Page, seat: Seat) -> Fault {
        self.status.faults_stale += 1;
        self.table[seat].state = State::Resident;
        self.asked.push_back(Asked { page, seat, what: What::Zero });
        self.out.push_back(Action::Zero { page });
        Fault::Stale
    }

    fn touched_stored(&mut self, page: Page, seat: Seat) -> Fault {
        self.status.faults_hard += 1;
        let ask = self.reads.streams.missed(page);
        self.note_return(seat, ask.map(|ask| ask.stride));
        self.demand(seat);
        if let Some(ask) = ask {
            self.read_ahead(ask);
        }
        Fault::Hard
    }

    /// It has hardly left. A stream that comes upon such pages is followed as any other.
    fn touched_limbo(&mut self, page: Page, seat: Seat) -> Fault {
        self.status.faults_limbo += 1;
        let ask = self.reads.streams.missed(page);
        self.note_soon(seat, ask.map(|ask| ask.stride));
        self.demand(seat);
        if let Some(ask) = ask {
            self.read_ahead(ask);
        }
        Fault::Soft
    }

    /// The stream goes on: what it has passed may leave, and its next window is read.
    fn touched_trigger(&mut self, page: Page, seat: Seat) -> Fault {
        self.status.faults_trigger += 1;
        self.table[seat].clear(flag::TRIGGER);
        self.demand(seat);
        if let Some((passed, ask)) = self.reads.streams.triggered(page) {
            self.status.windows_used += 1;
            if let Some(span) = passed {
                self.pass(span);
            }
            self.read_ahead(ask);
        }
        Fault::Soft
    }

    /// A page that is outside is read: by a stream that reads page after page, which does not need
    /// it again soon, or otherwise. A stream of longer strides uses a part of each page, as along
    /// the columns of a matrix, and comes again for the rest. What is read again so soon that with
    /// twice the memory it would still be here stays longer this time.
    pub(super) fn note_return(&mut self, seat: Seat, stride: Option<i64>) {
        let age = self.leaving.age(self.table[seat].frame);
        match stride {
            Some(-1 | 1) => self.table[seat].set(flag::STREAM),
            _ if u64::from(age) < self.room.base => self.came_back(seat),
            _ => self.table[seat].clear(flag::STREAM),
        }
    }

    /// The same for a page that has hardly left.
    pub(super) fn note_soon(&mut self, seat: Seat, stride: Option<i64>) {
        match stride {
            Some(-1 | 1) => self.table[seat].set(flag::STREAM),
            _ => self.came_back(seat),
        }
    }

    fn came_back(&mut self, seat: Seat) {
        self.status.refaults += 1;
        self.table[seat].set(flag::HOT);
        self.table[seat].clear(flag::STREAM);
    }

    /// Somebody waits for this page from now on.
    fn demand(&mut self, seat: Seat) {
        if self.table[seat].has(flag::WAITING) {
            return;
        }
        self.bring(seat);
        if self.table[seat].has(flag::WAITING) {
            self.status.faults_without_room += 1;
        }
    }

    /// Brings a page into memory, as soon as there is room.
    pub(super) fn bring(&mut self, seat: Seat) {
        let entry = self.table[seat];
        match entry.state {
            State::Free
            | State::Filling
            | State::Resident
            | State::Clean
            | State::Installing
            | State::Borrowing
            | State::Lost => {}
            State::Grabbing | State::Dropping | State::Coming | State::ComingFramed => {
                self.table[seat].set(flag::WANTED)
            }
            _ if entry.has(flag::WAITING) => {}
            State::Zero | State::Framed | State::Stored if self.room() == 0 => self.wait(seat),
            State::Zero => self.zero(seat),
            State::Framed => self.take_back(seat),
            State::Stored if self.reads.ghosts.contains(&self.table.key(seat)) => self.wait(seat),
            State::Stored => {
                self.status.page_ins_demand += 1;
                self.table[seat].set(flag::WANTED);
                self.read(seat, Urgency::Fault);
            }
        }
    }

    /// Into the queue for room. Its frame, if it has one, is given up as late as possible; but it
    /// is, if there is no other for pages to leave.
    fn wait(&mut self, seat: Seat) {
        if matches!(self.table[seat].list, List::Limbo | List::Trigger) {
            self.queues.remove(&mut self.table, seat);
            self.queues.push(&mut self.table, seat, List::Limbo);
        }
        self.table[seat].set(flag::WAITING);
        self.waiting.push_back(seat);
    }

    /// Brings those that wait, while there is room.
    pub(super) fn serve(&mut self) {
        for _ in 0..self.waiting.len() {
            if self.room() == 0 {
                return;
            }
            let Some(seat) = self.waiting.pop_front() else { return };
            if self.table[seat].has(flag::WAITING) {
                self.table[seat].clear(flag::WAITING);
                self.bring(seat);
            }
        }
    }

    /// Puts zeros there. There is room.
    fn zero(&mut self, seat: Seat) {
        let page = self.table.page(seat);
        self.status.resident_pages += 1;
        self.table[seat].state = State::Filling;
        self.asked.push_back(Asked { page, seat, what: What::Zero });
        self.out.push_back(Action::Zero { page });
    }

    /// Puts a page back from its frame. There is room.
    pub(super) fn take_back(&mut self, seat: Seat) {
        self.queues.remove(&mut self.table, seat);
        self.status.resident_pages += 1;
        self.install(seat, Frame(self.table[seat].frame), false);
    }

    /// Puts a frame's contents there. Room is taken already.
    pub(super) fn install(&mut self, seat: Seat, frame: Frame, lent: bool) {
        let page = self.table.page(seat);
        self.table[seat].state = if lent { State::Borrowing } else { State::Installing };
        self.table[seat].frame = frame.0;
        let what = if lent { What::Borrow(frame) } else { What::Install(frame) };
        let is_kept = !lent && self.framed[frame].kept == Kept::Yes;
        let access = if is_kept { self.access(seat) } else { Access::Write };
        self.asked.push_back(Asked { page, seat, what });
        self.out.push_back(Action::Install { page, frame, access });
    }

    /// Reads a page straight into memory. There is room.
    pub(super) fn read(&mut self, seat: Seat, urgency: Urgency) {
        self.status.resident_pages += 1;
        self.status.coming_pages += 1;
        self.table[seat].state = State::Coming;
        let into = Into::Page(self.table.page(seat));
        self.vault.get(self.table.key(seat), into, urgency, &mut self.out);
    }

    pub fn installed(&mut self, page: Page, how: Installed) {
        let Some(asked) = self.answered(page, false) else { return };
        match asked.what {
            What::Zero => self.zeroed(asked.seat, how),
            What::Install(frame) => self.reinstalled(asked.seat, frame, how),
            What::Borrow(frame) => self.borrowed(asked.seat, frame, how),
            What::Grab(_) | What::Drop => unreachable!("not an answer to a grab"),
        }
        self.settle();
    }

    fn zeroed(&mut self, seat: Seat, how: Installed) {
        if seat == Seat::NONE {
            return;
        }
        let filling = self.table[seat].state == State::Filling;
        let expected = if filling { Installed::Done } else { Installed::Present };
        self.status.surprises += u64::from(how != expected);
        match how {
            Installed::Gone if filling => self.went(seat, State::Zero),
            _ if filling => self.arrived(seat),
            _ => {}
        }
    }

    fn reinstalled(&mut self, seat: Seat, frame: Frame, how: Installed) {
        self.status.surprises += u64::from(!matches!(how, Installed::Done | Installed::Protected));
        let leaving = self.framed[frame].kept == Kept::Soon;
        match (seat, how) {
            (Seat::NONE, _) => {}
            (seat, Installed::Gone) => {
                self.went(seat, State::Framed);
                if !leaving {
                    self.linger(seat);
                }
                return;
            }
            (seat, Installed::Protected) => self.arrived_clean(seat),
            (seat, _) => self.arrived(seat),
        }
        if leaving {
            self.framed[frame].owner = Seat::NONE;
        } else {
            self.drop_frame(frame);
        }
    }

    fn borrowed(&mut self, seat: Seat, frame: Frame, how: Installed) {
        self.status.surprises += u64::from(how != Installed::Done);
        match (seat, how) {
            (Seat::NONE, _) => {}
            (seat, Installed::Gone) => self.went(seat, State::Stored),
            (seat, _) => self.arrived(seat),
        }
        self.vault.give_back(frame, &mut self.out);
    }

    fn room(&self) -> u64 {
        self.room.budget - self.status.resident_pages
    }

    /// Room that nobody who waits has a claim to, less a little for the next fault.
    pub(super) fn spare_room(&self) -> u64 {
        self.room().saturating_sub(self.waiting.len() as u64 + self.room.low / 4)
    }
}
