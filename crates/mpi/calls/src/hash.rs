//! A fast hash for keys that are numbers: a multiplication and a fold. The keys are the program's
//! own tags and ranks, not an adversary's.

use std::hash::{BuildHasherDefault, Hasher};

/// A map with this hash.
pub(crate) type FastMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Fold>>;

/// So that zeros do not stay zeros.
const SEED: u64 = 0xf39c_c060_5ced_c835;

#[derive(Default)]
pub(crate) struct Fold(u64);

impl Hasher for Fold {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        // An odd constant without structure (the fraction of the golden ratio): both halves of the
        // product count.
        let product = u128::from(self.0 ^ number ^ SEED) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}
