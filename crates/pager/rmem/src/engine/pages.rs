//! Putting pages into the program's memory and taking them out.

use super::Shared;
use crate::checksum::checksum_unless_zeros;
use crate::pagemap::{PageState, Pagemap};
use crate::staging::Staging;
use crate::uffd::{Abilities, Uffd};
use pager::{Access, Frame, Grabbed, Installed, PAGE_BYTES, Page};
use std::io;
use std::sync::Arc;

/// Zeros to copy.
static ZEROS: [u8; 64 * PAGE_BYTES] = [0; 64 * PAGE_BYTES];

/// How often something that fails because another thread changes the same mapping is tried again.
const TRIES: u32 = 1000;

/// The program's paged memory, seen by the engine.
pub struct Pages {
    pub uffd: Uffd,
    /// A forked child may have the same pages, until one of the two writes to them.
    pub may_be_shared: bool,
    shared: Arc<Shared>,
    pagemap: Option<Pagemap>,
}

pub fn address(page: Page) -> usize {
    page.0 as usize * PAGE_BYTES
}

impl Pages {
    pub fn new(uffd: Uffd, shared: Arc<Shared>) -> Pages {
        // Without it nothing can be protected: a loss of speed.
        Pages { uffd, may_be_shared: false, shared, pagemap: Pagemap::open().ok() }
    }

    /// Zeros into pages in a row, and how that went for each.
    pub fn zero(&self, first: Page, many: u64, mut tell: impl FnMut(Page, Installed)) {
        let (mut at, end) = (first.0, first.0 + many);
        while at < end {
            let some = (end - at).min(64);
            self.fill(Page(at), &ZEROS[..some as usize * PAGE_BYTES], Access::Write, &mut tell);
            at += some;
        }
    }

    /// These bytes into pages in a row, and how that went for each. Who waits for them goes on.
    pub fn fill(
        &self,
        first: Page,
        bytes: &[u8],
        access: Access,
        mut tell: impl FnMut(Page, Installed),
    ) {
        let protect = access == Access::Read && self.can_protect();
        let how = if protect { Installed::Protected } else { Installed::Done };
        let (mut at, mut tries, mut together) = (0, 0, bytes.len());
        while at < bytes.len() {
            let page = Page(first.0 + (at / PAGE_BYTES) as u64);
            let some = together.min(bytes.len() - at);
            let part = &bytes[at..at + some];
            let (done, result) = match protect {
                true => self.uffd.copy_protected(address(page), part),
                false => self.uffd.copy(address(page), part),
            };
            for number in 0..(done / PAGE_BYTES) as u64 {
                tell(Page(page.0 + number), how);
            }
            at += done;
            let Err(error) = result else { continue };
            if done > 0 {
                continue;
            }
            tries += 1;
            if again(&error) && tries < TRIES {
                continue;
            }
            if some > PAGE_BYTES {
                // One call stays within one piece of a mapping, and pieces may be smaller than a
                // run: then it fails as if nothing were there.
                together = PAGE_BYTES;
                continue;
            }
            tell(page, self.why_not(page, &error));
            (at, tries) = (at + PAGE_BYTES, 0);
        }
    }

    /// Whether writes can be made to wait: those of the kernel, too, and it must be seen afterwards
    /// that nothing was written.
    fn can_protect(&self) -> bool {
        let Abilities { kernel_faults, protects, .. } = self.uffd.abilities();
        kernel_faults && protects && self.pagemap.is_some()
    }

    fn why_not(&self, page: Page, error: &io::Error) -> Installed {
        match error.raw_os_error() {
            Some(libc::EEXIST) => {
                self.wake(page);
                Installed::Present
            }
            // Unmapped, or not ours any more.
            Some(libc::ENOENT) => Installed::Gone,
            _ => panic!("page {:#x} cannot be filled: {error}", address(page)),
        }
    }

    /// Let who waits for a page look again.
    pub fn wake(&self, page: Page) {
        // Fails when the page is no longer registered: then nobody waits for it.
        let _ = self.uffd.wake(address(page), PAGE_BYTES);
    }

