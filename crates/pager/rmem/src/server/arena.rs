//! How much memory a server lends, to all clients together.

use crate::wire::answer::Shortage;
use pager::PAGE_BYTES;
use std::sync::{Mutex, PoisonError};

/// The bound, and what is lent.
pub(crate) struct Arena {
    capacity_pages: u64,
    /// What the machine must keep available, bytes.
    reserve_bytes: u64,
    /// What the machine has available, bytes; `None` where nobody knows.
    available: fn() -> Option<u64>,
    lent: Mutex<Lent>,
}

#[derive(Clone, Copy, Default)]
struct Lent {
    granted_pages: u64,
    /// Granted pages that have been written to: the machine has missed their memory since.
    touched_pages: u64,
}

impl Arena {
    /// `reserve_bytes`: `None` for a twentieth of the machine's memory.
    pub fn new(capacity_pages: u64, reserve_bytes: Option<u64>) -> Arena {
        let reserve_bytes = reserve_bytes.unwrap_or_else(|| meminfo("MemTotal:").unwrap_or(0) / 20);
        Arena { capacity_pages, reserve_bytes, available, lent: Mutex::default() }
    }

    /// The bound.
    pub fn capacity_pages(&self) -> u64 {
        self.capacity_pages
    }

    /// Pages that are lent.
    pub fn granted_pages(&self) -> u64 {
        self.lent().granted_pages
    }

    /// Lend up to `asked` pages.
    pub fn grant(&self, asked: u32) -> (u32, Shortage) {
        let mut lent = self.lent();
        let free = self.capacity_pages - lent.granted_pages;
        let promised_bytes = (lent.granted_pages - lent.touched_pages) * PAGE_BYTES as u64;
        let spare = (self.available)().map_or(u64::MAX, |bytes| {
            bytes.saturating_sub(self.reserve_bytes).saturating_sub(promised_bytes)
                / PAGE_BYTES as u64
        });
        let granted = u64::from(asked).min(free).min(spare);
        lent.granted_pages += granted;
        let shortage = match granted {
            all if all == u64::from(asked) => Shortage::None,
            _ if spare < free => Shortage::Machine,
            _ => Shortage::Full,
        };
        (granted as u32, shortage)
    }

    /// So many granted pages are written to for the first time.
    pub fn touched(&self, pages: u64) {
        self.lent().touched_pages += pages;
    }

    /// Take pages back.
    pub fn give_back(&self, granted: u64, touched: u64) {
        let mut lent = self.lent();
        lent.granted_pages -= granted;
        lent.touched_pages -= touched;
    }

    fn lent(&self) -> std::sync::MutexGuard<'_, Lent> {
        // The counts are whole at every moment: a thread that panicked left them right.
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn available() -> Option<u64> {
    meminfo("MemAvailable:")
}

fn meminfo(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arena(capacity_pages: u64, reserve_bytes: u64, available: fn() -> Option<u64>) -> Arena {
        Arena { capacity_pages, reserve_bytes, available, lent: Mutex::default() }
    }

    #[test]
    fn never_more_than_the_bound_is_lent() {
        let arena = arena(10, 0, || None);
        assert_eq!(arena.grant(7), (7, Shortage::None));
        assert_eq!(arena.grant(7), (3, Shortage::Full));
        assert_eq!(arena.grant(1), (0, Shortage::Full));
        arena.give_back(5, 0);
        assert_eq!(arena.grant(5), (5, Shortage::None));
    }

    #[test]
    fn a_machine_that_is_short_lends_what_it_has_not_promised() {
        let arena = arena(1000, 4 * 4096, || Some(10 * 4096));
        assert_eq!(arena.grant(4), (4, Shortage::None), "10 available, 4 kept");
        assert_eq!(arena.grant(4), (2, Shortage::Machine), "4 are promised");
        assert_eq!(arena.grant(4), (0, Shortage::Machine));
        arena.touched(6);
        assert_eq!(
            arena.grant(4),
            (4, Shortage::None),
            "what is touched is no longer available to anybody"
        );
    }

    #[test]
    fn this_machine_says_what_is_available() {
        assert!(available().is_some_and(|bytes| bytes > 0));
    }
}
