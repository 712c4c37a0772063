//! One clock's way onto the run's timeline, with an error bound.
//!
//! A domain is every node that reads the same clock: they share one model, so between them the
//! bound does not matter, only the clock's step does. A domain on the reference machine is fitted
//! to that machine's `CLOCK_MONOTONIC_RAW`; any other domain goes through its synchronisations with
//! the reference. Pure: anchors and offsets are arguments. Conversions round to the nearest
//! nanosecond and never clamp.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::fit::{Fitted, distinct, line, pieces};
use crate::realtime::Realtime;
use crate::segment::{Point, Segment, SegmentCursor};
use crate::track::Track;
use crate::{Anchor, Calibration, Offset, Ticks, TimelineNs};

/// A system clock's reading is cut to whole nanoseconds.
const READING_NS: f64 = 1.0;
/// Two machines' quartz may differ by this much: the doubt about a rate known only by each
/// machine's own measure.
const OSCILLATOR_PPM: f64 = 100.0;

/// Puts the ticks of one clock domain on the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    track: Track,
    /// The largest distance of an anchor or synchronisation from one straight line.
    residual_ns: f64,
    realtime: Realtime,
}

/// Why anchors or offsets make no model.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ModelError {
    /// No anchor at all.
    #[error("the clock has no anchor; take one when the node starts")]
    NoAnchor,
    /// A rate needs two anchors that can be told apart.
    #[error(
        "{anchors} anchor(s) span too short a time to give the clock's rate; take one at the start \
         and one at the end, or use a calibrated rate"
    )]
    TooShort {
        /// How many anchors there were.
        anchors: usize,
    },
    /// No synchronisation at all.
    #[error(
        "the clock was never synchronised with the reference; synchronise when the node \
        starts"
    )]
    NoOffset,
    /// Time ran backwards between two points.
    #[error(
        "the clock went backwards by {by_ns} ns at tick {}; was the machine suspended, or its \
        counter reset? Repeat the run, or use the system clock", at.0
    )]
    WentBack {
        /// The tick at which the other clock was earlier than before.
        at: Ticks,
        /// By how much.
        by_ns: i64,
    },
    /// No clock ticks at such a rate.
    #[error(
        "no clock runs at {ns_per_tick} ns a tick; the anchors are damaged, or belong to \
        different clocks"
    )]
    ImpossibleRate {
        /// The rate found.
        ns_per_tick: f64,
    },
    /// A stored model without segments.
    #[error("the stored clock model has no segments; close the run again from its live logs")]
    NoSegment,
    /// A stored model whose segments are not in order.
    #[error("the segments of the stored clock model are not in tick order; close the run again")]
    SegmentsOutOfOrder,
}

impl Model {
    /// A clock of the reference machine by its anchors, in any order: at least two, apart in time.
    /// `run_start_monotonic_raw_ns` is the timeline's zero on this machine's `CLOCK_MONOTONIC_RAW`.
    pub fn fit(anchors: &[Anchor], run_start_monotonic_raw_ns: i64) -> Result<Model, ModelError> {
        let points = distinct(anchor_points(anchors, run_start_monotonic_raw_ns))?;
        let fitted = match points.len() {
            0 => return Err(ModelError::NoAnchor),
            1 => return Err(ModelError::TooShort { anchors: anchors.len() }),
            _ => match line(&points)? {
                (straight, true) => straight,
                (_, false) => pieces(&points)?,
            },
        };
        Model::assemble(fitted, anchors)
    }

    /// Simulated time: it is the timeline.
    pub fn of_simulated() -> Model {
        let point = Point { ticks: Ticks(0), ns: 0, width_ns: 0.0 };
        let fitted = by_rate(point, 1.0, 0.0);
        let model =
            fitted.and_then(|fitted| Model::assemble(fitted, &[Anchor::of_simulated(Ticks(0))]));
        model.expect("a rate of one is possible")
    }

