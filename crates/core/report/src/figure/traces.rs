//! A figure's series as traces of a chart.

use std::collections::BTreeMap;

use document::chart::{
    Axis, Bars, Chart, Curve, Dots, Mode, Quantity as AxisOf, Stack, Trace, axis_seconds_fine,
    log_counts,
};
use document::{ChartText, Colour, counted, time};
use stats::analysis::Bin;
use stats::bins;
use stats::{Distribution, GroupDistribution};

use super::lines::Line;
use super::words::{against, axis, counted_things, value_text};
use super::{Against, Figure, Form, Quantity, Scale};

const HEIGHT: u32 = 400;
/// What stands at the foot of a log axis of counts: a bin without messages.
const FLOOR: f64 = 0.5;

/// Medians on a line that have a point each; more would cover it.
const DOTS_MOST: usize = 64;

/// The bins of all series.
pub(super) struct Binned {
    pub is_log: bool,
    /// A list a series, all with the same edges.
    pub bins: Vec<Vec<Bin>>,
}

/// All series in the same bins.
pub(super) fn binned(lines: &[Line], is_log: bool, bins: usize) -> Binned {
    let mut all = Distribution::default();
    lines.iter().for_each(|line| all.merge(&line.group.values));
    let edges = bins::edges(&all, is_log, bins);
    let of = |line: &Line| bins::between(&line.group.values, &edges);
    Binned { is_log, bins: lines.iter().map(of).collect() }
}

/// The chart of histograms, on the scale that was asked for and on the others.
pub(super) fn histograms(figure: &Figure, lines: &[Line], title: &str) -> Chart {
    let mut chart = chart(figure, lines, title, "Histogram of");
    let log = lines.iter().any(|line| line.group.values.moments().max > 0);
    let scales = scales(figure.scale, log);
    let mut modes: Vec<(Scale, Vec<bool>, u64)> = Vec::new();
    for scale in scales {
        let (x_log, y_log) = scale.logs();
        let binned = binned(lines, x_log, figure.bins);
        let most = most(figure.form, &binned);
        let before = chart.data.len();
        for (at, (line, bins)) in lines.iter().zip(&binned.bins).enumerate() {
            let of = Drawing { figure, line, bins, x_log, y_log, first: at == 0, lines };
            of.draw(&mut chart);
        }
        modes.push((scale, vec![false; before], most));
    }
    let ends: Vec<usize> =
        modes.iter().skip(1).map(|(_, before, _)| before.len()).chain([chart.data.len()]).collect();
    chart.modes = modes
        .into_iter()
        .zip(ends)
        .map(|((scale, mut seen, most), end)| {
            seen.resize(end, true);
            mode(&chart, figure, scale, most).seeing(seen)
        })
        .collect();
    chart.text = sparks(figure, lines);
    chart
}

/// The scale that was asked for, and those that a switch offers.
fn scales(first: Scale, log: bool) -> Vec<Scale> {
    let others = Scale::ALL.iter().copied().filter(|scale| *scale != first);
    let has_place = |scale: &Scale| log || !scale.logs().0;
    std::iter::once(first).chain(others.filter(has_place)).collect()
}

fn chart(figure: &Figure, lines: &[Line], title: &str, what: &str) -> Chart {
    let axes = (Axis::new(axis_of(figure.what), axis(figure.what)), Axis::count("messages"));
    let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    let label = format!("{what} {}: {}.", axis(figure.what), names.join(", "));
    Chart::new("figure", HEIGHT, label, axes).titled(title.to_owned())
}

fn mode(chart: &Chart, figure: &Figure, scale: Scale, most: u64) -> Mode {
    let (x_log, y_log) = scale.logs();
    let x = Axis::new(axis_of(figure.what), axis(figure.what));
    let y = Axis::count(counted_things(figure.what));
    let x = if x_log { x.log() } else { x };
    let y = if y_log { log_counts(y, most) } else { y.range(0.0, most.max(1) as f64 * 1.06) };
    chart.mode(scale.name()).x(x).y(y)
}

fn axis_of(what: Quantity) -> AxisOf {
    match what {
        what if what.is_time() => AxisOf::Time,
        Quantity::Bytes => AxisOf::Bytes,
        _ => AxisOf::Count,
    }
}

/// The highest place of the drawing.
fn most(form: Form, binned: &Binned) -> u64 {
    let counts = || binned.bins.iter().map(|bins| bins.iter().map(|bin| bin.count));
    match form {
        Form::Area => {
            let places = binned.bins.first().map_or(0, Vec::len);
            let sum = |at: usize| binned.bins.iter().map(|bins| bins[at].count).sum();
            (0..places).map(sum).max().unwrap_or(1)
        }
        _ => counts().flatten().max().unwrap_or(1),
    }
}

