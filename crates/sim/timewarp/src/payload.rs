//! What a message carries.

use crate::Digest;
use std::cmp::Ordering;
use std::fmt::Debug;

/// A message's payload: typed in memory, bytes between processes.
///
/// The bytes are canonical (integers big-endian two's complement, floats as big-endian IEEE 754
/// patterns): messages of a bundle are ordered by them, and their length is what the record calls
/// the message's size.
pub trait Payload: Clone + Debug + Send + 'static {
    /// Append the canonical bytes.
    fn encode(&self, bytes: &mut Vec<u8>);

    /// What [`Payload::encode`] wrote; `None` if these bytes cannot have come from it.
    fn decode(bytes: &[u8]) -> Option<Self>;

    /// Canonical order: that of the bytes as unsigned numbers, then of their lengths. A typed
    /// comparison must agree.
    fn order(&self, other: &Self) -> Ordering {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        self.encode(&mut ours);
        other.encode(&mut theirs);
        ours.cmp(&theirs)
    }

    /// Canonical length.
    fn bytes(&self) -> usize {
        let mut bytes = Vec::new();
        self.encode(&mut bytes);
        bytes.len()
    }

    /// Add all that it carries to the digest of committed events. What differs in its bytes must
    /// differ here; a model whose bytes are many may add its fields instead. `scratch` is
    /// anybody's.
    #[inline]
    fn digest(&self, digest: &mut Digest, scratch: &mut Vec<u8>) {
        if self.bytes() > 0 {
            scratch.clear();
            self.encode(scratch);
            digest.bytes(scratch);
        }
    }

    /// Memory that it holds outside itself, for the node's budget.
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Payload for () {
    #[inline]
    fn encode(&self, _: &mut Vec<u8>) {}

    #[inline]
    fn decode(bytes: &[u8]) -> Option<()> {
        bytes.is_empty().then_some(())
    }

    #[inline]
    fn order(&self, (): &()) -> Ordering {
        Ordering::Equal
    }

    #[inline]
    fn bytes(&self) -> usize {
        0
    }
}

impl Payload for u64 {
    #[inline]
    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_be_bytes());
    }

    #[inline]
    fn decode(bytes: &[u8]) -> Option<u64> {
        Some(u64::from_be_bytes(bytes.try_into().ok()?))
    }

    #[inline]
    fn order(&self, other: &u64) -> Ordering {
        self.cmp(other)
    }

    #[inline]
    fn bytes(&self) -> usize {
        8
    }
}

impl Payload for Vec<u8> {
    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self);
    }

    fn decode(bytes: &[u8]) -> Option<Vec<u8>> {
        Some(bytes.to_vec())
    }

    fn order(&self, other: &Vec<u8>) -> Ordering {
        self.cmp(other)
    }

    fn bytes(&self) -> usize {
        self.len()
    }

    fn heap_bytes(&self) -> usize {
        self.capacity()
    }
}
