//! The memory of one path: a part of a region that nodes share.

use memory::{Region, Word};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Memory that a path can lie in.
pub(crate) trait Memory {
    /// The machine's atomic word, or a model checker's.
    type Word: Word;

    fn words(&self) -> &[Self::Word];

    /// `len` bytes from the word `first` on, for a receiver that holds them.
    fn bytes(&self, first: usize, len: usize) -> &[u8];
}

/// Some words of a shared region.
#[derive(Clone)]
pub(crate) struct Area {
    region: Arc<Region>,
    words: Range<usize>,
}

impl Area {
    /// The words `range` of `region`, which must have them.
    pub fn new(region: Arc<Region>, range: Range<usize>) -> Area {
        assert!(
            range.end <= region.words().len(),
            "the layout was checked against the region's size"
        );
        Area { region, words: range }
    }
}

impl Memory for Area {
    type Word = AtomicU64;

    #[inline(always)]
    fn words(&self) -> &[AtomicU64] {
        &self.region.words()[self.words.clone()]
    }

    #[inline]
    fn bytes(&self, first: usize, len: usize) -> &[u8] {
        let words = &self.words()[first..first + len.div_ceil(size_of::<u64>())];
        // SAFETY: the slice above checked the bounds, and bytes need no alignment. The ring's
        // protocol keeps the sender from storing here until this end has given the bytes back,
        // which takes `&mut` of the receiver that lent `&self`; the acquiring load of the slot's
        // state ordered the sender's stores before this.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), len) }
    }
}
