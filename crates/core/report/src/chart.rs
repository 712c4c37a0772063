//! One chart: traces and layout as the drawing script reads them, the switches it obeys, and its
//! place on the page.
//!
//! Colours are tokens (see `palette`) and sizes are the page's business, so that a chart is the
//! same data in light and dark, wide and narrow. Times are carried in seconds, because the drawing
//! script then writes ns, µs, ms and s by itself, at every zoom.

use plotly::common::{HoverInfo, Line, LineShape, Marker, Mode as TraceMode, Orientation, Visible};
use plotly::layout::{Axis, AxisType, BarMode, Margin};
use plotly::{Bar, Layout, Scatter, Trace};
use serde::Serialize;
use serde_json::{Value, json};
use stats::analysis::Bin;

use crate::escape;
use crate::format::{axis_seconds, count, time};

/// A chart, ready to be drawn.
#[derive(Serialize)]
pub(crate) struct Chart {
    /// Unique on the page.
    pub(crate) id: String,
    /// Height in CSS pixels.
    #[serde(skip)]
    pub(crate) height: u32,
    /// Heading above it; may be empty. Not escaped yet.
    #[serde(skip)]
    pub(crate) title: String,
    /// What it shows, for those who cannot see it. Not escaped yet.
    #[serde(skip)]
    pub(crate) label: String,
    pub(crate) data: Vec<Box<dyn Trace>>,
    pub(crate) layout: Layout,
    /// Ways to show it; the first is how it begins.
    pub(crate) modes: Vec<Mode>,
}

/// One position of a switch.
#[derive(Clone, Serialize)]
pub(crate) struct Mode {
    pub(crate) name: &'static str,
    /// Which traces are seen; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) visible: Option<Vec<bool>>,
    /// What it changes in the layout, by dotted path.
    pub(crate) layout: Value,
}

impl Chart {
    pub(crate) fn new(id: String, height: u32, label: String, layout: Layout) -> Chart {
        Chart {
            id,
            height,
            title: String::new(),
            label,
            data: Vec::new(),
            layout,
            modes: Vec::new(),
        }
    }

    pub(crate) fn titled(mut self, title: impl Into<String>) -> Chart {
        self.title = title.into();
        self
    }
}

/// The layout that all charts share.
pub(crate) fn layout() -> Layout {
    Layout::new()
        .auto_size(true)
        .show_legend(false)
        .bar_gap(0.0)
        .bar_mode(BarMode::Overlay)
        .margin(Margin::new().left(56).right(16).top(10).bottom(44))
}

/// An axis of times.
pub(crate) fn time_axis(title: &str, kind: AxisType) -> Axis {
    Axis::new()
        .title(title)
        .type_(kind)
        .tick_format("~s")
        .tick_suffix("s")
        .n_ticks(7)
        .zero_line(false)
}

/// An axis of counts.
pub(crate) fn count_axis(title: &str, kind: AxisType) -> Axis {
    Axis::new().title(title).type_(kind).tick_format("~s").n_ticks(6).zero_line(false)
}

/// An axis of parts of a whole.
pub(crate) fn part_axis(title: &str, kind: AxisType) -> Axis {
    Axis::new().title(title).type_(kind).tick_format("~%").zero_line(false)
}

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

/// Bars about `x`, each of its own width.
pub(crate) fn wide_bars(
    x: Vec<f64>,
    counts: Vec<u64>,
    width: Vec<f64>,
    texts: Vec<String>,
    colour: &str,
) -> Box<WideBars> {
    Box::new(WideBars { bars: *bars(x, counts, texts, "", colour), width })
}

/// Bars that each have a width: the crate's own bars share one, which does not do on a log axis.
#[derive(Clone, Serialize)]
pub(crate) struct WideBars {
    #[serde(flatten)]
    bars: Bar<f64, u64>,
    width: Vec<f64>,
}

impl WideBars {
    /// Not seen until a switch shows it.
    pub(crate) fn hidden(self: Box<Self>) -> Box<WideBars> {
        Box::new(WideBars { bars: *hidden(Box::new(self.bars)), width: self.width })
    }
}

impl Trace for WideBars {
    fn to_json(&self) -> String {
        serde_json::to_string(self).expect("bars hold numbers and text only")
    }
}

/// A trace written out, for what the crate's own types cannot say.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub(crate) struct Raw(pub(crate) Value);

impl Trace for Raw {
    fn to_json(&self) -> String {
        self.0.to_string()
    }
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

/// Bin centres keep seven figures: neighbours must stay apart when a piece is narrow.
fn axis_seconds_fine(ns: f64) -> f64 {
    (ns * 1e4).round() / 1e13
}

/// A range for counts on a log axis that leaves room under a bin with a single message.
pub(crate) fn log_count_range(largest: u64) -> Value {
    json!([-0.3, (largest.max(1) as f64 * 1.6).log10()])
}

/// A line through points of time against time or part.
pub(crate) fn line(
    x: Vec<f64>,
    y: Vec<f64>,
    name: &str,
    colour: &str,
    width: f64,
) -> Box<Scatter<f64, f64>> {
    Scatter::new(x, y)
        .mode(TraceMode::Lines)
        .name(escape::chart_label(name))
        .line(Line::new().color(colour.to_owned()).width(width))
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
        .name(escape::chart_label(name))
        .stack_group("all")
        .fill_color(format!("{colour}/0.85"))
        .hover_template("%{y:,}")
        .line(Line::new().shape(LineShape::Hv).width(0.5).color(colour.to_owned()))
}

/// Bars with texts of their own to hover over.
pub(crate) fn bars<X: Serialize + Clone, Y: Serialize + Clone>(
    x: Vec<X>,
    y: Vec<Y>,
    texts: Vec<String>,
    name: &str,
    colour: &str,
) -> Box<Bar<X, Y>> {
    Bar::new(x, y)
        .name(escape::chart_label(name))
        .hover_text_array(texts)
        .hover_info(HoverInfo::Text)
        .marker(Marker::new().color(colour.to_owned()).line(Line::new().width(0.0)))
}

/// Lying bars.
pub(crate) fn lying(bar: Box<Bar<f64, String>>) -> Box<Bar<f64, String>> {
    bar.orientation(Orientation::Horizontal)
}

/// Seconds for each of these times.
pub(crate) fn seconds(times_ns: impl Iterator<Item = i64>) -> Vec<f64> {
    times_ns.map(|ns| axis_seconds(ns as f64)).collect()
}

/// Hide a trace until a switch shows it.
pub(crate) fn hidden<X: Serialize + Clone, Y: Serialize + Clone>(
    bar: Box<Bar<X, Y>>,
) -> Box<Bar<X, Y>> {
    bar.visible(Visible::False)
}

/// A mode that shows the traces given and changes the layout so.
pub(crate) fn mode(name: &'static str, visible: Option<Vec<bool>>, layout: Value) -> Mode {
    Mode { name, visible, layout }
}
