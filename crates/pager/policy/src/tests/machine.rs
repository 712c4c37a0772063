//! A program's memory and a driver, as the pager sees them: threads that touch pages, a system that
//! fills and takes them.

use std::collections::{HashMap, HashSet};

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use super::places::{Bytes, Places, Reply, Server, checksum};
use crate::{
    Access, Action, Failure, Fault, Grabbed, Installed, Into, Operation, Options, Outcome, Page,
    Pager, Place,
};

/// What a thread wants of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Touch {
    Read,
    Write(Bytes),
}

/// What a driver may get wrong: canaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slip {
    /// Late reads are put where they are not welcome.
    PutsUnwelcome,
    /// Writes to protected pages are not told.
    HidesWrites,
}

pub(crate) struct Machine {
    pub pager: Pager,
    pub places: Places,
    pub random: Pcg64Mcg,
    pub budget: u64,
    /// Most pages that may be here: more than the budget while all of them are.
    pub most: u64,
    /// What every mapped page must hold.
    pub truth: HashMap<u64, Bytes>,
    /// What is in the program's memory.
    pub memory: HashMap<u64, Bytes>,
    /// Those of them that nobody can write to unheard.
    protected: HashSet<u64>,
    pub poisoned: HashSet<u64>,
    frames: Vec<Option<Bytes>>,
    /// What each thread is waiting to do.
    pub threads: Vec<Option<(u64, Touch)>>,
    /// Pages of system calls under way, all of which are there.
    pub pinned: HashSet<u64>,
    /// Whether enough has crashed that contents may be lost.
    pub may_lose: bool,
    /// How often in a thousand a page cannot be taken or filled.
    pub trouble: u32,
    pub slip: Option<Slip>,
    now: u64,
}

impl Machine {
    pub fn new(options: Options, seed: u64, capacity: u32) -> Machine {
        let servers = options.servers.iter().map(|_| Server::new(capacity)).collect();
        let budget = options.budget_pages;
        let pager = Pager::new(options).unwrap();
        let frames = vec![None; pager.frames() as usize];
        let mut machine = Machine {
            pager,
            places: Places { servers, disk: Server::endless() },
            random: Pcg64Mcg::new(u128::from(seed)),
            budget,
            most: budget,
            truth: HashMap::new(),
            memory: HashMap::new(),
            protected: HashSet::new(),
            poisoned: HashSet::new(),
            frames,
            threads: vec![None; 4],
            pinned: HashSet::new(),
            may_lose: false,
            trouble: 0,
            slip: None,
            now: 0,
        };
        machine.drain();
        machine
    }

    pub fn chance(&mut self, per_mille: u32) -> bool {
        self.random.random_range(0..1000) < per_mille
    }

    /// A thread touches a page, now or when it is there.
    pub fn touch(&mut self, thread: usize, page: u64, touch: Touch) {
        assert!(self.threads[thread].is_none());
        self.threads[thread] = Some((page, touch));
        self.retry(thread);
    }

    /// Touches it again. Faults if it is still not there.
    fn retry(&mut self, thread: usize) {
        let Some((page, touch)) = self.threads[thread] else { return };
        if !self.truth.contains_key(&page) || self.poisoned.contains(&page) {
            self.threads[thread] = None;
            return;
        }
        let tells = matches!(touch, Touch::Write(_)) && self.slip != Some(Slip::HidesWrites);
        if tells && self.protected.remove(&page) {
            assert!(
                self.pager.written(Page(page)),
                "page {page} is there, and nobody may write to it"
            );
        }
        if let Some(bytes) = self.memory.get_mut(&page) {
            match touch {
                Touch::Read => assert_eq!(
                    *bytes, self.truth[&page],
                    "page {page} holds something else than was written last"
                ),
                Touch::Write(new) => {
                    *bytes = new;
                    self.truth.insert(page, new);
                }
            }
            self.threads[thread] = None;
            return;
        }
        let fault = self.pager.fault(Page(page), matches!(touch, Touch::Write(_)));
        assert!(fault.is_some(), "page {page} is mapped and the pager does not know it");
        if fault == Some(Fault::Lost) {
            assert!(self.may_lose);
        }
        self.drain();
    }

