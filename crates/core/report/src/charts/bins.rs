//! Histograms of bins, on either scale.

use document::chart::{Bars, Stack, axis_seconds_fine};
use document::{Colour, count, counted, time};
use stats::analysis::Bin;

/// A histogram: one bar a bin, as wide as the bin on either scale.
pub(crate) fn histogram(bins: &[Bin], scale: Scale, colour: Colour) -> Bars {
    let kept: Vec<&Bin> =
        bins.iter().filter(|bin| scale == Scale::Linear || bin.to > 0.0).collect();
    // Zero has no place on a log scale: its bin is drawn below the first nanosecond, and says what
    // it is.
    let from =
        |bin: &Bin| if scale == Scale::Log && bin.from <= 0.0 { bin.to / 2.0 } else { bin.from };
    let middle = |bin: &&Bin| axis_seconds_fine((from(bin) + bin.to) / 2.0);
    let x: Vec<f64> = kept.iter().map(middle).collect();
    let counts: Vec<u64> = kept.iter().map(|bin| bin.count).collect();
    let texts = kept.iter().map(|bin| bin_text(bin)).collect();
    let width = kept.iter().map(|bin| axis_seconds_fine(bin.to - from(bin))).collect();
    Bars::new(x, counts, colour).wide(width).tips(texts)
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
    format!("{} to {}\n{}", time(bin.from), time(bin.to), counted(bin.count, "message"))
}

/// An area stacked on those before it, in steps.
pub(crate) fn stacked(bins: &[Bin], name: &str, colour: Colour) -> Stack {
    let last = bins.last().map(|last| (axis_seconds_fine(last.to), 0.0));
    let steps = bins.iter().map(|bin| (axis_seconds_fine(bin.from), bin.count as f64));
    let tips = bins.iter().map(|bin| format!("{name}: {}", count(bin.count))).collect();
    Stack::new(name, steps.chain(last).collect(), colour.at(0.85), tips)
}
