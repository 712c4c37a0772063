//! Peaks: values at which messages gather.
//!
//! On a log scale, spread over the clock's step (`axis`), the histogram is smoothed at six widths
//! from 2 % to a factor of 2 (`scan`). A summit is a peak where it stands clear of the saddle to
//! higher ground by a fifth of its height, and by more than chance can do among all the places
//! looked at (`evidence`). Fine widths part neighbours, wide ones find few messages far apart. The
//! highest summit is a peak without a test: a distribution has one.
//!
//! What it does not do: two peaks without a dip between them are one.

mod axis;
mod evidence;
mod intervals;
mod recurrence;
mod scan;
mod shape;
mod tick;

use crate::analysis::Peak;
use crate::blocks::Blocks;
use crate::bootstrap::Resamples;
use crate::distribution::Distribution;
use axis::{Axis, Course};
use evidence::{Evidence, Windows};
use scan::Summit;
use shape::Window;
use tick::Tick;

/// The rate at which a distribution without a second peak may show one.
pub const FALSE_ALARMS: f64 = 0.01;

/// Widths of smoothing, in bins of 1 %.
const WIDTHS: [usize; 6] = [2, 4, 8, 16, 32, 64];
/// Empty bins on either side.
const MARGIN: f64 = 130.0;
/// What a saddle may have of the summit's height.
const SADDLE_MOST: f64 = 0.8;
/// A peak ends where it has fallen to this part of its height, if not in a valley before.
const FOOT: f64 = 0.01;
/// The kernel that a peak's shape is first looked at with, in widths of the scale on which it was
/// found.
const WIDEST: f64 = 4.0;
/// Messages in a summit's window, fewer than which are no peak whatever surrounds them.
const MESSAGES_LEAST: f64 = 12.0;
/// Peaks shown, those of the most messages or time.
const PEAKS_MOST: usize = 12;
/// Messages slower than all but this part are the tail.
const TAIL: f64 = 0.001;
/// With so many launches a peak must be found in two.
const LAUNCHES_MANY: usize = 5;

/// A summit that counts.
#[derive(Clone, Copy, Debug)]
struct Found {
    at: usize,
    saddle: Option<usize>,
    /// Index into [`WIDTHS`].
    scale: usize,
    chance: f64,
}

/// A stage's histogram, smoothed at each of [`WIDTHS`].
struct Smoothed {
    first: f64,
    heights: Vec<Vec<f64>>,
}

/// The peaks of one stage, by place. Empty where too few blocks have messages.
pub(crate) fn peaks(
    of: &Distribution,
    blocks: &Blocks,
    stage: usize,
    resamples: &Resamples,
) -> Vec<Peak> {
    let axis = Axis::new(Tick::of(of));
    let course = axis.course(of);
    let (Some(ends), Some(evidence)) = (course.ends(), Evidence::new(&axis, blocks, stage)) else {
        return Vec::new();
    };
    let smoothed = Smoothed::new(&course, ends);
    let mut found = smoothed.found(&course, &evidence, ends);
    found.sort_by_key(|found| found.at);
    let bounds: Vec<(f64, f64)> = (0..found.len()).map(|at| smoothed.bounds(&found, at)).collect();
    let mut peaks: Vec<Peak> = Vec::new();
    for (found, bounds) in found.iter().zip(bounds) {
        let windows = smoothed.windows(found.at, found.saddle.unwrap_or(found.at), found.scale);
        let spread = if found.saddle.is_some() { evidence.spread(windows) } else { 1.0 };
        // What stands clear at a fine scale is narrow, whatever lies about it; the highest is there
        // at any scale.
        let widest = found.saddle.map_or(f64::INFINITY, |_| WIDEST * windows.width);
        let window = Window::about(&course, windows.summit, bounds, widest, spread);
        let mut peak = described(of, &axis, &course, window);
        peak.chance = found.chance;
        intervals::add(&mut peak, &axis, window, &evidence, resamples);
        bear_the_clock(&mut peak, of, &axis);
        let saddle = found.saddle.map(|_| windows.saddle);
        (peak.blocks, peak.launches) = evidence.recurrence(&course, window, saddle);
        peaks.push(peak);
    }
    kept(peaks)
}

/// A place is no surer than half a step of the clock to either side, a width no less than a step,
/// and neither end of an interval lies beyond all times.
fn bear_the_clock(peak: &mut Peak, of: &Distribution, axis: &Axis) {
    let step = axis.step_at(peak.place_ns);
    if let Some(step) = step {
        peak.width_ns = peak.width_ns.max(step);
        peak.width_interval_ns =
            peak.width_interval_ns.map(|(low, high)| (low.max(step), high.max(step)));
    }
    let half = step.map_or(0.0, |step| step / 2.0);
    let (min, max) = (of.moments().min as f64, of.moments().max as f64);
    let bear = |(low, high): (f64, f64)| {
        let place = peak.place_ns;
        (low.min(place - half).clamp(min, place), high.max(place + half).clamp(place, max))
    };
    peak.place_interval_ns = peak.place_interval_ns.map(bear);
}

