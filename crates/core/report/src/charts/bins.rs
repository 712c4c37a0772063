//! Histograms of bins, on either scale.

use document::chart::{WideBars, axis_seconds_fine, wide_bars};
use document::{chart_label, count, time};
use plotly::Scatter;
use plotly::common::{Line, LineShape, Mode as TraceMode};
use stats::analysis::Bin;

/// A histogram: one bar a bin, as wide as the bin on either scale.
pub(crate) fn histogram(bins: &[Bin], scale: Scale, colour: &str) -> Box<WideBars> {
    let kept: Vec<&Bin> =
        bins.iter().filter(|bin| scale == Scale::Linear || bin.to > 0.0).collect();
    // Zero has no place on a log scale: its bin is drawn below the first nanosecond, and says what
    // it is.
    let from =
        |bin: &Bin| if scale == Scale::Log && bin.from <= 0.0 { bin.to / 2.0 } else { bin.from };
    let middle = |bin: &&Bin| axis_seconds_fine((from(bin) + bin.to) / 2.0);
    let x = kept.iter().map(middle).collect();
    let counts = kept.iter().map(|bin| bin.count).collect();
    let texts = kept.iter().map(|bin| bin_text(bin)).collect();
    let width = kept.iter().map(|bin| axis_seconds_fine(bin.to - from(bin))).collect();
    wide_bars(x, counts, width, texts, colour)
}

/// Scale of a histogram's bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    Log,
}

/// Whether bins grow in width, that is, are equal on a log scale.
pub(crate) fn scale_of(bins: &[Bin]) -> Scale {
    match (bins.first(), bins.last()) {
        (Some(first), Some(last))
            if first.from > 0.0 && last.to - last.from > 2.0 * (first.to - first.from) =>
        {
            Scale::Log
        }
        _ => Scale::Linear,
    }
}

fn bin_text(bin: &Bin) -> String {
    let noun = if bin.count == 1 { "message" } else { "messages" };
    format!("{} to {}<br><b>{}</b> {noun}", time(bin.from), time(bin.to), count(bin.count))
}

/// An area stacked on those before it, in steps.
pub(crate) fn stacked(bins: &[Bin], name: &str, colour: &str) -> Box<Scatter<f64, u64>> {
    let mut x: Vec<f64> = bins.iter().map(|bin| axis_seconds_fine(bin.from)).collect();
    let mut y: Vec<u64> = bins.iter().map(|bin| bin.count).collect();
    if let Some(last) = bins.last() {
        x.push(axis_seconds_fine(last.to));
        y.push(0);
    }
    Scatter::new(x, y)
        .mode(TraceMode::Lines)
        .name(chart_label(name))
        .stack_group("all")
        .fill_color(format!("{colour}/0.85"))
        .hover_template("%{y:,}")
        .line(Line::new().shape(LineShape::Hv).width(0.5).color(colour.to_owned()))
}
