//! An atomic word, so that a protocol over words can be written once and run on a model checker's.

use std::sync::atomic::{AtomicU64, Ordering};

/// An atomic word: the machine's, or a model checker's.
pub trait Word {
    /// As [`AtomicU64::load`].
    fn load(&self, order: Ordering) -> u64;
    /// As [`AtomicU64::store`].
    fn store(&self, value: u64, order: Ordering);
    /// As [`AtomicU64::swap`].
    fn swap(&self, value: u64, order: Ordering) -> u64;
    /// As [`AtomicU64::fetch_or`].
    fn fetch_or(&self, bits: u64, order: Ordering) -> u64;
}

impl Word for AtomicU64 {
    #[inline(always)]
    fn load(&self, order: Ordering) -> u64 {
        AtomicU64::load(self, order)
    }

    #[inline(always)]
    fn store(&self, value: u64, order: Ordering) {
        AtomicU64::store(self, value, order);
    }

    #[inline(always)]
    fn swap(&self, value: u64, order: Ordering) -> u64 {
        AtomicU64::swap(self, value, order)
    }

    #[inline(always)]
    fn fetch_or(&self, bits: u64, order: Ordering) -> u64 {
        AtomicU64::fetch_or(self, bits, order)
    }
}
