//! Ticks, grid and titles of a plot.

use std::fmt::Write;

use super::frame::{Frame, escaped, gathered, percent, shown};
use super::shape::ColourBar;
use super::ticks::Tick;
use super::words::LINE;

/// Lines behind everything. Along the plot a log axis has them, and no other.
pub(super) fn grid(frame: &Frame, out: &mut String) {
    out.push_str("<g class=\"grid gy\">");
    for tick in frame.upright.iter().filter(|_| frame.y.names.is_empty()) {
        let at = percent(1.0 - tick.at);
        let _ = write!(out, "<line x2=\"100%\" y1=\"{at}\" y2=\"{at}\"/>");
    }
    out.push_str("</g><g class=\"grid gx\">");
    for (bits, tick) in ticks_along(frame).into_iter().filter(|_| frame.x.log) {
        let (at, class) = (percent(tick.at), shown(bits, frame.widths.len()));
        let _ = write!(out, "<line{class} x1=\"{at}\" x2=\"{at}\" y2=\"100%\"/>");
    }
    out.push_str("</g>");
}

/// Ticks and titles; `title` is that of the upright axis.
pub(super) fn axes(frame: &Frame, title: &str, out: &mut String) {
    out.push_str("<line class=\"base\" x2=\"100%\" y1=\"100%\" y2=\"100%\"/><g class=\"tx\">");
    for (bits, tick) in ticks_along(frame) {
        let (at, class) = (percent(tick.at), shown(bits, frame.widths.len()));
        let _ = write!(out, "<text{class} x=\"{at}\" y=\"100%\" dy=\"17\">");
        lines(&tick.lines, &at, out);
        out.push_str("</text>");
    }
    out.push_str("</g><g class=\"ty\">");
    for tick in &frame.upright {
        let (at, text) = (percent(1.0 - tick.at), escaped(&tick.lines[0]));
        let _ = write!(out, "<text x=\"-8\" y=\"{at}\" dy=\"4\">{text}</text>");
    }
    out.push_str("</g>");
    titles(frame, out);
    if !title.is_empty() {
        let (left, title) = (2.0 - frame.margins[3], escaped(title));
        let _ = write!(out, "<text x=\"{left}\" y=\"-14\">{title}</text>");
    }
}

/// The lying axis' title, in the middle of the chart.
fn titles(frame: &Frame, out: &mut String) {
    let [_, right, bottom, left] = frame.margins;
    let moved = (right - left) / 2.0;
    for (bits, title) in &frame.titles {
        let class = match shown(*bits, frame.widths.len()).strip_prefix(" class=\"") {
            Some(bits) => format!("mid {bits}"),
            None => "mid\"".to_owned(),
        };
        let under = bottom - frame.title + LINE;
        let _ = write!(
            out,
            "<text class=\"{class} transform=\"translate({moved})\" x=\"50%\" y=\"100%\" \
             dy=\"{under}\">"
        );
        lines(title, "50%", out);
        out.push_str("</text>");
    }
}

/// The first line, and the others below it.
pub(super) fn lines(lines: &[String], x: &str, out: &mut String) {
    for (at, line) in lines.iter().enumerate() {
        match at {
            0 => out.push_str(&escaped(line)),
            _ => {
                let line = escaped(line);
                let _ = write!(out, "<tspan x=\"{x}\" dy=\"{LINE}\">{line}</tspan>");
            }
        }
    }
}

/// The ticks of all widths, each once, with a bit for each width that has it.
fn ticks_along(frame: &Frame) -> Vec<(u8, &Tick)> {
    let each = frame.along.iter().enumerate();
    gathered(each.flat_map(|(bit, ticks)| ticks.iter().map(move |tick| (bit, tick))))
}

/// What the colours of a map mean, on its right.
pub(super) fn colour_bar(bar: &ColourBar, out: &mut String) {
    out.push_str("<svg class=\"colours\" x=\"100%\" width=\"90\" height=\"100%\">");
    let part = 1.0 / bar.colours.len().max(1) as f64;
    for (at, paint) in bar.colours.iter().rev().enumerate() {
        let (top, high) = (percent(part * at as f64), percent(part));
        let class = paint.colour.0;
        let _ = write!(
            out,
            "<rect class=\"f-{class}\" x=\"14\" width=\"12\" y=\"{top}\" height=\"{high}\"/>"
        );
    }
    for (at, name) in &bar.ticks {
        let (at, name) = (percent(1.0 - at.clamp(0.03, 0.97)), escaped(name));
        let _ = write!(out, "<text x=\"32\" y=\"{at}\" dy=\"4\">{name}</text>");
    }
    out.push_str("</svg>");
    let title = escaped(&bar.title);
    let moved = "transform=\"translate(88)\"";
    let _ = write!(out, "<text class=\"end\" {moved} x=\"100%\" y=\"-14\">{title}</text>");
}
