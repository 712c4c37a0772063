//! Which size to measure next, so that the fit becomes surer.
//!
//! First the knees are closed in on, those that jump most before the others: into the widest gap of
//! the bracket, and where the gaps are a few bytes and noise decides, again at the size seen least.
//! Then what packets would do is looked at: if time steps at some size, it may step again at twice
//! and three times that. What is left goes where time grows most from one size to the next, as a
//! knee could hide there.

use super::{Fit, Point, packets};
use crate::analysis::{Knee, Sweep};

/// A bracket this wide is closed.
const FEW_BYTES: u64 = 4;
/// Visits of one size at most, in multiples of those that it began with.
const AGAIN: usize = 3;
/// Packets up to which steps are looked for.
const PACKETS: u64 = 5;
/// Bytes that may go with a message beside its own.
const HEADER: u64 = 64;
/// A step must be so many times the noise to be seen.
const SEEN: f64 = 4.0;
/// Growth from one size to the next that is worth a look between.
const GROWTH: f64 = 0.02;

/// The size to measure next, where each was visited `visits` times at first; `None` when nothing is
/// unsure.
pub fn next_size(points: &[Point], sweep: &Sweep, visits: usize) -> Option<u64> {
    let mut jumps: Vec<&Knee> = sweep.knees.iter().filter(|knee| knee.jumps()).collect();
    jumps.sort_by(|a, b| b.jump.abs().total_cmp(&a.jump.abs()));
    let closer = || jumps.iter().find_map(|knee| into(points, knee, visits));
    closer().or_else(|| further_packet(points, sweep, &jumps)).or_else(|| growing(points))
}

/// A size inside of a knee's bracket.
fn into(points: &[Point], knee: &Knee, visits: usize) -> Option<u64> {
    if knee.after_bytes - knee.before_bytes <= FEW_BYTES {
        return None;
    }
    let inside: Vec<&Point> = points
        .iter()
        .filter(|point| (knee.before_bytes..=knee.after_bytes).contains(&point.bytes))
        .collect();
    let widest = inside.windows(2).max_by_key(|pair| pair[1].bytes - pair[0].bytes)?;
    if widest[1].bytes - widest[0].bytes > FEW_BYTES {
        return Some((widest[0].bytes + widest[1].bytes) / 2);
    }
    let seldom = inside.iter().min_by_key(|point| point.visits.len())?;
    (seldom.visits.len() < AGAIN * visits.max(1)).then_some(seldom.bytes)
}

/// A size where a message would need one packet more, were the first step the end of the first
/// packet.
fn further_packet(points: &[Point], sweep: &Sweep, jumps: &[&Knee]) -> Option<u64> {
    let largest = points.last()?.bytes;
    let first =
        jumps.iter().filter(|knee| knee.jump_ns.0 > 0.0).min_by_key(|knee| knee.before_bytes)?;
    let payload =
        sweep.packets.map_or(packets::middle(first), |packets| packets.payload_bytes) as u64;
    let known = |from: u64, to: u64| points.iter().any(|point| (from..=to).contains(&point.bytes));
    for packet in 1..PACKETS {
        let before = first.before_bytes + packet * payload;
        let after = before + HEADER.min(payload / 8);
        let time = points
            .iter()
            .find(|point| point.bytes >= before)
            .map_or(f64::MAX, |point| point.values[0]);
        if after > largest || first.jump_ns.0 < SEEN * sweep.noise * time {
            return None;
        }
        let step = payload / 8;
        for (from, at, to) in [(before - step, before, before), (after, after, after + step)] {
            if !known(from.max(1), to) {
                return Some(at);
            }
        }
    }
    None
}

/// Half-way into the gap over which time grows most, allowing for noise.
fn growing(points: &[Point]) -> Option<u64> {
    let noise = Fit::new(points).noise;
    let growth = |at: usize| {
        let (low, high) = (points[at].values[0].max(1.0), points[at + 1].values[0]);
        (high / low - 1.0).abs() - SEEN * noise[at][0].hypot(noise[at + 1][0])
    };
    let wide = |at: &usize| points[*at + 1].bytes - points[*at].bytes > 2 * FEW_BYTES;
    let gap =
        (0..points.len() - 1).filter(wide).max_by(|a, b| growth(*a).total_cmp(&growth(*b)))?;
    (growth(gap) > GROWTH).then(|| (points[gap].bytes + points[gap + 1].bytes) / 2)
}
