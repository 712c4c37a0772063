//! The scale that peaks are looked for on, and times counted along it.
//!
//! Logarithmic, with a hundred places to a factor of e (1 % each); where 1 % is less than the
//! clock's step, linear with a place a step: place(v) = 100·asinh(v/(100·step)), which also has a
//! place for 0 and for negative times.
//!
//! Times that share a counter or a step of the clock are spread evenly over it. So a coarse clock
//! makes no comb, and no random jitter is needed.

use super::tick::Tick;
use crate::distribution::{Counted, Distribution, LogLinear};

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
    /// Time of all messages before, and of these, ns.
    time_below: f64,
    time: f64,
}

/// Where counters lie on an axis, worked out once for many distributions of the same resolution.
pub(super) struct Places<'a> {
    axis: &'a Axis,
    /// By ascending counter.
    known: Vec<(Counted, f64, f64)>,
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

    /// The time nearest to a place that the clock can show: it lies on a step, and no finer than a
    /// nanosecond. Where steps are coarse, of the steps within reach of the place the one that most
    /// times lie on.
    pub fn observed(&self, of: &Distribution, place: f64) -> f64 {
        let near = self.value(place);
        let Some(tick) = self.tick else { return whole(near) };
        let teeth = of.counters().filter_map(|counter| Some((counter, tick.reach(&counter)?)));
        let within = |(_, (from, to)): &(Counted, (f64, f64))| {
            ((from + to) / 2.0 - near).abs() <= tick.step_ns
        };
        let mut best = (0, near);
        let mut tooth: (f64, u64, f64) = (f64::NAN, 0, 0.0);
        for (counter, (from, _)) in teeth.filter(within) {
            let before = if tooth.0 == from { tooth } else { (from, 0, 0.0) };
            let time = before.2 + counter.middle() as f64 * counter.count as f64;
            tooth = (from, before.1 + counter.count, time);
            if tooth.1 > best.0 {
                best = (tooth.1, time / tooth.1 as f64);
            }
        }
        whole(best.1)
    }

    /// The step that times about `ns` differ by, as far as one shows.
    pub fn step_at(&self, ns: f64) -> Option<f64> {
        self.tick.filter(|tick| tick.matters(ns)).map(|tick| tick.step_ns)
    }

    /// What `of` counted, along this axis.
    pub fn course<const E: u32, const S: u32>(&self, of: &LogLinear<E, S>) -> Course {
        self.places(of).course(of)
    }

    /// Where the counters of `of` lie.
    pub fn places<const E: u32, const S: u32>(&self, of: &LogLinear<E, S>) -> Places<'_> {
        let known = |counter: Counted| {
            let (from, to) = self.reach(&counter);
            (counter, self.place(from), self.place(to))
        };
        Places { axis: self, known: of.counters().map(known).collect() }
    }

    fn reach(&self, counter: &Counted) -> (f64, f64) {
        let own = (counter.low as f64 - 0.5, counter.high as f64 + 0.5);
        self.tick.and_then(|tick| tick.reach(counter)).unwrap_or(own)
    }
}

/// A whole number of nanoseconds, and no zero with a sign.
fn whole(ns: f64) -> f64 {
    ns.round() + 0.0
}

impl Places<'_> {
    /// What `of`, whose counters should be among these, counted.
    pub fn course<const E: u32, const S: u32>(&self, of: &LogLinear<E, S>) -> Course {
        let mut course = Course::default();
        let mut known = self.known.iter().peekable();
        for counter in of.counters() {
            while known.next_if(|(other, ..)| other.high < counter.low).is_some() {}
            let (from, to) = match known.peek() {
                Some((other, from, to))
                    if (other.low, other.high) == (counter.low, counter.high) =>
                {
                    (*from, *to)
                }
                // The outermost counters reach no further than the values did.
                _ => {
                    let (from, to) = self.axis.reach(&counter);
                    (self.axis.place(from), self.axis.place(to))
                }
            };
            course.add(from, to, counter);
        }
        course
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

    /// Time of all messages, ns.
    pub fn time(&self) -> f64 {
        self.cells.last().map_or(0.0, |cell| cell.time_below + cell.time)
    }

    /// Messages before `place`.
    pub fn before(&self, place: f64) -> f64 {
        self.cell(place).map_or(self.total, |(cell, part)| cell.below + part * cell.count)
    }

    /// Time of the messages from one place to another, ns.
    pub fn time_between(&self, from: f64, to: f64) -> f64 {
        let before = |place: f64| {
            self.cell(place).map_or(self.time(), |(cell, part)| cell.time_below + part * cell.time)
        };
        before(to) - before(from)
    }

    /// The cell that a place lies in or before, and the part of it before the place.
    fn cell(&self, place: f64) -> Option<(&Cell, f64)> {
        let cell = self.cells.get(self.cells.partition_point(|cell| cell.to <= place))?;
        Some((cell, ((place - cell.from) / (cell.to - cell.from)).clamp(0.0, 1.0)))
    }

    /// Messages from one place to another.
    pub fn between(&self, from: f64, to: f64) -> f64 {
        self.before(to) - self.before(from)
    }

    /// Messages in each of `bins` bins of the given width.
    pub fn bins(&self, from: f64, width: f64, bins: usize) -> Vec<f64> {
        let mut counts = vec![0.0; bins];
        let first = self.cells.partition_point(|cell| cell.to <= from);
        let end = from + width * bins as f64;
        for cell in self.cells[first..].iter().take_while(|cell| cell.from < end) {
            let bin_of = |place: f64| ((place - from) / width).clamp(0.0, bins as f64);
            let (low, high) = (bin_of(cell.from), bin_of(cell.to));
            let density = cell.count * width / (cell.to - cell.from);
            for (bin, count) in
                counts.iter_mut().enumerate().take(high.ceil() as usize).skip(low as usize)
            {
                *count += density * (high.min(bin as f64 + 1.0) - low.max(bin as f64));
            }
        }
        counts
    }

    fn add(&mut self, from: f64, to: f64, counter: Counted) {
        let (count, time) = (counter.count as f64, counter.count as f64 * counter.middle() as f64);
        let time_below = self.time();
        match self.cells.last_mut() {
            // The same tooth of the clock, or one that reaches into what was before.
            Some(last) if to <= last.to => {
                last.count += count;
                last.time += time;
            }
            last => {
                let from = last.map_or(from, |last| from.max(last.to));
                self.cells.push(Cell { from, to, below: self.total, count, time_below, time });
            }
        }
        self.total += count;
    }
}
