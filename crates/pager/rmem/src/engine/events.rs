//! What people should know of what happened.

use super::pages::address;
use super::time::monotonic_ns;
use pager::Page;
use pager_facts::{FrameTask, Happened, Leaving, PagerEvent};
use std::fmt::Display;
use std::io;

/// More would be no help, and are dropped.
const MANY: usize = 1000;

/// Events since the program was started.
pub struct Events {
    started_ns: u64,
    told: Vec<PagerEvent>,
    /// The last page for the disk found no room there.
    disk_full: bool,
}

impl Events {
    pub fn new(started_ns: u64) -> Events {
        Events { started_ns, told: Vec::new(), disk_full: false }
    }

    /// It happened now.
    pub fn tell(&mut self, what: Happened) {
        if self.told.len() < MANY {
            let at_s = monotonic_ns().saturating_sub(self.started_ns) as f64 / 1e9;
            self.told.push(PagerEvent { at_s, what });
        }
    }

    /// A page was not where it should be.
    pub fn page_taken(&mut self, page: Page, how: Leaving) {
        self.tell(Happened::PageTaken { page: address(page) as u64, how });
    }

    /// Something with frames went wrong.
    pub fn frames_failed(&mut self, frames: u32, task: FrameTask, error: &dyn Display) {
        self.tell(Happened::FrameFailed { frames, task, error: error.to_string() });
    }

    /// The disk took a page.
    pub fn disk_took(&mut self) {
        self.disk_full = false;
    }

    /// The disk failed. Whether for want of room: that is tried again and again, and told once.
    pub fn disk_failed(&mut self, error: &io::Error) -> bool {
        let full = error.raw_os_error() == Some(libc::ENOSPC);
        match full {
            true if self.disk_full => {}
            true => self.tell(Happened::DiskFull),
            false => self.tell(Happened::DiskFailed { error: error.to_string() }),
        }
        self.disk_full |= full;
        full
    }

    /// Whether the disk has no room, as far as is known.
    pub fn disk_full(&self) -> bool {
        self.disk_full
    }

    /// All, in order.
    pub fn told(&self) -> &[PagerEvent] {
        &self.told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_once_until_it_takes_pages_again() {
        let mut events = Events::new(0);
        let full = || io::Error::from_raw_os_error(libc::ENOSPC);
        assert!(events.disk_failed(&full()) && events.disk_failed(&full()));
        assert!(!events.disk_failed(&io::Error::from_raw_os_error(libc::EIO)));
        assert!(events.disk_full());
        events.disk_took();
        assert!(!events.disk_full() && events.disk_failed(&full()));
        let told: Vec<&Happened> = events.told().iter().map(|event| &event.what).collect();
        assert!(
            matches!(
                told[..],
                [Happened::DiskFull, Happened::DiskFailed { .. }, Happened::DiskFull]
            ),
            "{told:?}"
        );
    }

    #[test]
    fn there_is_an_end_to_it() {
        let mut events = Events::new(0);
        (0..2 * MANY).for_each(|_| events.tell(Happened::DiskWrong));
        assert_eq!(events.told().len(), MANY);
    }
}