    /// Who waits for this page tries again.
    fn wake(&mut self, page: u64) {
        for thread in 0..self.threads.len() {
            if self.threads[thread].is_some_and(|(waits, _)| waits == page) {
                self.retry(thread);
            }
        }
    }

    pub fn wake_all(&mut self) {
        for thread in 0..self.threads.len() {
            self.retry(thread);
        }
    }

    /// Carries out all that the pager wants, and often tidies up. Threads are woken after that:
    /// they run beside the driver, not within.
    pub fn drain(&mut self) {
        let mut woken = Vec::new();
        self.carry_out_all(&mut woken);
        if self.chance(700) {
            self.pager.tidy();
            self.carry_out_all(&mut woken);
        }
        for page in woken {
            self.wake(page);
        }
    }

    fn carry_out_all(&mut self, woken: &mut Vec<u64>) {
        while let Some(action) = self.pager.next_action() {
            self.carry_out(action, woken);
            assert!(self.memory.len() as u64 <= self.most, "more pages than the budget allows");
        }
    }

    fn carry_out(&mut self, action: Action, woken: &mut Vec<u64>) {
        match action {
            Action::Zero { page } => self.fill(page, 0, Access::Write, woken),
            Action::Install { page, frame, access } => {
                let bytes = self.frames[frame.0 as usize].expect("an empty frame is installed");
                self.fill(page, bytes, access, woken);
            }
            Action::Grab { page, frame } => self.grab(page, frame.0 as usize),
            Action::Drop { page } => self.drop_clean(page),
            Action::Poison { page } => {
                assert!(self.may_lose, "page {} is given up without need", page.0);
                self.poisoned.insert(page.0);
                woken.push(page.0);
            }
            Action::Empty { frame } => self.frames[frame.0 as usize] = None,
            Action::Clear { frame } => {
                assert_eq!(
                    self.frames[frame.0 as usize].replace(0),
                    None,
                    "a full frame is cleared"
                );
            }
            Action::Xor { from, into } => {
                let from = self.frames[from.0 as usize].expect("xor from an empty frame");
                *self.frames[into.0 as usize].as_mut().expect("xor into an empty frame") ^= from;
            }
            Action::Sum { frame } => self.pager.sum(
                frame,
                checksum(self.frames[frame.0 as usize].expect("sum of an empty frame")),
            ),
            _ => {
                if let Some(operation) = self.places.take(action, &self.frames) {
                    self.pager.done(operation, Err(Failure::Down));
                }
            }
        }
    }

    fn fill(&mut self, page: Page, bytes: Bytes, access: Access, woken: &mut Vec<u64>) {
        woken.push(page.0);
        let how = self.put_there(page.0, bytes, access);
        self.pager.installed(page, how);
    }

    /// Protected most of the times when it may be.
    fn put_there(&mut self, page: u64, bytes: Bytes, access: Access) -> Installed {
        if !self.truth.contains_key(&page) || self.chance(self.trouble) {
            return Installed::Gone;
        }
        if self.memory.contains_key(&page) {
            return Installed::Present;
        }
        assert!(!self.poisoned.contains(&page));
        self.memory.insert(page, bytes);
        if access == Access::Write || self.chance(100) {
            return Installed::Done;
        }
        self.protected.insert(page);
        Installed::Protected
    }

    fn grab(&mut self, page: Page, frame: usize) {
        assert_eq!(self.frames[frame], None, "a full frame is to be filled");
        assert!(
            !self.pinned.contains(&page.0),
            "page {} leaves while a system call uses it",
            page.0
        );
        let busy = self.chance(self.trouble * 5);
        let how = match self.memory.get(&page.0).copied() {
            None => Grabbed::Absent,
            Some(_) if busy => Grabbed::Busy,
            Some(bytes) => {
                self.vanish(page.0);
                self.frames[frame] = Some(bytes);
                if bytes == 0 { Grabbed::TakenZeros } else { Grabbed::Taken(checksum(bytes)) }
            }
        };
        self.pager.grabbed(page, how);
    }

    fn drop_clean(&mut self, page: Page) {
        assert!(
            !self.pinned.contains(&page.0),
            "page {} leaves while a system call uses it",
            page.0
        );
        let busy = self.chance(self.trouble * 5);
        let how = match self.memory.get(&page.0) {
            None => Grabbed::Absent,
            Some(_) if busy || !self.protected.contains(&page.0) => Grabbed::Busy,
            Some(_) => {
                self.vanish(page.0);
                Grabbed::Dropped
            }
        };
        self.pager.grabbed(page, how);
    }

