//! Digests: of committed events and of final states, so that two runs can be compared by one
//! number.

use std::fmt::{self, Debug, Write};

/// A 64-bit digest of words and bytes: each word is multiplied into the digest with both halves of
/// the product kept. Not for adversaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

const KEY: u64 = 0xa076_1d64_78bd_642f;

impl Digest {
    /// A digest of nothing, under this seed.
    #[inline]
    pub const fn new(seed: u64) -> Digest {
        Digest(seed ^ KEY)
    }

    /// Add a word.
    #[inline]
    pub fn word(&mut self, word: u64) {
        self.0 = fold(self.0 ^ word, KEY);
    }

    /// Add two words, for the price of one.
    #[inline]
    pub fn two(&mut self, a: u64, b: u64) {
        self.0 = fold(self.0 ^ a, b ^ KEY);
    }

    /// Add bytes and their number.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        let (pairs, rest) = bytes.as_chunks::<16>();
        for pair in pairs {
            let both = u128::from_le_bytes(*pair);
            self.two(both as u64, (both >> 64) as u64);
        }
        for chunk in rest.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        self.word(bytes.len() as u64);
    }

    /// Add all that `Debug` shows of a value.
    pub fn shown(&mut self, value: &impl Debug) {
        // Writing into a digest cannot fail.
        let _ = write!(self, "{value:?}");
    }

    /// The number.
    #[inline]
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64 ^ a.rotate_left(32)
}
