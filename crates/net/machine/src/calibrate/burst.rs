//! A link that lets a burst through at once and then keeps to its rate, as traffic shapers do.
//!
//! A message alone takes less of its time than each of a stream does. In a ping-pong, what the link
//! is spared it has earned since the last message that way: with `a` for the time of a byte and `n`
//! bytes on the wire, one way takes the most of `base`, `a × n / 2` (the bucket earns in a round
//! trip what one message needs) and `base + a × (n − burst)`.

use super::sizes::{At, Sizes, median};

/// Sizes that this takes.
const SIZES_LEAST: usize = 6;
/// Of these, so many show what no byte adds to.
const SMALLEST: usize = 5;
/// A stream is slower than what a message alone shows by so much.
const CLEARLY: f64 = 1.25;
/// How far a value may lie off the three lines, as a part, on average.
const OFF: f64 = 0.15;
/// How far a byte's time in a stream and in large messages may differ.
const ALIKE: f64 = 0.3;
/// Headers on the wire, bytes a message, at most.
const HEADERS: f64 = 200.0;
/// Cuts of each interval in the search, and rounds of it.
const CUTS: u32 = 16;
const ROUNDS: u32 = 7;

/// What such a link does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Burst {
    /// Of one way, ns.
    base: f64,
    /// Of a byte, ns.
    pub a_byte: f64,
    /// On the wire.
    pub bytes: f64,
    /// On the wire besides the payload, bytes a message.
    pub header: f64,
}

impl Burst {
    /// What the sizes show, if they show one.
    pub fn of(sizes: &Sizes) -> Option<Burst> {
        let one_way: Vec<At> = sizes.one_way().collect();
        if one_way.len() < SIZES_LEAST {
            return None;
        }
        let smallest: Vec<f64> = one_way.iter().take(SMALLEST).map(|at| at.value).collect();
        let base = median(&smallest)?;
        let held_up = |at: &At| {
            at.value > CLEARLY * (near(&one_way, at.bytes) - base) && !is_an_end(sizes, at)
        };
        let streams: Vec<At> = sizes.passing().filter(held_up).collect();
        let burst = fitted(&one_way, base, streams.last()?, header(&streams));
        let is_one = burst.off(&one_way) < OFF && grows_like(&one_way, burst.a_byte);
        (is_one && burst.bytes > 0.0).then_some(burst)
    }

    /// What one way takes in a ping-pong.
    fn one_way(&self, bytes: u64) -> f64 {
        let wire = bytes as f64 + self.header;
        let held = self.base + self.a_byte * (wire - self.bytes);
        self.base.max(self.a_byte * wire / 2.0).max(held)
    }

    /// How many times as long a message of a ping-pong would take without it. It is no difference,
    /// of which little would be left where much was spared.
    pub fn spares(&self, bytes: u64) -> f64 {
        (self.base + self.a_byte * bytes as f64) / self.one_way(bytes)
    }

    /// How far values lie off, as parts, on average.
    fn off(&self, one_way: &[At]) -> f64 {
        let off = |at: &At| (self.one_way(at.bytes) / at.value.max(1.0) - 1.0).abs();
        one_way.iter().map(off).sum::<f64>() / one_way.len() as f64
    }
}

/// Sizes as they were if the link spared no message anything.
pub(super) fn unspared(mut sizes: Sizes, burst: Option<Burst>) -> Sizes {
    let Some(burst) = burst else { return sizes };
    for (bytes, shown) in &mut sizes.0 {
        let times = burst.spares(*bytes);
        shown.one_way.iter_mut().for_each(|one_way| *one_way *= times);
    }
    sizes
}

/// What was measured at the size nearest to this.
fn near(one_way: &[At], bytes: u64) -> f64 {
    let there = one_way.iter().min_by_key(|at| at.bytes.abs_diff(bytes));
    there.map_or(0.0, |at| at.value)
}

/// Whether a stream is as slow as one of its ends.
fn is_an_end(sizes: &Sizes, stream: &At) -> bool {
    let mut ends = sizes.sending().chain(sizes.taking());
    ends.any(|at| at.bytes == stream.bytes && stream.value < CLEARLY * at.value)
}

/// Whether large messages take as long a byte, or half as long: in a ping-pong of messages that are
/// not much larger than the burst.
fn grows_like(one_way: &[At], a_byte: f64) -> bool {
    let Some(last) = one_way.last() else { return false };
    let half = one_way.iter().min_by_key(|at| at.bytes.abs_diff(last.bytes / 2)).unwrap_or(last);
    let slope = (last.value - half.value) / (last.bytes - half.bytes).max(1) as f64;
    let alike = |slope: f64| (a_byte / slope - 1.0).abs() < ALIKE;
    alike(slope) || alike(2.0 * slope)
}

/// What streams of several sizes show of the header; within these bounds without them.
fn header(streams: &[At]) -> (f64, f64) {
    let (Some(first), Some(last)) = (streams.first(), streams.last()) else {
        return (0.0, HEADERS);
    };
    let a_byte = (last.value - first.value) / (last.bytes - first.bytes) as f64;
    if streams.len() < 2 || a_byte <= 0.0 {
        return (0.0, HEADERS);
    }
    let header = (first.value / a_byte - first.bytes as f64).clamp(0.0, HEADERS);
    (header, header)
}

/// The burst and the rate that are nearest; the stream says what both make of a message, and the
/// header is within bounds.
fn fitted(one_way: &[At], base: f64, stream: &At, header: (f64, f64)) -> Burst {
    let of = |header: f64, bytes: f64| {
        let a_byte = stream.value / (stream.bytes as f64 + header);
        Burst { base, a_byte, bytes, header }
    };
    let last = one_way.last().map_or(0, |at| at.bytes) as f64;
    let most = [header, (0.0, last)];
    let mut within = most;
    for _ in 0..ROUNDS {
        let steps = within.map(|(low, high)| (high - low) / f64::from(CUTS));
        let at = |axis: usize, cut: u32| within[axis].0 + steps[axis] * f64::from(cut);
        let all = (0..=CUTS).flat_map(|one| (0..=CUTS).map(move |other| (one, other)));
        let off = |cuts: &(u32, u32)| of(at(0, cuts.0), at(1, cuts.1)).off(one_way);
        let best = all.min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or_default();
        let best = [at(0, best.0), at(1, best.1)];
        within = [0, 1].map(|axis| {
            let (step, most) = (2.0 * steps[axis], most[axis]);
            ((best[axis] - step).max(most.0), (best[axis] + step).min(most.1))
        });
    }
    let [header, bytes] = within.map(|(low, high)| (low + high) / 2.0);
    of(header, bytes)
}
