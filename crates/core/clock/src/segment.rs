//! Straight pieces of a clock's way onto the timeline, and the fast conversion by them.
//!
//! Closing a run converts hundreds of millions of ticks, so a conversion is one widening 64 × 64
//! bit multiplication, one addition and one shift by a constant. The rate is fixed point with 56
//! bits after the point and not a float, for three reasons: its rounding moves a day of ticks by
//! less than 0.003 ns, the result is exactly monotone, and the integer comes back from `run.json`
//! bit for bit, so that a conversion can be redone anywhere.

use serde::{Deserialize, Serialize};

use crate::{ModelError, Ticks, TimelineNs};

/// Bits after the point in [`Segment::ns_per_tick_q56`].
const RATE_BITS: u32 = 56;
/// Slowest clock taken: 127 ns a tick. Keeps every product inside 127 bits.
const NS_PER_TICK_MAX: f64 = 127.0;
/// Fastest clock taken: a million ticks a nanosecond would be a broken calibration, not a clock.
const NS_PER_TICK_MIN: f64 = 1e-6;

/// One straight piece: `from_ns + (ticks − from_ticks) × rate`, rounded to the nearest nanosecond.
/// Right for every tick whose timeline lies within 292 years of zero; beyond that the result wraps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// The first tick of the piece. The first piece also serves all ticks before it.
    pub from_ticks: Ticks,
    /// Where that tick lies on the timeline.
    pub from_ns: TimelineNs,
    /// Nanoseconds a tick, times 2⁵⁶.
    pub ns_per_tick_q56: u64,
    /// The true moment lies within this much of the converted one.
    pub error_ns: f64,
}

/// A moment known on both scales: what segments are drawn through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub ticks: Ticks,
    pub ns: i64,
    /// Half the interval that surely holds the true `ns`.
    pub width_ns: f64,
}

impl Point {
    /// Nanoseconds from `earlier` to this point.
    pub fn ns_since(self, earlier: Point) -> f64 {
        self.ns.wrapping_sub(earlier.ns) as f64
    }
}

impl Segment {
    /// The piece through `point` with a known rate.
    pub(crate) fn through(
        point: Point,
        ns_per_tick: f64,
        error_ns: f64,
    ) -> Result<Segment, ModelError> {
        if !(NS_PER_TICK_MIN..=NS_PER_TICK_MAX).contains(&ns_per_tick) {
            return Err(ModelError::ImpossibleRate { ns_per_tick });
        }
        let ns_per_tick_q56 = (ns_per_tick * (1u64 << RATE_BITS) as f64).round() as u64;
        Ok(Segment {
            from_ticks: point.ticks,
            from_ns: TimelineNs(point.ns),
            ns_per_tick_q56,
            error_ns,
        })
    }

    /// The piece from one point to a later one; exact at both.
    pub(crate) fn between(from: Point, to: Point, error_ns: f64) -> Result<Segment, ModelError> {
        let (ticks, ns) = (to.ticks.since(from.ticks), to.ns.wrapping_sub(from.ns));
        let segment = Segment::through(from, ns as f64 / ticks as f64, error_ns)?;
        // Both are positive, because the rate is. The quotient in integers is exact where the float
        // is not.
        let rate = (((ns as i128) << RATE_BITS) + ticks as i128 / 2) / ticks as i128;
        Ok(Segment { ns_per_tick_q56: rate as u64, ..segment })
    }

    /// Nanoseconds a tick, for people.
    pub fn ns_per_tick(&self) -> f64 {
        self.ns_per_tick_q56 as f64 / (1u64 << RATE_BITS) as f64
    }

    /// Where `ticks` lies on the timeline if this piece serves it.
    #[inline(always)]
    pub fn at(&self, ticks: Ticks) -> TimelineNs {
        const HALF: i128 = 1 << (RATE_BITS - 1);
        let product = ticks.since(self.from_ticks) as i128 * self.ns_per_tick_q56 as i128;
        TimelineNs(self.from_ns.0.wrapping_add(((product + HALF) >> RATE_BITS) as i64))
    }
}

