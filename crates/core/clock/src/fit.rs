//! Lines through points that are each known within a width; pure.
//!
//! A machine's counter against its raw clock is one straight line, and the best line is the one
//! whose bound is least at the ends of the run: through an early tight point and a late tight one.
//! Points between only confirm it. Where they contradict it, a clock was set or stopped in between,
//! and the points are joined one by one instead: each piece then answers for how far its rate
//! strays from the others'.
//!
//! The drift of a far clock is bounded by the envelope of its points: every slope that passes all
//! their intervals is possible, no other is (the convex-hull idea of Moon, Skelly and Towsley,
//! INFOCOM 1999).

use std::collections::HashMap;

use crate::segment::{Point, Segment};
use crate::{ModelError, Ticks};

/// Rounding to whole nanoseconds, at the points and in the result.
const ROUNDING_NS: f64 = 1.0;

/// Pieces, and what they are worth outside the points they were drawn through.
#[derive(Clone, Debug)]
pub(crate) struct Fitted {
    pub segments: Vec<Segment>,
    /// The first and the last point.
    pub first_ticks: Ticks,
    pub last_ticks: Ticks,
    /// Uncertainty of the rate before the first and after the last point.
    pub rate_error_ppm: f64,
    /// The largest distance of a point from one straight line.
    pub residual_ns: f64,
}

/// Points in order, with those that cannot be told apart merged into the tighter of them: two
/// readings closer than their widths say nothing about the rate. Fails where a clock went
/// backwards.
pub(crate) fn distinct(mut points: Vec<Point>) -> Result<Vec<Point>, ModelError> {
    let Some(first) = points.first().map(|point| point.ticks) else { return Ok(points) };
    points.sort_by_key(|point| point.ticks.since(first));
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        let Some(last) = kept.last_mut() else {
            kept.push(point);
            continue;
        };
        let ahead_ns = point.ns_since(*last);
        let reach_ns = point.width_ns + last.width_ns;
        if ahead_ns > reach_ns {
            kept.push(point);
        } else if ahead_ns < -reach_ns {
            return Err(ModelError::WentBack { at: point.ticks, by_ns: -ahead_ns as i64 });
        } else if point.width_ns < last.width_ns {
            *last = point;
        }
    }
    spans_forwards(&kept).map(|()| kept)
}

/// Refuses points whose whole span wraps although every step between them goes forwards: damaged
/// input.
fn spans_forwards(points: &[Point]) -> Result<(), ModelError> {
    let (&[first, _, ..], &[.., last]) = (points, points) else { return Ok(()) };
    let (ticks, ns) = (last.ticks.since(first.ticks), last.ns_since(first));
    match ticks > 0 && ns > 0.0 {
        true => Ok(()),
        false => Err(ModelError::ImpossibleRate { ns_per_tick: ns / ticks as f64 }),
    }
}

/// One line for all points, and whether every point agrees with it. At least two points.
pub(crate) fn line(points: &[Point]) -> Result<(Fitted, bool), ModelError> {
    let (first_ticks, last_ticks) = (points[0].ticks, points[points.len() - 1].ticks);
    let (a, b) = baseline(points);
    let outer_ns = bound_ns(a, b, first_ticks).max(bound_ns(a, b, last_ticks));
    let mut segment = Segment::between(a, b, 0.0)?;
    let (mut residual_ns, mut unexplained_ns, mut agree) = (0.0f64, 0.0f64, true);
    for point in points {
        let off_ns = (segment.at(point.ticks).0 as f64 - point.ns as f64).abs();
        residual_ns = residual_ns.max(off_ns);
        unexplained_ns = unexplained_ns.max(off_ns - point.width_ns);
        agree &= off_ns <= point.width_ns + bound_ns(a, b, point.ticks) + ROUNDING_NS;
    }
    segment.error_ns = outer_ns + unexplained_ns + ROUNDING_NS;
    let rate_error_ppm = (a.width_ns + b.width_ns) / b.ns_since(a) * 1e6;
    Ok((
        Fitted { segments: vec![segment], first_ticks, last_ticks, rate_error_ppm, residual_ns },
        agree,
    ))
}

