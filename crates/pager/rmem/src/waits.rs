//! How long threads of the program waited for pages, and what the engine did meanwhile.

mod idle;
mod lateness;

pub use idle::{Waited, Woken};
pub use lateness::Count;

use crate::timeline::Timeline;
use crate::whence::Whence;
use idle::Idle;
use lateness::Lateness;
use pager::Page;
use pager_facts::{FaultTime, PageEvents};

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
    /// Threads that wait until all that they hold is there.
    holds: usize,
    times: [Times; 3],
    /// When somebody began to wait, and up to when that has been counted.
    begun: u64,
    counted: u64,
    /// Somebody waits for a page, and not only for what it holds.
    fault: bool,
    /// Not counted yet.
    idle: Idle,
    waited: Waited,
    /// The engine had no processor while there was a fault that it had not seen.
    unseen: u64,
    lateness: Lateness,
    /// What happened, for a model.
    pub timeline: Timeline,
    pub page_events: PageEvents,
    /// Where they stood.
    pub whence: Whence,
}

/// A histogram of ticks: 16 steps to each power of two, so a quantile is off by 3 % at most.
struct Times {
    counts: Vec<u64>,
    sum: u64,
    many: u64,
    most: u64,
}

const STEPS: u32 = 4;

impl Waits {
    /// `late` counts how long the engine's thread was ready to run and had no processor, ticks.
    pub fn new(ns_per_tick: f64, late: Count) -> Waits {
        Waits {
            under_way: Vec::new(),
            holds: 0,
            times: [Times::new(), Times::new(), Times::new()],
            begun: 0,
            counted: 0,
            fault: false,
            idle: Idle::default(),
            waited: Waited::default(),
            unseen: 0,
            lateness: Lateness::new(ns_per_tick, late),
            timeline: Timeline::new(),
            page_events: PageEvents::new(),
            whence: Whence::new(),
        }
    }

    /// Keep no timeline from now on, and nothing of pages.
    pub fn stop_recording(&mut self) {
        self.timeline.stop();
        self.page_events.stop();
    }

    pub fn is_recording(&self) -> bool {
        self.page_events.is_recording()
    }

    /// A thread waits for `page`.
    pub fn begin(&mut self, page: Page, cause: Cause, now: u64) {
        if self.under_way.iter().any(|(other, ..)| *other == page) {
            return;
        }
        self.enter(now);
        self.fault = true;
        self.under_way.push((page, now, cause));
    }

    /// The pages `[first, first + many)` are there.
    #[inline]
    pub fn end(&mut self, first: Page, many: u64, now: u64) {
        self.page_events.there(first.0, many, now);
        let mut at = 0;
        while at < self.under_way.len() {
            let (page, begun, cause) = self.under_way[at];
            if page < first || page.0 >= first.0 + many {
                at += 1;
                continue;
            }
            self.under_way.swap_remove(at);
            self.times[cause as usize].add(now.saturating_sub(begun));
            self.leave(now);
        }
    }

    /// A thread waits until all that it holds is there.
    pub fn begin_hold(&mut self, now: u64) {
        self.enter(now);
        self.holds += 1;
    }

    /// It is.
    pub fn end_hold(&mut self, now: u64) {
        self.holds -= 1;
        self.leave(now);
    }

    /// A thread asked for something, and has it. The engine did nothing else meanwhile.
    pub fn asked(&mut self, from: u64, now: u64) {
        if !self.any() {
            self.waited.handling += now.saturating_sub(from);
        }
    }

    /// Whether somebody waits.
    pub fn any(&self) -> bool {
        !self.under_way.is_empty() || self.holds > 0
    }

    /// The engine had nothing to do for so many ticks.
    pub fn idle(&mut self, ticks: u64, woken: Woken) {
        if self.any() {
            self.idle.add(ticks, woken);
        }
    }

    /// A server took so long for the answer that has just come.
    pub fn served(&mut self, ticks: u64) {
        self.idle.served(ticks);
    }

    /// The engine goes to sleep, and nobody waits for it.
    pub fn sleep(&mut self, now: u64) {
        self.lateness.begin_now(now);
    }

    /// A fault has ended its sleep, which lasted so long.
    pub fn woken_by_fault(&mut self, ticks: u64, now: u64) {
        self.unseen += self.lateness.of(ticks, now);
    }

