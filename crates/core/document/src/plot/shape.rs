//! What traces look like, in the values of their axes.

use super::read::{Place, Source, Texts, Trace};
use super::scale::{Extent, place_of};
use super::tips;
use super::words::Side;

/// A colour of the palette, and how much of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paint {
    pub(super) name: String,
    pub(super) opacity: f64,
}

impl Paint {
    /// `@b/0.3` is stage B's colour at 30 %.
    pub(super) fn of(token: &str) -> Paint {
        let token = token.strip_prefix('@').unwrap_or("a");
        let (name, opacity) = token.split_once('/').unwrap_or((token, "1"));
        Paint { name: name.to_owned(), opacity: opacity.parse().unwrap_or(1.0) }
    }
}

pub(super) type Point = (f64, f64);

/// A shape.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// Bars and squares: from and to on either axis.
    Boxes(Vec<(Point, Point)>, Paint),
    /// Lines through points.
    Lines { runs: Vec<Vec<Point>>, paint: Paint, width: f64, dash: &'static str, arrows: bool },
    /// Outlines, filled.
    Areas(Vec<Vec<Point>>, Paint),
    /// Points of so many pixels.
    Dots { points: Vec<(Point, f64)>, paint: Paint, symbol: Symbol },
    /// Words at a point.
    Words(Vec<(Point, Vec<String>, Side)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Disc,
    Ring,
    Diamond,
    Triangle,
}

/// What is said of a place: from and to on either axis.
#[derive(Clone, Debug)]
pub(super) struct Tip {
    pub(super) x: Point,
    pub(super) y: Point,
    pub(super) text: String,
}

/// All that is drawn.
#[derive(Default)]
pub(super) struct Drawing {
    pub(super) shapes: Vec<Shape>,
    pub(super) tips: Vec<Tip>,
    pub(super) x: Extent,
    pub(super) y: Extent,
    pub(super) x_names: Vec<String>,
    pub(super) y_names: Vec<String>,
    /// What is stacked so far at a place: upwards and downwards.
    stacked: Vec<(f64, f64, f64)>,
    /// The upper edge of the areas stacked so far.
    top: Vec<Point>,
}

impl Drawing {
    pub(super) fn of(source: &Source) -> Drawing {
        let mut drawing = Drawing::default();
        for trace in &source.traces {
            match trace.kind.as_str() {
                "bar" => drawing.bars(trace, source),
                "heatmap" => drawing.map(trace),
                _ if trace.stack.is_empty() => drawing.scatter(trace, source),
                _ => drawing.stack(trace, source),
            }
        }
        drawing
    }

    /// The points of a trace; `None` parts lines.
    fn points(&mut self, trace: &Trace, source: &Source) -> Vec<Option<Point>> {
        let axes = [&source.layout.xaxis, &source.layout.yaxis];
        let [x_named, y_named] = axes.map(|axis| axis.kind == "category");
        let point = |(x, y): (&Place, &Place)| {
            let x = place_of(x, &mut self.x_names, x_named)?;
            Some((x, place_of(y, &mut self.y_names, y_named)?))
        };
        trace.x.iter().zip(&trace.y).map(point).collect()
    }

    fn bars(&mut self, trace: &Trace, source: &Source) {
        let lying = trace.orientation == "h";
        let points = self.points(trace, source);
        let turned = |(x, y): Point| if lying { (y, x) } else { (x, y) };
        let places: Vec<f64> = points.iter().flatten().map(|p| turned(*p).0).collect();
        let usual = spacing(&places) * (1.0 - source.layout.bar_gap.unwrap_or(0.2));
        let stacks = matches!(source.layout.bar_mode.as_str(), "stack" | "relative");
        let mut boxes = Vec::new();
        for (at, point) in points.iter().enumerate() {
            let Some((place, value)) = point.map(turned) else { continue };
            let half = trace.width.get(at).copied().unwrap_or(usual) / 2.0;
            let from = if stacks { self.pile(place, value) } else { 0.0 };
            let (along, up) = ((place - half, place + half), (from, from + value));
            let (x, y) = turned_pair(lying, along, up);
            if value != 0.0 {
                boxes.push((x, y));
            }
            let (px, py) = point.unwrap_or_default();
            if let Some(text) = tips::of(trace, at, px, py) {
                self.tips.push(Tip { x, y, text });
            }
            for (extent, (from, to)) in [(&mut self.x, x), (&mut self.y, y)] {
                extent.add(from);
                extent.add(to);
            }
        }
        let value = if lying { &mut self.x } else { &mut self.y };
        (value.stands_on_0, value.room) = (true, true);
        self.shapes.push(Shape::Boxes(boxes, Paint::of(&trace.marker.color)));
    }

    /// Where a bar of `value` begins on those that are at its place.
    fn pile(&mut self, place: f64, value: f64) -> f64 {
        let at = self.stacked.iter().position(|(known, ..)| *known == place);
        let at = at.unwrap_or_else(|| {
            self.stacked.push((place, 0.0, 0.0));
            self.stacked.len() - 1
        });
        let end = if value < 0.0 { &mut self.stacked[at].2 } else { &mut self.stacked[at].1 };
        let from = *end;
        *end += value;
        from
    }

    /// Squares; a colour of the palette for each step of the scale, not a mixture.
    fn map(&mut self, trace: &Trace) {
        let mut steps = vec![Vec::new(); trace.colours.len()];
        let span = (trace.high - trace.low).max(f64::MIN_POSITIVE);
        for (row, values) in trace.z.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                let Some(value) = value else { continue };
                let part = ((value - trace.low) / span).clamp(0.0, 1.0);
                let (x, y) = (about(column as f64, 0.47), about(row as f64, 0.47));
                if let Some(step) = steps.get_mut(nearest(&trace.colours, part)) {
                    step.push((x, y));
                }
                let text = match trace.text.at(row) {
                    Some(Texts::Row(row)) => row.get(column).map(|text| tips::plain(text)),
                    _ => None,
                };
                self.tips.extend(text.map(|text| Tip { x, y, text }));
            }
        }
        for (extent, size) in [(&mut self.x, trace.x.len()), (&mut self.y, trace.y.len())] {
            extent.add(-0.5);
            extent.add(size as f64 - 0.5);
        }
        for (boxes, (_, colour)) in steps.into_iter().zip(&trace.colours) {
            self.shapes.push(Shape::Boxes(boxes, Paint::of(colour)));
        }
    }

    fn scatter(&mut self, trace: &Trace, source: &Source) {
        let points = self.points(trace, source);
        for (at, (x, y)) in points.iter().enumerate().filter_map(|(at, p)| Some((at, (*p)?))) {
            self.x.add(x);
            self.y.add(y);
            if let Some(text) = tips::of(trace, at, x, y) {
                self.tips.push(Tip { x: (x, x), y: (y, y), text });
            }
        }
        self.y.room = true;
        self.lines(trace, &points);
        self.errors(trace, &points);
        let markers = trace.mode.contains("markers") && trace.marker.symbol != "arrow";
        if markers {
            self.x.room = true;
            self.dots(trace, &points);
        }
        if trace.mode.contains("text") {
            self.words(trace, &points);
        }
    }

    fn lines(&mut self, trace: &Trace, points: &[Option<Point>]) {
        let mut runs: Vec<Vec<Point>> = points
            .split(Option::is_none)
            .map(|run| run.iter().flatten().copied().collect())
            .filter(|run: &Vec<Point>| !run.is_empty())
            .collect();
        if trace.line.shape == "hv" {
            runs = runs.iter().map(|run| stepped(run)).collect();
        }
        let paint = Paint::of(&trace.line.color);
        match trace.fill.as_str() {
            "toself" => {
                let fill = Paint::of(&trace.fill_colour);
                return self.shapes.push(Shape::Areas(runs, fill));
            }
            "tozeroy" => {
                let to_0 = runs.iter().map(|run| outlined(run, &[]));
                self.shapes.push(Shape::Areas(to_0.collect(), Paint::of(&trace.fill_colour)));
                self.y.add(0.0);
            }
            _ => {}
        }
        if trace.mode.is_empty() || trace.mode.contains("lines") {
            let (width, arrows) = (trace.line.width.unwrap_or(2.0), trace.marker.symbol == "arrow");
            let dash = dash(&trace.line.dash);
            self.shapes.push(Shape::Lines { runs, paint, width, dash, arrows });
        }
    }

    /// How far values may be off, as upright lines.
    fn errors(&mut self, trace: &Trace, points: &[Option<Point>]) {
        let Some(errors) = &trace.error_y else { return };
        let mut runs = Vec::new();
        for (at, (x, y)) in points.iter().enumerate().filter_map(|(at, p)| Some((at, (*p)?))) {
            let of = |all: &[f64]| all.get(at).copied().unwrap_or(0.0);
            let (low, high) = (y - of(&errors.below), y + of(&errors.array));
            if high > low {
                self.y.add(low);
                self.y.add(high);
                runs.push(vec![(x, low), (x, high)]);
            }
        }
        let paint = Paint::of(&trace.line.color);
        self.shapes.push(Shape::Lines { runs, paint, width: 1.2, dash: "", arrows: false });
    }

    fn dots(&mut self, trace: &Trace, points: &[Option<Point>]) {
        let size = |at: usize| trace.marker.size.at(at).copied().unwrap_or(6.0);
        let points: Vec<(Point, f64)> = points
            .iter()
            .enumerate()
            .filter_map(|(at, point)| Some(((*point)?, size(at))))
            .collect();
        let symbol = match trace.marker.symbol.as_str() {
            "circle-open" => Symbol::Ring,
            "diamond" => Symbol::Diamond,
            "triangle-down" => Symbol::Triangle,
            _ => Symbol::Disc,
        };
        self.shapes.push(Shape::Dots { points, paint: Paint::of(&trace.marker.color), symbol });
    }

    fn words(&mut self, trace: &Trace, points: &[Option<Point>]) {
        let word = |at: usize| match trace.text.at(at) {
            Some(Texts::One(text)) if !text.is_empty() => Some(tips::plain(text)),
            _ => None,
        };
        let side = |at: usize| match trace.text_position.at(at).map(String::as_str) {
            Some(side) if side.ends_with("left") => Side::Left,
            Some(side) if side.ends_with("right") => Side::Right,
            _ => Side::Above,
        };
        let words = points.iter().enumerate().filter_map(|(at, point)| {
            let lines = word(at)?.split('\n').map(str::to_owned).collect();
            Some(((*point)?, lines, side(at)))
        });
        self.shapes.push(Shape::Words(words.collect()));
    }

    /// An area in steps on those before it.
    fn stack(&mut self, trace: &Trace, source: &Source) {
        let own: Vec<Point> = self.points(trace, source).into_iter().flatten().collect();
        let mut places: Vec<f64> = own.iter().chain(&self.top).map(|(x, _)| *x).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let below: Vec<Point> = places.iter().map(|x| (*x, level(&self.top, *x))).collect();
        let top: Vec<Point> = below.iter().map(|(x, y)| (*x, y + level(&own, *x))).collect();
        for (at, (x, y)) in own.iter().enumerate() {
            self.x.add(*x);
            if let Some(text) = tips::of(trace, at, *x, *y) {
                let next = own.get(at + 1).map_or(*x, |(x, _)| *x);
                let (x, y) = ((*x, next), (level(&below, *x), level(&top, *x)));
                let text = format!("{}: {text}", tips::plain(&trace.name));
                self.tips.push(Tip { x, y, text });
            }
        }
        top.iter().for_each(|(_, y)| self.y.add(*y));
        (self.y.stands_on_0, self.y.room) = (true, true);
        let outline = outlined(&stepped(&top), &stepped(&below));
        self.shapes.push(Shape::Areas(vec![outline], Paint::of(&trace.fill_colour)));
        self.top = top;
    }
}

