//! Channels (source, destination, communicator and tag) whose sends and receives cannot belong
//! together as they were matched.
//!
//! Matching counts: the k-th send meets the k-th receive. Where one of them is not known to have
//! been undone, or threads made them in another order than they took effect, all that follow are
//! shifted, and nothing says so but the messages themselves: their sizes differ, or they were taken
//! before they were sent, or a synchronous send ended before its receive was posted. Such a channel
//! is left unmatched as a whole, and no conclusion is drawn from it. No other one is touched.
//!
//! One message of another size is proof. Times are not: clocks err, so it takes more than one
//! message in a hundred, of the channel and of all between the two ranks. Where a receive was lost,
//! messages seem to come late, which no time proves wrong; but a send is left over at the end,
//! though both ranks ended well.

use crate::channel::Channel;
use crate::event::Size;
use crate::message::{Got, Mode, Sent};
use mpi_facts::DoubtfulPair;
use record::NULL;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Messages at impossible times that may be among a hundred.
const EARLY_MOST: u64 = 1;
/// Pairs of ranks that are told one by one.
const TOLD_MOST: usize = 100;
/// Channels that are judged one by one, of programs that use every tag once; others are judged
/// together with those of the same two ranks.
const CHANNELS_MOST: usize = 1 << 18;

/// What is wrong with two calls that were matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Sender and receiver give different sizes.
    Size,
    /// It was taken before it was sent, or released before its receive was posted.
    TooEarly,
}

/// What is judged as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
enum Whole {
    Channel(Channel),
    /// All from one rank to another.
    Ranks(u32, u32),
}

/// The messages of each channel, and what is wrong with them.
pub(crate) struct Channels {
    judged: FxHashMap<Whole, Judged>,
    /// So many are judged one by one.
    most: usize,
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

/// What is left unmatched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(Whole, Judged)>", into = "Vec<(Whole, Judged)>")]
pub(crate) struct Doubts {
    judged: BTreeMap<Whole, Judged>,
}

impl From<Vec<(Whole, Judged)>> for Doubts {
    fn from(judged: Vec<(Whole, Judged)>) -> Doubts {
        Doubts { judged: judged.into_iter().collect() }
    }
}

impl From<Doubts> for Vec<(Whole, Judged)> {
    fn from(doubts: Doubts) -> Vec<(Whole, Judged)> {
        doubts.judged.into_iter().collect()
    }
}

impl Whole {
    fn ranks(self) -> (u32, u32) {
        match self {
            Whole::Channel(channel) => (channel.src(), channel.dst()),
            Whole::Ranks(src, dst) => (src, dst),
        }
    }
}

impl Default for Channels {
    fn default() -> Channels {
        Channels { judged: FxHashMap::default(), most: CHANNELS_MOST }
    }
}

impl Channels {
    /// Take in two calls that were matched, and say what is wrong with them.
    #[inline]
    pub fn judge(&mut self, sent: &Sent, got: &Got, clock_error: i64) -> Option<Fault> {
        let judged = self.of(sent.channel());
        judged.messages += 1;
        let fault = fault(sent, got, clock_error)?;
        match fault {
            Fault::Size => judged.sizes_differ += 1,
            Fault::TooEarly => judged.too_early += 1,
        }
        Some(fault)
    }

    /// A send or a receive has no partner, though both ranks ended well.
    pub fn left_over(&mut self, channel: Channel) {
        self.of(channel).left_over += 1;
    }

    /// Nobody knows which messages went there from here on.
    pub fn unknown(&mut self, channel: Channel) {
        self.of(channel).unknown = true;
    }

    #[inline]
    fn of(&mut self, channel: Channel) -> &mut Judged {
        let one = Whole::Channel(channel);
        let has_room = self.judged.len() < self.most;
        let whole = match has_room || self.judged.contains_key(&one) {
            true => one,
            false => Whole::Ranks(channel.src(), channel.dst()),
        };
        self.judged.entry(whole).or_default()
    }

    /// What is doubtful.
    pub fn doubts(&self) -> Doubts {
        let mut between: FxHashMap<(u32, u32), Judged> = FxHashMap::default();
        for (whole, judged) in &self.judged {
            *between.entry(whole.ranks()).or_default() += *judged;
        }
        let is_early = |whole: &Whole, judged: &Judged| {
            judged.is_early() && between.get(&whole.ranks()).is_some_and(Judged::is_early)
        };
        let doubtful = self
            .judged
            .iter()
            .filter(|(whole, judged)| judged.is_doubtful() || is_early(whole, judged));
        Doubts { judged: doubtful.map(|(whole, judged)| (*whole, *judged)).collect() }
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
    /// Whatever clocks say.
    fn is_doubtful(&self) -> bool {
        self.unknown || self.sizes_differ > 0 || self.left_over > 0 && self.messages > 0
    }

    fn is_early(&self) -> bool {
        self.too_early * 100 > self.messages * EARLY_MOST
    }
}

impl AddAssign for Judged {
    fn add_assign(&mut self, other: Judged) {
        self.messages += other.messages;
        self.sizes_differ += other.sizes_differ;
        self.too_early += other.too_early;
        self.left_over += other.left_over;
        self.unknown |= other.unknown;
    }
}

impl Doubts {
    /// Whether messages of this channel are left unmatched.
    #[inline]
    pub fn are_about(&self, channel: Channel) -> bool {
        let has = |whole: Whole| self.judged.contains_key(&whole);
        !self.judged.is_empty()
            && (has(Whole::Channel(channel)) || has(Whole::Ranks(channel.src(), channel.dst())))
    }

