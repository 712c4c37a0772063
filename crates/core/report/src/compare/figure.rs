//! The drawings of a comparison, as SVG: both distributions on one logarithmic axis, and the
//! changes with their intervals.
//!
//! Two lines and a few bars need no script, so the page is small and works where scripts do not
//! run.

use std::fmt::Write;

use stats::compare::{Difference, PeakMatch, ShapeBin};

use crate::format::{quantile_name, time};
use crate::ratios::ratio;

const WIDTH: f64 = 1080.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 12.0;
const BOTTOM: f64 = 34.0;
const TOP: f64 = 22.0;
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
pub(super) fn distributions(bins: &[ShapeBin], peaks: &[PeakMatch]) -> String {
    let axis = Axis::of(bins);
    let tallest = bins.iter().map(|bin| bin.a.max(bin.b)).fold(f64::MIN_POSITIVE, f64::max).sqrt();
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img aria-label=\"Both distributions on a \
        logarithmic axis of time\">"
    );
    ticks(&mut svg, &axis);
    for (class, part) in
        [("a", (|bin: &ShapeBin| bin.a) as fn(&ShapeBin) -> f64), ("b", |bin| bin.b)]
    {
        let _ = write!(
            svg,
            "<path class=\"shape {class}\" d=\"{}\"/>",
            outline(bins, &axis, tallest, part)
        );
    }
    for (number, found) in peaks.iter().enumerate() {
        for (class, side) in [("a", found.a), ("b", found.b)] {
            let Some(peak) = side else { continue };
            let (x, y) = (axis.x(peak.place_ns), if class == "a" { TOP - 12.0 } else { TOP });
            let _ = write!(
                svg,
                "<text class=\"peak {class}\" x={x:.1} y={y:.1}>▾{}</text>",
                number + 1
            );
        }
    }
    svg + "</svg>"
}

fn ticks(svg: &mut String, axis: &Axis) {
    let base = HEIGHT - BOTTOM;
    for ns in axis.ticks() {
        let x = axis.x(ns);
        let _ = write!(
            svg,
            "<line class=grid x1={x:.1} x2={x:.1} y1={TOP} y2={base} /><text class=tick x={x:.1} \
            y={:.1}>{}</text>",
            HEIGHT - 12.0,
            label(ns)
        );
    }
}

/// A round time without needless decimals.
fn label(ns: f64) -> String {
    time(ns).replace(".00", "").replace(".0\u{a0}", "\u{a0}")
}

fn outline(bins: &[ShapeBin], axis: &Axis, tallest: f64, part: fn(&ShapeBin) -> f64) -> String {
    let base = HEIGHT - BOTTOM;
    let mut path = format!("M{:.1} {base}", axis.x(bins.first().map_or(1.0, |bin| bin.from_ns)));
    for bin in bins {
        let y = base - part(bin).sqrt() / tallest * (base - TOP);
        let _ = write!(path, "V{y:.1}H{:.1}", axis.x(bin.to_ns));
    }
    path + &format!("V{base}")
}

/// Each quantile's ratio as a point with its interval, on a logarithmic axis; the least effect that
/// matters as a band.
pub(super) fn changes(quantiles: &[Difference], least: f64) -> String {
    let least = least.ln_1p();
    let scale = RatioAxis::of(quantiles, least);
    let height = ROW * quantiles.len() as f64 + BOTTOM;
    let base = height - BOTTOM;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=img aria-label=\"B's figure over A's for each \
        quantile, with its interval\">"
    );
    let (from, to) = (scale.x(-least), scale.x(least));
    let _ =
        write!(svg, "<rect class=least x={from:.1} y=0 width={:.1} height={base} />", to - from);
    for log in scale.ticks() {
        let (at, name) = (scale.x(log), ratio(log.exp()));
        let _ = write!(
            svg,
            "<line class=grid x1={at:.1} x2={at:.1} y1=0 y2={base} /><text class=tick x={at:.1} \
            y={:.1}>{name}</text>",
            height - 12.0
        );
    }
    for (row, q) in quantiles.iter().enumerate() {
        let y = ROW * (row as f64 + 0.5);
        let class = super::words::class(q.outcome);
        let _ = write!(svg, "<text class=name x=4 y={:.1}>{}</text>", y + 5.0, quantile_name(q.p));
        if let Some((low, high)) = q.interval {
            let (x1, x2) = (scale.x(low.ln()), scale.x(high.ln()));
            let _ = write!(
                svg,
                "<line class=\"interval {class}\" x1={x1:.1} x2={x2:.1} y1={y:.1} y2={y:.1} />"
            );
        }
        let _ = write!(
            svg,
            "<circle class=\"{class}\" cx={:.1} cy={y:.1} r=6 />",
            scale.x(q.ratio.ln())
        );
    }
    svg + "</svg>"
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
        assert!(axis.x(300.0) < axis.x(301.0) && axis.x(0.0) == axis.x(300.0));
    }

    #[test]
    fn drawings_hold_for_zeros_and_nothing() {
        let zero = [ShapeBin { from_ns: -5.0, to_ns: 1.0, a: 1.0, b: 1.0 }];
        assert!(!distributions(&zero, &[]).contains("NaN"));
        assert!(!distributions(&[], &[]).contains("NaN"));
        assert!(!changes(&[], 0.0).contains("inf"));
        let ticks = RatioAxis { reach: 1.2_f64.ln() }.ticks();
        assert!(ticks.contains(&0.0) && (3..=9).contains(&ticks.len()), "{ticks:?}");
    }
}
