//! Drawings of a page that need no script.

use maud::{Markup, html};

use super::text;
use crate::block::{Drawing, LaneOf, Lanes, Shape, Track};

/// Width of the drawing's part with the lanes, and height of a lane, in the drawing's own units.
const WIDTH: f64 = 720.0;
const LANE: f64 = 22.0;
/// Room for the lanes' names.
const NAMES: f64 = 170.0;
/// Narrower marks would not be seen.
const LEAST: f64 = 1.5;
/// Marks of a lane, at most: what would fall on the mark before it is left out.
const MARKS: usize = 2000;

pub(super) fn lanes(drawing: &Lanes) -> Markup {
    let height = LANE * (drawing.lanes.len() as f64 + 1.0);
    let whole = NAMES + WIDTH;
    html! {
        svg.story viewBox=(format!("0 0 {whole} {height}")) role="img"
            aria-label=(text(&drawing.label)) {
            text x=(NAMES) y="14" { "0" }
            text x=(whole) y="14" text-anchor="end" { (text(&drawing.length)) }
            @for (at, lane) in drawing.lanes.iter().enumerate() {
                (one_lane(lane, LANE * (at as f64 + 1.0)))
            }
        }
    }
}

fn one_lane(lane: &LaneOf, top: f64) -> Markup {
    html! {
        text x="0" y=(top + 15.0) { (text(&lane.name)) }
        g class=(lane.colour.0) {
            @for (left, width) in marks(&lane.spans) {
                rect x=(format!("{left:.1}")) y=(top + 3.0) width=(format!("{width:.1}"))
                    height="15" {}
            }
        }
    }
}

/// Left edge and width of each mark that can be seen.
fn marks(spans: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let place = |at: f64| NAMES + at.clamp(0.0, 1.0) * WIDTH;
    let mut reached = f64::MIN;
    let mut seen = Vec::new();
    for &(begin, end) in spans {
        let (left, right) = (place(begin), place(end).max(place(begin) + LEAST).min(NAMES + WIDTH));
        if right <= reached + 0.2 || seen.len() >= MARKS {
            continue;
        }
        let left = left.min(NAMES + WIDTH - LEAST);
        seen.push((left, (right - left).max(LEAST)));
        reached = right;
    }
    seen
}

/// A drawing, as wide as the page.
pub(super) fn drawing(drawing: &Drawing) -> Markup {
    let (width, height) = drawing.size;
    let view = format!("0 0 {width} {height}");
    html! {
        svg.drawing viewBox=(view) role="img" aria-label=(drawing.label) {
            @for one in &drawing.shapes { (shape(one)) }
        }
    }
}

fn shape(shape: &Shape) -> Markup {
    let at = |value: f64| format!("{value:.1}");
    match shape {
        Shape::Outline(points, colour) => {
            let points = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}"));
            let points = points.collect::<Vec<_>>().join(" ");
            html! { polygon class={ "shape " (colour.0) } points=(points) {} }
        }
        Shape::Band([left, top, width, height], colour) => html! {
            rect class=(colour.0) x=(at(*left)) y=(at(*top)) width=(at(*width))
                height=(at(*height)) {}
        },
        Shape::Line([from, to], colour) => line("", *from, *to, colour.0),
        Shape::Bar([from, to], colour) => line("bar ", *from, *to, colour.0),
        Shape::Dot((x, y), colour) => html! {
            circle class=(colour.0) cx=(at(*x)) cy=(at(*y)) r="6" {}
        },
        Shape::Words((x, y), words, colour) => html! {
            text class={ "middle " (colour.0) } x=(at(*x)) y=(at(*y)) { (text(words)) }
        },
        Shape::Name((x, y), words) => html! {
            text.name x=(at(*x)) y=(at(*y)) { (text(words)) }
        },
    }
}

fn line(kind: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64), colour: &str) -> Markup {
    html! {
        line class={ (kind) (colour) } x1=(format!("{x1:.1}")) y1=(format!("{y1:.1}"))
            x2=(format!("{x2:.1}")) y2=(format!("{y2:.1}")) {}
    }
}

/// Bars whose lengths are parts of the longest.
pub(super) fn tracks(tracks: &[Track]) -> Markup {
    let whole = |track: &Track| track.parts.iter().map(|(_, _, value, _)| *value).sum::<f64>();
    let reach = |track: &Track| track.mark.as_ref().map_or(0.0, |(value, _)| *value);
    let ends = tracks.iter().flat_map(|track| [whole(track), reach(track)]);
    let longest = ends.fold(f64::MIN_POSITIVE, f64::max);
    let percent = |value: f64| format!("{:.3}%", 100.0 * value / longest);
    html! {
        @for track in tracks {
            div.tracked {
                span { (text(&track.name)) }
                div.track {
                    @for (name, colour, value, words) in &track.parts {
                        i class=(colour.0) style={ "width:" (percent(value.max(0.0))) }
                            title={ (name) " " (text(words)) } {}
                    }
                    @if let Some((value, words)) = &track.mark {
                        b style={ "left:" (percent(*value)) } title=(text(words)) {}
                    }
                }
                span { (text(&track.end)) }
            }
        }
    }
}