    /// Take in more; whether there are any.
    pub fn add(&mut self, more: &Doubts) -> bool {
        let before = self.judged.len();
        more.judged.iter().for_each(|(whole, judged)| {
            self.judged.entry(*whole).or_insert(*judged);
        });
        self.judged.len() > before
    }

    /// Their messages of which sender and receiver give different sizes.
    pub fn sizes_differ(&self) -> u64 {
        self.judged.values().map(|judged| judged.sizes_differ).sum()
    }

    /// Their messages, as they were matched at first.
    pub fn messages(&self) -> u64 {
        self.judged.values().map(|judged| judged.messages).sum()
    }

    /// The first of them by their ranks, for `run.json`.
    pub fn told(&self) -> Vec<DoubtfulPair> {
        let mut pairs: BTreeMap<(u32, u32), (Judged, u64, Option<i32>)> = BTreeMap::new();
        // What is about all between two ranks comes last.
        for (whole, judged) in &self.judged {
            let (sum, channels, tag) = pairs.entry(whole.ranks()).or_default();
            *sum += *judged;
            (*channels, *tag) = match whole {
                Whole::Channel(channel) if *channels == 0 => (1, Some(channel.tag())),
                Whole::Channel(_) => (*channels + 1, None),
                Whole::Ranks(..) => (0, None),
            };
        }
        let pairs = pairs.into_iter().take(TOLD_MOST);
        pairs
            .map(|((src, dst), (sum, channels, tag))| DoubtfulPair {
                src: src.into(),
                dst: dst.into(),
                channels,
                tag,
                messages: sum.messages,
                sizes_differ: sum.sizes_differ,
                too_early: sum.too_early,
                left_over: sum.left_over,
                unknown: sum.unknown,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::Label;
    use crate::event::{Looked, Open};
    use crate::message::Done;

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

    fn to(dst: u32, tag: i32) -> Channel {
        Channel::new(0, dst, Label { tag, ..LABEL })
    }

    /// So many fine messages, and so many at impossible times.
    fn messages(channels: &mut Channels, (dst, tag): (u32, i32), fine: u64, early: u64) {
        let (sent, got) = message();
        let sent = Sent { dst, label: Label { tag, ..LABEL }, ..sent };
        (0..fine).for_each(|_| assert_eq!(channels.judge(&sent, &got, US), None));
        let taken = Got { taken: 0, ..got };
        let fault = Some(Fault::TooEarly);
        (0..early).for_each(|_| assert_eq!(channels.judge(&sent, &taken, US), fault));
    }

    #[test]
    fn one_wrong_channel_leaves_the_others_as_they_are() {
        let mut channels = Channels::default();
        for way in [(1, 5), (1, 6), (2, 5), (3, 5)] {
            messages(&mut channels, way, 200, 0);
        }
        let (sent, got) = message();
        channels.judge(&sent, &Got { bytes: 4, ..got }, US);
        messages(&mut channels, (2, 5), 0, 1);
        channels.left_over(to(4, 5));
        let mut doubts = Doubts::default();
        assert!(doubts.add(&channels.doubts()) && !doubts.add(&channels.doubts()));
        let about = [to(1, 5), to(1, 6), to(2, 5), to(3, 5), to(4, 5)];
        let about = about.map(|channel| doubts.are_about(channel));
        let why = "one early of 201 is no proof, and what met nothing needs no doubt";
        assert_eq!(about, [true, false, false, false, false], "{why}");
        assert_eq!((doubts.messages(), doubts.sizes_differ()), (201, 1));
        let told = doubts.told();
        assert_eq!((told[0].dst, told[0].channels, told[0].tag), (1, 1, Some(5)));
        channels.unknown(to(3, 5));
        assert!(channels.doubts().are_about(to(3, 5)));
        assert!(!channels.doubts().are_about(to(3, 6)));
    }

    #[test]
    fn times_prove_a_channel_wrong_where_there_are_many_of_it_and_of_its_ranks() {
        let about = |all: [(i32, u64, u64); 2]| {
            let mut channels = Channels::default();
            all.iter().for_each(|(tag, fine, early)| {
                messages(&mut channels, (1, *tag), *fine, *early);
            });
            all.map(|(tag, ..)| channels.doubts().are_about(to(1, tag)))
        };
        assert_eq!(about([(5, 90, 10), (6, 100, 0)]), [true, false]);
        assert_eq!(about([(5, 90, 10), (6, 5000, 0)]), [false; 2], "1 of 510 between the ranks");
        assert_eq!(about([(5, 50, 50), (6, 999, 1)]), [true, false]);
    }

    #[test]
    fn channels_beyond_what_is_kept_are_judged_by_their_ranks() {
        let mut channels = Channels { most: 2, ..Channels::default() };
        messages(&mut channels, (1, 5), 200, 0);
        messages(&mut channels, (2, 5), 200, 0);
        messages(&mut channels, (1, 6), 1, 9);
        messages(&mut channels, (2, 5), 0, 1);
        let doubts = channels.doubts();
        assert!(doubts.are_about(to(1, 6)) && doubts.are_about(to(1, 5)));
        assert!(!doubts.are_about(to(2, 5)));
        let told = doubts.told();
        assert_eq!((told.len(), told[0].channels, told[0].tag), (1, 0, None));
    }
}