/// One series on one scale.
struct Drawing<'a> {
    figure: &'a Figure,
    line: &'a Line,
    bins: &'a [Bin],
    x_log: bool,
    y_log: bool,
    first: bool,
    lines: &'a [Line],
}

impl Drawing<'_> {
    fn draw(&self, chart: &mut Chart) {
        let colour = self.line.colour;
        match self.figure.form {
            Form::Lines => chart.draw(self.outline(colour)),
            Form::Area => chart.draw(self.area(colour)),
            Form::Dots => chart.draw(self.dots(colour)),
            Form::Bars => chart.draw(self.bars(colour)),
        }
    }

    fn outline(&self, colour: Colour) -> Curve {
        let filled = |bin: &Bin| bin.count > 0;
        let first = self.bins.iter().position(filled).unwrap_or(0).saturating_sub(1);
        let last = self.bins.iter().rposition(filled).unwrap_or(0) + 1;
        // Where a series has no more messages its line ends, lest it hides others at the foot.
        let place = |(at, bin): (usize, &Bin)| match (first..=last).contains(&at) {
            true => self.middle(bin),
            false => f64::NAN,
        };
        let x: Vec<f64> = self.bins.iter().enumerate().map(place).collect();
        let floor = if self.y_log { FLOOR } else { 0.0 };
        let y: Vec<f64> = self.bins.iter().map(|bin| (bin.count as f64).max(floor)).collect();
        let line = Curve::line(x, y, colour, 1.8).tips(self.tips());
        match self.lines.len() == 1 && !self.y_log {
            true => line.filled_to_0(colour.at(0.12)),
            false => line,
        }
    }

    /// On a log axis the first area begins at its foot, since 0 has no place there.
    fn area(&self, colour: Colour) -> Stack {
        let foot = if self.y_log && self.first { 1e-9 } else { 0.0 };
        let last = self.bins.last().map(|bin| (self.x(bin.to), 0.0));
        let steps = self.bins.iter().map(|bin| (self.from(bin), bin.count as f64 + foot));
        let steps = steps.chain(last).collect();
        Stack::new(self.line.name.clone(), steps, colour.at(0.85), self.tips())
    }

    fn dots(&self, colour: Colour) -> Curve {
        let filled: Vec<&Bin> = self.bins.iter().filter(|bin| bin.count > 0).collect();
        let x: Vec<f64> = filled.iter().map(|bin| self.middle(bin)).collect();
        let y: Vec<f64> = filled.iter().map(|bin| bin.count as f64).collect();
        let tips = filled.iter().map(|bin| self.tip(bin)).collect();
        let opacity = if self.lines.len() > 1 { 0.8 } else { 1.0 };
        Curve::points(x, y, Dots::discs(colour.at(opacity), 6.0)).tips(tips)
    }

    fn bars(&self, colour: Colour) -> Bars {
        let x: Vec<f64> = self.bins.iter().map(|bin| self.centre(bin)).collect();
        let y: Vec<u64> = self.bins.iter().map(|bin| bin.count).collect();
        let widths = self.bins.iter().map(|bin| self.x(bin.to) - self.from(bin)).collect();
        let opacity = if self.lines.len() > 1 { 0.55 } else { 1.0 };
        Bars::new(x, y, colour.at(opacity)).wide(widths).tips(self.tips())
    }

    /// Where a value lies: times in seconds. A bin of whole numbers reaches half a number to
    /// either side of them.
    fn x(&self, value: f64) -> f64 {
        match self.figure.what.is_time() {
            true => axis_seconds_fine(value),
            false => value - 0.5,
        }
    }

    /// Where a bin begins. Zero has no place on a log scale: its bin is below the first unit.
    fn from(&self, bin: &Bin) -> f64 {
        match self.x_log && (bin.from <= 0.0 || self.x(bin.from) <= 0.0) {
            true => self.x(bin.to) / 2.0,
            false => self.x(bin.from),
        }
    }

    fn centre(&self, bin: &Bin) -> f64 {
        (self.from(bin) + self.x(bin.to)) / 2.0
    }

    /// The middle of a bin on its axis.
    fn middle(&self, bin: &Bin) -> f64 {
        match self.x_log {
            true => (self.from(bin) * self.x(bin.to)).sqrt(),
            false => self.centre(bin),
        }
    }

    fn tips(&self) -> Vec<String> {
        self.bins.iter().map(|bin| self.tip(bin)).collect()
    }

    fn tip(&self, bin: &Bin) -> String {
        let things = counted(bin.count, counted_things(self.figure.what).trim_end_matches('s'));
        let name = match self.lines.len() {
            1 => String::new(),
            _ => format!("{}\n", self.line.name),
        };
        format!("{name}{}\n{things}", bin_text(self.figure.what, bin))
    }
}

