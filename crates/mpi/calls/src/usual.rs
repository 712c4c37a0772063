//! What is usual in a run: how long messages are on their way, what a call takes when its message
//! is there already, and from which size on a send waits for the receive.
//!
//! Learnt from messages of the run's beginning, by their size and, for transit, by their pair of
//! ranks. Everything is a range of quantiles, because the extremes of a busy machine say nothing
//! about the usual.

use crate::message::{Got, Sent};
use crate::protocol::{CLEARLY_NS, Protocol, protocol};
use record::NULL;
use rustc_hash::FxHashMap;

/// Classes of sizes: four an octave.
pub(crate) const CLASSES: usize = 4 * 42;
/// Every library sends so few bytes at once, as long as nothing in the run says otherwise.
const SURELY_EAGER_BYTES: u64 = 256;
/// Fewer samples make no range of their own.
const SAMPLES_MIN: usize = 8;
/// Fewer messages do not decide how a size travels: a send that was kept from running looks like
/// one that waited.
const VOTES_MIN: u64 = 4;
/// Half of the receivers that stood in a call for their message got it so many times as late as the
/// quicker ones: they waited for a core, as ranks do that share one. That is no part of a message's
/// way, least of all to a receiver that did not wait for it.
const KEPT_FROM_RUNNING: i64 = 4;
/// A call began this many usual transits after the send: its message was there.
const SURELY_THERE: i64 = 4;

/// A usual duration, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Range {
    pub least: i64,
    pub middle: i64,
    /// What to expect of one that nobody saw: the middle, or less where half of those that were
    /// seen took clearly longer than the quick ones.
    pub likely: i64,
    pub most: i64,
    /// Beyond this it is not usual.
    pub unusual: i64,
}

/// A matched message to learn from.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    pub sent: Sent,
    pub got: Got,
    pub clock_error: i64,
}

/// What is usual.
pub(crate) struct Usual {
    overhead: Vec<Range>,
    transit: FxHashMap<u64, Range>,
    transit_all: Vec<Option<Range>>,
    protocol: Vec<Protocol>,
    waits_from: Option<u64>,
}

/// The class of a size.
#[inline]
pub(crate) fn size_class(bytes: u64) -> usize {
    let log = 64 - bytes.leading_zeros() as usize;
    let quarter = if log < 3 { 0 } else { (bytes >> (log - 3)) as usize & 3 };
    (log * 4 + quarter).min(CLASSES - 1)
}

/// The least size of a class.
fn least_of(class: usize) -> u64 {
    let (log, quarter) = (class / 4, class as u64 % 4);
    match log {
        0 => 0,
        1 | 2 => 1 << (log - 1),
        _ => (4 + quarter) << (log - 3),
    }
}

#[inline]
fn pair_and_class(src: u32, dst: u32, class: usize) -> u64 {
    (u64::from(src) << 32 | u64::from(dst)) << 8 | class as u64
}

impl Usual {
    /// Nothing.
    pub fn unknown() -> Usual {
        Usual::learn(&[], &[])
    }

    /// Learn from samples. `held` are the sizes of sends whose call lasted until after the posting,
    /// with nothing else to explain it.
    pub fn learn(samples: &[Sample], held: &[u64]) -> Usual {
        let told = samples.iter().filter_map(|sample| {
            let how = protocol(&sample.sent, &sample.got, sample.clock_error)?;
            Some((sample.class(), how))
        });
        let waits_from = waits_from(told);
        let protocol = protocols(samples, held);
        let settled = |sample: &Sample| sample.settled(protocol[sample.class()]);
        let samples: Vec<Sample> = samples.iter().filter_map(settled).collect();
        let blocked = || samples.iter().filter(|sample| sample.was_blocked());
        let end_to_end = by_class(blocked().map(|sample| (sample.class(), sample.end_to_end())));
        let usual_end_to_end = spread(&end_to_end);
        let there = samples.iter().filter_map(|sample| {
            let usual = usual_end_to_end[sample.class()]?;
            let eager = protocol[sample.class()] != Protocol::Rendezvous;
            (eager && sample.was_there(usual.most)).then(|| (sample.class(), sample.in_call()))
        });
        let measured = spread(&by_class(there));
        let overhead = overheads(&measured, &end_to_end);
        let transit = |sample: &Sample| sample.end_to_end() - overhead[sample.class()].middle;
        let of_pairs = blocked().map(|sample| (sample.pair_and_class(), transit(sample)));
        let transit_all =
            spread(&by_class(blocked().map(|sample| (sample.class(), transit(sample)))));
        Usual { transit: ranges_of_pairs(of_pairs), transit_all, protocol, overhead, waits_from }
    }

    /// What a call takes when its message of this size is there already.
    #[inline]
    pub fn overhead(&self, class: usize) -> Range {
        self.overhead[class]
    }

