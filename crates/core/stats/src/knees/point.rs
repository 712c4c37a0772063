//! What is known of one size, and how sure it is.
//!
//! How sure is measured, not assumed: a size is visited several times, at random moments of the
//! run, and its medians differ. A few visits tell little of their own spread, so that of the
//! neighbouring sizes takes part.

use std::cell::LazyCell;

/// One size of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Payload, bytes.
    pub bytes: u64,
    /// Median and 99 % quantile of all its messages, ns.
    pub values: [f64; 2],
    /// The same of each visit, or of each part of the run in which it was.
    pub visits: Vec<[f64; 2]>,
}

/// Neighbours on either side that say how much visits differ.
const NEIGHBOURS: usize = 3;
/// What the neighbours count, in visits.
const NEIGHBOURS_WEIGHT: f64 = 3.0;
/// No value is surer than this, as a part of it: lines are straight only so far. Median, 99 %
/// quantile.
const STRAIGHT: [f64; 2] = [0.003, 0.02];
/// A median absolute deviation as a standard deviation.
const FROM_MEDIAN: f64 = 1.4826;

/// Standard deviations of each point's median and 99 % quantile, as a part of them.
pub(super) fn noise(points: &[Point]) -> Vec<[f64; 2]> {
    let each: [Vec<f64>; 2] = [0, 1].map(|which| one_noise(points, which));
    each[0].iter().zip(&each[1]).map(|(&median, &high)| [median, high]).collect()
}

fn one_noise(points: &[Point], which: usize) -> Vec<f64> {
    let spreads: Vec<(f64, f64)> = points.iter().map(|point| spread(point, which)).collect();
    let roughness = LazyCell::new(|| roughness(points, which));
    let at = |at: usize| {
        let near = &spreads[at.saturating_sub(NEIGHBOURS)..(at + NEIGHBOURS + 1).min(points.len())];
        let (squares, freedom) =
            near.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let visits = points[at].visits.len().max(1) as f64;
        let variance = if freedom > 0.0 {
            let pooled = squares / freedom;
            (spreads[at].0 + NEIGHBOURS_WEIGHT * pooled)
                / (spreads[at].1 + NEIGHBOURS_WEIGHT)
                / visits
        } else {
            roughness.powi(2)
        };
        (variance + STRAIGHT[which].powi(2)).sqrt()
    };
    (0..points.len()).map(at).collect()
}

/// Sum of squares of the visits' relative deviations, and degrees of freedom.
fn spread(point: &Point, which: usize) -> (f64, f64) {
    let count = point.visits.len() as f64;
    let logs: Vec<f64> = point.visits.iter().map(|visit| visit[which].max(1.0).ln()).collect();
    let mean = logs.iter().sum::<f64>() / count.max(1.0);
    (logs.iter().map(|log| (log - mean).powi(2)).sum(), (count - 1.0).max(0.0))
}

/// How far points lie off the line through their neighbours, as a part: what is left where no size
/// was visited twice.
fn roughness(points: &[Point], which: usize) -> f64 {
    let off = |three: &[Point]| {
        let [x0, x1, x2] = [0, 1, 2].map(|at| three[at].bytes as f64);
        let [y0, y1, y2] = [0, 1, 2].map(|at| three[at].values[which]);
        ((y0 + (y2 - y0) * (x1 - x0) / (x2 - x0)) / y1.max(1.0) - 1.0).abs()
    };
    let mut each: Vec<f64> = points.windows(3).map(off).collect();
    each.sort_by(f64::total_cmp);
    each.get(each.len() / 2).map_or(0.1, |middle| middle * FROM_MEDIAN / 1.5_f64.sqrt())
}
