//! A chart as a picture: SVG, made when the page is.
//!
//! One drawing serves every width. The plot itself is stretched to the room that there is (places
//! along it are per cent), its letters and lines are not; ticks and labels are chosen for four
//! widths, and the style sheet shows those that fit. So a page needs no script for its charts, and
//! a print, a screenshot and a preview have all of them. `page.js` adds what moves: tips, zoom and
//! the other modes.

mod axes;
mod frame;
mod marks;
mod scale;
mod shape;
mod ticks;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::chart::{Axis, Chart, Quantity, Trace};
use frame::Frame;
pub(crate) use frame::escaped;
use scale::Scale;
use shape::Drawing;
pub(crate) use words::width as text_width;

/// A chart in one of its modes.
pub(crate) struct Plot {
    /// Its SVG: on a page as wide as its place less the margins, else of a width of its own.
    pub(crate) svg: String,
    /// What stays free for ticks and titles: top, right, bottom, left, CSS pixels.
    pub(crate) margins: [f64; 4],
    /// Names and colours of what is drawn, where the chart has a legend of its own.
    pub(crate) legend: Vec<(String, String)>,
    /// What the script needs.
    pub(crate) live: Live,
    /// What tips say; the modes of a chart mostly say the same.
    pub(crate) texts: Vec<String>,
}

/// What a page's script needs of a plot, to show tips and to zoom.
#[derive(Serialize)]
pub(crate) struct Live {
    x: LiveAxis,
    y: LiveAxis,
    /// Left, top, right, bottom (per mille of the plot), and which of the texts is said of it.
    tips: Vec<[i32; 5]>,
}

impl Live {
    /// Point to the texts of a list that several plots share, to which those it lacks are added.
    pub(crate) fn share(&mut self, own: &[String], texts: &mut Vec<String>) {
        let known = texts.iter().cloned().enumerate().map(|(at, text)| (text, at));
        let mut places: BTreeMap<String, usize> = known.collect();
        for tip in &mut self.tips {
            let text = &own[tip[4] as usize];
            let at = *places.entry(text.clone()).or_insert_with(|| {
                texts.push(text.clone());
                texts.len() - 1
            });
            tip[4] = at as i32;
        }
    }
}

/// An axis as the script needs it.
#[derive(Serialize)]
struct LiveAxis {
    log: bool,
    from: f64,
    to: f64,
    unit: &'static str,
    /// Ticks that have names: place (0 to 1) and name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<(f64, String)>,
}

impl Plot {
    /// The plot on a page; places get as wide as these many charts side by side leave it.
    pub(crate) fn elastic(chart: &Chart, mode: usize) -> Plot {
        Plot::in_widths(chart, mode, &frame::WIDTHS)
    }

    /// The plot of one width.
    pub(crate) fn fixed(chart: &Chart, mode: usize, width: f64) -> Plot {
        Plot::in_widths(chart, mode, &[width])
    }

    fn in_widths(chart: &Chart, mode: usize, widths: &[f64]) -> Plot {
        let shown = Shown::of(chart, mode);
        let drawing = Drawing::of(&shown);
        let x = Scale::of(shown.x, drawing.x_names.clone(), &drawing.x);
        let y = Scale::of(shown.y, drawing.y_names.clone(), &drawing.y);
        let bar = shape::colour_bar(&shown);
        let frame = Frame::of(&shown, (x, y), bar.as_ref(), widths);
        let mut svg = String::new();
        axes::grid(&frame, &mut svg);
        marks::shapes(&frame, &drawing.shapes, &mut svg);
        axes::axes(&frame, &shown.y.title(), &mut svg);
        marks::words(&frame, &drawing.shapes, &mut svg);
        bar.iter().for_each(|bar| axes::colour_bar(bar, &mut svg));
        Plot {
            svg,
            margins: frame.margins,
            legend: shape::legend(&shown),
            live: live(&frame, &drawing, &shown),
            texts: drawing.tips.into_iter().map(|tip| tip.text).collect(),
        }
    }
}

/// What a chart shows in one of its modes.
struct Shown<'a> {
    chart: &'a Chart,
    x: &'a Axis,
    y: &'a Axis,
    traces: Vec<&'a Trace>,
}

impl Shown<'_> {
    /// A chart without modes has one way to be shown.
    fn of(chart: &Chart, at: usize) -> Shown<'_> {
        let mode = chart.modes.get(at);
        let (x, y) = mode.map_or(&chart.axes, |mode| &mode.axes);
        let seen = mode.and_then(|mode| mode.seen.as_ref());
        let is_seen = |at: &usize| seen.is_none_or(|seen| seen.get(*at) == Some(&true));
        let traces = (0..chart.data.len()).filter(is_seen).map(|at| &chart.data[at]);
        Shown { chart, x, y, traces: traces.collect() }
    }
}

fn live(frame: &Frame, drawing: &Drawing, shown: &Shown) -> Live {
    let mille = |at: f64| (at.clamp(-0.1, 1.1) * 1e3).round() as i32;
    let tips = drawing.tips.iter().zip(0..).map(|(tip, text)| {
        let x = [tip.x.0, tip.x.1].map(|value| mille(frame.left(value)));
        let y = [tip.y.0, tip.y.1].map(|value| mille(frame.top(value)));
        [x[0].min(x[1]), y[0].min(y[1]), x[0].max(x[1]), y[0].max(y[1]), text]
    });
    Live { tips: tips.collect(), x: live_axis(&frame.x, shown.x), y: live_axis(&frame.y, shown.y) }
}

fn live_axis(scale: &Scale, axis: &Axis) -> LiveAxis {
    let own = axis.ticks.iter().map(|(at, name)| (scale.place(*at), name.clone()));
    let named = scale.names.iter().enumerate();
    let named = named.map(|(at, name)| (scale.place(at as f64), name.clone()));
    LiveAxis {
        log: scale.log,
        from: scale.from,
        to: scale.to,
        unit: match scale.of {
            Quantity::Time => "time",
            Quantity::Count => "count",
            Quantity::Bytes => "bytes",
            Quantity::Part => "part",
            Quantity::Number | Quantity::Name => "number",
            Quantity::Day => "day",
        },
        names: own.chain(named).collect(),
    }
}