    /// A clock of the reference machine by one anchor and a calibrated rate: a node that was cut
    /// before its second anchor. The bound grows by the calibration's error.
    pub fn from_rate(
        anchor: &Anchor,
        calibration: Calibration,
        run_start_monotonic_raw_ns: i64,
    ) -> Result<Model, ModelError> {
        let rate = calibration.ns_per_tick;
        let point = Point {
            ticks: anchor.ticks,
            ns: anchor.monotonic_raw_ns.wrapping_sub(run_start_monotonic_raw_ns),
            width_ns: anchor.half_width as f64 * rate + READING_NS,
        };
        let fitted = by_rate(point, rate, calibration.error_ppm)?;
        Model::assemble(fitted, &[*anchor])
    }

    /// A clock of another domain through its synchronisations with the `reference` domain: linear
    /// between them.
    ///
    /// `offsets` are the node's own (`local` its clock, `remote` the reference's; see
    /// [`Offset::reversed`]). `anchors` are the node's own: they tie its `CLOCK_REALTIME` to its
    /// ticks and, with a single synchronisation, `calibration` gives the rate, which then is only
    /// as good as two machines' quartz.
    pub fn through(
        offsets: &[Offset],
        anchors: &[Anchor],
        calibration: Calibration,
        reference: &Model,
    ) -> Result<Model, ModelError> {
        let point = |offset: &Offset| Point {
            ticks: offset.local,
            ns: reference.timeline(offset.remote).0,
            width_ns: offset.error_ns + reference.error_ns(offset.remote),
        };
        let points = distinct(offsets.iter().map(point).collect())?;
        let mut fitted = match points.len() {
            0 => return Err(ModelError::NoOffset),
            1 => {
                by_rate(points[0], calibration.ns_per_tick, calibration.error_ppm + OSCILLATOR_PPM)?
            }
            _ => pieces(&points)?,
        };
        let bend_ns = bend_ns(offsets, reference);
        fitted.segments.iter_mut().for_each(|segment| segment.error_ns += bend_ns);
        Model::assemble(fitted, anchors)
    }

    /// Where `ticks` lies on the timeline.
    #[inline]
    pub fn timeline(&self, ticks: Ticks) -> TimelineNs {
        self.track.at(ticks)
    }

    /// The true moment of `ticks` lies within this much of [`Model::timeline`]. Grows with the
    /// distance from the first and the last comparison.
    pub fn error_ns(&self, ticks: Ticks) -> f64 {
        self.track.error_ns(ticks)
    }

    /// The largest error between the first and the last comparison.
    pub fn max_error_ns(&self) -> f64 {
        self.track.max_error_ns()
    }

    /// Where a moment of this machine's `CLOCK_REALTIME` lies on the timeline: for kernel receive
    /// stamps.
    #[inline]
    pub fn realtime_to_timeline(&self, realtime_ns: i64) -> TimelineNs {
        self.realtime.timeline(realtime_ns)
    }

    /// The bound of [`Model::realtime_to_timeline`], including this model's own.
    pub fn realtime_error_ns(&self, realtime_ns: i64) -> f64 {
        self.realtime.error_ns(realtime_ns)
    }

    /// Whether `CLOCK_REALTIME` was set during the run. Its stamps are then in doubt by the size of
    /// the step.
    pub fn realtime_stepped(&self) -> bool {
        self.realtime.stepped()
    }

    /// How `CLOCK_REALTIME` maps onto the timeline.
    pub fn realtime(&self) -> &Realtime {
        &self.realtime
    }

    /// A converter for many stamps that come roughly in order: does not search where neighbours
    /// share a segment.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor { ticks: self.track.cursor(), realtime: self.realtime.cursor() }
    }

    /// The straight pieces, in order; at least one.
    pub fn segments(&self) -> &[Segment] {
        self.track.segments()
    }

    /// The first and the last tick at which the clock was compared.
    pub fn span(&self) -> (Ticks, Ticks) {
        self.track.span()
    }

    /// Uncertainty of the rate outside [`Model::span`], in parts per million.
    pub fn rate_error_ppm(&self) -> f64 {
        self.track.rate_error_ppm()
    }

    /// The largest distance of an anchor (or synchronisation) from one straight line: how steadily
    /// the clock ran.
    pub fn residual_ns(&self) -> f64 {
        self.residual_ns
    }

    fn assemble(fitted: Fitted, anchors: &[Anchor]) -> Result<Model, ModelError> {
        let residual_ns = fitted.residual_ns;
        let track = Track::try_from(fitted)?;
        let realtime = Realtime::by_anchors(anchors, &track)?;
        Ok(Model { track, residual_ns, realtime })
    }
}

