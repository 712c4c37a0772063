//! How deep and how far back rollbacks went, the largest of them, and the objects they struck.

use plotly::common::TickMode;
use plotly::layout::{Axis, AxisType};
use report::ObjectNames;
use stats::analysis::Bin;

use crate::simulation::{Rollbacks, Simulation};
use crate::tables;
use document::chart::{Chart, count_axis, layout, log_count_range, wide_bars};
use document::{Block, Section};
use document::{count, counted, six_figures};

const HEIGHT: u32 = 270;
const COLOUR: &str = "@undo";

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
    let axis = count_axis("events undone (log)", AxisType::Log);
    histogram("depths", "Events undone in a rollback", label, axis, &bars)
}

fn lengths(rollbacks: &Rollbacks) -> Option<Chart> {
    let first = rollbacks.lengths.first()?.from;
    let mut bars: Vec<LogBar> = rollbacks.lengths.iter().map(length_bar).collect();
    if rollbacks.lengths_zero > 0 {
        // Zero has no place on a log scale: it is drawn below the least, and says what it is.
        let text = format!("0<br><b>{}</b>", counted(rollbacks.lengths_zero, "rollback"));
        bars.insert(
            0,
            LogBar { from: first / 4.0, to: first / 2.0, count: rollbacks.lengths_zero, text },
        );
    }
    let label = "Histogram of how far back in virtual time rollbacks went.".to_owned();
    let zero = (rollbacks.lengths_zero > 0).then_some(first * 3.0 / 8.0);
    let (values, texts) = ticks(first, rollbacks.lengths.last()?.to, zero);
    let axis = Axis::new()
        .title("virtual time (log)")
        .type_(AxisType::Log)
        .tick_mode(TickMode::Array)
        .tick_values(values)
        .tick_text(texts)
        .zero_line(false);
    Some(histogram("lengths", "How far back in virtual time", label, axis, &bars))
}

/// Decades between `first` and `last`, or powers of two where there are too few of these; and
/// `zero` where it is drawn.
fn ticks(first: f64, last: f64, zero: Option<f64>) -> (Vec<f64>, Vec<String>) {
    let powers = |base: f64, every: i32| -> Vec<f64> {
        let (low, high) = (first.log(base).ceil() as i32, last.log(base).floor() as i32);
        (low..=high).filter(|power| power % every == 0).map(|power| base.powi(power)).collect()
    };
    let decades = powers(10.0, 1 + (last / first).log10() as i32 / 8);
    let places = if decades.len() > 1 { decades } else { powers(2.0, 1) };
    let named = zero.map(|place| (place, "0".to_owned())).into_iter();
    named.chain(places.into_iter().map(|place| (place, six_figures(place)))).unzip()
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
    let text = format!("{range}<br><b>{}</b>", counted(n, "rollback"));
    LogBar {
        from: if from == 0 { 0.25 } else { from as f64 - 0.5 },
        to: to as f64 + 0.5,
        count: n,
        text,
    }
}

fn length_bar(bin: &Bin) -> LogBar {
    let (from, to) = (six_figures(bin.from), six_figures(bin.to));
    let text = format!("{from} to {to}<br><b>{}</b>", counted(bin.count, "rollback"));
    LogBar { from: bin.from, to: bin.to, count: bin.count, text }
}

fn histogram(id: &str, title: &str, label: String, axis: Axis, bars: &[LogBar]) -> Chart {
    let largest = bars.iter().map(|bar| bar.count).max().unwrap_or(1);
    let range: Vec<f64> = serde_json::from_value(log_count_range(largest)).unwrap_or_default();
    let axes =
        layout().x_axis(axis).y_axis(count_axis("rollbacks (log)", AxisType::Log).range(range));
    let mut chart = Chart::new(id, HEIGHT, label, axes).titled(title);
    let x = bars.iter().map(|bar| (bar.from + bar.to) / 2.0).collect();
    let width = bars.iter().map(|bar| bar.to - bar.from).collect();
    let counts = bars.iter().map(|bar| bar.count).collect();
    let texts = bars.iter().map(|bar| bar.text.clone()).collect();
    chart.data.push(wide_bars(x, counts, width, texts, COLOUR));
    chart
}
