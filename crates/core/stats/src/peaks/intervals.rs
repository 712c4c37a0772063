//! Intervals of a peak's figures, by resampling launches and blocks as for quantiles (see
//! [`bootstrap`](crate::bootstrap)).
//!
//! The peak's bounds and the window it is seen in stay as they are; place, width, mass and share of
//! time are found again in each resample. Blocks hold times to 0.8 %, so each figure's spread is
//! taken relative to the same figure of the blocks as they are, and put about the exact one.

use super::axis::{Axis, Course};
use super::evidence::Evidence;
use super::shape::Window;
use crate::analysis::Peak;
use crate::bootstrap::{self, Resamples};

/// Resamples used: places need a smoothed histogram each, and 300 tell 2.5 % well enough.
const RESAMPLES_MOST: usize = 300;
/// The finest kernel that the blocks' counters bear, in places of the axis.
const BANDWIDTH_LEAST: f64 = 0.5;

/// What one block has of a peak.
struct Part {
    /// Empty where it has no message of it.
    heights: Vec<f64>,
    inside: f64,
    all: f64,
    time_inside: f64,
    time: f64,
}

/// Place, width, mass, share of time.
type Figures = [f64; 4];

/// Put intervals into `peak`. Leaves them out when there are no resamples.
pub(super) fn add(
    peak: &mut Peak,
    axis: &Axis,
    window: Window,
    evidence: &Evidence,
    resamples: &Resamples,
) {
    let window = Window { bandwidth: window.bandwidth.max(BANDWIDTH_LEAST), ..window };
    let parts: Vec<Part> = evidence.blocks.iter().map(|block| part(block, window)).collect();
    let Some(whole) = figures(&parts, window, |_| 1) else { return };
    let mut drawn: [Vec<f64>; 4] = Default::default();
    for weights in resamples.weights().iter().take(RESAMPLES_MOST) {
        let Some(figures) = figures(&parts, window, |at| weights[evidence.numbers[at]]) else {
            continue;
        };
        drawn.iter_mut().zip(figures).for_each(|(drawn, figure)| drawn.push(figure));
    }
    if drawn[0].is_empty() {
        return;
    }
    let mut spread = [(0.0, 0.0); 4];
    for ((spread, drawn), whole) in spread.iter_mut().zip(&mut drawn).zip(whole) {
        *spread = bootstrap::interval(drawn, whole);
    }
    let [place, width, mass, time] = spread;
    let at = axis.place(peak.place_ns);
    let of_width = |by: f64| peak.width_ns * (1.0 + by / whole[1]).max(0.0);
    peak.place_interval_ns = Some((axis.value(at + place.0), axis.value(at + place.1)));
    peak.width_interval_ns = Some((of_width(width.0), of_width(width.1)));
    peak.mass_interval = Some(within(peak.mass, mass));
    peak.time_interval = Some(within(peak.time_share, time));
}

fn within(part: f64, (low, high): (f64, f64)) -> (f64, f64) {
    ((part + low).max(0.0), (part + high).min(1.0))
}

fn part(block: &Course, window: Window) -> Part {
    let (from, to) = window.bounds;
    let inside = block.between(from, to);
    Part {
        heights: if inside > 0.0 { window.estimate(block) } else { Vec::new() },
        inside,
        all: block.total(),
        time_inside: block.time_between(from, to),
        time: block.time(),
    }
}

/// The figures of the blocks, each as often as `weight` says; `None` when they have nothing of the
/// peak.
fn figures(parts: &[Part], window: Window, weight: impl Fn(usize) -> u32) -> Option<Figures> {
    let mut heights = vec![0.0; Window::BINS];
    let (mut inside, mut all, mut time_inside, mut time) = (0.0, 0.0, 0.0, 0.0);
    for (at, part) in parts.iter().enumerate() {
        let weight = f64::from(weight(at));
        if weight == 0.0 {
            continue;
        }
        heights.iter_mut().zip(&part.heights).for_each(|(sum, height)| *sum += weight * height);
        inside += weight * part.inside;
        all += weight * part.all;
        time_inside += weight * part.time_inside;
        time += weight * part.time;
    }
    if inside <= 0.0 || heights.iter().all(|height| *height <= 0.0) {
        return None;
    }
    let shape = window.shape(&heights);
    let share = if time > 0.0 { time_inside / time } else { 0.0 };
    Some([shape.place, window.width(shape), inside / all, share])
}
