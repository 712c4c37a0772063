//! What waits in the heaps of these loops: something with when and for whom it is as one key,
//! earliest first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Something that waits. Letters are compared by their keys alone, the other way round: a heap
/// gives its greatest.
pub(super) struct Letter<K, T> {
    pub key: K,
    pub content: T,
}

/// Take all letters of the least key out of a heap into `bundle`; that key, or `None` where nothing
/// waits.
#[inline]
pub(super) fn next_bundle<K: Ord, T>(
    waiting: &mut BinaryHeap<Letter<K, T>>,
    bundle: &mut Vec<T>,
) -> Option<K> {
    let Letter { key, content } = waiting.pop()?;
    bundle.push(content);
    while waiting.peek().is_some_and(|next| next.key == key) {
        bundle.extend(waiting.pop().map(|letter| letter.content));
    }
    Some(key)
}

impl<K: Ord, T> Ord for Letter<K, T> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key)
    }
}

impl<K: Ord, T> PartialOrd for Letter<K, T> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: PartialEq, T> PartialEq for Letter<K, T> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<K: Eq, T> Eq for Letter<K, T> {}
