//! The scale that peaks are looked for on, and times counted along it.
//!
//! Logarithmic, with a hundred places to a factor of e (1 % each); where 1 % is less than the clock's step, linear with
//! a place a step: place(v) = 100·asinh(v/(100·step)), which also has a place for 0 and for negative times.
//!
//! Times that share a counter or a step of the clock are spread evenly over it. So a coarse clock makes no comb, and no random
//! jitter is needed.

use super::tick::Tick;
use crate::distribution::{Counted, LogLinear};

/// Places to a factor of e.
const PLACES: f64 = 100.0;

/// A scale whose unit is the larger of 1 % and the clock's step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    tick: Option<Tick>,
    step_ns: f64,
}

/// Times along an axis, cumulated.
#[derive(Clone, Debug, Default)]
pub(super) struct Course {
    /// Ascending; they do not overlap.
    cells: Vec<Cell>,
    total: f64,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    from: f64,
    to: f64,
    below: f64,
    count: f64,
}

impl Axis {
    pub fn new(tick: Option<Tick>) -> Axis {
        Axis { tick, step_ns: tick.map_or(1.0, |tick| tick.step_ns) }
    }

    /// The place of a time.
    pub fn place(&self, ns: f64) -> f64 {
        (ns / (PLACES * self.step_ns)).asinh() * PLACES
    }

    /// The time at a place, ns.
    pub fn value(&self, place: f64) -> f64 {
        (place / PLACES).sinh() * PLACES * self.step_ns
    }

    /// What `of` counted, along this axis.
    pub fn course<const E: u32, const S: u32>(&self, of: &LogLinear<E, S>) -> Course {
        let mut course = Course::default();
        for counter in of.counters() {
            let (from, to) = self.reach(&counter);
            course.add(self.place(from), self.place(to), counter.count as f64);
        }
        course
    }

    fn reach(&self, counter: &Counted) -> (f64, f64) {
        let own = (counter.low as f64 - 0.5, counter.high as f64 + 0.5);
        self.tick.and_then(|tick| tick.reach(counter)).unwrap_or(own)
    }
}

impl Course {
    /// Messages at all.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The first and the last place with messages.
    pub fn ends(&self) -> Option<(f64, f64)> {
        Some((self.cells.first()?.from, self.cells.last()?.to))
    }

    /// Messages before `place`.
    pub fn before(&self, place: f64) -> f64 {
        let at = self.cells.partition_point(|cell| cell.to <= place);
        self.cells.get(at).map_or(self.total, |cell| {
            cell.below + cell.count * ((place - cell.from) / (cell.to - cell.from)).clamp(0.0, 1.0)
        })
    }

    /// Messages from one place to another.
    pub fn between(&self, from: f64, to: f64) -> f64 {
        self.before(to) - self.before(from)
    }

    /// Messages in each of `bins` bins of the given width.
    pub fn bins(&self, from: f64, width: f64, bins: usize) -> Vec<f64> {
        let edges: Vec<f64> = (0..=bins).map(|bin| self.before(from + width * bin as f64)).collect();
        edges.windows(2).map(|edge| edge[1] - edge[0]).collect()
    }

    fn add(&mut self, from: f64, to: f64, count: f64) {
        match self.cells.last_mut() {
            // The same tooth of the clock, or one that reaches into what was before.
            Some(last) if to <= last.to => last.count += count,
            last => {
                let from = last.map_or(from, |last| from.max(last.to));
                self.cells.push(Cell { from, to, below: self.total, count });
            }
        }
        self.total += count;
    }
}
