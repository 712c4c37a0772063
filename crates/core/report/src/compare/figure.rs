//! The drawings of a comparison: both distributions on one logarithmic axis, and the
//! changes with their intervals.
//!
//! Two lines and a few bars need no script, so the page is small and works where scripts do not
//! run.

use stats::compare::{Difference, PeakMatch, ShapeBin};

use super::words::outcome_colour;
use document::ratio;
use document::{Colour, Drawing, Shape, quantile_name, time};

const OF_A: Colour = Colour("b");
const OF_B: Colour = Colour("mark");
const GRID: Colour = Colour("grid");
/// The colour of words that are about no side.
const PLAIN: Colour = Colour("");

const WIDTH: f64 = 1080.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 12.0;
const BOTTOM: f64 = 34.0;
const TOP: f64 = 22.0;
/// Room for a letter, with some to spare.
const LETTER: f64 = 9.0;
/// Empty bins at the far end of a tail are not worth their room.
const ROW: f64 = 34.0;

/// Where a time is drawn: logarithmic.
struct Axis {
    from: f64,
    to: f64,
}

impl Axis {
    fn of(bins: &[ShapeBin]) -> Axis {
        let from = bins.iter().map(|bin| bin.from_ns).find(|from| *from > 0.0).unwrap_or(1.0);
        let to = bins.last().map_or(from * 10.0, |bin| bin.to_ns);
        Axis { from: from.ln(), to: to.max(from * 1.01).ln() }
    }

    fn x(&self, ns: f64) -> f64 {
        let part = (ns.max(1e-3).ln() - self.from) / (self.to - self.from);
        LEFT + part.clamp(0.0, 1.0) * (WIDTH - 2.0 * LEFT)
    }

    /// Round times from one end to the other: powers of ten, with 2 and 5 between where there is
    /// room.
    fn ticks(&self) -> Vec<f64> {
        let decades = (self.to - self.from) / std::f64::consts::LN_10;
        let steps: &[f64] = if decades < 3.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = (self.from / std::f64::consts::LN_10).floor() as i32;
        let all = (first..=first + decades.ceil() as i32 + 1)
            .flat_map(|ten| steps.iter().map(move |step| step * 10_f64.powi(ten)));
        all.filter(|ns| (self.from..=self.to).contains(&ns.ln())).collect()
    }
}

/// Both distributions. Heights go with the square root of a bin's part: a tenth of the messages
/// must still be seen.
pub(super) fn distributions(bins: &[ShapeBin], peaks: &[PeakMatch]) -> Drawing {
    let axis = Axis::of(bins);
    let tallest = bins.iter().map(|bin| bin.a.max(bin.b)).fold(f64::MIN_POSITIVE, f64::max).sqrt();
    let mut shapes = ticks(&axis);
    shapes.push(Shape::Outline(outline(bins, &axis, tallest, |bin| bin.a), OF_A));
    shapes.push(Shape::Outline(outline(bins, &axis, tallest, |bin| bin.b), OF_B));
    type Side = fn(&PeakMatch) -> Option<f64>;
    let a: Side = |found| Some(found.a?.place_ns);
    let b: Side = |found| Some(found.b?.place_ns);
    for (colour, y, side) in [(OF_A, TOP - 12.0, a), (OF_B, TOP, b)] {
        let places = peaks.iter().enumerate();
        let places = places.filter_map(|(at, found)| Some((at + 1, axis.x(side(found)?))));
        let marks = marks(places).into_iter();
        shapes.extend(marks.map(|(x, words)| Shape::Words((x, y), words, colour)));
    }
    let label = "Both distributions on a logarithmic axis of time";
    Drawing { label, size: (WIDTH, HEIGHT), shapes }
}

/// Numbers of peaks above their places; those that would lie over each other are one text.
fn marks(places: impl Iterator<Item = (usize, f64)>) -> Vec<(f64, String)> {
    let mut marks: Vec<(f64, String)> = Vec::new();
    for (number, x) in places {
        let letters = |words: &str| LETTER * words.chars().count() as f64;
        let own = format!("▾{number}");
        match marks.last_mut() {
            Some((at, words)) if x - *at < (letters(words) + letters(&own)) / 2.0 => {
                *words += &format!(",{number}");
            }
            _ => marks.push((x, own)),
        }
    }
    marks
}

fn ticks(axis: &Axis) -> Vec<Shape> {
    let base = HEIGHT - BOTTOM;
    let tick = |ns: f64| {
        let x = axis.x(ns);
        [
            Shape::Line([(x, TOP), (x, base)], GRID),
            Shape::Words((x, HEIGHT - 12.0), label(ns), PLAIN),
        ]
    };
    axis.ticks().into_iter().flat_map(tick).collect()
}

/// A round time without needless decimals.
fn label(ns: f64) -> String {
    time(ns).replace(".00", "").replace(".0\u{a0}", "\u{a0}")
}