/// Those that recur, and of them the ones that matter most.
fn kept(mut peaks: Vec<Peak>) -> Vec<Peak> {
    let single = |peak: &Peak| peak.launches.1 as usize >= LAUNCHES_MANY && peak.launches.0 < 2;
    peaks.retain(|peak| peak.chance == 0.0 || !single(peak));
    let weight = |peak: &Peak| peak.mass.max(peak.time_share);
    peaks.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    peaks.truncate(PEAKS_MOST);
    peaks.sort_by(|a, b| a.place_ns.total_cmp(&b.place_ns));
    peaks
}

impl Smoothed {
    fn new(course: &Course, ends: (f64, f64)) -> Smoothed {
        let first = (ends.0 - MARGIN).floor();
        let counts = course.bins(first, 1.0, (ends.1 + MARGIN - first).ceil() as usize);
        Smoothed { first, heights: WIDTHS.map(|width| scan::smoothed(&counts, width)).to_vec() }
    }

    /// From fine to coarse: what is parted on a fine scale stays so, what only a coarse one shows
    /// is added.
    fn found(&self, course: &Course, evidence: &Evidence, ends: (f64, f64)) -> Vec<Found> {
        let mut all: Vec<Found> = Vec::new();
        for (scale, (heights, width)) in self.heights.iter().zip(WIDTHS).enumerate() {
            let places = ((ends.1 - ends.0) / width as f64).max(2.0);
            // Every pair of places is a comparison, on every scale.
            let comparisons = places * (places - 1.0) / 2.0 * WIDTHS.len() as f64;
            let least = MESSAGES_LEAST * width as f64 / 2.0;
            for summit in scan::summits(heights, least) {
                let known = |other: &Found| {
                    other.scale < scale && (summit.above.0..=summit.above.1).contains(&other.at)
                };
                if all.iter().any(known) {
                    continue;
                }
                let chance = self.chance(course, evidence, &summit, scale, comparisons);
                if chance < FALSE_ALARMS {
                    all.push(Found { at: summit.at, saddle: summit.saddle, scale, chance });
                }
            }
        }
        all
    }

    fn chance(
        &self,
        course: &Course,
        evidence: &Evidence,
        summit: &Summit,
        scale: usize,
        comparisons: f64,
    ) -> f64 {
        let Some(saddle) = summit.saddle else { return 0.0 };
        if self.heights[scale][saddle] > SADDLE_MOST * self.heights[scale][summit.at] {
            return 1.0;
        }
        // Never 0, which is for the highest alone, however sure it is.
        (evidence.chance(course, self.windows(summit.at, saddle, scale)) * comparisons)
            .clamp(f64::MIN_POSITIVE, 1.0)
    }

    fn place(&self, bin: usize) -> f64 {
        self.first + bin as f64 + 0.5
    }

    fn windows(&self, summit: usize, saddle: usize, scale: usize) -> Windows {
        Windows {
            summit: self.place(summit),
            saddle: self.place(saddle),
            width: WIDTHS[scale] as f64,
        }
    }

    /// The valleys on either side, or where the peak has fallen to its foot.
    fn bounds(&self, found: &[Found], at: usize) -> (f64, f64) {
        let peak = found[at];
        let heights = &self.heights[peak.scale];
        let foot = FOOT * heights[peak.at];
        let left_foot = (0..peak.at).rev().find(|&bin| heights[bin] <= foot).unwrap_or(0);
        let right_foot =
            (peak.at..heights.len()).find(|&bin| heights[bin] <= foot).unwrap_or(heights.len() - 1);
        let valley = |other: &Found| {
            scan::lowest(
                &self.heights[other.scale.min(peak.scale)],
                peak.at.min(other.at),
                peak.at.max(other.at),
            )
        };
        let left =
            at.checked_sub(1).map_or(left_foot, |other| left_foot.max(valley(&found[other])));
        let right = found.get(at + 1).map_or(right_foot, |other| right_foot.min(valley(other)));
        (self.place(left), self.place(right))
    }
}

/// Place, width, messages and time of a peak.
fn described(of: &Distribution, axis: &Axis, course: &Course, window: Window) -> Peak {
    let shape = window.shape(&window.estimate(course));
    let (from, to) = window.bounds;
    let (from_ns, to_ns) = (axis.value(from), axis.value(to));
    let inside = of.counters().filter(|c| (from_ns..to_ns).contains(&(c.middle() as f64)));
    let (count, time) = inside.fold((0, 0.0), |(count, time), c| {
        (count + c.count, time + c.middle() as f64 * c.count as f64)
    });
    let all = of.moments();
    let width = window.width(shape);
    Peak {
        place_ns: axis.observed(of, shape.place).clamp(all.min as f64, all.max as f64),
        place_interval_ns: None,
        from_ns,
        to_ns,
        width_ns: axis.value(shape.place + width / 2.0) - axis.value(shape.place - width / 2.0),
        width_interval_ns: None,
        count,
        mass: count as f64 / all.count.max(1) as f64,
        mass_interval: None,
        time_share: if all.sum > 0 { time / all.sum as f64 } else { 0.0 },
        time_interval: None,
        blocks: (0, 0),
        launches: (0, 0),
        chance: 0.0,
        tail: course.total() - course.before(shape.place) < TAIL * course.total(),
    }
}