impl fmt::Display for Model {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "±{:.0} ns", self.max_error_ns())?;
        match self.segments().len() {
            1 => Ok(()),
            pieces => write!(out, " in {pieces} pieces"),
        }
    }
}

/// Converts stamps that come roughly in order; made by [`Model::cursor`].
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    ticks: SegmentCursor<'a>,
    realtime: SegmentCursor<'a>,
}

impl Cursor<'_> {
    /// As [`Model::timeline`].
    #[inline(always)]
    pub fn timeline(&mut self, ticks: Ticks) -> TimelineNs {
        self.ticks.at(ticks)
    }

    /// As [`Model::realtime_to_timeline`].
    #[inline(always)]
    pub fn realtime_to_timeline(&mut self, realtime_ns: i64) -> TimelineNs {
        self.realtime.at(Ticks(realtime_ns as u64))
    }
}

/// Anchors as points of the timeline. Their widths need a rate, for which first against last is
/// good enough.
fn anchor_points(anchors: &[Anchor], run_start_monotonic_raw_ns: i64) -> Vec<Point> {
    let first = anchors.iter().min_by_key(|anchor| anchor.monotonic_raw_ns);
    let last = anchors.iter().max_by_key(|anchor| anchor.monotonic_raw_ns);
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    let ns = last.monotonic_raw_ns as f64 - first.monotonic_raw_ns as f64;
    let rate = (ns / last.ticks.since(first.ticks) as f64).abs();
    let rate = if rate.is_finite() { rate } else { 1.0 };
    let point = |anchor: &Anchor| Point {
        ticks: anchor.ticks,
        ns: anchor.monotonic_raw_ns.wrapping_sub(run_start_monotonic_raw_ns),
        width_ns: anchor.half_width as f64 * rate + READING_NS,
    };
    anchors.iter().map(point).collect()
}

/// One piece through one point.
fn by_rate(point: Point, ns_per_tick: f64, rate_error_ppm: f64) -> Result<Fitted, ModelError> {
    let segment = Segment::through(point, ns_per_tick, point.width_ns + READING_NS)?;
    Ok(Fitted {
        segments: vec![segment],
        first_ticks: point.ticks,
        last_ticks: point.ticks,
        rate_error_ppm,
        residual_ns: 0.0,
    })
}

/// How far the straight way between two synchronisations leaves the reference's own way onto the
/// timeline, at worst: not zero only where the reference's counter stopped, so that it has several
/// pieces. Whether the other clock stopped with it (a planted one did, another machine's did not)
/// the synchronisations cannot tell.
fn bend_ns(offsets: &[Offset], reference: &Model) -> f64 {
    let Some(first) = offsets.first().map(|offset| offset.remote) else { return 0.0 };
    if reference.segments().len() == 1 {
        return 0.0;
    }
    let mut synchronised: Vec<Ticks> = offsets.iter().map(|offset| offset.remote).collect();
    synchronised.sort_by_key(|ticks| ticks.since(first));
    let mut worst_ns = 0.0f64;
    for knot in reference.segments().iter().map(|segment| segment.from_ticks) {
        let next = synchronised.partition_point(|ticks| ticks.since(knot) <= 0);
        let (Some(from), Some(to)) =
            (next.checked_sub(1).map(|i| synchronised[i]), synchronised.get(next))
        else {
            continue;
        };
        let share = knot.since(from) as f64 / to.since(from) as f64;
        let [from_ns, to_ns, knot_ns] =
            [from, *to, knot].map(|ticks| reference.timeline(ticks).0 as f64);
        let off_ns = (from_ns + share * (to_ns - from_ns) - knot_ns).abs();
        // Between its knots the reference's own way is in doubt too.
        worst_ns = worst_ns.max(off_ns + reference.error_ns(knot));
    }
    worst_ns
}
