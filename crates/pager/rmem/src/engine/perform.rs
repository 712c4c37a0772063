//! Carrying out what the pager wants.

use super::asked::{Asked, What};
use super::pages::{Taking, address};
use super::{Engine, waits::Cause};
use crate::checksum;
use pager::{
    Access, Action, Frame, Grabbed, Installed, Into, Operation, PAGE_BYTES, Page, Place, Purpose,
    Urgency,
};
use pager_facts::{EngineStep, FrameTask, Happened, Held, Leaving};
use record::Kind;

impl Engine {
    /// Carry out all that the pager wants, until it wants nothing more.
    pub(super) fn perform_all(&mut self) {
        let mut actions = std::mem::take(&mut self.buffers.actions);
        loop {
            actions.extend(std::iter::from_fn(|| self.pager.next_action()));
            if actions.is_empty() {
                break;
            }
            let mut rest = &actions[..];
            while let Some(first) = rest.first() {
                let many = run_length(rest);
                self.perform(first, many as u32);
                rest = &rest[many..];
            }
            actions.clear();
        }
        self.buffers.actions = actions;
    }

    /// Carry out `many` actions that differ only in that each is the neighbour of the one before.
    fn perform(&mut self, action: &Action, many: u32) {
        let begun = self.time.now();
        self.act(action, many);
        if let Some(step) = step_of(action) {
            self.waits.page_events.worked(step, many.into(), self.time.now() - begun);
        }
    }

    fn act(&mut self, action: &Action, many: u32) {
        match *action {
            Action::Zero { page } => self.zero(page, many),
            Action::Grab { page, frame } => self.grab(page, frame, many),
            Action::Drop { page } => self.drop_clean(page, many),
            Action::Install { page, frame, access } => self.install(page, frame, access),
            Action::Poison { page } => self.poison(page),
            Action::Empty { frame } => self.empty(frame, many),
            Action::Clear { frame } => self.clear(frame),
            Action::Xor { from, into } => self.staging.xor(from, into),
            Action::Sum { frame } => self.pager.sum(frame, checksum(self.staging.bytes(frame))),
            Action::Write { place, .. }
            | Action::Read { place, .. }
            | Action::Discard { place, .. }
            | Action::Reserve { place, .. } => self.ask(place, action),
        }
    }

    fn zero(&mut self, first: Page, many: u32) {
        let now = self.time.now();
        for page in first.0..first.0 + u64::from(many) {
            self.waits.page_events.ahead(page, now);
        }
        let pager = &mut self.pager;
        self.pages.zero(first, many.into(), |page, how| pager.installed(page, how));
        self.waits.end(first, many.into(), self.time.now());
    }

    fn grab(&mut self, first: Page, frame: Frame, many: u32) {
        let Engine { pages, staging, pager, waits, time, .. } = self;
        let (mut absent, now) = (None, time.now());
        pages.grab(first, frame, many, staging, |page, frame, how: Taking| {
            if how == Taking::Absent {
                absent = Some(page);
            }
            let how = how.with(|| staging.bytes(frame));
            let before = pager.evictions_dirty();
            pager.grabbed(page, how);
            let held = match how {
                Grabbed::TakenZeros => Held::Zeros,
                Grabbed::Taken(_) if pager.evictions_dirty() != before => Held::Changed,
                Grabbed::Taken(_) => Held::Same,
                Grabbed::Dropped | Grabbed::Absent | Grabbed::Busy => return,
            };
            waits.page_events.gone(page.0, held, now);
        });
        self.tell_absent(absent);
    }

    fn drop_clean(&mut self, first: Page, many: u32) {
        let Engine { pages, pager, waits, time, .. } = self;
        let (mut absent, now) = (None, time.now());
        pages.drop_clean(first, many, |page, how| {
            if how == Grabbed::Absent {
                absent = Some(page);
            }
            pager.grabbed(page, how);
            if how == Grabbed::Dropped {
                waits.page_events.gone(page.0, Held::Same, now);
            }
        });
        self.tell_absent(absent);
    }

