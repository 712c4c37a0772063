//! One chart: what is drawn, its axes, the switches it obeys, and its place on the page; `plot`
//! draws it.
//!
//! Colours are names (see [`Colour`](crate::Colour)) and sizes are the page's business, so that a
//! chart is the same data in light and dark, wide and narrow. Times are in seconds. All text is
//! plain: `\n` parts lines, and nothing else has a meaning.

mod axis;
mod bars;
mod curve;
mod map;

pub use axis::{Axis, Quantity};
pub use bars::Bars;
pub use curve::{Curve, Dash, Dots, Side, Stack, Symbol};
pub(crate) use map::Map;
pub use map::{MAP_ROWS_AT_MOST, Square, time_map};

use crate::format::axis_seconds;

/// A chart, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its name within the document.
    pub id: String,
    /// Height in CSS pixels.
    pub height: u32,
    /// Heading above it; may be empty.
    pub title: String,
    /// What it shows, for those who cannot see it.
    pub label: String,
    /// The lying and the upright axis.
    pub axes: (Axis, Axis),
    /// What is drawn, the last on top.
    pub data: Vec<Trace>,
    /// Ways to show it; the first is how it begins. Without any, all is shown on its axes.
    pub modes: Vec<Mode>,
    /// Whether bars at one place stand on each other.
    pub stacked: bool,
    /// The part of the room between bars that stays free.
    pub gap: f64,
    /// Whether it has a legend of its own.
    pub legend: bool,
    /// What a terminal shows in its place.
    pub text: Option<ChartText>,
}

/// What is drawn.
#[derive(Clone, Debug)]
pub enum Trace {
    /// Bars.
    Bars(Bars),
    /// A line, points, or both.
    Curve(Curve),
    /// An area in steps on those before it.
    Stack(Stack),
    /// Squares.
    Map(Map),
}

impl From<Bars> for Trace {
    fn from(bars: Bars) -> Trace {
        Trace::Bars(bars)
    }
}

impl From<Curve> for Trace {
    fn from(curve: Curve) -> Trace {
        Trace::Curve(curve)
    }
}

impl From<Stack> for Trace {
    fn from(stack: Stack) -> Trace {
        Trace::Stack(stack)
    }
}

/// Places along an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Places {
    /// On an axis of numbers; NaN is no place.
    Numbers(Vec<f64>),
    /// On an axis of names, which are put in order as they come up; an empty one is no place.
    Names(Vec<String>),
}

impl From<Vec<f64>> for Places {
    fn from(numbers: Vec<f64>) -> Places {
        Places::Numbers(numbers)
    }
}

impl From<Vec<u64>> for Places {
    fn from(numbers: Vec<u64>) -> Places {
        Places::Numbers(numbers.into_iter().map(|number| number as f64).collect())
    }
}

impl From<Vec<String>> for Places {
    fn from(names: Vec<String>) -> Places {
        Places::Names(names)
    }
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
    /// The same of several series, on one scale.
    Sparks {
        /// The ends of the scale.
        ends: (String, String),
        /// Name of each series, and how many in each step.
        rows: Vec<(String, Vec<u64>)>,
    },
    /// A value that goes up and down along a series.
    Levels {
        /// Of what.
        head: String,
        /// The least and the most of them, in words.
        ends: String,
        /// The values.
        values: Vec<f64>,
    },
}

/// One position of a switch.
#[derive(Clone, Debug)]
pub struct Mode {
    /// What the switch calls it.
    pub name: &'static str,
    /// Which traces are seen; `None` for all.
    pub seen: Option<Vec<bool>>,
    /// The lying and the upright axis.
    pub axes: (Axis, Axis),
}

impl Mode {
    /// With only those traces, in their order.
    pub fn seeing(mut self, seen: impl IntoIterator<Item = bool>) -> Mode {
        self.seen = Some(seen.into_iter().collect());
        self
    }

    /// With this lying axis.
    pub fn x(mut self, axis: Axis) -> Mode {
        self.axes.0 = axis;
        self
    }

    /// With this upright axis.
    pub fn y(mut self, axis: Axis) -> Mode {
        self.axes.1 = axis;
        self
    }
}

impl Chart {
    /// A chart without data; `label` says what it shows to those who cannot see it.
    pub fn new(
        id: impl Into<String>,
        height: u32,
        label: impl Into<String>,
        axes: (Axis, Axis),
    ) -> Chart {
        Chart {
            id: id.into(),
            height,
            title: String::new(),
            label: label.into(),
            axes,
            data: Vec::new(),
            modes: Vec::new(),
            stacked: false,
            gap: 0.0,
            legend: false,
            text: None,
        }
    }

    /// With a heading.
    pub fn titled(mut self, title: impl Into<String>) -> Chart {
        self.title = title.into();
        self
    }

    /// With bars that stand on each other, and `gap` of the room between them free.
    pub fn stacked(mut self, gap: f64) -> Chart {
        (self.stacked, self.gap) = (true, gap);
        self
    }

    /// With `gap` of the room between bars free.
    pub fn gap(mut self, gap: f64) -> Chart {
        self.gap = gap;
        self
    }

    /// With one more to draw.
    pub fn draw(&mut self, trace: impl Into<Trace>) {
        self.data.push(trace.into());
    }

    /// The chart as it is, as a mode.
    pub fn mode(&self, name: &'static str) -> Mode {
        Mode { name, seen: None, axes: self.axes.clone() }
    }
}

/// The end of an axis of counts on a log scale that leaves room under a bin with a single message.
pub fn log_counts(axis: Axis, largest: u64) -> Axis {
    axis.log().range(0.5, largest.max(1) as f64 * 1.6)
}

/// Seconds with seven figures: neighbouring bins must stay apart when a piece is narrow.
pub fn axis_seconds_fine(ns: f64) -> f64 {
    (ns * 1e4).round() / 1e13
}

/// Seconds for each of these times.
pub fn seconds(times_ns: impl Iterator<Item = i64>) -> Vec<f64> {
    times_ns.map(|ns| axis_seconds(ns as f64)).collect()
}
