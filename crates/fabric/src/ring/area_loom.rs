//! The memory of one path as Loom models it.

use super::AtomicU64;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Area(Arc<Vec<AtomicU64>>);

impl Area {
    pub fn zeroed(words: usize) -> Area {
        Area(Arc::new((0..words).map(|_| AtomicU64::new(0)).collect()))
    }

    pub fn words(&self) -> &[AtomicU64] {
        &self.0
    }
}