/// A round ratio without needless decimals: `0.1×`, `1×`, `1.05×`.
fn ratio_label(of: f64) -> String {
    let text = ratio(of);
    match text.trim_end_matches('×') {
        number if number.contains('.') => {
            format!("{}×", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

fn outline(
    bins: &[ShapeBin],
    axis: &Axis,
    tallest: f64,
    part: fn(&ShapeBin) -> f64,
) -> Vec<(f64, f64)> {
    let base = HEIGHT - BOTTOM;
    let mut at = axis.x(bins.first().map_or(1.0, |bin| bin.from_ns));
    let mut points = vec![(at, base)];
    for bin in bins {
        let y = base - part(bin).sqrt() / tallest * (base - TOP);
        points.push((at, y));
        at = axis.x(bin.to_ns);
        points.push((at, y));
    }
    points.push((at, base));
    points
}

/// Each quantile's ratio as a point with its interval, on a logarithmic axis; the least effect that
/// matters as a band.
pub(super) fn changes(quantiles: &[Difference], least: f64) -> Drawing {
    let least = least.ln_1p();
    let scale = RatioAxis::of(quantiles, least);
    let height = ROW * quantiles.len() as f64 + BOTTOM;
    let base = height - BOTTOM;
    let (from, to) = (scale.x(-least), scale.x(least));
    let mut shapes = vec![Shape::Band([from, 0.0, to - from, base], GRID)];
    for log in scale.ticks() {
        let x = scale.x(log);
        shapes.push(Shape::Line([(x, 0.0), (x, base)], GRID));
        shapes.push(Shape::Words((x, height - 12.0), ratio_label(log.exp()), PLAIN));
    }
    for (row, q) in quantiles.iter().enumerate() {
        let y = ROW * (row as f64 + 0.5);
        let colour = outcome_colour(q.outcome).unwrap_or(Colour("faint"));
        shapes.push(Shape::Name((4.0, y + 5.0), quantile_name(q.p)));
        if let Some((low, high)) = q.interval {
            let ends = [low, high].map(|ratio| (scale.x(ratio.ln()), y));
            shapes.push(Shape::Bar(ends, colour));
        }
        shapes.push(Shape::Dot((scale.x(q.ratio.ln()), y), colour));
    }
    let label = "B's figure over A's for each quantile, with its interval";
    Drawing { label, size: (WIDTH, height), shapes }
}

/// Where a ratio is drawn: by its logarithm, 1 in the middle.
struct RatioAxis {
    reach: f64,
}

impl RatioAxis {
    /// All ratios, and their intervals as far as a factor of 4.
    fn of(quantiles: &[Difference], least: f64) -> RatioAxis {
        let ends = quantiles.iter().flat_map(|q| {
            let (low, high) = q.interval.unwrap_or((q.ratio, q.ratio));
            [q.ratio.ln(), low.max(0.25).ln(), high.min(4.0).ln()]
        });
        let reach = ends.map(f64::abs).fold((least * 2.0).max(1e-3), f64::max) * 1.1;
        RatioAxis { reach }
    }

    fn x(&self, log: f64) -> f64 {
        let (left, right) = (70.0, WIDTH - LEFT);
        left + ((log / self.reach + 1.0) / 2.0).clamp(0.0, 1.0) * (right - left)
    }

    /// Logarithms of 1, of a round ratio that goes into the reach two to four times, and of its
    /// powers.
    fn ticks(&self) -> Vec<f64> {
        const ROUND: [f64; 12] =
            [1.001, 1.002, 1.005, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 5.0, 10.0];
        let most = self.reach / 2.2;
        let step = ROUND.iter().map(|ratio| ratio.ln()).rfind(|log| *log <= most);
        let step = if most >= 100_f64.ln() { most } else { step.unwrap_or(most) };
        (-4..=4)
            .map(|steps| f64::from(steps) * step)
            .filter(|log| log.abs() <= self.reach * 0.97)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_round_ticks_within_it() {
        let bins = [ShapeBin { from_ns: 300.0, to_ns: 90_000.0, a: 1.0, b: 1.0 }];
        let axis = Axis::of(&bins);
        let ticks: Vec<i64> = axis.ticks().iter().map(|ns| ns.round() as i64).collect();
        assert_eq!(ticks, [500, 1000, 2000, 5000, 10_000, 20_000, 50_000]);
        assert_eq!(label(1000.0), "1\u{a0}µs");
        let ratios = [0.01, 0.1, 1.0, 1.05, 10.0, 100.0].map(ratio_label);
        assert_eq!(ratios, ["0.01×", "0.1×", "1×", "1.05×", "10×", "100×"]);
        assert!(axis.x(300.0) < axis.x(301.0) && axis.x(0.0) == axis.x(300.0));
    }

    #[test]
    fn numbers_of_peaks_do_not_lie_over_each_other() {
        let found = marks([(1, 100.0), (2, 110.0), (4, 120.0), (5, 300.0)].into_iter());
        assert_eq!(found, [(100.0, "▾1,2,4".to_owned()), (300.0, "▾5".to_owned())]);
    }

    #[test]
    fn drawings_hold_for_zeros_and_nothing() {
        let zero = [ShapeBin { from_ns: -5.0, to_ns: 1.0, a: 1.0, b: 1.0 }];
        let drawn = |drawing: Drawing| format!("{:?}", drawing.shapes);
        assert!(!drawn(distributions(&zero, &[])).contains("NaN"));
        assert!(!drawn(distributions(&[], &[])).contains("NaN"));
        assert!(!drawn(changes(&[], 0.0)).contains("inf"));
        let ticks = RatioAxis { reach: 1.2_f64.ln() }.ticks();
        assert!(ticks.contains(&0.0) && (3..=9).contains(&ticks.len()), "{ticks:?}");
    }
}
