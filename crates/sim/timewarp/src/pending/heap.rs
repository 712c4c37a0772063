//! A heap with four children a node: half as deep as one with two, and the children lie side by
//! side.

use super::Entry;

const CHILDREN: usize = 4;

/// The least entry comes first.
#[derive(Default)]
pub(super) struct Heap {
    entries: Vec<Entry>,
}

impl Heap {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// In no order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All of them, in no order; none are left.
    pub fn take_entries(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    #[inline]
    pub fn first(&self) -> Option<&Entry> {
        self.entries.first()
    }

    #[inline]
    pub fn push(&mut self, entry: Entry) {
        let mut at = self.entries.len();
        self.entries.push(entry);
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if self.entries[parent] <= entry {
                break;
            }
            self.entries[at] = self.entries[parent];
            at = parent;
        }
        self.entries[at] = entry;
    }

    #[inline]
    pub fn pop(&mut self) -> Option<Entry> {
        let last = self.entries.pop()?;
        let Some(&first) = self.entries.first() else { return Some(last) };
        self.sink(last);
        Some(first)
    }

    /// Put `entry` in the place of the first one, and where it belongs.
    fn sink(&mut self, entry: Entry) {
        let mut at = 0;
        loop {
            let begin = at * CHILDREN + 1;
            let children = self.entries.get(begin..).unwrap_or_default();
            let least = children.iter().take(CHILDREN).enumerate().min_by_key(|(_, child)| **child);
            let Some((step, child)) = least.filter(|(_, child)| **child < entry) else { break };
            self.entries[at] = *child;
            at = begin + step;
        }
        self.entries[at] = entry;
    }
}
