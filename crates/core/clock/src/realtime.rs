//! `CLOCK_REALTIME` onto the timeline: what a kernel receive stamp means.
//!
//! The raw clock runs freely; this one is disciplined. Between two anchors it is taken to run at
//! one rate, so a long run takes anchors often enough (each second, say) to follow a slew; where
//! one piece's rate differs from the others' by more than the anchors' widths allow, the difference
//! goes into its bound. A clock that was *set* shows as a difference that no slew makes. Then one
//! reading may mean two moments, nobody can tell which, and the bound of every stamp of the run
//! grows by all that was set. Before the first anchor and after the last, as in a run that was cut,
//! it goes on at the rate of the half second next to it.

use serde::{Deserialize, Serialize};

use crate::fit::{Fitted, strays_ns};
use crate::segment::{Point, Segment, SegmentCursor};
use crate::track::Track;
use crate::{Anchor, ModelError, Ticks, TimelineNs};

/// The kernel's limit for correcting the rate: a faster difference was a step.
const SLEW_MAX_PPM: f64 = 500.0;
/// Two anchors that are so far apart tell the rate before the first and after the last: the ones
/// next to them may be two processes' anchors of nearly the same moment, whose widths make any
/// rate.
const FAR_NS: f64 = 400e6;
/// A rate that is less well known than this is not better than the nominal one.
const RATE_ERROR_MAX_PPM: f64 = 10.0;
/// A reading of a system clock is cut to whole nanoseconds, and results are rounded to them.
const ROUNDING_NS: f64 = 2.0;

/// One machine's `CLOCK_REALTIME` during a run. A tick of it is a nanosecond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Realtime {
    track: Track,
    /// By how much the clock was set during the run, forwards and backwards together, as far as
    /// slewing allows to tell; zero if it was not.
    stepped_ns: f64,
}

impl Realtime {
    /// By a machine's anchors, in any order, whose ticks go onto the timeline by `ticks`.
    pub(crate) fn by_anchors(anchors: &[Anchor], ticks: &Track) -> Result<Realtime, ModelError> {
        let points = realtime_points(anchors, ticks);
        let first = points.first().ok_or(ModelError::NoAnchor)?;
        let steps = || points.windows(2).filter(|pair| is_step(pair[0], pair[1]));
        let stepped_ns = steps().map(|pair| gained_ns(pair[0], pair[1]).abs()).sum();
        let doubt_ns: f64 = steps().map(|pair| step_max_ns(pair[0], pair[1])).sum();
        let mut segments = pieces(&points)?;
        // The clock may have been set back: put the pieces in the order of its readings, not of the
        // moments.
        segments.sort_by_key(|segment| segment.from_ticks.since(first.ticks));
        segments.iter_mut().for_each(|segment| segment.error_ns += doubt_ns);
        let by_reading = |point: &&Point| point.ticks.since(first.ticks);
        let fitted = Fitted {
            segments,
            first_ticks: points.iter().min_by_key(by_reading).unwrap_or(first).ticks,
            last_ticks: points.iter().max_by_key(by_reading).unwrap_or(first).ticks,
            rate_error_ppm: 2.0 * SLEW_MAX_PPM,
            residual_ns: 0.0,
        };
        Ok(Realtime { track: Track::try_from(fitted)?, stepped_ns })
    }

    /// Where a reading lies on the timeline.
    #[inline]
    pub fn timeline(&self, realtime_ns: i64) -> TimelineNs {
        self.track.at(Ticks(realtime_ns as u64))
    }

    /// The true moment lies within this much of [`Realtime::timeline`], if the clock kept one rate
    /// between each two anchors. Grows outside them by what the clock may slew.
    pub fn error_ns(&self, realtime_ns: i64) -> f64 {
        self.track.error_ns(Ticks(realtime_ns as u64))
    }

    /// The largest error between the first and the last anchor.
    pub fn max_error_ns(&self) -> f64 {
        self.track.max_error_ns()
    }

    /// Whether the clock was set during the run.
    pub fn stepped(&self) -> bool {
        self.stepped_ns > 0.0
    }

