//! Ranges outside the reserved one, where the program asked for memory at an address of its choice.
//!
//! There are few of them, and whether an address lies in one is asked for every intercepted call,
//! in forked children too: so they are a short list without a lock for those who look. Who looks
//! while it changes may see a place longer than it is; only threads that change the same memory can
//! tell.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More are not taken.
const MANY: usize = 64;

#[derive(Debug)]
pub struct Places {
    /// From and to; empty ones are free.
    places: [(AtomicUsize, AtomicUsize); MANY],
    /// Those from here on have never been used.
    used: AtomicUsize,
    /// Who changes them.
    changing: Mutex<()>,
}

impl Places {
    pub fn none() -> Places {
        let places = std::array::from_fn(|_| (AtomicUsize::new(0), AtomicUsize::new(0)));
        Places { places, used: AtomicUsize::new(0), changing: Mutex::new(()) }
    }

    /// Whether any part of a range is in one.
    #[inline]
    pub fn meet(&self, address: usize, bytes: usize) -> bool {
        let end = address.saturating_add(bytes);
        self.list().any(|(from, to)| address < to && end > from)
    }

    /// A new one; `false` where there are too many. It grows one that it follows.
    pub fn add(&self, address: usize, bytes: usize) -> bool {
        let _changing = self.changing.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let end = address + bytes;
        if let Some(at) = self.list().position(|(from, to)| from < to && to == address) {
            self.places[at].1.store(end, Ordering::Release);
            return true;
        }
        let free = self.list().position(|(from, to)| from == to);
        let Some(at) = free.or_else(|| self.one_more()) else { return false };
        self.set(at, address, end);
        true
    }

    /// What lies in this range is none any more. Where there is no room for one half of a place,
    /// it stays whole: what comes to lie in the gap is then taken for paged memory that is not
    /// there, and never given back.
    pub fn remove(&self, address: usize, bytes: usize) {
        let _changing = self.changing.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let end = address + bytes;
        let old: Vec<(usize, usize)> = self.list().collect();
        for (at, (from, to)) in old.into_iter().enumerate() {
            match (from < address, end < to) {
                _ if from >= end || to <= address => {}
                (false, false) => self.set(at, 0, 0),
                (false, true) => self.set(at, end, to),
                (true, false) => self.set(at, from, address),
                (true, true) => {
                    let free = self.list().position(|(from, to)| from == to);
                    if let Some(more) = free.or_else(|| self.one_more()) {
                        self.set(more, end, to);
                        self.set(at, from, address);
                    }
                }
            }
        }
    }

    fn list(&self) -> impl Iterator<Item = (usize, usize)> {
        let used = &self.places[..self.used.load(Ordering::Acquire)];
        used.iter().map(|(from, to)| (from.load(Ordering::Acquire), to.load(Ordering::Acquire)))
    }

    fn one_more(&self) -> Option<usize> {
        let used = self.used.load(Ordering::Relaxed);
        let more = (used < MANY).then_some(used)?;
        self.used.store(used + 1, Ordering::Release);
        Some(more)
    }

    /// Empty in between: nobody sees one that reaches from the old to the new.
    fn set(&self, at: usize, from: usize, to: usize) {
        let place = &self.places[at];
        if to <= place.0.load(Ordering::Relaxed) || from > place.0.load(Ordering::Relaxed) {
            place.0.store(from, Ordering::Release);
            place.1.store(to, Ordering::Release);
        } else {
            place.1.store(to, Ordering::Release);
            place.0.store(from, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const PAGES: usize = 40;

    #[test]
    fn there_is_an_end_to_them() {
        let places = Places::none();
        let added = (0..2 * MANY).filter(|at| places.add(2 * at * 4096, 4096)).count();
        assert_eq!(added, MANY);
        places.remove(0, 4096);
        assert!(places.add(1 << 40, 4096) && !places.meet(0, 4096) && places.meet(1 << 40, 1));
    }

    proptest! {
        /// A set of single pages says the same.
        #[test]
        fn they_agree_with_a_set_of_pages(
            steps in prop::collection::vec((any::<bool>(), 1..PAGES, 1..8usize), 1..60),
        ) {
            let (places, mut model) = (Places::none(), BTreeSet::new());
            for (adds, first, count) in steps {
                let pages: BTreeSet<usize> = (first..first + count).collect();
                if !adds {
                    places.remove(first * 4096, count * 4096);
                    model.retain(|page| !pages.contains(page));
                } else if model.is_disjoint(&pages) {
                    prop_assert!(places.add(first * 4096, count * 4096));
                    model.extend(pages);
                }
                for page in 0..PAGES + 8 {
                    prop_assert_eq!(places.meet(page * 4096, 4096), model.contains(&page));
                }
            }
        }
    }
}
