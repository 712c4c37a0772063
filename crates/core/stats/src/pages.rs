//! Counters by index, in pages that are made when first touched.
//!
//! A distribution has a quarter of a million possible counters and mostly touches a few hundred. A
//! page is small enough that a group of a few messages stays small, and a counter is 32 bits so
//! that the busy ones share the first-level cache; what passes 32 bits is kept aside, so counts are
//! exact up to 2^64.

use std::collections::BTreeMap;

const PAGE_BITS: usize = 8;
const PAGE: usize = 1 << PAGE_BITS;

/// Sparse counters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pages {
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    /// By index: how often its counter passed 2^32.
    passed: BTreeMap<usize, u64>,
}

impl Pages {
    /// Add one at `index`.
    #[inline(always)]
    pub fn bump(&mut self, index: usize) {
        self.add_few(index, 1);
    }

    /// Add `count` at `index`.
    #[inline(always)]
    pub fn add_few(&mut self, index: usize, count: u32) {
        if let Some(Some(page)) = self.pages.get_mut(index >> PAGE_BITS) {
            let counter = &mut page[index & (PAGE - 1)];
            if let Some(sum) = counter.checked_add(count) {
                *counter = sum;
                return;
            }
        }
        self.add(index, u64::from(count));
    }

    /// Add `count` at `index`, be it on a new page or past 32 bits.
    #[cold]
    pub fn add(&mut self, index: usize, count: u64) {
        let total = u64::from(self.page(index)[index & (PAGE - 1)]) + (count & u64::from(u32::MAX));
        let passed = (total >> 32) + (count >> 32);
        self.page(index)[index & (PAGE - 1)] = total as u32;
        if passed > 0 {
            *self.passed.entry(index).or_default() += passed;
        }
    }

    /// Add all counters of `other`.
    pub fn merge(&mut self, other: &Pages) {
        for (index, count) in other.iter() {
            match u32::try_from(count) {
                Ok(few) => self.add_few(index, few),
                Err(_) => self.add(index, count),
            }
        }
    }

    /// Counters above 0 by ascending index.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, u64)> + '_ {
        let made =
            self.pages.iter().enumerate().filter_map(|(at, page)| Some((at, page.as_deref()?)));
        made.flat_map(|(at, page)| {
            page.iter().enumerate().map(move |(i, &count)| (at << PAGE_BITS | i, count))
        })
        .map(|(index, count)| (index, u64::from(count) + self.beyond(index)))
        .filter(|&(_, count)| count > 0)
    }

    fn beyond(&self, index: usize) -> u64 {
        if self.passed.is_empty() {
            0
        } else {
            self.passed.get(&index).map_or(0, |times| times << 32)
        }
    }

    fn page(&mut self, index: usize) -> &mut [u32; PAGE] {
        let at = index >> PAGE_BITS;
        if at >= self.pages.len() {
            self.pages.resize(at + 1, None);
        }
        self.pages[at].get_or_insert_with(|| Box::new([0; PAGE]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_goes_on_past_32_bits() {
        let mut pages = Pages::default();
        pages.add(700, u64::from(u32::MAX));
        pages.bump(700);
        pages.bump(700);
        pages.add(700, 5 << 32);
        let mut twice = pages.clone();
        twice.merge(&pages);
        assert_eq!(pages.iter().collect::<Vec<_>>(), [(700, (6 << 32) + 1)]);
        assert_eq!(twice.iter().collect::<Vec<_>>(), [(700, (12 << 32) + 2)]);
    }
}