    /// How long a message of this size is on its way between these ranks; between any ranks if
    /// these have sent none of that size.
    #[inline]
    pub fn transit(&self, src: u32, dst: u32, class: usize) -> Option<Range> {
        self.transit.get(&pair_and_class(src, dst, class)).copied().or(self.transit_all[class])
    }

    /// How long a message of the nearest size that any is known of is on its way, ns.
    pub fn transit_of_nearest(&self, class: usize) -> Option<i64> {
        let known = self.transit_all.iter().enumerate();
        let known = known.filter_map(|(other, range)| Some((other.abs_diff(class), (*range)?)));
        known.min_by_key(|(apart, _)| *apart).map(|(_, range)| range.likely)
    }

    /// The size from which on sends seem to wait for their receive: the least of its class. Nothing
    /// where none do.
    pub fn waits_from(&self) -> Option<u64> {
        self.waits_from
    }

    #[inline]
    pub fn protocol(&self, class: usize) -> Protocol {
        self.protocol[class]
    }
}

impl Sample {
    fn class(&self) -> usize {
        size_class(self.sent.bytes)
    }

    fn pair_and_class(&self) -> u64 {
        pair_and_class(self.sent.src, self.sent.dst, self.class())
    }

    /// With what tells of its arrival, now that it is known how its size travels.
    fn settled(&self, protocol: Protocol) -> Option<Sample> {
        let looked = protocol.looked_for(&self.got);
        let known = looked.from != NULL && looked.until != NULL;
        known.then_some(Sample { got: Got { looked, ..self.got }, ..*self })
    }

    /// The receiver was in MPI for this message before it was sent, and posted before.
    fn was_blocked(&self) -> bool {
        let before = self.sent.ready - self.clock_error;
        self.got.alone && self.got.looked.from < before && self.got.posted < before
    }

    /// The receiver looked for it long after it was sent.
    fn was_there(&self, end_to_end: i64) -> bool {
        let there = self.sent.ready + end_to_end * SURELY_THERE + self.clock_error + CLEARLY_NS;
        self.got.alone && self.got.looked.from > there
    }

    fn end_to_end(&self) -> i64 {
        self.got.looked.until - self.sent.ready
    }

    fn in_call(&self) -> i64 {
        self.got.looked.until - self.got.looked.from
    }
}

fn by_class(samples: impl Iterator<Item = (usize, i64)>) -> Vec<Vec<i64>> {
    let mut classes = vec![Vec::new(); CLASSES];
    for (class, value) in samples {
        classes[class].push(value);
    }
    classes.iter_mut().for_each(|values| values.sort_unstable());
    classes
}

/// A range for each class; one without enough samples takes those of its neighbours within an
/// octave.
fn spread(classes: &[Vec<i64>]) -> Vec<Option<Range>> {
    let own: Vec<Option<Range>> = classes.iter().map(|sorted| range(sorted)).collect();
    let near = |class: usize| {
        let at = |class: Option<usize>| class.and_then(|class| own.get(class).copied().flatten());
        (0..=4).find_map(|step| at(class.checked_sub(step)).or_else(|| at(Some(class + step))))
    };
    (0..classes.len()).map(near).collect()
}

/// The usual range of sorted values.
fn range(sorted: &[i64]) -> Option<Range> {
    if sorted.len() < SAMPLES_MIN {
        return None;
    }
    let quantile = |share: f64| sorted[(share * (sorted.len() - 1) as f64).round() as usize];
    let (lower, upper) = (quantile(0.25), quantile(0.75));
    // Tukey's outer fence.
    let unusual = upper + 3 * (upper - lower);
    let (middle, most) = (quantile(0.5), quantile(0.98));
    let is_split = middle > KEPT_FROM_RUNNING * lower.max(0) + CLEARLY_NS;
    let likely = if is_split { lower } else { middle };
    Some(Range { least: sorted[0], middle, likely, most, unusual: unusual.max(most) })
}

/// Measured where a message was there already. Elsewhere all that is known is that it cannot be
/// more than the quickest message took from end to end.
fn overheads(measured: &[Option<Range>], end_to_end: &[Vec<i64>]) -> Vec<Range> {
    let quickest = |class: usize| end_to_end[class].first().copied().unwrap_or(0).max(0);
    let known = |class: usize| {
        measured[class].unwrap_or_else(|| {
            let most = quickest(class);
            Range { least: 0, middle: most / 2, likely: most / 2, most, unusual: most }
        })
    };
    (0..CLASSES).map(known).collect()
}

fn ranges_of_pairs(samples: impl Iterator<Item = (u64, i64)>) -> FxHashMap<u64, Range> {
    let mut pairs: FxHashMap<u64, Vec<i64>> = FxHashMap::default();
    for (pair, value) in samples {
        pairs.entry(pair).or_default().push(value);
    }
    let ranges = pairs.into_iter().filter_map(|(pair, mut values)| {
        values.sort_unstable();
        Some((pair, range(&values)?))
    });
    ranges.collect()
}

