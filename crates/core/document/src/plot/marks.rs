//! What stands in a plot: bars, lines, areas, points and words.

use std::fmt::Write;

use super::axes::lines;
use super::frame::{Frame, gathered, percent, short, shown};
use super::shape::{Point, Shape, obstacles};
use super::words::{LINE, Label, Place};
use crate::chart::{Dash, Side, Symbol};
use crate::colour::Paint;

/// The plot in the units of what is stretched.
const WHOLE: f64 = 1000.0;

/// All shapes but words. What is stretched with the plot comes first, then what keeps its form.
pub(super) fn shapes(frame: &Frame, all: &[Shape], out: &mut String) {
    out.push_str(
        "<svg class=\"marks\" viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" \
         width=\"100%\" height=\"100%\">",
    );
    for shape in all {
        match shape {
            Shape::Boxes(boxes, paint) => self::boxes(frame, boxes, paint, out),
            Shape::Areas(runs, paint) => areas(frame, runs, paint, out),
            Shape::Lines { runs, paint, width, dash, arrows: false } => {
                strokes(frame, runs, paint, *width, *dash, out);
            }
            _ => {}
        }
    }
    out.push_str("</svg><svg class=\"points\" width=\"100%\" height=\"100%\">");
    for shape in all {
        match shape {
            Shape::Dots { points, paint, symbol } => dots(frame, points, paint, *symbol, out),
            Shape::Lines { runs, paint, width, arrows: true, .. } => {
                arrows(frame, runs, paint, *width, out);
            }
            _ => {}
        }
    }
    out.push_str("</svg>");
}

fn fill(paint: &Paint) -> String {
    let opacity = match paint.opacity {
        1.0 => String::new(),
        part => format!(" fill-opacity=\"{part}\""),
    };
    format!("class=\"f-{}\"{opacity}", paint.colour.0)
}

fn stroke(paint: &Paint) -> String {
    let opacity = match paint.opacity {
        1.0 => String::new(),
        part => format!(" stroke-opacity=\"{part}\""),
    };
    format!("class=\"k-{}\"{opacity}", paint.colour.0)
}

fn boxes(frame: &Frame, boxes: &[(Point, Point)], paint: &Paint, out: &mut String) {
    let edges = |a: f64, b: f64| {
        let (from, to) = (a.min(b).clamp(0.0, 1.0) * WHOLE, a.max(b).clamp(0.0, 1.0) * WHOLE);
        (short(from), short((to - from).max(0.3)))
    };
    let mut path = String::new();
    for (x, y) in boxes {
        let (left, wide) = edges(frame.left(x.0), frame.left(x.1));
        let (top, high) = edges(frame.top(y.0), frame.top(y.1));
        let _ = write!(path, "M{left} {top}h{wide}v{high}h-{wide}z");
    }
    if !path.is_empty() {
        let _ = write!(out, "<path {} d=\"{path}\"/>", fill(paint));
    }
}

fn areas(frame: &Frame, runs: &[Vec<Point>], paint: &Paint, out: &mut String) {
    let path: String = runs.iter().map(|run| line(frame, run, 0) + "z").collect();
    if !path.is_empty() {
        let _ = write!(out, "<path {} d=\"{path}\"/>", fill(paint));
    }
}

fn strokes(
    frame: &Frame,
    runs: &[Vec<Point>],
    paint: &Paint,
    width: f64,
    dash: Dash,
    out: &mut String,
) {
    let path: String = runs.iter().map(|run| line(frame, run, 1)).collect();
    if path.is_empty() {
        return;
    }
    let dash = match dash {
        Dash::None => "",
        Dash::Dot => " stroke-dasharray=\"1.5 3.5\"",
        Dash::Dash => " stroke-dasharray=\"7 5\"",
    };
    let _ = write!(out, "<path {} stroke-width=\"{width}\"{dash} d=\"{path}\"/>", stroke(paint));
}

/// A path through the points, in steps from one to the next, so that it stays short.
fn line(frame: &Frame, run: &[Point], decimals: i32) -> String {
    let unit = 10f64.powi(decimals);
    let place = |at: f64| (at.clamp(-2.0, 3.0) * WHOLE * unit).round() as i64;
    let show = |at: i64| short(at as f64 / unit);
    let mut path = String::new();
    let mut last = None;
    for (x, y) in run {
        let (x, y) = (place(frame.left(*x)), place(frame.top(*y)));
        let _ = match last {
            None => write!(path, "M{} {}", show(x), show(y)),
            Some((at, high)) if at == x && high == y => continue,
            Some((at, high)) if high == y => write!(path, "h{}", show(x - at)),
            Some((at, high)) if at == x => write!(path, "v{}", show(y - high)),
            Some((at, high)) => write!(path, "l{} {}", show(x - at), show(y - high)),
        };
        last = Some((x, y));
    }
    // A point alone is a line of no length.
    path + if run.len() == 1 { "h0" } else { "" }
}

