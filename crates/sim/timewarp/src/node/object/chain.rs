//! Which records of an object there are: from the oldest that is kept to the newest, each of which
//! names the one before and the one after it.

use super::super::slots::NONE;

/// The ends of an object's chain of records, and where in it commitment has come to.
#[repr(C)]
#[derive(Clone, Copy)]
pub(in crate::node) struct Chain {
    newest: u32,
    oldest: u32,
    base: u32,
}

impl Chain {
    pub const EMPTY: Chain = Chain { newest: NONE, oldest: NONE, base: NONE };

    /// The latest record.
    #[inline]
    pub fn newest(&self) -> u32 {
        self.newest
    }

    /// The oldest record that is not committed.
    #[inline]
    pub fn oldest(&self) -> u32 {
        self.oldest
    }

    /// The oldest record of all: what copies of states further on are computed from.
    #[inline]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Whether there are records, all of them of committed events.
    pub fn is_all_committed(&self) -> bool {
        self.base != NONE && self.oldest == NONE
    }

    /// One more record.
    #[inline]
    pub fn add(&mut self, record: u32) {
        self.newest = record;
        if self.oldest == NONE {
            self.oldest = record;
        }
        if self.base == NONE {
            self.base = record;
        }
    }

    /// The newest record is undone; `older` is the one before it.
    pub fn undo(&mut self, older: u32) {
        let record = std::mem::replace(&mut self.newest, older);
        if self.oldest == record {
            self.oldest = NONE;
        }
        if self.base == record {
            self.base = NONE;
        }
    }

    /// The oldest record that was not committed is; `newer` is the one after it.
    #[inline]
    pub fn commit(&mut self, newer: u32) {
        self.oldest = newer;
    }

    /// The oldest record of all is forgotten; `newer` is the one after it.
    #[inline]
    pub fn forget(&mut self, newer: u32) {
        self.base = newer;
        if newer == NONE {
            self.newest = NONE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(chain: &Chain) -> (u32, u32, u32) {
        (chain.base(), chain.oldest(), chain.newest())
    }

    #[test]
    fn records_are_added_committed_and_forgotten_in_order() {
        let mut chain = Chain::EMPTY;
        assert!(!chain.is_all_committed());
        [7, 8, 9].iter().for_each(|record| chain.add(*record));
        assert_eq!(ends(&chain), (7, 7, 9));
        chain.commit(8);
        chain.forget(8);
        assert_eq!(ends(&chain), (8, 8, 9));
        chain.commit(9);
        chain.commit(NONE);
        assert!(chain.is_all_committed());
        chain.add(4);
        assert_eq!(ends(&chain), (8, 4, 4), "what is committed stays the base");
        chain.undo(9);
        assert_eq!(ends(&chain), (8, NONE, 9));
        chain.forget(9);
        chain.forget(NONE);
        assert_eq!(ends(&chain), (NONE, NONE, NONE));
    }

    #[test]
    fn the_last_record_to_be_undone_leaves_nothing() {
        let mut chain = Chain::EMPTY;
        chain.add(1);
        chain.add(2);
        chain.undo(1);
        assert_eq!(ends(&chain), (1, 1, 1));
        chain.undo(NONE);
        assert_eq!(ends(&chain), (NONE, NONE, NONE));
    }
}
