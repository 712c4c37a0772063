//! Pairs of ranks whose sends and receives cannot belong together as they were matched.
//!
//! Matching counts: the k-th send meets the k-th receive. Where one of them is not known to have
//! been undone, all that follow are shifted, and nothing says so but the messages themselves: their
//! sizes differ, or they were taken before they were sent, or a synchronous send ended before its
//! receive was posted. Such a pair of ranks is left unmatched as a whole, and no conclusion is
//! drawn from it.
//!
//! One message of another size is proof. Times are not: clocks err, so it takes more than one
//! message in a hundred. Where a receive was lost, messages seem to come late, which no time proves
//! wrong; but a send is left over at the end, though both ranks ended well.

use crate::event::Size;
use crate::message::{Got, Mode, Sent};
use mpi_facts::DoubtfulPair;
use record::NULL;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Messages at impossible times that a pair may have, among a hundred.
const EARLY_MOST: u64 = 1;
/// Pairs that are told one by one.
const TOLD_MOST: usize = 100;

/// What is wrong with two calls that were matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Sender and receiver give different sizes.
    Size,
    /// It was taken before it was sent, or released before its receive was posted.
    TooEarly,
}

/// The messages of each pair of ranks, and what is wrong with them.
#[derive(Default)]
pub(crate) struct Pairs {
    pairs: FxHashMap<(u32, u32), Judged>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Judged {
    messages: u64,
    sizes_differ: u64,
    too_early: u64,
    /// Sends and receives without a partner, of ranks that ended well.
    left_over: u64,
    /// A request that was given back may have taken a message or not.
    unknown: bool,
}

/// The pairs of ranks that are left unmatched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<((u32, u32), Judged)>", into = "Vec<((u32, u32), Judged)>")]
pub(crate) struct Doubts {
    pairs: BTreeMap<(u32, u32), Judged>,
}

impl From<Vec<((u32, u32), Judged)>> for Doubts {
    fn from(pairs: Vec<((u32, u32), Judged)>) -> Doubts {
        Doubts { pairs: pairs.into_iter().collect() }
    }
}

impl From<Doubts> for Vec<((u32, u32), Judged)> {
    fn from(doubts: Doubts) -> Vec<((u32, u32), Judged)> {
        doubts.pairs.into_iter().collect()
    }
}

impl Pairs {
    /// Take in two calls that were matched, and say what is wrong with them.
    #[inline]
    pub fn judge(&mut self, sent: &Sent, got: &Got, clock_error: i64) -> Option<Fault> {
        let judged = self.pairs.entry((sent.src, sent.dst)).or_default();
        judged.messages += 1;
        let fault = fault(sent, got, clock_error)?;
        match fault {
            Fault::Size => judged.sizes_differ += 1,
            Fault::TooEarly => judged.too_early += 1,
        }
        Some(fault)
    }

    /// A send or a receive from `src` to `dst` has no partner, though both ended well.
    pub fn left_over(&mut self, src: u32, dst: u32) {
        self.pairs.entry((src, dst)).or_default().left_over += 1;
    }

    /// Nobody knows which messages went from `src` to `dst` from here on.
    pub fn unknown(&mut self, src: u32, dst: u32) {
        self.pairs.entry((src, dst)).or_default().unknown = true;
    }

    /// The pairs that are doubtful.
    pub fn doubts(&self) -> Doubts {
        let doubtful = self.pairs.iter().filter(|(_, judged)| judged.is_doubtful());
        Doubts { pairs: doubtful.map(|(pair, judged)| (*pair, *judged)).collect() }
    }
}

#[inline]
fn fault(sent: &Sent, got: &Got, clock_error: i64) -> Option<Fault> {
    let differ = match got.size {
        Size::Whole => got.bytes != sent.bytes,
        Size::Cut => got.bytes > sent.bytes,
        Size::Untold => false,
    };
    if differ && got.taken != NULL {
        return Some(Fault::Size);
    }
    let before = |one: i64, other: i64| one != NULL && other != NULL && one < other - clock_error;
    let held = sent.mode == Mode::Synchronous;
    let early = before(got.taken, sent.ready) || held && before(sent.released, got.posted);
    early.then_some(Fault::TooEarly)
}

impl Judged {
    fn is_doubtful(&self) -> bool {
        let some = self.messages > 0;
        self.unknown
            || self.sizes_differ > 0
            || self.left_over > 0 && some
            || self.too_early * 100 > self.messages * EARLY_MOST
    }
}

impl Doubts {
    /// Whether messages from `src` to `dst` are left unmatched.
    #[inline]
    pub fn are_about(&self, src: u32, dst: u32) -> bool {
        !self.pairs.is_empty() && self.pairs.contains_key(&(src, dst))
    }