/// `1.2 to 1.3 ms`, `3`, `4 to 7`.
fn bin_text(what: Quantity, bin: &Bin) -> String {
    if what.is_time() {
        return format!("{} to {}", time(bin.from), time(bin.to));
    }
    let last = bin.to - 1.0;
    match last <= bin.from {
        true => value_text(what, bin.from),
        false => format!("{} to {}", value_text(what, bin.from), value_text(what, last)),
    }
}

/// Each series as a line of blocks for a terminal, in the bins of the scale that was asked for.
fn sparks(figure: &Figure, lines: &[Line]) -> Option<ChartText> {
    let binned = binned(lines, figure.scale.logs().0, 60);
    let first = binned.bins.first()?;
    let (low, high) = first.first().zip(first.last())?;
    let last = if figure.what.is_time() { high.to } else { high.to - 1.0 };
    let rows = lines.iter().zip(&binned.bins).map(|(line, bins)| {
        (line.name.clone(), bins.iter().map(|bin| bin.count).collect::<Vec<u64>>())
    });
    Some(ChartText::Sparks {
        ends: (value_text(figure.what, low.from), value_text(figure.what, last)),
        rows: rows.collect(),
    })
}

/// Medians with quartiles at each place.
pub(super) fn medians(figure: &Figure, of: Against, lines: &[Line], title: &str) -> Chart {
    let mut chart = chart(figure, lines, title, "Median and quartiles of");
    let is_time = of == Against::Time;
    for line in lines {
        chart.draw(curve(figure, of, line));
    }
    let (x_log, y_log) = figure.scale.logs();
    let x = match of {
        Against::Bytes => Axis::new(AxisOf::Bytes, against(of)),
        Against::Time => Axis::time(against(of)),
        _ => Axis::count(against(of)),
    };
    let title = format!("{}: median and quartiles", axis(figure.what));
    let y = Axis::new(axis_of(figure.what), title);
    let x = if x_log && !is_time { x.log() } else { x };
    let y = if y_log { y.log() } else { y.from_0() };
    chart.axes = (x, y);
    chart.text = levels(figure, of, lines);
    chart
}

/// The medians of a series that is alone, for a terminal.
fn levels(figure: &Figure, of: Against, lines: &[Line]) -> Option<ChartText> {
    let [line] = lines else { return None };
    let values: Vec<f64> = places(of, line).values().map(|of| quartiles(of)[1]).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let ends = format!("{} to {}", value_text(figure.what, least), value_text(figure.what, most));
    (values.len() > 1).then(|| ChartText::Levels { head: "medians".to_owned(), ends, values })
}

/// Each place with its values, where there are any.
pub(super) fn places(of: Against, line: &Line) -> BTreeMap<i64, &GroupDistribution> {
    match of {
        Against::Time => line.group.slices.each().collect(),
        _ => line.group.places.iter().map(|(at, of)| (*at, of)).collect(),
    }
}

/// Median and quartiles.
pub(super) fn quartiles(of: &GroupDistribution) -> [f64; 3] {
    let values = of.quantiles(&[0.25, 0.5, 0.75]);
    [0, 1, 2].map(|at| values.get(at).copied().unwrap_or_default() as f64)
}

fn curve(figure: &Figure, of: Against, line: &Line) -> Trace {
    let value = |value: f64| match figure.what.is_time() {
        true => axis_seconds_fine(value),
        false => value,
    };
    let places = places(of, line);
    let half = (1_i64 << line.group.slices.log_ns()) / 2;
    let x: Vec<f64> = places
        .keys()
        .map(|at| match of {
            Against::Time => axis_seconds_fine((*at + half) as f64),
            _ => *at as f64,
        })
        .collect();
    let each: Vec<[f64; 3]> = places.values().map(|of| quartiles(of)).collect();
    let y: Vec<f64> = each.iter().map(|[_, median, _]| value(*median)).collect();
    let intervals = each.iter().map(|[low, _, high]| (value(*low), value(*high))).collect();
    let tip = |(of, [low, median, high]): (&&GroupDistribution, &[f64; 3])| {
        let [low, median, high] = [low, median, high].map(|value| value_text(figure.what, *value));
        format!(
            "{}\nmedian {median}, quartiles {low} and {high}\n{}",
            line.name,
            counted(of.count(), "message")
        )
    };
    let tips = places.values().zip(&each).map(tip).collect();
    let dots = Dots::discs(line.colour, 6.0);
    let is_dense = x.len() > DOTS_MOST;
    let curve = match figure.form {
        Form::Dots => Curve::points(x, y, dots),
        _ if is_dense => Curve::line(x, y, line.colour, 1.6),
        _ => Curve::line(x, y, line.colour, 1.6).dots(dots),
    };
    curve.intervals(intervals).tips(tips).into()
}
