//! What a chart holds, read from its traces and its layout.
//!
//! Charts are made with the types of the `plotly` crate, whose JSON is a well-known way to say what
//! is drawn. This is the part of it that charts here use; what is not listed is not drawn.

use serde::Deserialize;
use serde_json::Value;

use crate::chart::Chart;

/// Traces and layout of a chart in one of its modes.
pub(super) struct Source {
    pub(super) traces: Vec<Trace>,
    pub(super) layout: Layout,
}

/// One trace.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Trace {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) visible: Value,
    pub(super) x: Vec<Place>,
    pub(super) y: Vec<Place>,
    pub(super) z: Vec<Vec<Option<f64>>>,
    pub(super) width: Vec<f64>,
    pub(super) orientation: String,
    pub(super) mode: String,
    pub(super) line: Line,
    pub(super) marker: Marker,
    pub(super) fill: String,
    #[serde(rename = "fillcolor")]
    pub(super) fill_colour: String,
    #[serde(rename = "stackgroup")]
    pub(super) stack: String,
    pub(super) text: Each<Texts>,
    #[serde(rename = "textposition")]
    pub(super) text_position: Each<String>,
    #[serde(rename = "hovertext")]
    pub(super) hover: Each<String>,
    #[serde(rename = "hovertemplate")]
    pub(super) template: Each<String>,
    #[serde(rename = "hoverinfo")]
    pub(super) hover_info: String,
    pub(super) error_y: Option<Errors>,
    #[serde(rename = "zmin")]
    pub(super) low: f64,
    #[serde(rename = "zmax")]
    pub(super) high: f64,
    #[serde(rename = "colorscale")]
    pub(super) colours: Vec<(f64, String)>,
    #[serde(rename = "colorbar")]
    pub(super) bar: ColourBar,
}

/// A place along an axis.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(untagged)]
pub(super) enum Place {
    Number(f64),
    Name(String),
    Nothing(()),
}

/// One for all points, or one for each.
#[derive(Deserialize, Clone, Default)]
#[serde(untagged)]
pub(super) enum Each<T> {
    #[default]
    None,
    // Before one: a row of texts is a text, too.
    All(Vec<T>),
    One(T),
}

impl<T> Each<T> {
    pub(super) fn at(&self, at: usize) -> Option<&T> {
        match self {
            Each::None => None,
            Each::One(one) => Some(one),
            Each::All(all) => all.get(at),
        }
    }
}

/// A text, or a row of a map's texts.
#[derive(Deserialize, Clone)]
#[serde(untagged)]
pub(super) enum Texts {
    One(String),
    Row(Vec<String>),
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Line {
    pub(super) color: String,
    pub(super) width: Option<f64>,
    pub(super) dash: String,
    pub(super) shape: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Marker {
    pub(super) color: String,
    pub(super) size: Each<f64>,
    pub(super) symbol: String,
}

/// How far a value may be off, upwards and downwards.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Errors {
    pub(super) array: Vec<f64>,
    #[serde(rename = "arrayminus")]
    pub(super) below: Vec<f64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ColourBar {
    #[serde(rename = "tickvals")]
    pub(super) places: Vec<f64>,
    #[serde(rename = "ticktext")]
    pub(super) names: Vec<String>,
    pub(super) title: Title,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Title {
    pub(super) text: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Layout {
    pub(super) xaxis: Axis,
    pub(super) yaxis: Axis,
    #[serde(rename = "barmode")]
    pub(super) bar_mode: String,
    #[serde(rename = "bargap")]
    pub(super) bar_gap: Option<f64>,
    #[serde(rename = "showlegend")]
    pub(super) legend: bool,
}

#[derive(Deserialize, Default, Clone)]
#[serde(default)]
pub(super) struct Axis {
    pub(super) title: Title,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(rename = "tickformat")]
    pub(super) format: String,
    #[serde(rename = "ticksuffix")]
    pub(super) suffix: String,
    pub(super) range: Option<[f64; 2]>,
    #[serde(rename = "rangemode")]
    pub(super) range_mode: String,
    #[serde(rename = "tickvals")]
    pub(super) places: Option<Vec<f64>>,
    #[serde(rename = "ticktext")]
    pub(super) names: Vec<String>,
    #[serde(rename = "dtick")]
    pub(super) step: Option<f64>,
    #[serde(rename = "showticklabels")]
    pub(super) labels: Option<bool>,
}

impl Clone for Title {
    fn clone(&self) -> Title {
        Title { text: self.text.clone() }
    }
}

impl Source {
    /// The chart in its `at`-th mode; a chart without modes has one way to be shown.
    pub(super) fn of(chart: &Chart, at: usize) -> Source {
        let mode = chart.modes.get(at);
        let shown = mode.and_then(|mode| mode.visible.as_ref());
        let mut layout = serde_json::to_value(&chart.layout).unwrap_or_default();
        let changes = mode.and_then(|mode| mode.layout.as_object()).into_iter().flatten();
        changes.for_each(|(path, value)| put(&mut layout, path, value));
        let seen = |at: usize, trace: &Trace| {
            let own = trace.visible != Value::Bool(false);
            shown.map_or(own, |shown| shown.get(at).copied().unwrap_or(own))
        };
        let traces = chart.data.iter().enumerate().filter_map(|(at, trace)| {
            let trace: Trace = parsed(serde_json::from_str(&trace.to_json()))?;
            seen(at, &trace).then_some(trace)
        });
        Source { traces: traces.collect(), layout: parsed(from(layout)).unwrap_or_default() }
    }
}

fn from(layout: Value) -> serde_json::Result<Layout> {
    serde_json::from_value(layout)
}

/// What charts hold is made by this program: what cannot be read is a bug of it.
fn parsed<T>(read: serde_json::Result<T>) -> Option<T> {
    debug_assert!(read.is_ok(), "a chart says what is not drawn: {:?}", read.as_ref().err());
    read.ok()
}

/// Set what the dotted path names; null takes it away.
fn put(object: &mut Value, path: &str, value: &Value) {
    let (path, last) = path.rsplit_once('.').map_or(("", path), |(path, last)| (path, last));
    let mut place = object;
    for key in path.split('.').filter(|key| !key.is_empty()) {
        place = &mut place[key];
    }
    match (value, place) {
        (Value::Null, Value::Object(map)) => drop(map.remove(last)),
        (value, place) => place[last] = value.clone(),
    }
}