    /// Only a system call that we do not see can do that.
    fn tell_absent(&mut self, page: Option<Page>) {
        if let Some(page) = page {
            self.progress.events.page_taken(page, Leaving::GivenUp);
        }
    }

    fn install(&mut self, page: Page, frame: Frame, access: Access) {
        let pager = &mut self.pager;
        let mut went = Installed::Done;
        self.waits.page_events.ahead(page.0, self.time.now());
        self.pages.fill(page, self.staging.bytes(frame), access, |page, how| {
            went = how;
            pager.installed(page, how);
        });
        if went == Installed::Gone {
            self.progress.events.page_taken(page, Leaving::Unmapped);
        }
        self.waits.end(page, 1, self.time.now());
    }

    fn poison(&mut self, page: Page) {
        // Whoever touches it may be the last of the program: what is lost is told before.
        if !std::mem::replace(&mut self.progress.poisoned, true) {
            let _ = self.save_progress();
        }
        if let Err(error) = self.pages.poison(page) {
            // Whoever touches it waits for ever: never wrong bytes.
            let (page, error) = (address(page) as u64, error.to_string());
            self.progress.events.tell(Happened::PageStuck { page, error });
        }
        self.waits.end(page, 1, self.time.now());
    }

    fn empty(&mut self, first: Frame, many: u32) {
        if let Err(error) = self.staging.empty(first, many) {
            self.progress.events.frames_failed(many, FrameTask::Empty, &error);
        }
    }

    /// An empty frame is filled by the kernel: writing to it would be a fault that only we can
    /// serve.
    fn clear(&mut self, frame: Frame) {
        let (_, result) = self.pages.uffd.copy(self.staging.address(frame), &[0; PAGE_BYTES]);
        if let Err(error) = result {
            self.progress.events.frames_failed(1, FrameTask::Clear, &error);
        }
    }

    /// Hand something to a place, or keep it until there is room on the way.
    pub(super) fn ask(&mut self, place: Place, action: &Action) {
        let ready = self.time.now();
        if let Action::Read { into: Into::Page(page), urgency: Urgency::Prefetch, .. } = *action {
            self.waits.page_events.ahead(page.0, ready);
        }
        if let Some((operation, what)) = what_of(action) {
            self.asks.insert(operation, Asked { place, what, ready });
        }
        if place == Place::DISK {
            return self.ask_disk(action, ready);
        }
        let Some(site) = self.servers.at(place) else { return };
        if site.waiting.is_empty() && site.room() {
            self.send(place, action);
        } else if !site.down {
            site.waiting.push_back(*action);
        }
        // A place that went down a moment ago gets nothing: the pager knows, and expects no
        // answers.
    }

    /// What waited for room.
    pub(super) fn send_waiting(&mut self, at: usize) {
        while self.servers.sites[at].room() {
            let Some(action) = self.servers.sites[at].waiting.pop_front() else { return };
            self.send(self.servers.sites[at].place, &action);
        }
    }

    fn send(&mut self, place: Place, action: &Action) {
        let Some(site) = self.servers.at(place) else { return };
        match *action {
            Action::Read { operation, slot, .. } => return site.reads.push((operation.0, slot.0)),
            Action::Discard { slot, .. } => return site.discards.push(slot.0),
            _ => site.gather(),
        }
        let Some(link) = &mut site.link else { return };
        match *action {
            Action::Write { operation, slot, frame, tag, purpose, .. } => {
                link.write(operation.0, slot.0, tag, self.staging.bytes(frame), purpose as u8);
            }
            Action::Reserve { slots, .. } => link.reserve(slots),
            _ => {}
        }
    }

    fn ask_disk(&mut self, action: &Action, now: u64) {
        match *action {
            Action::Write { operation, slot, frame, tag, .. } => {
                self.disk.write(operation.0, slot.0, tag, self.staging.bytes(frame), now);
            }
            Action::Read { operation, slot, .. } => self.disk.read(operation.0, slot.0, now),
            Action::Discard { slot, .. } => self.disk.discard(slot.0),
            // The disk has room as far as the pager knows.
            Action::Reserve { slots, .. } => self.pager.granted(Place::DISK, slots),
            _ => {}
        }
    }

