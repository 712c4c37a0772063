//! What the two directions of a connection must know of each other: two threads may be at work on
//! them at once.

use super::guess::Guess;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

/// Nothing was guessed so far, and nothing ever will be.
const NOT_YET: u8 = 0;
const NEVER: u8 = u8::MAX;

/// Requests that may be open at once.
const OPEN_MAX: u32 = 62;

/// Requests of a connection that have no answer yet, a bit each.
#[derive(Debug)]
pub struct Shared {
    /// The oldest is the lowest bit; the highest 1 stands behind the newest.
    open: AtomicU64,
    is_upgraded: AtomicBool,
    guess: AtomicU8,
}

impl Default for Shared {
    fn default() -> Shared {
        Shared {
            open: AtomicU64::new(1),
            is_upgraded: AtomicBool::new(false),
            guess: AtomicU8::new(NOT_YET),
        }
    }
}

impl Shared {
    /// A request. `false`: too many are open.
    pub(super) fn ask(&self, is_special: bool) -> bool {
        let added = self.open.fetch_update(Ordering::AcqRel, Ordering::Acquire, |open| {
            let behind = 63 - open.leading_zeros();
            let special = u64::from(is_special) << behind;
            (behind < OPEN_MAX).then_some(open & !(1 << behind) | special | 2 << behind)
        });
        added.is_ok()
    }

    /// An answer: whether the request was special; `None` where none is open.
    pub(super) fn answer(&self) -> Option<bool> {
        let took = self.open.fetch_update(Ordering::AcqRel, Ordering::Acquire, |open| {
            (open > 1).then_some(open >> 1)
        });
        took.ok().map(|open| open & 1 == 1)
    }

    /// Whether every request has its answer.
    pub(super) fn is_answered(&self) -> bool {
        self.open.load(Ordering::Acquire) == 1
    }

    /// The rule by which both directions go, as the first of them says.
    pub(super) fn guess(&self, guess: Option<Guess>) -> Option<Guess> {
        let code = guess.map_or(NEVER, |guess| guess as u8);
        let set = self.guess.compare_exchange(NOT_YET, code, Ordering::AcqRel, Ordering::Acquire);
        Guess::from_code(set.err().unwrap_or(code))
    }

    /// Whether no rule was given, and none could be guessed: nothing is ever found.
    pub fn has_no_rule(&self) -> bool {
        self.guess.load(Ordering::Acquire) == NEVER
    }

    /// Another protocol follows.
    pub(super) fn upgrade(&self) {
        self.is_upgraded.store(true, Ordering::Release);
    }

    /// Whether another protocol follows.
    pub(super) fn is_upgraded(&self) -> bool {
        self.is_upgraded.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_first_direction_says_goes_for_both() {
        let shared = Shared::default();
        assert!(!shared.has_no_rule());
        assert_eq!((shared.guess(None), shared.guess(Guess::of(b'*'))), (None, None));
        assert!(shared.has_no_rule());
        let shared = Shared::default();
        assert_eq!(shared.guess(Guess::of(b'*')), shared.guess(None));
        assert!(!shared.has_no_rule());
    }

    #[test]
    fn answers_come_in_the_order_of_requests() {
        let shared = Shared::default();
        assert_eq!(shared.answer(), None);
        for at in 0..OPEN_MAX {
            assert!(shared.ask(at % 3 == 0), "{at}");
        }
        assert!(!shared.ask(false));
        for at in 0..OPEN_MAX {
            assert_eq!(shared.answer(), Some(at % 3 == 0), "{at}");
        }
        assert!(shared.is_answered() && shared.answer().is_none());
    }
}
