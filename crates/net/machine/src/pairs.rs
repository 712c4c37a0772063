//! Something by a pair of nodes, or by another number: of all that there may be only those that
//! there are.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// By numbers that nobody chooses to collide.
pub type Table<T> = HashMap<u64, T, BuildHasherDefault<Spread>>;

/// The number of a pair.
pub fn pair(from: u16, to: u16) -> u64 {
    u64::from(from) << 16 | u64::from(to)
}

/// A number, spread over all bits by the golden section.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        let spread = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = spread ^ (spread >> 32);
    }
}
