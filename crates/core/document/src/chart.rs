//! One chart: traces and layout, which `plot` draws, the switches it obeys, and its place on the
//! page.
//!
//! Colours are tokens (see [`Colour`](crate::Colour)) and sizes are the page's business, so that a
//! chart is the same data in light and dark, wide and narrow. Times are carried in seconds; ticks
//! are named in ns, µs, ms and s.

mod map;

pub use map::{MAP_ROWS_AT_MOST, Square, time_map};

use plotly::common::{HoverInfo, Line, Marker, Mode as TraceMode, Orientation, Visible};
use plotly::layout::{Axis, AxisType, BarMode, Margin};
use plotly::{Bar, Layout, Scatter, Trace};
use serde::Serialize;
use serde_json::{Value, json};

use crate::escape;
use crate::format::axis_seconds;

/// A chart, ready to be drawn.
#[derive(Clone)]
pub struct Chart {
    /// Its name within the document.
    pub id: String,
    /// Height in CSS pixels.
    pub height: u32,
    /// Heading above it; may be empty.
    pub title: String,
    /// What it shows, for those who cannot see it.
    pub label: String,
    /// What is drawn.
    pub data: Vec<Box<dyn Trace>>,
    /// Axes and margins.
    pub layout: Layout,
    /// Ways to show it; the first is how it begins.
    pub modes: Vec<Mode>,
    /// What a terminal shows in its place.
    pub text: Option<ChartText>,
}

/// A chart on a terminal.
#[derive(Clone, Debug)]
pub enum ChartText {
    /// Counts from one end of a scale to the other, under a heading.
    Spark {
        /// Of what.
        head: String,
        /// The ends of the scale.
        ends: (String, String),
        /// How many in each step.
        counts: Vec<u64>,
    },
}

impl std::fmt::Debug for Chart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chart").field("id", &self.id).finish_non_exhaustive()
    }
}

/// One position of a switch.
#[derive(Clone, Serialize)]
pub struct Mode {
    /// What the switch calls it.
    pub name: &'static str,
    /// Which traces are seen; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visible: Option<Vec<bool>>,
    /// What it changes in the layout, by dotted path.
    pub layout: Value,
}

impl Chart {
    /// A chart without data; `label` says what it shows to those who cannot see it.
    pub fn new(
        id: impl Into<String>,
        height: u32,
        label: impl Into<String>,
        layout: Layout,
    ) -> Chart {
        Chart {
            id: id.into(),
            height,
            title: String::new(),
            label: label.into(),
            data: Vec::new(),
            layout,
            modes: Vec::new(),
            text: None,
        }
    }

    /// With a heading.
    pub fn titled(mut self, title: impl Into<String>) -> Chart {
        self.title = title.into();
        self
    }
}

/// The layout that all charts share.
pub fn layout() -> Layout {
    Layout::new()
        .auto_size(true)
        .show_legend(false)
        .bar_gap(0.0)
        .bar_mode(BarMode::Overlay)
        .margin(Margin::new().left(56).right(16).top(10).bottom(44))
}

/// An axis of times.
pub fn time_axis(title: &str, kind: AxisType) -> Axis {
    Axis::new()
        .title(title)
        .type_(kind)
        .tick_format("~s")
        .tick_suffix("s")
        .n_ticks(7)
        .zero_line(false)
}

/// An axis of counts.
pub fn count_axis(title: &str, kind: AxisType) -> Axis {
    Axis::new().title(title).type_(kind).tick_format("~s").n_ticks(6).zero_line(false)
}

/// An axis of parts of a whole.
pub fn part_axis(title: &str, kind: AxisType) -> Axis {
    Axis::new().title(title).type_(kind).tick_format("~%").zero_line(false)
}

/// Bars about `x`, each of its own width.
pub fn wide_bars(
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
pub struct WideBars {
    #[serde(flatten)]
    bars: Bar<f64, u64>,
    width: Vec<f64>,
}

impl WideBars {
    /// Not seen until a switch shows it.
    pub fn hidden(self: Box<Self>) -> Box<WideBars> {
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
pub struct Raw(pub Value);

impl Trace for Raw {
    fn to_json(&self) -> String {
        self.0.to_string()
    }
}

/// Seconds with seven figures: neighbouring bins must stay apart when a piece is narrow.
pub fn axis_seconds_fine(ns: f64) -> f64 {
    (ns * 1e4).round() / 1e13
}

/// A range for counts on a log axis that leaves room under a bin with a single message.
pub fn log_count_range(largest: u64) -> Value {
    json!([-0.3, (largest.max(1) as f64 * 1.6).log10()])
}

/// A line through points of time against time or part.
pub fn line(
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

/// Bars with texts of their own to hover over.
pub fn bars<X: Serialize + Clone, Y: Serialize + Clone>(
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
pub fn lying(bar: Box<Bar<f64, String>>) -> Box<Bar<f64, String>> {
    bar.orientation(Orientation::Horizontal)
}

/// Seconds for each of these times.
pub fn seconds(times_ns: impl Iterator<Item = i64>) -> Vec<f64> {
    times_ns.map(|ns| axis_seconds(ns as f64)).collect()
}

/// Hide a trace until a switch shows it.
pub fn hidden<X: Serialize + Clone, Y: Serialize + Clone>(bar: Box<Bar<X, Y>>) -> Box<Bar<X, Y>> {
    bar.visible(Visible::False)
}

/// A mode that shows the traces given and changes the layout so.
pub fn mode(name: &'static str, visible: Option<Vec<bool>>, layout: Value) -> Mode {
    Mode { name, visible, layout }
}
