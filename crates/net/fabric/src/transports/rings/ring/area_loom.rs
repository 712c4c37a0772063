//! The memory of one path as Loom models it.

use super::AtomicU64;
use memory::Region;
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Area(Arc<Vec<AtomicU64>>);

impl Area {
    pub fn zeroed(words: usize) -> Area {
        Area(Arc::new((0..words).map(|_| AtomicU64::new(0)).collect()))
    }

    /// As the real one is made, so that its users build; Loom sees only words of its own.
    pub fn new(_region: Arc<Region>, range: Range<usize>) -> Area {
        Area::zeroed(range.len())
    }

    pub fn words(&self) -> &[AtomicU64] {
        &self.0
    }
}