    /// Take pages in a row into frames in a row, which are empty, and say how that went for each.
    /// What was taken is in its frame when `tell` is called.
    pub fn grab(
        &self,
        first: Page,
        frame: Frame,
        many: u32,
        staging: &Staging,
        mut tell: impl FnMut(Page, Frame, Taking),
    ) {
        let (mut at, mut tries, mut together) = (0, 0, many);
        while at < many {
            let (page, into) = (Page(first.0 + u64::from(at)), Frame(frame.0 + at));
            if !self.uffd.abilities().moves {
                tell(page, into, self.copy_out(page, into, staging));
                at += 1;
                continue;
            }
            let some = together.min(many - at);
            let bytes = some as usize * PAGE_BYTES;
            let (done, result) = self.uffd.move_pages(staging.address(into), address(page), bytes);
            let done = (done / PAGE_BYTES) as u32;
            for number in 0..done {
                tell(Page(page.0 + u64::from(number)), Frame(into.0 + number), Taking::Taken);
            }
            at += done;
            let Err(error) = result else { continue };
            // When the kernel meets a page that it is migrating itself, it may have moved more than
            // it says (seen on 6.18).
            let more = (at..many)
                .take_while(|at| is_there(staging.address(Frame(frame.0 + at))))
                .count() as u32;
            for number in at..at + more {
                tell(Page(first.0 + u64::from(number)), Frame(frame.0 + number), Taking::Taken);
            }
            at += more;
            if done + more > 0 {
                continue;
            }
            tries += 1;
            if again(&error) && tries < TRIES {
                continue;
            }
            if tries == 1 && error.raw_os_error() == Some(libc::EBUSY) && self.unshare(page, some) {
                continue;
            }
            if some > 1 {
                // As in `fill`.
                together = 1;
                continue;
            }
            tell(page, into, reason(&error));
            (at, tries) = (at + 1, 0);
        }
    }

    /// Pages that a forked child has as well become this process's alone, as if they were written
    /// to: the kernel moves no others. Whether any may be now.
    fn unshare(&self, first: Page, many: u32) -> bool {
        // Where a page is not there, the kernel would wait for us to bring it.
        let pages = (0..u64::from(many)).map(|number| address(Page(first.0 + number)));
        let there = pages.filter(|at| self.may_be_shared && is_there(*at));
        let written = there.filter(|at| {
            if self.can_protect() {
                let _ = self.uffd.protect(*at, PAGE_BYTES, false);
            }
            // SAFETY: changes no contents.
            let done = unsafe {
                libc::syscall(libc::SYS_madvise, *at, PAGE_BYTES, libc::MADV_POPULATE_WRITE)
            };
            done == 0
        });
        written.count() > 0
    }

    /// Take pages in a row away that are protected, and say how that went for each.
    pub fn drop_clean(&self, first: Page, many: u32, mut tell: impl FnMut(Page, Grabbed)) {
        let mut states = [PageState::Absent; Pagemap::MANY];
        let mut at = 0;
        while at < many {
            let some = (many - at).min(Pagemap::MANY as u32);
            let start = Page(first.0 + u64::from(at));
            let states = &mut states[..some as usize];
            let known = self
                .pagemap
                .as_ref()
                .is_some_and(|pagemap| pagemap.look(address(start), states).is_ok());
            let mut rest = &*states;
            let mut page = start;
            while let Some(&state) = rest.first() {
                let alike = rest.iter().take_while(|&&other| other == state).count();
                let how = if known { self.drop_alike(page, alike, state) } else { Grabbed::Busy };
                (0..alike as u64).for_each(|number| tell(Page(page.0 + number), how));
                (page, rest) = (Page(page.0 + alike as u64), &rest[alike..]);
            }
            at += some;
        }
    }

    fn drop_alike(&self, first: Page, many: usize, state: PageState) -> Grabbed {
        match state {
            PageState::Absent => Grabbed::Absent,
            PageState::Open => Grabbed::Busy,
            PageState::Protected => {
                let bytes = many * PAGE_BYTES;
                // SAFETY: the pages are within the arena, and what they hold is kept elsewhere.
                // Nobody can have written to them: who tries waits for the engine, which is us, and
                // finds them missing afterwards.
                let result = unsafe {
                    libc::syscall(libc::SYS_madvise, address(first), bytes, libc::MADV_DONTNEED)
                };
                if result == 0 { Grabbed::Dropped } else { Grabbed::Busy }
            }
        }
    }

