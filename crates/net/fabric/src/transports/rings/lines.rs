//! What every node shows to the others, in cache lines of its own.

use super::ring::LINE_WORDS;
use crate::spec::NodeId;
use memory::Region;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// The lines of all nodes, which come before all paths.
pub(super) struct Lines {
    region: Arc<Region>,
    /// Words of each node.
    each: usize,
}

impl Lines {
    pub fn new(region: Arc<Region>, each: usize) -> Lines {
        Lines { region, each }
    }

    /// The line of a node.
    #[inline]
    pub fn of(&self, node: NodeId) -> NodeLine<'_> {
        NodeLine { words: &self.words(node)[..LINE_WORDS] }
    }

    /// The words in which others tell a node that they have something for it.
    #[inline]
    pub fn news_of(&self, node: NodeId) -> &[AtomicU64] {
        &self.words(node)[LINE_WORDS..]
    }

    #[inline]
    fn words(&self, node: NodeId) -> &[AtomicU64] {
        let first = usize::from(node) * self.each;
        &self.region.words()[first..first + self.each]
    }
}

/// A bell to be woken by, whether the node sleeps, whether it has left, and whether it has come.
pub(super) struct NodeLine<'a> {
    words: &'a [AtomicU64],
}

impl<'a> NodeLine<'a> {
    pub fn asleep(&self) -> &'a AtomicU64 {
        &self.words[1]
    }

    pub fn left(&self) -> &'a AtomicU64 {
        &self.words[2]
    }

    pub fn came(&self) -> &'a AtomicU64 {
        &self.words[3]
    }

    pub fn bell(&self) -> &'a AtomicU32 {
        // SAFETY: the word is aligned for eight bytes and shared for as long as the borrow; nobody
        // uses it in any other way than as this AtomicU32 in its first half (a futex is 32 bits
        // wide).
        unsafe { &*std::ptr::from_ref(&self.words[0]).cast::<AtomicU32>() }
    }

    pub fn wake(&self) {
        if self.asleep().load(Relaxed) != 0 && self.asleep().swap(0, Relaxed) != 0 {
            self.bell().fetch_add(1, Release);
            memory::wake_all(self.bell());
        }
    }
}