    /// How long the engine had no processor while there was a fault that it had not seen, ticks.
    pub fn unseen(&self) -> u64 {
        self.unseen
    }

    /// All that somebody has waited until now.
    pub fn so_far(&mut self, now: u64) -> Waited {
        if self.any() {
            self.count(now);
        }
        self.waited
    }

    /// How long pages were waited for, each by itself, ticks.
    pub fn each(&self, now: u64) -> u64 {
        let over: u64 = self.times.iter().map(|times| times.sum).sum();
        over + self.under_way.iter().map(|(_, begun, _)| now.saturating_sub(*begun)).sum::<u64>()
    }

    fn enter(&mut self, now: u64) {
        if !self.any() {
            (self.begun, self.counted, self.fault) = (now, now, false);
            self.idle = Idle::default();
            self.lateness.begin(now);
        }
    }

    fn leave(&mut self, now: u64) {
        if !self.any() {
            self.count(now);
            // Most that is held is there already, and such holds are as many as calls of `read`.
            if self.fault || self.timeline.came_since(self.begun) {
                self.timeline.wait(self.begun, now);
            }
        }
    }

    fn count(&mut self, now: u64) {
        let ticks = now.saturating_sub(self.counted);
        let late = self.lateness.of(ticks, now);
        self.waited.add(&Waited::split(ticks, &std::mem::take(&mut self.idle), late));
        self.counted = now;
    }

    /// Of one cause.
    pub fn quantiles(&self, cause: Cause, ns_per_tick: f64) -> FaultTime {
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

    fn quantiles(&self, ns_per_tick: f64) -> FaultTime {
        if self.many == 0 {
            return FaultTime::default();
        }
        let ns = |ticks: f64| ticks * ns_per_tick;
        FaultTime {
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
        assert_eq!((found.max, found.mean), (200_000.0, 100_001.0));
    }

    fn waits() -> Waits {
        Waits::new(1.0, Box::new(|| None))
    }

    #[test]
    fn waits_that_overlap_count_once() {
        let mut waits = waits();
        waits.begin(Page(1), Cause::Hard, 100);
        waits.begin(Page(1), Cause::Hard, 110);
        waits.begin(Page(5), Cause::Zero, 150);
        waits.idle(20, Woken::Network);
        waits.served(5);
        assert_eq!((waits.so_far(190).all(), waits.each(190)), (90, 130));
        waits.end(Page(0), 3, 200);
        assert!(waits.any());
        waits.idle(40, Woken::Disk);
        waits.end(Page(5), 1, 300);
        waits.idle(1000, Woken::Disk);
        let parts = Waited { handling: 140, network: 15, server: 5, disk: 40, ..Waited::default() };
        assert_eq!((waits.so_far(400), waits.each(400)), (parts, 250));
        assert_eq!(waits.quantiles(Cause::Hard, 1.0).max, 100.0);
        assert_eq!(waits.quantiles(Cause::Zero, 1.0).max, 150.0);
        assert_eq!(waits.quantiles(Cause::Soft, 1.0), FaultTime::default());
    }

    #[test]
    fn a_fault_that_the_engine_was_late_to_see_counts_from_when_it_slept() {
        let mut counts = [0, 900_000, 1_600_000, 1_700_000].into_iter();
        let mut waits = Waits::new(1.0, Box::new(move || counts.next()));
        waits.sleep(5_000_000);
        waits.woken_by_fault(3_000_000, 8_000_000);
        assert_eq!(waits.unseen(), 700_000);
        waits.begin(Page(1), Cause::Zero, 8_000_000);
        waits.end(Page(1), 1, 8_500_000);
        assert_eq!((waits.so_far(9_000_000).late, waits.unseen()), (100_000, 700_000));
    }

    #[test]
    fn who_holds_waits_and_who_asks_waits_for_the_engine() {
        let mut waits = waits();
        waits.begin_hold(10);
        waits.asked(20, 30);
        waits.idle(50, Woken::Disk);
        waits.end_hold(110);
        waits.asked(200, 207);
        let parts = Waited { handling: 57, disk: 50, ..Waited::default() };
        assert_eq!((waits.so_far(500), waits.any()), (parts, false));
    }
}