fn dots(frame: &Frame, points: &[(Point, f64)], paint: &Paint, symbol: Symbol, out: &mut String) {
    let class = if symbol == Symbol::Ring { stroke(paint) } else { fill(paint) };
    let _ = write!(out, "<g {class}>");
    for ((x, y), size) in points {
        let (x, y, r) = (percent(frame.left(*x)), percent(frame.top(*y)), size / 2.0);
        let _ = match symbol {
            Symbol::Disc => write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"),
            Symbol::Ring => {
                let style = "class=\"ring\"";
                write!(out, "<circle {style} cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>")
            }
            Symbol::Diamond => write!(
                out,
                "<svg x=\"{x}\" y=\"{y}\"><path d=\"M0-{r}L{r} 0L0 {r}L-{r} 0z\"/></svg>"
            ),
            Symbol::Triangle => {
                write!(out, "<svg x=\"{x}\" y=\"{y}\"><path d=\"M0-2L-{r}-{size}H{r}z\"/></svg>")
            }
        };
    }
    out.push_str("</g>");
}

/// Lines with a head, which keeps its form.
fn arrows(frame: &Frame, runs: &[Vec<Point>], paint: &Paint, wide: f64, out: &mut String) {
    let name = paint.colour.0;
    let _ = write!(
        out,
        "<marker id=\"head-{name}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" orient=\"auto\" \
         markerWidth=\"{0}\" markerHeight=\"{0}\" markerUnits=\"userSpaceOnUse\">\
         <path class=\"f-{name}\" d=\"M0 1L8 4L0 7z\"/></marker><g {1} stroke-width=\"{wide}\">",
        4.0 + 2.0 * wide,
        stroke(paint),
    );
    for run in runs {
        let [from, to, ..] = run[..] else { continue };
        let place = |(x, y): Point| (percent(frame.left(x)), percent(frame.top(y)));
        let ((x1, y1), (x2, y2)) = (place(from), place(to));
        let _ = write!(
            out,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" \
             marker-end=\"url(#head-{name})\"/>"
        );
    }
    out.push_str("</g>");
}

/// Words, at each width where they find room: not on bars, not on each other.
pub(super) fn words(frame: &Frame, all: &[Shape], out: &mut String) {
    let wanted: Vec<&(Point, Vec<String>, Side)> = all
        .iter()
        .filter_map(|shape| match shape {
            Shape::Words(words) => Some(words),
            _ => None,
        })
        .flatten()
        .collect();
    let each = frame.widths.iter().enumerate();
    let found = gathered(each.flat_map(|(bit, wide)| {
        placed(frame, all, &wanted, *wide).into_iter().map(move |word| (bit, word))
    }));
    out.push_str("<g class=\"words\">");
    for (bits, word) in found {
        let _ = write!(out, "<text{}{word}</text>", shown(bits, frame.widths.len()));
    }
    out.push_str("</g>");
}

/// The words that find room at this width, without their element's begin.
fn placed(
    frame: &Frame,
    all: &[Shape],
    wanted: &[&(Point, Vec<String>, Side)],
    wide: f64,
) -> Vec<String> {
    let bars: Vec<Place> = obstacles(all).map(|(x, y)| pixels(frame, *x, *y, wide)).collect();
    let mut places: Vec<Place> = Vec::new();
    let mut words = Vec::new();
    for ((x, y), text, side) in wanted {
        let (x, y) = (frame.left(*x), frame.top(*y));
        let size = (wide, frame.height);
        let label = Label { x: x * wide, y: y * frame.height, lines: text.clone(), side: *side };
        let Some(place) = label.find(size, &bars, &places) else { continue };
        places.push(place);
        let middle = (place.left + place.right) / 2.0 - label.x;
        let (at, dx) = (percent(x), short(middle));
        let first = place.bottom - LINE * (text.len() as f64 - 1.0) - 3.0;
        let y = short(first);
        let mut word = format!(" transform=\"translate({dx})\" x=\"{at}\" y=\"{y}\">");
        lines(text, &at, &mut word);
        words.push(word);
    }
    words
}

fn pixels(frame: &Frame, x: Point, y: Point, wide: f64) -> Place {
    let (a, b) = (frame.left(x.0) * wide, frame.left(x.1) * wide);
    let (c, d) = (frame.top(y.0) * frame.height, frame.top(y.1) * frame.height);
    Place { left: a.min(b), right: a.max(b), top: c.min(d), bottom: c.max(d).min(frame.height) }
}