    /// A thread of the program waits.
    pub(super) fn serve_fault(&mut self, fault: crate::uffd::Fault) {
        let page = Page((fault.address / PAGE_BYTES) as u64);
        if fault.protected {
            return self.serve_write(page, fault.thread);
        }
        let begun = self.time.now();
        let decided = self.pager.fault(page, fault.write);
        self.waits.page_events.worked(EngineStep::Decide, 1, self.time.now() - begun);
        let cause = match decided {
            Some(pager::Fault::Zero) => Cause::Zero,
            Some(pager::Fault::Soft) => Cause::Soft,
            Some(pager::Fault::Hard) => Cause::Hard,
            // Unmapped in the meantime: whoever touches it again gets what the kernel gives for
            // that.
            Some(pager::Fault::Stale | pager::Fault::Lost) | None => return self.pages.wake(page),
        };
        self.waits.begin(page, cause, self.time.now());
        self.waits.page_events.touched(page.0, fault.write, fault.thread, begun);
        if cause == Cause::Hard {
            self.watch.beside.faulted(fault.thread);
            self.waits.whence.waits(fault.thread);
        }
        self.perform_all();
    }

    /// A thread writes to a page that is protected, or was when it was being taken out: by now that
    /// is over.
    fn serve_write(&mut self, page: Page, thread: u32) {
        self.waits.page_events.written(page.0, thread, self.time.now());
        let lifted = self.pager.written(page) && self.pages.unprotect(page);
        if !lifted {
            self.pages.wake(page);
        }
    }

    /// Pages that came in a row.
    pub(super) fn fill(
        &mut self,
        first: Page,
        bytes: &[u8],
        access: Access,
        mut tell: impl FnMut(Page, Installed),
    ) {
        let mut gone = None;
        self.pages.fill(first, bytes, access, |page, how| {
            if how == Installed::Gone {
                gone = Some(page);
            }
            tell(page, how);
        });
        if let Some(page) = gone {
            self.progress.events.page_taken(page, Leaving::Unmapped);
        }
        self.waits.end(first, (bytes.len() / PAGE_BYTES) as u64, self.time.now());
    }
}

/// How many of the first actions are neighbours and can be done in one call of the system.
fn run_length(actions: &[Action]) -> usize {
    let follows = |pair: &&[Action]| match (pair[0], pair[1]) {
        (Action::Grab { page, frame }, Action::Grab { page: next, frame: next_frame }) => {
            next.0 == page.0 + 1 && next_frame.0 == frame.0 + 1
        }
        (Action::Zero { page }, Action::Zero { page: next }) => next.0 == page.0 + 1,
        (Action::Drop { page }, Action::Drop { page: next }) => next.0 == page.0 + 1,
        (Action::Empty { frame }, Action::Empty { frame: next }) => next.0 == frame.0 + 1,
        _ => false,
    };
    1 + actions.windows(2).take_while(follows).count()
}

/// What the time of an action is counted as.
fn step_of(action: &Action) -> Option<EngineStep> {
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

/// What the answer will be about.
fn what_of(action: &Action) -> Option<(Operation, What)> {
    match *action {
        Action::Write { operation, purpose, .. } => {
            let kind = if purpose == Purpose::Parity { Kind::Parity } else { Kind::PageOut };
            Some((operation, What::Store { kind }))
        }
        Action::Read { operation, version, checksum, into, .. } => {
            let what = What::Fetch { into, version, checksum, cancelled: false };
            Some((operation, what))
        }
        _ => None,
    }
}

/// Where a frame's bytes are to go.
pub(super) fn frame_of(into: Into) -> Option<Frame> {
    match into {
        Into::Frame(frame) => Some(frame),
        Into::Page(_) => None,
    }
}
