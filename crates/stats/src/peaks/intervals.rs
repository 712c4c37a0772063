//! Intervals of a peak's figures, by resampling launches and blocks as for quantiles (see [`bootstrap`](crate::bootstrap)).
//!
//! The peak's bounds and the window it is seen in stay as they are; place, width, mass and share of time are found again
//! in each resample. Blocks hold times to 0.8 %, so each figure's spread is taken relative to the same figure of the
//! blocks as they are, and put about the exact one.

use super::axis::Axis;
use super::shape::Window;
use crate::analysis::Peak;
use crate::blocks::Blocks;
use crate::bootstrap::{self, Resamples};
use crate::distribution::BlockDistribution;

/// Resamples used: places need a smoothed histogram each, and 300 tell 2.5 % well enough.
const RESAMPLES_MOST: usize = 300;
/// The finest kernel that the blocks' counters bear, in places of the axis.
const BANDWIDTH_LEAST: f64 = 0.5;

/// What one block has of a peak.
struct Part {
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
    blocks: &Blocks,
    stage: usize,
    resamples: &Resamples,
) {
    let window = Window { bandwidth: window.bandwidth.max(BANDWIDTH_LEAST), ..window };
    let all = blocks.plan.launches().iter().flat_map(|launch| blocks.stage(launch, stage));
    let parts: Vec<Part> = all.map(|block| part(block, axis, window, peak)).collect();
    let Some(whole) = figures(&parts, &vec![1; parts.len()], window) else { return };
    let mut drawn: [Vec<f64>; 4] = Default::default();
    for weights in resamples.weights().iter().take(RESAMPLES_MOST) {
        let Some(figures) = figures(&parts, weights, window) else { continue };
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
    peak.place_interval_ns = Some((axis.value(at + place.0), axis.value(at + place.1)));
    let relative = |(low, high): (f64, f64)| {
        let each = |by: f64| peak.width_ns * (1.0 + by / whole[1]).max(0.0);
        (each(low), each(high))
    };
    peak.width_interval_ns = Some(relative(width));
    peak.mass_interval = Some(within(peak.mass, mass));
    peak.time_interval = Some(within(peak.time_share, time));
}

fn within(part: f64, (low, high): (f64, f64)) -> (f64, f64) {
    ((part + low).max(0.0), (part + high).min(1.0))
}

fn part(block: &BlockDistribution, axis: &Axis, window: Window, peak: &Peak) -> Part {
    let course = axis.course(block);
    let inside = block.counters().filter(|c| (peak.from_ns..peak.to_ns).contains(&(c.middle() as f64)));
    Part {
        heights: window.estimate(&course),
        inside: course.between(window.bounds.0, window.bounds.1),
        all: course.total(),
        time_inside: inside.map(|c| c.middle() as f64 * c.count as f64).sum(),
        time: if block.count() > 0 { block.moments().sum as f64 } else { 0.0 },
    }
}

/// The figures of the weighted blocks; `None` when they have nothing of the peak.
fn figures(parts: &[Part], weights: &[u32], window: Window) -> Option<Figures> {
    let mut heights = vec![0.0; parts.first()?.heights.len()];
    let (mut inside, mut all, mut time_inside, mut time) = (0.0, 0.0, 0.0, 0.0);
    for (part, &weight) in parts.iter().zip(weights).filter(|(part, weight)| **weight > 0 && part.all > 0.0) {
        let weight = f64::from(weight);
        if part.inside > 0.0 {
            heights.iter_mut().zip(&part.heights).for_each(|(sum, height)| *sum += weight * height);
        }
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
