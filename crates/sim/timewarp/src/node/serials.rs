//! Finding a received message by its number: numbers between two nodes are dense, so pages of an
//! array do, of which only those with live messages are kept.

/// Numbers on a page.
const PAGE: u64 = 1024;
/// Nothing is known of this number.
const ABSENT: u32 = u32::MAX;
/// Its anti-message came first.
const EARLY: u32 = u32::MAX - 1;

/// What is known of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing: it has not come, or is over.
    Nothing,
    /// Its anti-message waits for it.
    Early,
    /// Its message is in this slot.
    Slot(u32),
}

/// Slots by number, of the messages from one other node.
#[derive(Default)]
pub(super) struct Serials {
    /// In order of their numbers; mostly the last one is used.
    pages: Vec<Page>,
}

struct Page {
    number: u64,
    used: u32,
    slots: Box<[u32; PAGE as usize]>,
}

impl Serials {
    pub fn get(&self, serial: u64) -> Known {
        let slot =
            self.find(serial).map_or(ABSENT, |at| self.pages[at].slots[(serial % PAGE) as usize]);
        match slot {
            ABSENT => Known::Nothing,
            EARLY => Known::Early,
            slot => Known::Slot(slot),
        }
    }

    #[inline]
    pub fn insert(&mut self, serial: u64, slot: u32) {
        let at = match self.pages.last() {
            Some(last) if last.number == serial / PAGE => self.pages.len() - 1,
            _ => self.page_for(serial / PAGE),
        };
        let page = &mut self.pages[at];
        page.slots[(serial % PAGE) as usize] = slot;
        page.used += 1;
    }

    pub fn insert_early(&mut self, serial: u64) {
        self.insert(serial, EARLY);
    }

    #[inline]
    pub fn remove(&mut self, serial: u64) {
        let Some(at) = self.find(serial) else { return };
        let page = &mut self.pages[at];
        page.slots[(serial % PAGE) as usize] = ABSENT;
        page.used -= 1;
        if page.used == 0 && at + 1 < self.pages.len() {
            self.pages.remove(at);
        }
    }

    #[inline]
    fn find(&self, serial: u64) -> Option<usize> {
        self.pages.binary_search_by_key(&(serial / PAGE), |page| page.number).ok()
    }

    #[cold]
    fn page_for(&mut self, number: u64) -> usize {
        match self.pages.binary_search_by_key(&number, |page| page.number) {
            Ok(at) => at,
            Err(at) => {
                self.pages
                    .insert(at, Page { number, used: 0, slots: Box::new([ABSENT; PAGE as usize]) });
                // The page that was last may have been kept although it was empty.
                if at > 0 && self.pages[at - 1].used == 0 {
                    self.pages.remove(at - 1);
                    return at - 1;
                }
                at
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_is_a_map(
            steps in prop::collection::vec(
                (prop::bool::weighted(0.6), 0u64..5000, 0u32..9), 1..2000),
        ) {
            let (mut serials, mut map) = (Serials::default(), BTreeMap::new());
            for (insert, serial, slot) in steps {
                if insert && !map.contains_key(&serial) {
                    serials.insert(serial, slot);
                    map.insert(serial, slot);
                } else if !insert && map.remove(&serial).is_some() {
                    serials.remove(serial);
                }
                let expected = map.get(&serial).map_or(Known::Nothing, |slot| Known::Slot(*slot));
                prop_assert_eq!(serials.get(serial), expected);
            }
            let at_its_slot = |(serial, slot): (&u64, &u32)| {
                serials.get(*serial) == Known::Slot(*slot)
            };
            prop_assert!(map.iter().all(at_its_slot));
            prop_assert!(serials.pages.iter().rev().skip(1).all(|page| page.used > 0));
        }
    }
}
