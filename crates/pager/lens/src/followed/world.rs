//! The program's memory and its real pager, without time: what the pager wants done is done, and
//! what has to go to a server is handed on.
//!
//! A page's contents are a number that changes when the program writes to it. Servers keep what
//! they are given, and lose nothing.

use super::program::Change;
use pager::{
    Access, Action, Checksum, Grabbed, Installed, Into, Operation, OptionsError, Page, Pager, Place,
};
use pager_facts::{EngineStep, Mapping, PageStretch};
use std::collections::HashMap;

/// A page that is in memory.
#[derive(Clone, Copy)]
struct Here {
    protected: bool,
}

pub struct World {
    pub pager: Pager,
    protects: bool,
    memory: HashMap<u64, Here>,
    /// What is in a page, as a number; not among them: zeros.
    contents: HashMap<u64, u64>,
    /// The last of them.
    newest: u64,
}

/// What became of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acted {
    /// It is done.
    Done,
    /// It is done, and who waits for this page goes on.
    Wakes(u64),
    /// Somebody else has to: a server.
    Asks(Place, Action),
    /// The disk has done it already.
    Answered(Operation),
}

impl World {
    pub fn new(options: pager::Options, protects: bool) -> Result<World, OptionsError> {
        let pager = Pager::new(options)?;
        Ok(World { pager, protects, memory: HashMap::new(), contents: HashMap::new(), newest: 0 })
    }

    /// Whether a page is in memory.
    pub fn has(&self, page: u64) -> bool {
        self.memory.contains_key(&page)
    }

    /// Whether there is nothing but zeros in a page.
    pub fn is_zeros(&self, page: u64) -> bool {
        !self.contents.contains_key(&page)
    }

    /// The program uses a page. `false`: it would change what is protected, and nothing is changed.
    pub fn change(&mut self, page: u64, change: Change) -> bool {
        let protected = self.memory.get(&page).is_some_and(|here| here.protected);
        match change {
            Change::Nothing => return true,
            _ if protected => return false,
            Change::Others => {
                self.newest += 1;
                self.contents.insert(page, self.newest);
            }
            Change::Zeros => {
                self.contents.remove(&page);
            }
        }
        true
    }

    /// A thread waits because it wants to change a protected page.
    pub fn written(&mut self, page: u64) {
        if self.pager.written(Page(page))
            && let Some(here) = self.memory.get_mut(&page)
        {
            here.protected = false;
        }
    }

    /// The program does something with its memory as such. `false`: it has to wait for pages.
    pub fn map(&mut self, how: Mapping, stretch: PageStretch) -> bool {
        let PageStretch { first, pages } = stretch;
        let page = Page(first);
        match how {
            Mapping::Map => self.pager.map(page, pages),
            Mapping::Unmap => {
                self.drop_pages(stretch);
                self.pager.unmap(page, pages);
            }
            Mapping::Forget => {
                self.drop_pages(stretch);
                self.pager.forget(page, pages);
            }
            Mapping::Hold => return !self.pager.hold(page, pages),
            Mapping::Release => self.pager.release(page, pages),
        }
        true
    }

    pub fn moved(&mut self, PageStretch { first, pages }: PageStretch, to: u64) {
        for number in 0..pages {
            if self.memory.remove(&(first + number)).is_some() {
                self.memory.insert(to + number, Here { protected: false });
            }
            if let Some(content) = self.contents.remove(&(first + number)) {
                self.contents.insert(to + number, content);
            }
        }
        self.pager.moved(Page(first), Page(to), pages);
    }

    /// Carry out what the pager wants.
    pub fn act(&mut self, action: Action) -> Acted {
        match action {
            Action::Zero { page } => self.install(page, Access::Write),
            Action::Install { page, access, .. } => self.install(page, access),
            Action::Grab { page, .. } => self.grab(page),
            Action::Drop { page } => self.drop_clean(page),
            Action::Sum { frame } => {
                self.pager.sum(frame, Checksum(frame.0.into()));
                Acted::Done
            }
            Action::Reserve { place: Place::DISK, slots } => {
                self.pager.granted(Place::DISK, slots);
                Acted::Done
            }
            Action::Write { place: Place::DISK, operation, .. }
            | Action::Read { place: Place::DISK, operation, .. } => Acted::Answered(operation),
            Action::Write { place, .. }
            | Action::Read { place, .. }
            | Action::Reserve { place, .. } => Acted::Asks(place, action),
            Action::Poison { page } => Acted::Wakes(page.0),
            Action::Discard { .. }
            | Action::Empty { .. }
            | Action::Clear { .. }
            | Action::Xor { .. } => Acted::Done,
        }
    }

    /// A page that was asked for is here. Who waits for it goes on.
    pub fn came(&mut self, operation: Operation, into: Into) -> Option<u64> {
        let Into::Page(page) = into else {
            self.pager.done(operation, Ok(None));
            return None;
        };
        let how = match self.pager.welcome(operation, page) {
            Some(access) => self.put(page, access),
            None => Installed::Gone,
        };
        self.pager.done(operation, Ok(Some(how)));
        Some(page.0)
    }

    fn install(&mut self, page: Page, access: Access) -> Acted {
        let how = self.put(page, access);
        self.pager.installed(page, how);
        Acted::Wakes(page.0)
    }

    fn put(&mut self, page: Page, access: Access) -> Installed {
        if self.memory.contains_key(&page.0) {
            return Installed::Present;
        }
        let protected = access == Access::Read && self.protects;
        self.memory.insert(page.0, Here { protected });
        if protected { Installed::Protected } else { Installed::Done }
    }

    fn grab(&mut self, page: Page) -> Acted {
        let how = match self.memory.remove(&page.0) {
            Some(_) => self.contents.get(&page.0).map_or(Grabbed::TakenZeros, |content| {
                Grabbed::Taken(Checksum(u128::from(*content)))
            }),
            None => Grabbed::Absent,
        };
        self.pager.grabbed(page, how);
        Acted::Done
    }

    fn drop_clean(&mut self, page: Page) -> Acted {
        let how = match self.memory.get(&page.0) {
            Some(here) if here.protected => Grabbed::Dropped,
            Some(_) => Grabbed::Busy,
            None => Grabbed::Absent,
        };
        if how == Grabbed::Dropped {
            self.memory.remove(&page.0);
        }
        self.pager.grabbed(page, how);
        Acted::Done
    }

    fn drop_pages(&mut self, PageStretch { first, pages }: PageStretch) {
        for page in first..first + pages {
            self.memory.remove(&page);
            self.contents.remove(&page);
        }
    }
}

/// What the time of an action is counted as.
pub fn step_of(action: &Action) -> Option<EngineStep> {
    match action {
        Action::Zero { .. } => Some(EngineStep::Zero),
        Action::Grab { .. } => Some(EngineStep::Take),
        Action::Drop { .. } => Some(EngineStep::Drop),
        Action::Install { .. } => Some(EngineStep::PutBack),
        Action::Write { .. } => Some(EngineStep::Write),
        Action::Read { .. } => Some(EngineStep::Read),
        Action::Clear { .. } | Action::Xor { .. } | Action::Sum { .. } => Some(EngineStep::Parity),
        Action::Empty { .. } => Some(EngineStep::Empty),
        Action::Poison { .. } | Action::Discard { .. } | Action::Reserve { .. } => None,
    }
}