    fn vanish(&mut self, page: u64) -> Option<Bytes> {
        self.protected.remove(&page);
        self.memory.remove(&page)
    }

    /// One place answers one request.
    pub fn step(&mut self) -> bool {
        let pending = self.places.pending();
        if pending.is_empty() {
            return false;
        }
        let place = pending[self.random.random_range(0..pending.len())];
        match self.places.at(place).answer().expect("it has requests") {
            Reply::Granted(slots) => self.pager.granted(place, slots),
            Reply::Done(operation, outcome) => self.pager.done(operation, outcome),
            Reply::Bytes(operation, into, bytes) => {
                let (outcome, woken) = self.receive(operation, into, bytes);
                self.pager.done(operation, outcome);
                if let Some(page) = woken {
                    self.drain();
                    self.wake(page);
                }
            }
        }
        self.drain();
        true
    }

    fn receive(
        &mut self,
        operation: Operation,
        into: Into,
        bytes: Bytes,
    ) -> (Outcome, Option<u64>) {
        match into {
            Into::Frame(frame) => {
                assert_eq!(
                    self.frames[frame.0 as usize].replace(bytes),
                    None,
                    "a full frame is read into"
                );
                (Ok(None), None)
            }
            Into::Page(page) => {
                let slips = self.slip == Some(Slip::PutsUnwelcome);
                let access = self.pager.welcome(operation, page).or(slips.then_some(Access::Write));
                let installed =
                    access.map_or(Installed::Gone, |access| self.put_there(page.0, bytes, access));
                (Ok(Some(installed)), Some(page.0))
            }
        }
    }

    pub fn tick(&mut self) {
        self.now += 10_000_000;
        self.pager.tick(self.now);
        self.drain();
    }

    pub fn crash(&mut self, place: Place, outcomes_first: bool) {
        let unanswered = self.places.at(place).crash();
        if !outcomes_first {
            self.pager.down(place);
        }
        for operation in unanswered {
            self.pager.done(operation, Err(Failure::Down));
        }
        if outcomes_first {
            self.pager.down(place);
        }
        self.drain();
    }

    pub fn map(&mut self, first: u64, pages: u64) {
        self.drop_pages(first, pages);
        self.truth.extend((first..first + pages).map(|page| (page, 0)));
        self.pager.map(Page(first), pages);
        self.drain();
        self.wake_all();
    }

    pub fn unmap(&mut self, first: u64, pages: u64) {
        self.drop_pages(first, pages);
        self.pager.unmap(Page(first), pages);
        self.drain();
        self.wake_all();
    }

    fn drop_pages(&mut self, first: u64, pages: u64) {
        for page in first..first + pages {
            self.truth.remove(&page);
            self.vanish(page);
            self.pinned.remove(&page);
            self.poisoned.remove(&page);
        }
    }

    pub fn forget(&mut self, first: u64, pages: u64) {
        for page in first..first + pages {
            self.vanish(page);
            self.poisoned.remove(&page);
            self.pinned.remove(&page);
            self.truth.entry(page).and_modify(|bytes| *bytes = 0);
        }
        self.pager.forget(Page(first), pages);
        self.drain();
    }

    /// The program drops a resident page, and nobody tells the pager.
    pub fn drop_silently(&mut self, page: u64) {
        if !self.pinned.contains(&page) && self.vanish(page).is_some() {
            self.truth.insert(page, 0);
        }
    }

    pub fn moved(&mut self, from: u64, to: u64, pages: u64) {
        self.drop_pages(to, pages);
        for page in 0..pages {
            let Some(bytes) = self.truth.remove(&(from + page)) else { continue };
            self.truth.insert(to + page, bytes);
            self.pinned.remove(&(from + page));
            if let Some(bytes) = self.vanish(from + page) {
                self.memory.insert(to + page, bytes);
            }
            if self.poisoned.remove(&(from + page)) {
                self.poisoned.insert(to + page);
            }
        }
        self.pager.moved(Page(from), Page(to), pages);
        self.drain();
        self.wake_all();
    }
}
