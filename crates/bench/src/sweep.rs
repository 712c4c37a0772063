//! Ping-pong over sizes. The sizes come in random order, so that what changes with time does not look like an effect of
//! the size; then sizes are added, one by one, half-way into the largest relative jump of the median. A grid of powers
//! of two misplaces every knee; bisection brackets it within a few bytes.

use crate::Outcome;
use crate::meter::Meter;
use crate::pingpong::round_trip;
use crate::plan::{Length, Plan};
use crate::serve::echo;
use fabric::{FabricError, Node};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// What to sweep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub largest_bytes: usize,
    pub repeats: u32,
    pub refine: u32,
}

/// The median round trip of one size, as the leading node saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeMedian {
    /// Payload, bytes.
    pub bytes: u64,
    /// Median round trip, ns.
    pub median_ns: u64,
}

/// Two sizes this close bracket a knee well enough.
const BRACKET_BYTES: usize = 8;
/// A jump smaller than this is not worth a closer look.
const JUMP_MIN: f64 = 0.08;

pub(crate) fn run(
    node: &mut Node,
    plan: &Plan,
    shape: Shape,
    meter: &Meter<'_>,
) -> Result<Outcome, FabricError> {
    if node.id() == 0 { lead(node, plan, shape, meter) } else { echo(node) }
}

fn lead(node: &mut Node, plan: &Plan, shape: Shape, meter: &Meter<'_>) -> Result<Outcome, FabricError> {
    let trips = match plan.length {
        Length::Count(trips) => trips,
        Length::DurationMs(_) => unreachable!("Plan::check refuses a sweep by duration"),
    };
    let mut visits: Vec<usize> = grid(shape.largest_bytes).repeat(shape.repeats as usize);
    visits.shuffle(&mut Pcg64Mcg::seed_from_u64(plan.seed));
    let mut sweep = Sweep { node, plan, trips, meter, times: BTreeMap::new(), done: 0 };
    let begin = sweep.node.clock().now();
    for bytes in visits {
        sweep.visit(bytes)?;
    }
    for _ in 0..shape.refine {
        let Some(bytes) = widest_jump(&sweep.medians()) else { break };
        for _ in 0..shape.repeats {
            sweep.visit(bytes)?;
        }
    }
    let sizes = sweep.medians();
    let done = sweep.done;
    let elapsed_ns = node.ns_between(begin, node.clock().now());
    Ok(Outcome { sent: done, received: done, elapsed_ns, sizes })
}

struct Sweep<'a> {
    node: &'a mut Node,
    plan: &'a Plan,
    trips: u64,
    meter: &'a Meter<'a>,
    times: BTreeMap<usize, Vec<u64>>,
    done: u64,
}

impl Sweep<'_> {
    fn visit(&mut self, bytes: usize) -> Result<(), FabricError> {
        let payload = vec![0x5a; bytes];
        let clock = self.node.clock();
        self.node.set_stamping(false);
        for _ in 0..self.plan.warm_up {
            round_trip(self.node, 1, &payload)?;
        }
        self.node.set_stamping(true);
        let mut last = clock.now();
        for _ in 0..self.trips {
            if self.meter.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let end = round_trip(self.node, 1, &payload)?;
            self.node.cycle(last, end, bytes as u64);
            let trip_ns = self.node.ns_between(last, end);
            self.times.entry(bytes).or_default().push(trip_ns);
            last = end;
            self.done += 1;
        }
        self.meter.done.store(self.done, Ordering::Relaxed);
        Ok(())
    }

    fn medians(&mut self) -> Vec<SizeMedian> {
        let median = |(bytes, times): (&usize, &mut Vec<u64>)| {
            let middle = times.len() / 2;
            let (_, median_ns, _) = times.select_nth_unstable(middle);
            SizeMedian { bytes: *bytes as u64, median_ns: *median_ns }
        };
        self.times.iter_mut().map(median).collect()
    }
}

/// Powers of two and the sizes half-way between them, up to the largest.
pub(crate) fn grid(largest: usize) -> Vec<usize> {
    let powers = (0..usize::BITS).map(|power| 1usize << power).take_while(|bytes| *bytes <= largest);
    let mut sizes: Vec<usize> = powers.flat_map(|bytes| [bytes, bytes + bytes / 2]).collect();
    sizes.extend([0, largest]);
    sizes.retain(|bytes| *bytes <= largest);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The size half-way into the largest relative jump between neighbours that are not yet close enough. What a larger
/// payload costs on a straight line is not a jump: the slope to the next size beyond is taken off.
fn widest_jump(medians: &[SizeMedian]) -> Option<usize> {
    let jump = |pair: &[SizeMedian]| {
        let (low, high) = (pair[0], pair[1]);
        (high.median_ns as f64 - low.median_ns as f64).abs() / low.median_ns.max(1) as f64
    };
    let wide = |pair: &&[SizeMedian]| {
        (pair[1].bytes - pair[0].bytes) as usize > BRACKET_BYTES && jump(pair) >= JUMP_MIN
    };
    let widest = medians.windows(2).filter(wide).max_by(|a, b| jump(a).total_cmp(&jump(b)))?;
    Some((widest[0].bytes + widest[1].bytes) as usize / 2)
}

/// Round trips of a sweep, as far as they are known before it begins.
impl Plan {
    /// How much progress a run can make at most: messages or round trips a leading node, or milliseconds.
    pub fn goal(&self) -> u64 {
        match (&self.workload, self.length) {
            (crate::Workload::Sweep { largest_bytes, repeats, refine }, Length::Count(trips)) => {
                (grid(*largest_bytes).len() as u64 + u64::from(*refine)) * u64::from(*repeats) * trips
            }
            (_, Length::Count(count)) => count,
            (_, Length::DurationMs(ms)) => ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_holds_both_ends_once() {
        assert_eq!(grid(10), [0, 1, 2, 3, 4, 6, 8, 10]);
        assert_eq!(grid(0), [0]);
    }

    #[test]
    fn bisection_closes_in_on_a_planted_knee() {
        let time = |bytes: usize| 1000 + bytes as u64 / 100 + if bytes > 4043 { 900 } else { 0 };
        let point = |bytes: usize| SizeMedian { bytes: bytes as u64, median_ns: time(bytes) };
        let mut medians: Vec<SizeMedian> = grid(1 << 14).into_iter().map(point).collect();
        while let Some(bytes) = widest_jump(&medians) {
            medians.push(point(bytes));
            medians.sort_by_key(|median| median.bytes);
            assert!(medians.len() < 100, "bisection must end");
        }
        let above = medians.iter().position(|median| median.median_ns > 1900).expect("the knee is inside");
        let bracket = (medians[above - 1].bytes, medians[above].bytes);
        assert!(bracket.0 <= 4043 && bracket.1 > 4043 && bracket.1 - bracket.0 <= 8, "{bracket:?}");
    }
}