/// One or more segments in the order of their ticks, together serving every tick. Two may begin at
/// the same tick: then the first of them serves only what lies before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Segment>", into = "Vec<Segment>")]
pub(crate) struct Segments(Vec<Segment>);

impl TryFrom<Vec<Segment>> for Segments {
    type Error = ModelError;

    fn try_from(segments: Vec<Segment>) -> Result<Segments, ModelError> {
        let first = segments.first().ok_or(ModelError::NoSegment)?.from_ticks;
        let ordered = segments
            .windows(2)
            .all(|w| w[0].from_ticks.since(first) <= w[1].from_ticks.since(first));
        if !ordered {
            return Err(ModelError::SegmentsOutOfOrder);
        }
        let possible = NS_PER_TICK_MIN * 0.5..=NS_PER_TICK_MAX * 1.5;
        match segments.iter().map(Segment::ns_per_tick).find(|rate| !possible.contains(rate)) {
            Some(ns_per_tick) => Err(ModelError::ImpossibleRate { ns_per_tick }),
            None => Ok(Segments(segments)),
        }
    }
}

impl From<Segments> for Vec<Segment> {
    fn from(segments: Segments) -> Vec<Segment> {
        segments.0
    }
}

impl Segments {
    /// The segments, first to last; at least one.
    pub fn as_slice(&self) -> &[Segment] {
        &self.0
    }

    /// The segment that serves `ticks`.
    #[inline]
    pub fn serving(&self, ticks: Ticks) -> &Segment {
        &self.0[self.index(ticks)]
    }

    /// A converter for ticks that come roughly in order.
    pub(crate) fn cursor(&self) -> SegmentCursor<'_> {
        SegmentCursor::new(self, 0)
    }

    #[inline]
    fn index(&self, ticks: Ticks) -> usize {
        if self.0.len() == 1 {
            return 0;
        }
        let first = self.0[0].from_ticks;
        let since = ticks.since(first);
        self.0.partition_point(|segment| segment.from_ticks.since(first) <= since).saturating_sub(1)
    }
}

/// Remembers the segment that served last, because neighbouring stamps mostly share one.
#[derive(Clone, Debug)]
pub(crate) struct SegmentCursor<'a> {
    segments: &'a Segments,
    current: Segment,
    first: Ticks,
    /// The ticks after `first` that `current` serves: from the lower one on, up to and with the
    /// upper.
    lowest: i64,
    highest: i64,
}

