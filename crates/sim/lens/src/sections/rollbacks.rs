//! How deep and how far back rollbacks went, the largest of them, and the objects they struck.

use report::ObjectNames;
use stats::analysis::Bin;

use crate::simulation::{Rollbacks, Simulation};
use crate::tables;
use document::chart::{Axis, Bars, Chart, Quantity, log_counts};
use document::{Block, Colour, Section, count, counted, six_figures};

const HEIGHT: u32 = 270;
const COLOUR: Colour = Colour("undo");

pub(super) fn section(names: &ObjectNames, simulation: &Simulation) -> Option<Section> {
    let rollbacks = &simulation.rollbacks;
    if rollbacks.count == 0 {
        return None;
    }
    let mut section = Section::new("rollbacks", "Rollbacks", sentence(rollbacks));
    section.charts.push(depths(rollbacks));
    section.charts.extend(lengths(rollbacks));
    section.columns = section.charts.len();
    section.blocks.push(Block::Heading("The largest rollbacks".to_owned()));
    section.blocks.push(Block::Table(tables::worst(names, &simulation.worst)));
    if !simulation.objects.is_empty() {
        section.blocks.push(Block::Heading("The objects with most events undone".to_owned()));
        section.blocks.push(Block::Table(tables::objects(names, simulation)));
    }
    Some(section)
}

fn sentence(rollbacks: &Rollbacks) -> String {
    let zero = match rollbacks.lengths_zero {
        0 => String::new(),
        n => format!(" {} undid no more than the object's last moment.", count(n)),
    };
    format!(
        "Both axes are logarithmic, so that a few deep rollbacks are seen beside many shallow \
        ones. Half of the {} undid at most \
         {}, the mean is {:.1}, the deepest {}. A tail far to the right is work thrown away for \
         one late message.{zero}",
        counted(rollbacks.count, "rollback"),
        counted(rollbacks.depth_p50, "event"),
        rollbacks.depth_mean,
        count(rollbacks.depth_max)
    )
}

fn depths(rollbacks: &Rollbacks) -> Chart {
    let bars: Vec<LogBar> =
        rollbacks.depths.iter().filter(|range| range.2 > 0).map(depth_bar).collect();
    let label =
        format!("Histogram of events undone in a rollback: mean {:.1}.", rollbacks.depth_mean);
    let axis = Axis::count("events undone").log();
    histogram("depths", "Events undone in a rollback", label, axis, &bars)
}

fn lengths(rollbacks: &Rollbacks) -> Option<Chart> {
    let first = rollbacks.lengths.first()?.from;
    let mut bars: Vec<LogBar> = rollbacks.lengths.iter().map(length_bar).collect();
    if rollbacks.lengths_zero > 0 {
        // Zero has no place on a log scale: it is drawn below the least, and says what it is.
        let text = format!("0\n{}", counted(rollbacks.lengths_zero, "rollback"));
        bars.insert(
            0,
            LogBar { from: first / 4.0, to: first / 2.0, count: rollbacks.lengths_zero, text },
        );
    }
    let label = "Histogram of how far back in virtual time rollbacks went.".to_owned();
    let zero = (rollbacks.lengths_zero > 0).then_some(first * 3.0 / 8.0);
    let ticks = ticks(first, rollbacks.lengths.last()?.to, zero);
    let axis = Axis::new(Quantity::Number, "virtual time").log().ticks(ticks);
    Some(histogram("lengths", "How far back in virtual time", label, axis, &bars))
}

/// Decades between `first` and `last`, or powers of two where there are too few of these; and
/// `zero` where it is drawn.
fn ticks(first: f64, last: f64, zero: Option<f64>) -> Vec<(f64, String)> {
    let powers = |base: f64, every: i32| -> Vec<f64> {
        let (low, high) = (first.log(base).ceil() as i32, last.log(base).floor() as i32);
        (low..=high).filter(|power| power % every == 0).map(|power| base.powi(power)).collect()
    };
    let decades = powers(10.0, 1 + (last / first).log10() as i32 / 8);
    let places = if decades.len() > 1 { decades } else { powers(2.0, 1) };
    let named = zero.map(|place| (place, "0".to_owned())).into_iter();
    named.chain(places.into_iter().map(|place| (place, six_figures(place)))).collect()
}

/// A bar from edge to edge of a log axis.
struct LogBar {
    from: f64,
    to: f64,
    count: u64,
    text: String,
}

/// Whole numbers reach half a step to either side.
fn depth_bar(&(from, to, n): &(u64, u64, u64)) -> LogBar {
    let range = if from == to {
        counted(from, "event")
    } else {
        format!("{} to {} events", count(from), count(to))
    };
    let text = format!("{range}\n{}", counted(n, "rollback"));
    LogBar {
        from: if from == 0 { 0.25 } else { from as f64 - 0.5 },
        to: to as f64 + 0.5,
        count: n,
        text,
    }
}

fn length_bar(bin: &Bin) -> LogBar {
    let (from, to) = (six_figures(bin.from), six_figures(bin.to));
    let text = format!("{from} to {to}\n{}", counted(bin.count, "rollback"));
    LogBar { from: bin.from, to: bin.to, count: bin.count, text }
}

fn histogram(id: &str, title: &str, label: String, axis: Axis, bars: &[LogBar]) -> Chart {
    let largest = bars.iter().map(|bar| bar.count).max().unwrap_or(1);
    let axes = (axis, log_counts(Axis::count("rollbacks"), largest));
    let mut chart = Chart::new(id, HEIGHT, label, axes).titled(title);
    let x: Vec<f64> = bars.iter().map(|bar| (bar.from + bar.to) / 2.0).collect();
    let counts: Vec<u64> = bars.iter().map(|bar| bar.count).collect();
    let widths = bars.iter().map(|bar| bar.to - bar.from).collect();
    let tips = bars.iter().map(|bar| bar.text.clone()).collect();
    chart.draw(Bars::new(x, counts, COLOUR).wide(widths).tips(tips));
    chart
}
