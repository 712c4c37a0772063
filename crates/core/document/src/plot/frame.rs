//! The room of a plot: its margins, and its ticks at each width that it may get.

use super::Shown;
use super::scale::Scale;
use super::shape::ColourBar;
use super::ticks::{self, Tick};
use super::words::{LINE, cut, width, wrapped};
use crate::chart::Axis;

/// The least widths, CSS pixels, of the kinds of places on a page: a telephone or one of three
/// columns, one of two, a narrow page, a whole one. `widths.css` has the same figures.
pub(super) const WIDTHS: [f64; 4] = [270.0, 430.0, 780.0, 1060.0];

/// Names on the left take at most this much.
const NAMES: f64 = 150.0;
/// What a map's colours and their names take on the right.
const COLOUR_BAR: f64 = 92.0;

/// A plot's room.
pub(super) struct Frame {
    pub(super) x: Scale,
    pub(super) y: Scale,
    /// Top, right, bottom, left.
    pub(super) margins: [f64; 4],
    /// Height of the plot itself.
    pub(super) height: f64,
    /// Width of the plot itself at each of the widths.
    pub(super) widths: Vec<f64>,
    /// Its ticks at each of the widths.
    pub(super) along: Vec<Vec<Tick>>,
    pub(super) upright: Vec<Tick>,
    /// The lines of the lying axis' title, with a bit for each of the widths that they are for.
    pub(super) titles: Vec<(u8, Vec<String>)>,
    /// What they take from the lower edge.
    pub(super) title: f64,
}

impl Frame {
    pub(super) fn of(
        shown: &Shown,
        (x, y): (Scale, Scale),
        bar: Option<&ColourBar>,
        widths: &[f64],
    ) -> Frame {
        let height = f64::from(shown.chart.height);
        let top = if shown.y.title().is_empty() { 12.0 } else { 30.0 };
        let titles = titles(&shown.x.title(), widths);
        let title = titles.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
        let title = if title > 0 { 6.0 + LINE * title as f64 } else { 0.0 };
        let mut upright = ticks::upright(shown.y, &y, height - top - title - 30.0);
        for tick in upright.iter_mut().filter(|_| !y.names.is_empty()) {
            tick.lines[0] = cut(&tick.lines[0], NAMES);
        }
        let wide = upright.iter().map(|tick| width(&tick.lines[0])).fold(0.0, f64::max);
        let beside = Beside {
            left: (wide + 12.0).max(16.0),
            right: if bar.is_some() { COLOUR_BAR } else { 16.0 },
        };
        let (beside, along) = room_for_ticks(beside, shown.x, &x, widths);
        let lines = along.iter().flatten().map(|tick| tick.lines.len()).max().unwrap_or(1);
        let bottom = 10.0 + LINE * lines as f64 + title;
        let widths = beside.inner(widths);
        let margins = [top, beside.right, bottom, beside.left].map(f64::round);
        let height = height - margins[0] - margins[2];
        Frame { x, y, margins, height, widths, along, upright, titles, title: title.round() }
    }

    /// Per cent from the left, of a value of the lying axis.
    pub(super) fn left(&self, value: f64) -> f64 {
        self.x.place(value)
    }

    /// Per cent from the top, of a value of the upright axis.
    pub(super) fn top(&self, value: f64) -> f64 {
        1.0 - self.y.place(value)
    }
}

/// The title's lines at each of the widths.
fn titles(title: &str, widths: &[f64]) -> Vec<(u8, Vec<String>)> {
    let lines = widths.iter().map(|width| wrapped(title, width - 12.0));
    gathered(lines.enumerate().filter(|_| !title.is_empty()))
}

/// What several widths have, once, with a bit for each of them.
pub(super) fn gathered<T: PartialEq>(of: impl Iterator<Item = (usize, T)>) -> Vec<(u8, T)> {
    let mut all: Vec<(u8, T)> = Vec::new();
    for (bit, one) in of {
        match all.iter_mut().find(|(_, known)| *known == one) {
            Some((bits, _)) => *bits |= 1 << bit,
            None => all.push((1 << bit, one)),
        }
    }
    all
}

/// What stays free on both sides of a plot.
#[derive(Clone, Copy, PartialEq)]
struct Beside {
    left: f64,
    right: f64,
}

impl Beside {
    /// What of these widths is left for the plot itself.
    fn inner(self, widths: &[f64]) -> Vec<f64> {
        widths.iter().map(|width| (width - self.left - self.right).max(60.0)).collect()
    }

    /// Wide enough for the names of these ticks.
    fn around(self, along: &[Vec<Tick>], inner: &[f64]) -> Beside {
        let ends = || {
            along.iter().zip(inner).flat_map(|(ticks, pixels)| {
                ticks.iter().map(move |tick| {
                    let wide = tick.lines.iter().map(|line| width(line)).fold(0.0, f64::max);
                    (tick.at * pixels, wide / 2.0, *pixels)
                })
            })
        };
        let left = ends().map(|(at, half, _)| half - at).fold(0.0, f64::max);
        let right = ends().map(|(at, half, pixels)| at + half - pixels).fold(0.0, f64::max);
        Beside { left: self.left.max(left.ceil() + 2.0), right: self.right.max(right.ceil() + 2.0) }
    }
}

/// The ticks at each of the widths, and the room in which none of their names leaves the chart.
/// Which ticks there are depends on the room, and the room on them: it only ever grows, and no
/// further than half of the widest name.
fn room_for_ticks(
    mut beside: Beside,
    axis: &Axis,
    scale: &Scale,
    widths: &[f64],
) -> (Beside, Vec<Vec<Tick>>) {
    loop {
        let inner = beside.inner(widths);
        let along: Vec<Vec<Tick>> =
            inner.iter().map(|width| ticks::along(axis, scale, *width)).collect();
        let wanted = beside.around(&along, &inner);
        if wanted == beside {
            return (beside, along);
        }
        beside = wanted;
    }
}

/// A number of at most one decimal, as short as it can be.
pub(super) fn short(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    if tenths == 0.0 { "0".to_owned() } else { tenths.to_string() }
}

/// A part of the plot as per cent.
pub(super) fn percent(part: f64) -> String {
    let hundredths = (part * 1e4).round() / 1e2;
    if hundredths == 0.0 { "0%".to_owned() } else { format!("{hundredths}%") }
}

/// The class of what is shown at the widths whose bits are set; none for what is always shown.
pub(super) fn shown(bits: u8, of: usize) -> String {
    if bits == (1 << of) - 1 { String::new() } else { format!(" class=\"v{bits}\"") }
}

/// Text as it stands in SVG.
pub(crate) fn escaped(text: &str) -> String {
    maud::Render::render(&crate::escape::on_page(text)).into_string()
}