    /// By how much it was set, forwards and backwards together, as far as slewing allows to tell.
    pub fn stepped_ns(&self) -> f64 {
        self.stepped_ns
    }

    pub(crate) fn cursor(&self) -> SegmentCursor<'_> {
        self.track.cursor()
    }
}

/// What each anchor says of `CLOCK_REALTIME`, in the order of the moments.
fn realtime_points(anchors: &[Anchor], ticks: &Track) -> Vec<Point> {
    let point = |anchor: &Anchor| {
        let rate = ticks.segments()[0].ns_per_tick();
        let width_ns = anchor.half_width as f64 * rate + ticks.error_ns(anchor.ticks) + ROUNDING_NS;
        Point { ticks: Ticks(anchor.realtime_ns as u64), ns: ticks.at(anchor.ticks).0, width_ns }
    };
    let mut points: Vec<Point> = anchors.iter().map(point).collect();
    points.sort_by_key(|point| point.ns);
    points
}

/// Whether the clock was set between two anchors: neither slewing nor their widths explain what it
/// gained.
fn is_step(from: Point, to: Point) -> bool {
    gained_ns(from, to).abs() > slew_max_ns(from, to) + from.width_ns + to.width_ns
}

/// How far apart two moments of one reading can be after a step: slewing may have hidden some of
/// it, and the reading itself is slewed over that distance.
fn step_max_ns(from: Point, to: Point) -> f64 {
    (gained_ns(from, to).abs() + slew_max_ns(from, to)) * (1.0 + 2.0 * SLEW_MAX_PPM * 1e-6)
}

fn slew_max_ns(from: Point, to: Point) -> f64 {
    to.ns_since(from).abs() * SLEW_MAX_PPM * 1e-6
}

/// How much more `CLOCK_REALTIME` advanced than the timeline.
fn gained_ns(from: Point, to: Point) -> f64 {
    to.ticks.since(from.ticks) as f64 - to.ns_since(from)
}

/// A piece from each anchor to the next, one for all that comes before and one for all that
/// follows.
fn pieces(points: &[Point]) -> Result<Vec<Segment>, ModelError> {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else {
        return Ok(Vec::new());
    };
    let outside = |end: Point, rate| Segment::through(end, rate, end.width_ns + ROUNDING_NS);
    let mut segments = vec![outside(first, rate_beside(first, points.iter().copied()))?];
    for (pair, stray_ns) in points.windows(2).zip(strays_ns(points, rate_is_measured)) {
        let [from, to] = [pair[0], pair[1]];
        let error_ns = from.width_ns.max(to.width_ns) + ROUNDING_NS;
        segments.push(match rate_is_measured(from, to) {
            true => Segment::between(from, to, error_ns + stray_ns)?,
            // At the nominal rate this piece misses the next anchor by what was gained.
            false => Segment::through(from, 1.0, error_ns + gained_ns(from, to).abs())?,
        });
    }
    segments.push(outside(last, rate_beside(last, points.iter().rev().copied()))?);
    Ok(segments)
}

/// The clock's rate on the other side of `end`, by the anchors on this side, which come nearest
/// first: that of the last stretch that is long enough to tell it.
fn rate_beside(end: Point, points: impl Iterator<Item = Point>) -> f64 {
    let (mut far, mut distance_ns) = (end, 0.0);
    for point in points {
        if is_step(far, point) || distance_ns >= FAR_NS {
            break;
        }
        (far, distance_ns) = (point, point.ns_since(end).abs());
    }
    let is_known = end.width_ns + far.width_ns <= RATE_ERROR_MAX_PPM * 1e-6 * distance_ns;
    if is_known { far.ns_since(end) / far.ticks.since(end.ticks) as f64 } else { 1.0 }
}

/// Whether two anchors give the clock's rate: no step between them, and far enough apart for their
/// widths.
fn rate_is_measured(from: Point, to: Point) -> bool {
    let widths_ns = from.width_ns + to.width_ns;
    to.ns > from.ns && widths_ns < slew_max_ns(from, to) && !is_step(from, to)
}
