//! The pager: what the driver tells it, and what it wants done.

use crate::residency::Residency;
use crate::{
    Access, Action, Checksum, Fault, Frame, Grabbed, Installed, Operation, Options, OptionsError,
    Outcome, Page, Place, Role, Status,
};

/// Which pages are in memory, which are outside and where, and what is to be done about it.
///
/// Drain [`Pager::next_action`] after every input. What names a page or a frame is carried out, or
/// given up as [`Installed::Gone`] or [`Grabbed::Busy`], before the next input, in order; only
/// [operations](Operation) are answered later.
pub struct Pager {
    residency: Residency,
}

impl Pager {
    /// A pager without any memory yet.
    ///
    /// # Errors
    /// If the options are out of bounds.
    pub fn new(options: Options) -> Result<Pager, OptionsError> {
        options.check()?;
        Ok(Pager { residency: Residency::new(options) })
    }

    /// How many frames the driver must have, numbered from 0: those of [`Options::staging_frames`],
    /// and some in which parity is made.
    pub fn frames(&self) -> u32 {
        self.residency.frames()
    }

    /// New memory: all zero, nothing resident. What was mapped there before is gone.
    pub fn map(&mut self, first: Page, pages: u64) {
        self.residency.map(first, pages);
    }

    /// This memory is gone, and its contents with it. Parts that were not mapped are no harm.
    pub fn unmap(&mut self, first: Page, pages: u64) {
        self.residency.unmap(first, pages);
    }

    /// The program gave the contents up (`MADV_DONTNEED`): zero again, nothing resident, still
    /// mapped.
    ///
    /// Call it when the system has dropped the pages. Reads that are under way are no longer
    /// [welcome](Pager::welcome).
    pub fn forget(&mut self, first: Page, pages: u64) {
        self.residency.forget(first, pages);
    }

    /// The contents are at another address now (`mremap`), together with what was resident, which
    /// anybody may write to again. What was mapped at `to` is gone. `from` is no longer mapped.
    pub fn moved(&mut self, from: Page, to: Page, pages: u64) {
        self.residency.moved(from, to, pages);
    }

    /// A thread touched a page that is not there. `None`: the pager does not know that page.
    pub fn fault(&mut self, page: Page, write: bool) -> Option<Fault> {
        self.residency.fault(page, write)
    }

    /// A thread is about to write to a page that was put there [protected](Installed::Protected).
    /// Whether to let it: then the driver lifts the protection, and otherwise it wakes the thread,
    /// which faults again.
    pub fn written(&mut self, page: Page) -> bool {
        self.residency.written(page)
    }

    /// To be asked right before the bytes of a read are put into a page of the program
    /// ([`Into::Page`](crate::Into::Page)): how. `None`: the program gave that page up, unmapped it
    /// or moved it while the read was under way; drop the bytes, and answer with
    /// [`Installed::Gone`].
    pub fn welcome(&self, operation: Operation, page: Page) -> Option<Access> {
        self.residency.welcome(operation, page)
    }

    /// How a [`Action::Grab`] or [`Action::Drop`] went.
    pub fn grabbed(&mut self, page: Page, how: Grabbed) {
        self.residency.grabbed(page, how);
    }

    /// How a [`Action::Zero`] or [`Action::Install`] went. After [`Installed::Gone`] and
    /// [`Installed::Present`] the driver wakes whoever waits for the page: they fault again if it
    /// is still missing.
    pub fn installed(&mut self, page: Page, how: Installed) {
        self.residency.installed(page, how);
    }

    /// The answer to an operation.
    pub fn done(&mut self, operation: Operation, outcome: Outcome) {
        self.residency.done(operation, outcome);
    }

    /// The answer to a [`Action::Reserve`]: how many slots more; 0 if the place is full or busy.
    pub fn granted(&mut self, place: Place, slots: u32) {
        self.residency.granted(place, slots);
    }

    /// A place is gone, with all that it held.
    pub fn down(&mut self, place: Place) {
        self.residency.down(place);
    }

    /// A place is there (again), and empty.
    pub fn joined(&mut self, place: Place, role: Role) {
        self.residency.joined(place, role);
    }

    /// The answer to a [`Action::Sum`].
    pub fn sum(&mut self, frame: Frame, checksum: Checksum) {
        self.residency.sum(frame, checksum);
    }

    /// Time passes. Any clock that never goes back; a few times a second is enough.
    pub fn tick(&mut self, now_ns: u64) {
        self.residency.tick(now_ns);
    }

    /// The driver has a moment: a few pages leave ahead of need, so that faults find room. To be
    /// called after every input, when what is urgent is under way. Whether more pages should leave:
    /// then call again soon.
    pub fn tidy(&mut self) -> bool {
        self.residency.tidy()
    }

    /// A system call is about to use these pages: bring them, and keep them until
    /// [`Pager::release`]. Holds are counted. `false`: too much is held already (half the budget);
    /// nothing is held by this call, try again after a release, or with less.
    pub fn hold(&mut self, first: Page, pages: u64) -> bool {
        self.residency.hold(first, pages)
    }

    /// Nobody can touch these pages for a while, and the driver cannot take them: keep those that
    /// are there until [`Pager::release`], and leave the others where they are. The answer is that
    /// of [`Pager::hold`].
    pub fn pin(&mut self, first: Page, pages: u64) -> bool {
        self.residency.pin(first, pages)
    }

    /// Whether all these pages are there (or lost, or not mapped: then the system call will see
    /// that).
    pub fn held(&self, first: Page, pages: u64) -> bool {
        self.residency.held(first, pages)
    }

    /// The system call is over.
    pub fn release(&mut self, first: Page, pages: u64) {
        self.residency.release(first, pages);
    }

    /// From now on no page leaves, and all may be here, however many they are: the program is about
    /// to fork, and what is here its child will have. `false`: more than `most` pages have
    /// contents; then nothing has changed.
    pub fn gather(&mut self, most: u64) -> bool {
        self.residency.gather(most)
    }

    /// Bring those of these pages that have contents, between [`Pager::gather`] and
    /// [`Pager::scatter`].
    pub fn bring(&mut self, first: Page, pages: u64) {
        self.residency.bring_all(first, pages);
    }

    /// Whether they are here; `None`: not yet. `false`: one of them is lost.
    pub fn gathered(&mut self, first: Page, pages: u64) -> Option<bool> {
        self.residency.gathered(first, pages)
    }

    /// Pages leave again, until the budget is kept.
    pub fn scatter(&mut self) {
        self.residency.scatter();
    }

    /// What is to be done next. `None`: nothing before the next input.
    pub fn next_action(&mut self) -> Option<Action> {
        self.residency.next_action()
    }

    /// How things are.
    pub fn status(&self) -> Status {
        self.residency.status()
    }

    /// Faults so far that waited for a read of their own, and pages that were read ahead of need:
    /// as [`Status::faults_hard`] and [`Status::page_ins_prefetch`], at once.
    pub fn reads(&self) -> (u64, u64) {
        self.residency.reads()
    }

    /// Pages that left so far and had changed: as [`Status::evictions_dirty`], at once.
    pub fn evictions_dirty(&self) -> u64 {
        self.residency.evictions_dirty()
    }

    /// Whether nothing is under way, and every page outside is as safe as the policy makes it.
    pub fn settled(&self) -> bool {
        self.residency.settled()
    }
}