/// The pair of points whose line has the least bound over all points. Only points tighter than
/// every one further out can be in it, so few pairs are tried.
fn baseline(points: &[Point]) -> (Point, Point) {
    let (first, last) = (points[0], points[points.len() - 1]);
    let late = tightening(points.iter().rev());
    let mut best = (first, last);
    let mut least_ns = f64::INFINITY;
    for a in tightening(points.iter()) {
        for &b in late.iter().filter(|b| b.ticks.since(a.ticks) > 0) {
            let outer_ns = bound_ns(a, b, first.ticks).max(bound_ns(a, b, last.ticks));
            if outer_ns < least_ns {
                (best, least_ns) = ((a, b), outer_ns);
            }
        }
    }
    best
}

/// The points that are tighter than all before them.
fn tightening<'a>(points: impl Iterator<Item = &'a Point>) -> Vec<Point> {
    let mut tightest_ns = f64::INFINITY;
    let mut kept = Vec::new();
    for point in points {
        if point.width_ns < tightest_ns {
            tightest_ns = point.width_ns;
            kept.push(*point);
        }
    }
    kept
}

/// How far the line through `a` and `b` can be from the true line at `ticks`, when each is off by
/// its width.
fn bound_ns(a: Point, b: Point, ticks: Ticks) -> f64 {
    let share = ticks.since(a.ticks) as f64 / b.ticks.since(a.ticks) as f64;
    (1.0 - share).abs() * a.width_ns + share.abs() * b.width_ns
}

/// The points joined one by one; before the first and after the last goes the rate that fits all of
/// them. At least two points.
pub(crate) fn pieces(points: &[Point]) -> Result<Fitted, ModelError> {
    let (straight, _) = line(points)?;
    if points.len() == 2 {
        return Ok(straight);
    }
    let (first, last) = (points[0], points[points.len() - 1]);
    let (ns_per_tick, rate_error_ppm) = drift(points);
    let strays_ns = strays_ns(points, |_, _| true);
    let mut segments = vec![Segment::through(first, ns_per_tick, first.width_ns + ROUNDING_NS)?];
    for (pair, stray_ns) in points.windows(2).zip(strays_ns) {
        let error_ns = pair[0].width_ns.max(pair[1].width_ns) + stray_ns + ROUNDING_NS;
        segments.push(Segment::between(pair[0], pair[1], error_ns)?);
    }
    segments.push(Segment::through(last, ns_per_tick, last.width_ns + ROUNDING_NS)?);
    Ok(Fitted { segments, rate_error_ppm, ..straight })
}

/// The rate that all points allow, in ns a tick, and its uncertainty in ppm. Where no single rate
/// passes all their intervals the drift changed: then the most common rate, and how far any piece
/// strays from it.
fn drift(points: &[Point]) -> (f64, f64) {
    if let Some((slowest, fastest)) = possible_rates(points) {
        let middle = (slowest + fastest) / 2.0;
        return (middle, (fastest - slowest) / 2.0 / middle * 1e6);
    }
    let slopes = Slopes::of(points, |_, _| true);
    let common = slopes.median_without(usize::MAX).map_or(1.0, |slope| slope.ns_per_tick);
    let stray = |slope: &Slope| (slope.ns_per_tick - common).abs() + slope.error;
    let farthest = slopes.sorted.iter().map(stray).fold(0.0f64, f64::max);
    (common, farthest / common * 1e6)
}

/// The slowest and the fastest rate that pass the intervals of all points.
fn possible_rates(points: &[Point]) -> Option<(f64, f64)> {
    let (mut slowest, mut fastest) = (0.0f64, f64::INFINITY);
    for (i, a) in points.iter().enumerate() {
        for b in &points[i + 1..] {
            let (ticks, ns) = (b.ticks.since(a.ticks) as f64, b.ns_since(*a));
            slowest = slowest.max((ns - a.width_ns - b.width_ns) / ticks);
            fastest = fastest.min((ns + a.width_ns + b.width_ns) / ticks);
        }
        if slowest > fastest {
            return None;
        }
    }
    Some((slowest, fastest))
}

/// For each piece, how many nanoseconds it gains or loses against the common rate of the *other*
/// pieces, where its own widths cannot explain that; else zero. A clock that was set or stopped
/// within the piece may have done so at either end of it, so the whole of it is in doubt. With two
/// pieces either may be the one at fault, and both are in doubt. Only the pieces that `tell` their
/// rate are compared with.
pub(crate) fn strays_ns(points: &[Point], tell: impl Fn(Point, Point) -> bool) -> Vec<f64> {
    let slopes = Slopes::of(points, tell);
    let stray_ns = |(index, pair): (usize, &[Point])| {
        let Some(others) = slopes.median_without(index) else { return 0.0 };
        let ticks = pair[1].ticks.since(pair[0].ticks) as f64;
        let off_ns = (pair[1].ns_since(pair[0]) - others.ns_per_tick * ticks).abs();
        let doubt_ns = others.error * ticks;
        if off_ns > pair[0].width_ns + pair[1].width_ns + doubt_ns {
            off_ns + doubt_ns
        } else {
            0.0
        }
    };
    points.windows(2).enumerate().map(stray_ns).collect()
}