/// From which size on at least nine in ten of the messages that tell have waited for their receive.
/// The account of blocked calls asks for more: there each send that was kept from running would be
/// counted as one that waited.
fn waits_from(told: impl Iterator<Item = (usize, Protocol)>) -> Option<u64> {
    let mut votes = vec![(0u64, 0u64); CLASSES];
    for (class, how) in told {
        votes[class].0 += u64::from(how == Protocol::Eager);
        votes[class].1 += u64::from(how == Protocol::Rendezvous);
    }
    let waits =
        |(eager, rendezvous): &(u64, u64)| *rendezvous >= VOTES_MIN && *rendezvous >= 9 * eager;
    let last_at_once = votes.iter().rposition(|votes| votes.0 > 0 && !waits(votes));
    let above = last_at_once.map_or(0, |last| last + 1);
    let first = votes[above..].iter().position(waits)?;
    Some(least_of(above + first))
}

/// How each size travels, where at least nine in ten of the messages that tell say so. Between the
/// largest eager and the smallest rendezvous size it stays unknown.
fn protocols(samples: &[Sample], held: &[u64]) -> Vec<Protocol> {
    let mut votes = vec![(0u64, 0u64); CLASSES];
    for sample in samples {
        let own = protocol(&sample.sent, &sample.got, sample.clock_error);
        votes[sample.class()].0 += u64::from(own == Some(Protocol::Eager));
    }
    held.iter().for_each(|bytes| votes[size_class(*bytes)].1 += 1);
    let largest_eager =
        votes.iter().rposition(|(eager, rendezvous)| *eager > 0 && *eager >= 9 * rendezvous);
    let smallest = votes
        .iter()
        .position(|(eager, rendezvous)| *rendezvous >= VOTES_MIN && *rendezvous >= 9 * eager);
    let protocol = |class: usize| {
        let eager = largest_eager.is_some_and(|largest| class <= largest);
        let rendezvous = smallest.is_some_and(|smallest| class >= smallest);
        match (eager, rendezvous) {
            (true, false) => Protocol::Eager,
            (false, false) if class <= size_class(SURELY_EAGER_BYTES) => Protocol::Eager,
            (false, true) => Protocol::Rendezvous,
            _ => Protocol::Unknown,
        }
    };
    (0..CLASSES).map(protocol).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_size_of_a_class_is_its_first() {
        let sizes = (0..100_000).chain((17..40).flat_map(|log| [(1 << log) - 1, 1 << log]));
        let mut before = None;
        for bytes in sizes {
            let class = size_class(bytes);
            assert_eq!(size_class(least_of(class)), class, "{bytes}");
            assert!(least_of(class) <= bytes, "{bytes}");
            if before.is_some_and(|before| before != class) && bytes < 100_000 {
                assert_eq!(least_of(class), bytes);
            }
            before = Some(class);
        }
    }

    #[test]
    fn sends_that_waited_for_late_receives_show_from_which_size_on_they_do() {
        let of = |sizes: &[(u64, bool, usize)]| {
            let told = sizes.iter().flat_map(|(bytes, waited, many)| {
                let how = if *waited { Protocol::Rendezvous } else { Protocol::Eager };
                std::iter::repeat_n((size_class(*bytes), how), *many)
            });
            waits_from(told)
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[(8192, false, 9), (20_000, true, 9), (90_000, true, 9)]), Some(16_384));
        // Too few to tell; and as many were kept from running.
        assert_eq!(of(&[(20_000, true, 3)]), None);
        assert_eq!(of(&[(20_000, true, 9), (20_000, false, 3)]), None);
        // What is above went at once.
        assert_eq!(of(&[(20_000, true, 9), (90_000, false, 1)]), None);
        assert_eq!(of(&[(20_000, true, 9), (90_000, false, 1), (99_999, true, 9)]), Some(98_304));
    }

    #[test]
    fn the_middle_is_likely_unless_half_waited_for_a_core() {
        let even: Vec<i64> = (1..=16).map(|us| us * 1_000).collect();
        let even = range(&even).expect("enough");
        assert_eq!((even.likely, even.middle), (9_000, 9_000));
        let few_late = range(&[3, 4, 5, 5, 5, 6, 8_000, 16_000].map(|us| us * 1_000)).unwrap();
        assert_eq!((few_late.likely, few_late.middle), (5_000, 5_000));
        let split = range(&[3, 4, 5, 9, 8_000, 12_000, 16_000, 24_000].map(|us| us * 1_000));
        let split = split.expect("enough");
        assert_eq!((split.likely, split.middle, split.most), (5_000, 8_000_000, 24_000_000));
        assert_eq!(range(&[1; SAMPLES_MIN - 1]), None);
    }
}