    /// The way of older kernels: let writers wait, copy, take the page away, let them go on (into a
    /// fault).
    fn copy_out(&self, page: Page, frame: Frame, staging: &Staging) -> Taking {
        let from = address(page);
        if !is_there(address(page)) {
            return Taking::Absent;
        }
        let protects = self.uffd.abilities().protects;
        if protects && self.uffd.protect(from, PAGE_BYTES, true).is_err() {
            return Taking::Busy;
        }
        // SAFETY: the page is within the arena, mapped (the program gives memory back only through
        // the engine, which is us) and there, so that it can be read without a fault. Threads of
        // the program may read it too; those that write wait.
        let bytes = unsafe { &*(from as *const [u8; PAGE_BYTES]) };
        let copied = self.uffd.copy(staging.address(frame), bytes).1.is_ok();
        if copied {
            // SAFETY: the page belongs to the arena; whoever touches it next finds it missing and
            // waits for the engine.
            unsafe { libc::syscall(libc::SYS_madvise, from, PAGE_BYTES, libc::MADV_DONTNEED) };
        }
        if protects {
            // Fails when nothing is left to allow: the page has gone. Waking is what matters.
            let _ = self.uffd.protect(from, PAGE_BYTES, false);
        }
        self.wake(page);
        if copied { Taking::Taken } else { Taking::Busy }
    }

    /// Take what is there of pages in a row to pages that are mapped and untouched. Stops at what
    /// cannot be taken.
    pub fn shift(&self, from: Page, to: Page, many: u64) -> io::Result<()> {
        // A mapping may consist of pieces, and one call stays within one: where it fails, page by
        // page.
        const TOGETHER: u64 = 512;
        if self.can_protect() {
            // Fails where nothing is mapped: then nothing is protected.
            let _ = self.uffd.protect(address(from), many as usize * PAGE_BYTES, false);
        }
        let mut at = 0;
        while at < many {
            let some = TOGETHER.min(many - at);
            let (source, destination) = (Page(from.0 + at), Page(to.0 + at));
            let (done, result) = match self.uffd.abilities().moves {
                true => self.uffd.move_some(
                    address(destination),
                    address(source),
                    some as usize * PAGE_BYTES,
                ),
                false => (0, Err(io::ErrorKind::Unsupported.into())),
            };
            let done = (done / PAGE_BYTES) as u64;
            at += done;
            if result.is_err() && done == 0 {
                for number in 0..some {
                    self.shift_one(Page(source.0 + number), Page(destination.0 + number))?;
                }
                at += some;
            }
        }
        Ok(())
    }

    fn shift_one(&self, from: Page, to: Page) -> io::Result<()> {
        if !is_there(address(from)) {
            return Ok(());
        }
        for _ in 0..TRIES {
            match self.uffd.move_some(address(to), address(from), PAGE_BYTES).1 {
                Err(error) if again(&error) => {}
                Err(_) => break,
                Ok(()) => return Ok(()),
            }
        }
        // SAFETY: the page is there, and mapped; the program gives it up by asking for the move.
        let bytes = unsafe { &*(address(from) as *const [u8; PAGE_BYTES]) };
        self.uffd.copy(address(to), bytes).1
    }

    /// Let who writes to a page go on. `false`: it is no longer registered.
    pub fn unprotect(&self, page: Page) -> bool {
        self.uffd.protect(address(page), PAGE_BYTES, false).is_ok()
    }

    /// Make a page fail for whoever touches it.
    pub fn poison(&self, page: Page) -> io::Result<()> {
        let at = address(page);
        if self.uffd.abilities().poisons && self.uffd.poison(at, PAGE_BYTES).is_ok() {
            return Ok(());
        }
        self.shared.arena.close(at, PAGE_BYTES).map_err(io::Error::other)?;
        self.wake(page);
        Ok(())
    }
}

/// Whether the kernel has a page at this address.
fn is_there(address: usize) -> bool {
    let mut there = 0u8;
    // SAFETY: the kernel writes one byte for one page.
    let result = unsafe { libc::mincore(address as *mut libc::c_void, PAGE_BYTES, &raw mut there) };
    result == 0 && there & 1 != 0
}

/// How taking a page went; what is in the frame has not been looked at yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taking {
    Taken,
    Absent,
    Busy,
}

impl Taking {
    /// With what the frame holds, if it is full.
    pub fn with<'a>(self, frame: impl FnOnce() -> &'a [u8; PAGE_BYTES]) -> Grabbed {
        match self {
            Taking::Taken => {
                checksum_unless_zeros(frame()).map_or(Grabbed::TakenZeros, Grabbed::Taken)
            }
            Taking::Absent => Grabbed::Absent,
            Taking::Busy => Grabbed::Busy,
        }
    }
}

fn reason(error: &io::Error) -> Taking {
    match error.raw_os_error() {
        Some(libc::ENOENT) => Taking::Absent,
        Some(libc::EEXIST) => panic!("a page cannot be taken: its frame is not empty"),
        _ => Taking::Busy,
    }
}

/// Another thread changes the mapping at this moment.
fn again(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EAGAIN)
}