impl<'a> SegmentCursor<'a> {
    fn new(segments: &'a Segments, index: usize) -> SegmentCursor<'a> {
        let all = &segments.0;
        let first = all[0].from_ticks;
        let lowest = if index == 0 { i64::MIN } else { all[index].from_ticks.since(first) };
        let highest = all.get(index + 1).map_or(i64::MAX, |next| next.from_ticks.since(first) - 1);
        SegmentCursor { segments, current: all[index], first, lowest, highest }
    }

    #[inline(always)]
    pub fn at(&mut self, ticks: Ticks) -> TimelineNs {
        let since = ticks.since(self.first);
        if since < self.lowest || since > self.highest {
            self.seek(ticks);
        }
        self.current.at(ticks)
    }

    #[cold]
    fn seek(&mut self, ticks: Ticks) {
        *self = SegmentCursor::new(self.segments, self.segments.index(ticks));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY_NS: i64 = 86_400_000_000_000;

    fn point(ticks: u64, ns: i64) -> Point {
        Point { ticks: Ticks(ticks), ns, width_ns: 0.0 }
    }

    /// `from_ns + delta × ns / ticks` in whole numbers, rounded half up.
    fn exact(delta: i64, ns: i64, ticks: i64) -> i64 {
        let (delta, ns, ticks) = (delta as i128, ns as i128, ticks as i128);
        (2 * delta * ns + ticks).div_euclid(2 * ticks) as i64
    }

    proptest! {
        #[test]
        fn a_day_long_conversion_is_within_a_nanosecond_of_the_exact_line(
            base in any::<u64>(),
            from_ns in -DAY_NS..DAY_NS,
            ns in 1_000_000..DAY_NS,
            ghz in 0.2..6.0f64,
            at in -0.2..1.2f64,
        ) {
            let ticks = (ns as f64 * ghz) as i64;
            let to = point(base.wrapping_add(ticks as u64), from_ns + ns);
            let segment = Segment::between(point(base, from_ns), to, 0.0).unwrap();
            let delta = (ticks as f64 * at) as i64;
            let got = segment.at(Ticks(base.wrapping_add_signed(delta))).0;
            // Only the rounding of a tie may differ.
            prop_assert!((got - from_ns - exact(delta, ns, ticks)).abs() <= 1);
            prop_assert_eq!(segment.at(to.ticks).0, to.ns);
        }

        #[test]
        fn a_rate_given_as_a_float_is_good_to_a_nanosecond_a_day(
            rate in 0.1..4.0f64,
            day in -1.0..1.0f64,
        ) {
            let segment = Segment::through(point(1 << 40, 0), rate, 0.0).unwrap();
            let delta = (day * DAY_NS as f64 / rate) as i64;
            // The float's mantissa as a whole number makes the oracle exact.
            let mantissa = (rate * (1u64 << 60) as f64) as i128;
            let want = (delta as i128 * mantissa + (1 << 59)) >> 60;
            let got = segment.at(Ticks((1u64 << 40).wrapping_add_signed(delta))).0;
            prop_assert!((got as i128 - want).abs() <= 1);
        }

        #[test]
        fn later_ticks_never_come_earlier(
            knots in prop::collection::vec((1u64..1 << 40, 0.05..5.0f64), 1..8),
            probes in prop::collection::vec(any::<prop::sample::Index>(), 2..40),
        ) {
            let (segments, end) = polyline(&knots);
            let mut ticks: Vec<u64> =
                probes.iter().map(|p| p.index((end + end / 4) as usize) as u64).collect();
            ticks.extend(
                segments
                    .as_slice()
                    .iter()
                    .flat_map(|s| [s.from_ticks.0.saturating_sub(1), s.from_ticks.0]),
            );
            ticks.sort_unstable();
            let ns: Vec<TimelineNs> =
                ticks.iter().map(|&t| segments.serving(Ticks(t)).at(Ticks(t))).collect();
            prop_assert!(ns.is_sorted(), "{ticks:?} {ns:?}");
        }

        #[test]
        fn a_cursor_agrees_with_the_search(
            knots in prop::collection::vec((1u64..1 << 20, 0.05..5.0f64), 1..8),
            probes in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
        ) {
            let (segments, end) = polyline(&knots);
            let mut cursor = segments.cursor();
            for probe in probes {
                let ticks = Ticks(probe.index((end + 1000) as usize) as u64);
                prop_assert_eq!(cursor.at(ticks), segments.serving(ticks).at(ticks));
            }
        }
    }

    /// Segments of the given lengths and rates, joined, from tick 1000 on; and their last tick.
    fn polyline(knots: &[(u64, f64)]) -> (Segments, u64) {
        let mut points = vec![point(1000, -500)];
        for &(ticks, rate) in knots {
            let last = points[points.len() - 1];
            points.push(point(last.ticks.0 + ticks, last.ns + (ticks as f64 * rate) as i64 + 1));
        }
        let segments = points
            .windows(2)
            .filter_map(|w| Segment::between(w[0], w[1], 0.0).ok())
            .collect::<Vec<_>>();
        (Segments::try_from(segments).unwrap(), points[points.len() - 1].ticks.0)
    }

    #[test]
    fn segments_that_serve_nothing_or_go_back_are_refused() {
        assert!(matches!(Segments::try_from(vec![]), Err(ModelError::NoSegment)));
        let segment = |ticks| Segment::through(point(ticks, 0), 1.0, 0.0).unwrap();
        let back = vec![segment(10), segment(5)];
        assert!(matches!(Segments::try_from(back), Err(ModelError::SegmentsOutOfOrder)));
        let stopped = Segment { ns_per_tick_q56: 0, ..segment(1) };
        assert!(matches!(
            Segments::try_from(vec![stopped]),
            Err(ModelError::ImpossibleRate { .. })
        ));
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(Segment::through(point(0, 0), rate, 0.0).is_err(), "{rate}");
        }
    }
}
