//! Ping-pong over sizes. The sizes come in random order, so that what changes with time does not
//! look like an effect of the size; then further visits are made, one size at a time, where the fit
//! that the report draws is least sure (`stats::knees`): a grid of powers of two misplaces every
//! knee, bisection brackets it within a few bytes.

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
use stats::knees::{self, Point};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// What to sweep.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Bytes, each visited whatever is found.
    pub sizes: Vec<usize>,
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

pub(crate) fn run(
    node: &mut Node,
    plan: &Plan,
    shape: &Shape,
    meter: &Meter<'_>,
) -> Result<Outcome, FabricError> {
    if node.id() == 0 { lead(node, plan, shape, meter) } else { echo(node, plan) }
}

fn lead(
    node: &mut Node,
    plan: &Plan,
    shape: &Shape,
    meter: &Meter<'_>,
) -> Result<Outcome, FabricError> {
    let trips = match plan.length {
        Length::Count(trips) => trips,
        Length::DurationMs(_) => unreachable!("Plan::check refuses a sweep by duration"),
    };
    let mut visits: Vec<usize> = shape.sizes.repeat(shape.repeats as usize);
    visits.shuffle(&mut Pcg64Mcg::seed_from_u64(plan.seed));
    let mut sweep = Sweep { node, plan, trips, meter, visits: BTreeMap::new(), done: 0 };
    let begin = sweep.node.clock().now();
    for bytes in visits {
        sweep.visit(bytes)?;
    }
    for _ in 0..shape.refine {
        let Some(bytes) = sweep.unsure(shape.repeats) else { break };
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
    /// Round trips of each visit, ns, by size.
    visits: BTreeMap<usize, Vec<Vec<u64>>>,
    done: u64,
}

impl Sweep<'_> {
    fn visit(&mut self, bytes: usize) -> Result<(), FabricError> {
        let payload = vec![0x5a; bytes];
        let clock = self.node.clock();
        self.meter.warm_up(self.node, self.plan, |node| round_trip(node, 1, &payload).map(drop))?;
        let before = self.meter.done.load(Ordering::Relaxed);
        let mut last = clock.now();
        self.visits.entry(bytes).or_default().push(Vec::new());
        for number in 0..self.trips {
            if self.meter.is_stopped() {
                return Ok(());
            }
            let end = round_trip(self.node, 1, &payload)?;
            self.node.cycle(last, end, bytes as u64);
            let trip_ns = self.node.ns_between(last, end);
            self.visits
                .entry(bytes)
                .or_default()
                .last_mut()
                .into_iter()
                .for_each(|trips| trips.push(trip_ns));
            last = end;
            self.done += 1;
            self.meter.done.store(before + number + 1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The size to visit next; `None` when the fit is sure of all.
    fn unsure(&self, repeats: u32) -> Option<usize> {
        let points: Vec<Point> =
            self.visits.iter().filter_map(|(bytes, visits)| point(*bytes, visits)).collect();
        let sweep = knees::fit(&points, true)?;
        knees::next_size(&points, &sweep, repeats as usize).map(|bytes| bytes as usize)
    }

    fn medians(&self) -> Vec<SizeMedian> {
        let median = |(bytes, visits): (&usize, &Vec<Vec<u64>>)| {
            let [median_ns, _] = quantiles(visits.concat())?;
            Some(SizeMedian { bytes: *bytes as u64, median_ns })
        };
        self.visits.iter().filter_map(median).collect()
    }
}

/// What is known of one size; `None` when no round trip was made.
fn point(bytes: usize, visits: &[Vec<u64>]) -> Option<Point> {
    let values = |trips: Vec<u64>| quantiles(trips).map(|both| both.map(|ns| ns as f64));
    Some(Point {
        bytes: bytes as u64,
        values: values(visits.concat())?,
        visits: visits.iter().filter_map(|visit| values(visit.clone())).collect(),
    })
}

/// Median and 99 % quantile.
fn quantiles(mut trips: Vec<u64>) -> Option<[u64; 2]> {
    trips.sort_unstable();
    let at = |percent: usize| {
        trips.get((trips.len() * percent).div_ceil(100).saturating_sub(1)).copied()
    };
    Some([at(50)?, at(99)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::sizes;

    #[test]
    fn visits_close_in_on_a_planted_knee() {
        let time = |bytes: usize| 1000 + bytes as u64 / 10 + if bytes > 4043 { 900 } else { 0 };
        // Every visit a little different, the same in each run.
        let visit =
            |bytes: usize, off: u64| vec![time(bytes) + (bytes as u64 * 7 + off * 5) % 11; 20];
        let mut visits: BTreeMap<usize, Vec<Vec<u64>>> = sizes(1 << 14, None)
            .into_iter()
            .map(|bytes| (bytes, vec![visit(bytes, 0), visit(bytes, 1)]))
            .collect();
        for _ in 0..30 {
            let points: Vec<Point> =
                visits.iter().filter_map(|(bytes, all)| point(*bytes, all)).collect();
            let sweep = knees::fit(&points, true).expect("enough sizes");
            let Some(bytes) = knees::next_size(&points, &sweep, 2) else { break };
            let bytes = bytes as usize;
            visits.entry(bytes).or_default().extend([visit(bytes, 2), visit(bytes, 3)]);
        }
        let points: Vec<Point> =
            visits.iter().filter_map(|(bytes, all)| point(*bytes, all)).collect();
        let sweep = knees::fit(&points, true).expect("enough sizes");
        let knee = sweep.knees.iter().find(|knee| knee.jumps()).expect("the jump is clear");
        assert!(knee.before_bytes <= 4043 && knee.after_bytes > 4043, "{knee:?}");
        assert!(knee.after_bytes - knee.before_bytes <= 8, "{knee:?}");
    }

    #[test]
    fn quantiles_are_the_smallest_that_enough_trips_do_not_pass() {
        assert_eq!(quantiles((1..=200).rev().collect()), Some([100, 198]));
        assert_eq!(quantiles(vec![7]), Some([7, 7]));
        assert_eq!(quantiles(Vec::new()), None);
    }
}