fn turned_pair(turned: bool, one: Point, other: Point) -> (Point, Point) {
    if turned { (other, one) } else { (one, other) }
}

fn about(place: f64, half: f64) -> Point {
    (place - half, place + half)
}

/// Which of the colours is nearest to this part of their scale.
fn nearest(colours: &[(f64, String)], part: f64) -> usize {
    let distance = |at: &usize| (colours[*at].0 - part).abs();
    (0..colours.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
}

/// From one place to the next, at least.
fn spacing(places: &[f64]) -> f64 {
    let mut places = places.to_vec();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let least = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

/// Level until the next point.
fn stepped(run: &[Point]) -> Vec<Point> {
    let corner = |pair: &[Point]| [pair[0], (pair[1].0, pair[0].1)];
    run.windows(2).flat_map(corner).chain(run.last().copied()).collect()
}

/// The value of steps at a place.
fn level(steps: &[Point], x: f64) -> f64 {
    let before = steps.partition_point(|(at, _)| *at <= x);
    if before == 0 { 0.0 } else { steps[before - 1].1 }
}

/// What lies between a line and the one below it, or 0.
fn outlined(run: &[Point], below: &[Point]) -> Vec<Point> {
    let floor = |point: Option<&Point>| point.map(|(x, _)| (*x, 0.0));
    let ends = if below.is_empty() { [floor(run.last()), floor(run.first())] } else { [None; 2] };
    let back = below.iter().rev().copied().chain(ends.into_iter().flatten());
    run.iter().copied().chain(back).collect()
}

fn dash(name: &str) -> &'static str {
    match name {
        "dot" => "1.5 3.5",
        "dash" => "7 5",
        _ => "",
    }
}

/// The names and colours of what a chart with a legend of its own shows.
pub(super) fn legend(source: &Source) -> Vec<(String, String)> {
    let named = source.traces.iter().filter(|_| source.layout.legend);
    let colour = |trace: &Trace| {
        let of = [&trace.fill_colour, &trace.line.color, &trace.marker.color];
        of.into_iter().find(|token| !token.is_empty()).map(|token| Paint::of(token).name)
    };
    named.filter_map(|t| Some((tips::plain(&t.name), colour(t)?))).collect()
}

/// The steps of a map's colours, from the least: where the names of its ticks are.
pub(super) fn colour_bar(source: &Source) -> Option<ColourBar> {
    let trace = source.traces.iter().find(|trace| trace.kind == "heatmap")?;
    let span = (trace.high - trace.low).max(f64::MIN_POSITIVE);
    let ticks = trace.bar.places.iter().zip(&trace.bar.names);
    Some(ColourBar {
        title: trace.bar.title.text.clone(),
        colours: trace.colours.iter().map(|(_, colour)| Paint::of(colour)).collect(),
        ticks: ticks.map(|(at, name)| ((at - trace.low) / span, name.clone())).collect(),
    })
}

/// What the colours of a map mean.
pub(super) struct ColourBar {
    pub(super) title: String,
    pub(super) colours: Vec<Paint>,
    pub(super) ticks: Vec<(f64, String)>,
}

/// The ends of what bars take along the axes: what words must not stand on.
pub(super) fn obstacles(shapes: &[Shape]) -> impl Iterator<Item = &(Point, Point)> {
    shapes.iter().flat_map(|shape| match shape {
        Shape::Boxes(boxes, _) => boxes.as_slice(),
        _ => &[],
    })
}
