//! Each stage with several peaks: all its messages on log scales, the peaks marked.

use stats::analysis::{Analysis, Bin, Peak};

use super::bins::{Scale, histogram};
use crate::palette::MARK;
use crate::peaks::{Shown, sentence, shown, table};
use document::chart::{Axis, Chart, Curve, Dots, Side, Symbol};
use document::{Section, axis_seconds, counted, part, time};

const HEIGHT: u32 = 270;
/// Labels nearer than this part of the axis would lie on each other.
const ROOM: f64 = 0.28;

pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    let shown = shown(analysis);
    let drawn: Vec<&Shown> = shown.iter().filter(|stage| !stage.view.log_bins.is_empty()).collect();
    if shown.is_empty() {
        return None;
    }
    let mut section = Section::new("peaks", "Peaks", sentence(&shown));
    section.columns = drawn.len().clamp(1, 2);
    section.charts = drawn.iter().map(|stage| chart(stage)).collect();
    section.legend = vec![("Peak".to_owned(), MARK)];
    Some(section.table(table(&shown)))
}

fn chart(stage: &Shown) -> Chart {
    let bins = &stage.view.log_bins;
    let largest = bins.iter().map(|bin| bin.count).max().unwrap_or(1).max(1) as f64;
    // Room above the highest bar for two lines of label.
    let log_counts =
        Axis::count("messages").log().range(0.5, 10f64.powf(largest.log10() * 1.3 + 0.5));
    let linear_counts = Axis::count("messages").range(0.0, largest * 1.35);
    let axes = (Axis::time("time").log(), log_counts);
    let peaks = stage.peaks.len() as u64;
    let label = format!("Histogram of {} with {} marked.", stage.name, counted(peaks, "peak"));
    let id = format!("peaks-{}", stage.colour.0);
    let mut chart = Chart::new(id, HEIGHT, label, axes).titled(stage.title);
    chart.draw(histogram(bins, Scale::Log, stage.colour));
    chart.draw(marks(&stage.peaks, bins));
    chart.modes = vec![chart.mode("log"), chart.mode("linear").y(linear_counts)];
    chart
}

/// A mark over each peak, and its figures where there is room for them.
fn marks(peaks: &[Peak], bins: &[Bin]) -> Curve {
    let span = bins.last().map_or(1.0, |bin| bin.to.max(1.0)).ln() - bins[0].from.max(1.0).ln();
    let mut labelled: Vec<f64> = Vec::new();
    let mut words = vec![(String::new(), Side::Above); peaks.len()];
    let mut order: Vec<usize> = (0..peaks.len()).collect();
    let weight = |at: &usize| peaks[*at].mass.max(peaks[*at].time_share);
    order.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    for at in order {
        let place = peaks[at].place_ns.max(1.0).ln();
        if labelled.iter().all(|other| (place - other).abs() > ROOM * span) {
            labelled.push(place);
            words[at].0 = label(&peaks[at]);
        }
    }
    let x: Vec<f64> = peaks.iter().map(|peak| axis_seconds(peak.place_ns.max(0.5))).collect();
    let y: Vec<u64> = peaks.iter().map(|peak| height(peak, bins)).collect();
    let dots = Dots { paint: MARK.into(), size: 9.0, symbol: Symbol::Triangle };
    Curve::points(x, y, dots).words(words).tips(peaks.iter().map(tip).collect())
}

fn label(peak: &Peak) -> String {
    format!("{}\n{}, {} of time", time(peak.place_ns), part(peak.mass), part(peak.time_share))
}

fn tip(peak: &Peak) -> String {
    format!(
        "{}, {} wide\n{}, {}\n{} of its stage's time",
        time(peak.place_ns),
        time(peak.width_ns),
        counted(peak.count, "message"),
        part(peak.mass),
        part(peak.time_share)
    )
}

/// The highest of the bars that the peak is on: over half its height, or at least the one that its
/// place is in. Between the teeth of a coarse clock bars are empty.
fn height(peak: &Peak, bins: &[Bin]) -> u64 {
    // Half the width to either side on the log scale that the bars are on: a wide peak would reach
    // 0.
    let place = peak.place_ns.max(0.5);
    let half = (peak.width_ns / 2.0 / place).asinh().exp();
    let (from, to) = ((place / half).max(peak.from_ns), (place * half).min(peak.to_ns));
    let under = bins.iter().filter(|bin| bin.from <= to && from < bin.to);
    under.map(|bin| bin.count).max().unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_stands_on_the_bars_and_not_between_them() {
        // Bins of 4 ns over a clock of 10 ns: most are empty.
        let bins: Vec<Bin> = (0..20)
            .map(|at| (f64::from(at) * 4.0, f64::from(at + 1) * 4.0))
            .map(|(from, to)| Bin {
                from,
                to,
                count: if from <= 20.0 && 20.0 < to { 900 } else { 0 },
            })
            .collect();
        let peak = Peak {
            place_ns: 17.0,
            place_interval_ns: None,
            from_ns: 5.0,
            to_ns: 60.0,
            width_ns: 10.0,
            width_interval_ns: None,
            count: 900,
            mass: 1.0,
            mass_interval: None,
            time_share: 1.0,
            time_interval: None,
            blocks: (1, 1),
            launches: (1, 1),
            chance: 0.0,
            tail: false,
        };
        assert_eq!(height(&peak, &bins), 900);
        // A peak that is wider than its place is far from 0 does not reach the one before it.
        let far = Peak { place_ns: 60.0, from_ns: 30.0, to_ns: 90.0, width_ns: 140.0, ..peak };
        assert_eq!(height(&far, &bins), 1);
    }
}
