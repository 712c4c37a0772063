//! What has been asked of places and not been answered yet.

use pager::{Checksum, Into, Operation, Place};
use record::Kind;
use std::collections::VecDeque;

/// One operation.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub place: Place,
    pub what: What,
    /// When the pager wanted it, ticks.
    pub ready: u64,
}

/// What it is about.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// A page went out.
    Store { kind: Kind },
    /// A page is to come. `cancelled`: the program has given up where it was to go.
    Fetch { into: Into, version: u64, checksum: Option<Checksum>, cancelled: bool },
}

/// By number, which grow by one.
#[derive(Default)]
pub struct Asks {
    first: u64,
    asks: VecDeque<Option<Asked>>,
}

impl Asks {
    pub fn insert(&mut self, operation: Operation, asked: Asked) {
        if self.asks.is_empty() {
            self.first = operation.0;
        }
        let at =
            operation.0.checked_sub(self.first).expect("operations are numbered upwards") as usize;
        if self.asks.len() <= at {
            self.asks.resize(at + 1, None);
        }
        self.asks[at] = Some(asked);
    }

    /// When it was asked for, if it is not answered yet.
    pub fn ready(&self, operation: Operation) -> Option<u64> {
        let at = operation.0.checked_sub(self.first)? as usize;
        self.asks.get(at)?.map(|asked| asked.ready)
    }

    /// It is answered. `None`: it has been answered, or given up, before.
    pub fn take(&mut self, operation: Operation) -> Option<Asked> {
        let at = operation.0.checked_sub(self.first)? as usize;
        let asked = self.asks.get_mut(at)?.take();
        while let Some(None) = self.asks.front() {
            self.asks.pop_front();
            self.first += 1;
        }
        asked
    }

    /// All that a place has not answered, oldest first.
    pub fn of(&self, place: Place) -> Vec<Operation> {
        let numbered = (self.first..).zip(&self.asks);
        numbered
            .filter(|(_, asked)| asked.is_some_and(|asked| asked.place == place))
            .map(|(number, _)| Operation(number))
            .collect()
    }

    /// Pages in `[first, first + many)` are not to be filled any more.
    pub fn cancel(&mut self, first: u64, many: u64) {
        for asked in self.asks.iter_mut().flatten() {
            if let What::Fetch { into: Into::Page(page), cancelled, .. } = &mut asked.what
                && (first..first + many).contains(&page.0)
            {
                *cancelled = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(place: u16) -> Asked {
        Asked { place: Place(place), what: What::Store { kind: Kind::PageOut }, ready: 0 }
    }

    #[test]
    fn each_is_answered_once_in_any_order() {
        let mut asks = Asks::default();
        (10..20).for_each(|number| asks.insert(Operation(number), asked((number % 3) as u16)));
        assert_eq!(asks.of(Place(1)), [10, 13, 16, 19].map(Operation));
        for number in [12, 10, 11, 19] {
            assert!(asks.take(Operation(number)).is_some());
            assert!(asks.take(Operation(number)).is_none());
        }
        assert_eq!((asks.first, asks.asks.len()), (13, 7));
        (13..19).for_each(|number| assert!(asks.take(Operation(number)).is_some()));
        asks.insert(Operation(40), asked(0));
        assert!(asks.take(Operation(20)).is_none() && asks.take(Operation(40)).is_some());
    }
}