/// The rate of one piece: ns a tick with its uncertainty, and its length in ticks.
struct Slope {
    piece: usize,
    ns_per_tick: f64,
    error: f64,
    ticks: f64,
}

/// Slopes in ascending order, ready for medians in which a piece counts by its length.
struct Slopes {
    sorted: Vec<Slope>,
    /// Length of all pieces up to and with each.
    ticks_to: Vec<f64>,
    /// Where each piece is in `sorted`.
    place: HashMap<usize, usize>,
}

impl Slopes {
    fn of(points: &[Point], tell: impl Fn(Point, Point) -> bool) -> Slopes {
        let slope = |(piece, pair): (usize, &[Point])| {
            let ticks = pair[1].ticks.since(pair[0].ticks) as f64;
            let ns_per_tick = pair[1].ns_since(pair[0]) / ticks;
            let error = (pair[0].width_ns + pair[1].width_ns) / ticks.abs();
            Slope { piece, ns_per_tick, error, ticks: ticks.abs() }
        };
        let telling = points.windows(2).enumerate().filter(|(_, pair)| tell(pair[0], pair[1]));
        let mut sorted: Vec<Slope> = telling.map(slope).collect();
        sorted.sort_by(|a, b| a.ns_per_tick.total_cmp(&b.ns_per_tick));
        let mut total = 0.0;
        let up_to = |slope: &Slope| {
            total += slope.ticks;
            total
        };
        let ticks_to = sorted.iter().map(up_to).collect();
        let place = sorted.iter().enumerate().map(|(place, slope)| (slope.piece, place)).collect();
        Slopes { sorted, ticks_to, place }
    }

    /// The median slope of all pieces but one, or nothing if no other is left.
    fn median_without(&self, piece: usize) -> Option<&Slope> {
        let left_out = self.place.get(&piece).copied().unwrap_or(usize::MAX);
        let left_out_ticks = self.sorted.get(left_out).map_or(0.0, |slope| slope.ticks);
        let half = (self.ticks_to.last()? - left_out_ticks) / 2.0;
        let shift = |place: usize| if place >= left_out { left_out_ticks } else { 0.0 };
        // Without the piece left out the lengths still ascend, so that the middle can be searched
        // for.
        let (mut low, mut high) = (0, self.sorted.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.ticks_to[middle] - shift(middle) < half {
                low = middle + 1
            } else {
                high = middle
            }
        }
        let found = if low == left_out { low + 1 } else { low };
        self.sorted.get(found).or_else(|| self.sorted.get(low.checked_sub(1)?))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against the definition, written out.
        #[test]
        fn the_median_without_a_piece_has_half_of_the_others_on_each_side(
            lengths in prop::collection::vec((1u64..1000, 1i64..5000), 1..12),
            left_out in 0usize..14,
        ) {
            let mut points = vec![Point { ticks: Ticks(0), ns: 0, width_ns: 0.0 }];
            for &(ticks, ns) in &lengths {
                let last = points[points.len() - 1];
                points.push(Point {
                    ticks: Ticks(last.ticks.0 + ticks),
                    ns: last.ns + ns,
                    width_ns: 0.0,
                });
            }
            let slopes = Slopes::of(&points, |_, _| true);
            let others = || slopes.sorted.iter().filter(|slope| slope.piece != left_out);
            let Some(median) = slopes.median_without(left_out) else {
                prop_assert_eq!(others().count(), 0);
                return Ok(());
            };
            prop_assert!(median.piece != left_out);
            let half = others().map(|slope| slope.ticks).sum::<f64>() / 2.0;
            let below: f64 =
                others().filter(|s| s.ns_per_tick < median.ns_per_tick).map(|s| s.ticks).sum();
            let above: f64 =
                others().filter(|s| s.ns_per_tick > median.ns_per_tick).map(|s| s.ticks).sum();
            prop_assert!(below <= half && above <= half, "{below} {above} {half}");
        }
    }
}
