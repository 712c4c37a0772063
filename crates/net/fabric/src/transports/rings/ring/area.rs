//! The memory of one path: a part of a region that nodes share.

use super::AtomicU64;
use memory::Region;
use std::ops::Range;
use std::sync::Arc;

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

    #[inline(always)]
    pub fn words(&self) -> &[AtomicU64] {
        &self.region.words()[self.words.clone()]
    }

    /// `len` bytes from the word `first` on, for a receiver that holds them.
    #[inline]
    pub fn bytes(&self, first: usize, len: usize) -> &[u8] {
        let words = &self.words()[first..first + len.div_ceil(size_of::<u64>())];
        // SAFETY: the slice above checked the bounds, and bytes need no alignment. The ring's
        // protocol keeps the sender from storing here until this end has given the bytes back,
        // which takes `&mut` of the receiver that lent `&self`; the acquiring load of the slot's
        // state ordered the sender's stores before this.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), len) }
    }
}
