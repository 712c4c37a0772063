//! How long threads of the program waited for pages, and what the engine did meanwhile.

use crate::course::Course;
use pager::Page;
use serde::Serialize;

/// What a thread waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A page that nobody had touched.
    Zero,
    /// A page that was still, or already, near.
    Soft,
    /// A page that had to come from a place.
    Hard,
}

/// Waiting times by cause, and the time in which somebody waited.
pub struct Waits {
    under_way: Vec<(Page, u64, Cause)>,
    times: [Times; 3],
    since: u64,
    waited: u64,
    idle: u64,
    /// What happened, for a model.
    pub course: Course,
}

/// A histogram of ticks: 16 steps to each power of two, so a quantile is off by 3 % at most.
struct Times {
    counts: Vec<u64>,
    sum: u64,
    many: u64,
    most: u64,
}

/// Of the waits for one cause, ns. From when the engine saw the fault until the page was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quantiles {
    /// How many.
    pub count: u64,
    /// Half were shorter.
    pub p50: f64,
    /// One in a hundred was longer.
    pub p99: f64,
    /// The longest.
    pub max: f64,
    /// All together, by their number.
    pub mean: f64,
}

const STEPS: u32 = 4;

impl Waits {
    pub fn new() -> Waits {
        Waits {
            under_way: Vec::new(),
            times: [Times::new(), Times::new(), Times::new()],
            since: 0,
            waited: 0,
            idle: 0,
            course: Course::new(),
        }
    }

    /// A thread waits for `page`.
    pub fn begin(&mut self, page: Page, cause: Cause, now: u64) {
        if self.under_way.iter().any(|(other, ..)| *other == page) {
            return;
        }
        if self.under_way.is_empty() {
            self.since = now;
        }
        self.under_way.push((page, now, cause));
    }

    /// The pages `[first, first + many)` are there.
    #[inline]
    pub fn end(&mut self, first: Page, many: u64, now: u64) {
        let mut at = 0;
        while at < self.under_way.len() {
            let (page, begun, cause) = self.under_way[at];
            if page < first || page.0 >= first.0 + many {
                at += 1;
                continue;
            }
            self.under_way.swap_remove(at);
            self.times[cause as usize].add(now.saturating_sub(begun));
            if self.under_way.is_empty() {
                self.waited += now.saturating_sub(self.since);
                self.course.wait(self.since, now);
            }
        }
    }

    /// Whether somebody waits.
    pub fn any(&self) -> bool {
        !self.under_way.is_empty()
    }

    /// The engine had nothing to do for so many ticks.
    pub fn idle(&mut self, ticks: u64) {
        if self.any() {
            self.idle += ticks;
        }
    }

    /// Seconds in which somebody waited, and how many of them the engine waited too.
    pub fn seconds(&self, ns_per_tick: f64) -> (f64, f64) {
        (self.waited as f64 * ns_per_tick / 1e9, self.idle as f64 * ns_per_tick / 1e9)
    }

    /// Of one cause.
    pub fn quantiles(&self, cause: Cause, ns_per_tick: f64) -> Quantiles {
        self.times[cause as usize].quantiles(ns_per_tick)
    }
}

impl Times {
    fn new() -> Times {
        Times { counts: vec![0; (64 << STEPS) as usize], sum: 0, many: 0, most: 0 }
    }

    fn add(&mut self, ticks: u64) {
        self.counts[step_of(ticks)] += 1;
        (self.sum, self.many, self.most) = (self.sum + ticks, self.many + 1, self.most.max(ticks));
    }

    fn quantiles(&self, ns_per_tick: f64) -> Quantiles {
        if self.many == 0 {
            return Quantiles::default();
        }
        let ns = |ticks: f64| ticks * ns_per_tick;
        Quantiles {
            count: self.many,
            p50: ns(self.quantile(0.5)),
            p99: ns(self.quantile(0.99)),
            max: ns(self.most as f64),
            mean: ns(self.sum as f64 / self.many as f64),
        }
    }

    fn quantile(&self, part: f64) -> f64 {
        let rank = (self.many as f64 * part).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (step, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return middle_of(step).min(self.most as f64);
            }
        }
        self.most as f64
    }
}

/// Below 16 each number is a step of its own.
fn step_of(ticks: u64) -> usize {
    if ticks < 1 << STEPS {
        return ticks as usize;
    }
    let power = 63 - ticks.leading_zeros();
    let within = (ticks >> (power - STEPS)) as u32 & ((1 << STEPS) - 1);
    (((power - STEPS + 1) << STEPS) + within) as usize
}

fn middle_of(step: usize) -> f64 {
    let (power, within) = ((step >> STEPS) as u32, (step & ((1 << STEPS) - 1)) as f64);
    if power == 0 {
        return within;
    }
    (f64::from(1 << STEPS) + within + 0.5) * 2f64.powi(power as i32 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_off_by_three_percent_at_most() {
        let mut times = Times::new();
        (1..=100_000).for_each(|ticks| times.add(ticks));
        let found = times.quantiles(2.0);
        for (found, right) in [(found.p50, 100_000.0), (found.p99, 198_000.0)] {
            assert!((found / right - 1.0).abs() < 0.032, "{found} {right}");
        }
        assert_eq!((found.count, found.max, found.mean), (100_000, 200_000.0, 100_001.0));
    }

    #[test]
    fn waits_that_overlap_count_once() {
        let mut waits = Waits::new();
        waits.begin(Page(1), Cause::Hard, 100);
        waits.begin(Page(1), Cause::Hard, 110);
        waits.begin(Page(5), Cause::Zero, 150);
        waits.idle(20);
        waits.end(Page(0), 3, 200);
        assert!(waits.any());
        waits.end(Page(5), 1, 300);
        waits.idle(1000);
        assert_eq!(waits.seconds(1e9), (200.0, 20.0));
        assert_eq!(waits.quantiles(Cause::Hard, 1.0).max, 100.0);
        assert_eq!(waits.quantiles(Cause::Zero, 1.0).max, 150.0);
        assert_eq!(waits.quantiles(Cause::Soft, 1.0).count, 0);
    }
}