    /// Take in more; whether there are any.
    pub fn add(&mut self, more: &Doubts) -> bool {
        let before = self.pairs.len();
        more.pairs.iter().for_each(|(pair, judged)| {
            self.pairs.entry(*pair).or_insert(*judged);
        });
        self.pairs.len() > before
    }

    /// Their messages of which sender and receiver give different sizes.
    pub fn sizes_differ(&self) -> u64 {
        self.pairs.values().map(|judged| judged.sizes_differ).sum()
    }

    /// Their messages, as they were matched at first.
    pub fn messages(&self) -> u64 {
        self.pairs.values().map(|judged| judged.messages).sum()
    }

    /// The first of them, for `run.json`.
    pub fn told(&self) -> Vec<DoubtfulPair> {
        let one = |(&(src, dst), judged): (&(u32, u32), &Judged)| DoubtfulPair {
            src: src.into(),
            dst: dst.into(),
            messages: judged.messages,
            sizes_differ: judged.sizes_differ,
            too_early: judged.too_early,
            left_over: judged.left_over,
            unknown: judged.unknown,
        };
        self.pairs.iter().take(TOLD_MOST).map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Looked, Open};
    use crate::message::{Done, Label};

    const LABEL: Label = Label { communicator: 1, tag: 5, partitioned: false };
    const US: i64 = 1_000;

    /// Sent at 10 µs and taken at 20, with room to be changed.
    fn message() -> (Sent, Got) {
        let sent = Sent {
            src: 0,
            dst: 1,
            label: LABEL,
            seq: 0,
            ready: 10 * US,
            released: 12 * US,
            bytes: 8,
            row: 0,
            site: 0,
            blocking: true,
            mode: Mode::Standard,
            done: Done { row: 0, enter: 10 * US },
        };
        let got = Got {
            src: 0,
            dst: 1,
            label: LABEL,
            number: Some(0),
            posted: 15 * US,
            awaited: 15 * US,
            taken: 20 * US,
            looked: Looked::NOTHING,
            open: Open::default(),
            bytes: 8,
            size: Size::Whole,
            row: 0,
            site: 0,
            alone: true,
            done_row: 0,
        };
        (sent, got)
    }

    fn found(change: impl Fn(&mut Sent, &mut Got)) -> Option<Fault> {
        let (mut sent, mut got) = message();
        change(&mut sent, &mut got);
        fault(&sent, &got, US)
    }

    #[test]
    fn what_cannot_be_is_noticed_and_no_more() {
        assert_eq!(found(|_, _| {}), None);
        assert_eq!(found(|_, got| got.bytes = 4), Some(Fault::Size));
        assert_eq!(found(|_, got| (got.bytes, got.size) = (4, Size::Cut)), None);
        assert_eq!(found(|_, got| (got.bytes, got.size) = (9, Size::Cut)), Some(Fault::Size));
        assert_eq!(found(|_, got| (got.bytes, got.size) = (0, Size::Untold)), None);
        assert_eq!(found(|_, got| (got.bytes, got.taken) = (4, NULL)), None, "it was never taken");
        assert_eq!(found(|_, got| got.taken = 5 * US), Some(Fault::TooEarly));
        assert_eq!(found(|_, got| got.taken = 9 * US), None, "clocks may err by that");
        assert_eq!(found(|sent, _| sent.mode = Mode::Synchronous), Some(Fault::TooEarly));
        assert_eq!(found(|sent, _| (sent.mode, sent.released) = (Mode::Synchronous, NULL)), None);
    }

    #[test]
    fn one_wrong_pair_of_ranks_leaves_the_others_as_they_are() {
        let mut pairs = Pairs::default();
        let (sent, got) = message();
        for dst in [1, 2, 3] {
            let (sent, got) = (Sent { dst, ..sent }, Got { dst, ..got });
            let judged = (0..200).filter_map(|_| pairs.judge(&sent, &got, US));
            assert_eq!(judged.count(), 0);
        }
        pairs.judge(&sent, &Got { bytes: 4, ..got }, US);
        let early = Got { dst: 2, taken: 0, ..got };
        pairs.judge(&Sent { dst: 2, ..sent }, &early, US);
        pairs.left_over(0, 4);
        let mut doubts = Doubts::default();
        assert!(doubts.add(&pairs.doubts()) && !doubts.add(&pairs.doubts()));
        let about = [1, 2, 3, 4].map(|dst| doubts.are_about(0, dst));
        assert_eq!(about, [true, false, false, false], "one early of 201 is no proof");
        assert_eq!((doubts.messages(), doubts.sizes_differ()), (201, 1));
        pairs.unknown(0, 3);
        assert!(pairs.doubts().are_about(0, 3));
    }
}
