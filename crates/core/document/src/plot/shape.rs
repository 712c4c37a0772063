//! What traces look like, in the values of their axes.

use super::Shown;
use super::scale::{Extent, place_of};
use crate::chart::{Axis, Bars, Curve, Dash, Map, Places, Quantity, Side, Stack, Symbol, Trace};
use crate::colour::Paint;
use crate::escape;

pub(super) type Point = (f64, f64);

/// A shape.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// Bars and squares: from and to on either axis.
    Boxes(Vec<(Point, Point)>, Paint),
    /// Lines through points.
    Lines { runs: Vec<Vec<Point>>, paint: Paint, width: f64, dash: Dash, arrows: bool },
    /// Outlines, filled.
    Areas(Vec<Vec<Point>>, Paint),
    /// Points of so many pixels.
    Dots { points: Vec<(Point, f64)>, paint: Paint, symbol: Symbol },
    /// Words at a point.
    Words(Vec<(Point, Vec<String>, Side)>),
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
    pub(super) fn of(shown: &Shown) -> Drawing {
        let mut drawing = Drawing::default();
        for trace in &shown.traces {
            match trace {
                Trace::Bars(bars) => drawing.bars(bars, shown),
                Trace::Map(map) => drawing.map(map),
                Trace::Curve(curve) => drawing.curve(curve, shown),
                Trace::Stack(stack) => drawing.stack(stack),
            }
        }
        drawing
    }

    /// Points; `None` where one of the places is none.
    fn points(&mut self, x: &Places, y: &Places, shown: &Shown) -> Vec<Option<Point>> {
        let x = along(x, shown.x, &mut self.x_names);
        let y = along(y, shown.y, &mut self.y_names);
        x.into_iter().zip(y).map(|(x, y)| x.zip(y)).collect()
    }

    fn bars(&mut self, bars: &Bars, shown: &Shown) {
        let points = self.points(&bars.x, &bars.y, shown);
        let turned = |(x, y): Point| if bars.lying { (y, x) } else { (x, y) };
        let places: Vec<f64> = points.iter().flatten().map(|p| turned(*p).0).collect();
        let usual = spacing(&places) * (1.0 - shown.chart.gap);
        let mut boxes = Vec::new();
        for (at, point) in points.iter().enumerate() {
            let Some((place, value)) = point.map(turned) else { continue };
            let half = bars.widths.get(at).copied().unwrap_or(usual) / 2.0;
            let from = if shown.chart.stacked { self.pile(place, value) } else { 0.0 };
            let (along, up) = ((place - half, place + half), (from, from + value));
            let (x, y) = turned_pair(bars.lying, along, up);
            if value != 0.0 {
                boxes.push((x, y));
            }
            self.tip(x, y, bars.tips.get(at));
            for (extent, (from, to)) in [(&mut self.x, x), (&mut self.y, y)] {
                extent.add(from);
                extent.add(to);
            }
        }
        let value = if bars.lying { &mut self.x } else { &mut self.y };
        (value.stands_on_0, value.room) = (true, true);
        self.shapes.push(Shape::Boxes(boxes, bars.paint));
    }

    /// Say `text` of a place.
    fn tip(&mut self, x: Point, y: Point, text: Option<&String>) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.tips.push(Tip { x, y, text: escape::on_page(text) });
        }
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
    fn map(&mut self, map: &Map) {
        let mut steps: Vec<_> = Map::colours().map(|colour| (Vec::new(), colour)).collect();
        for (row, column, colour, text) in &map.squares {
            let (x, y) = (about(*column as f64, 0.47), about(*row as f64, 0.47));
            steps[*colour].0.push((x, y));
            self.tip(x, y, Some(text));
        }
        for extent in [&mut self.x, &mut self.y] {
            extent.add(-0.5);
            extent.add(map.size as f64 - 0.5);
        }
        let shapes = steps.into_iter().map(|(boxes, colour)| Shape::Boxes(boxes, colour.into()));
        self.shapes.extend(shapes);
    }

    fn curve(&mut self, curve: &Curve, shown: &Shown) {
        let points = self.points(&curve.x, &curve.y, shown);
        for (at, (x, y)) in points.iter().enumerate().filter_map(|(at, p)| Some((at, (*p)?))) {
            self.x.add(x);
            self.y.add(y);
            self.tip((x, x), (y, y), curve.tips.get(at));
        }
        self.y.room = true;
        self.lines(curve, &points);
        self.intervals(curve, &points);
        self.dots(curve, &points);
        self.words(curve, &points);
    }

    fn lines(&mut self, curve: &Curve, points: &[Option<Point>]) {
        let mut runs: Vec<Vec<Point>> = points
            .split(Option::is_none)
            .map(|run| run.iter().flatten().copied().collect())
            .filter(|run: &Vec<Point>| !run.is_empty())
            .collect();
        if curve.stepped {
            runs = runs.iter().map(|run| stepped(run)).collect();
        }
        if let Some(paint) = curve.to_0 {
            let to_0 = runs.iter().map(|run| outlined(run, &[]));
            self.shapes.push(Shape::Areas(to_0.collect(), paint));
            self.y.add(0.0);
        }
        if let Some(paint) = curve.inside {
            self.shapes.push(Shape::Areas(runs.clone(), paint));
        }
        if let Some((paint, width)) = curve.stroke {
            let (dash, arrows) = (curve.dash, curve.arrows);
            self.shapes.push(Shape::Lines { runs, paint, width, dash, arrows });
        }
    }

    /// How far values may be off, as upright lines.
    fn intervals(&mut self, curve: &Curve, points: &[Option<Point>]) {
        let mut runs = Vec::new();
        for (point, (low, high)) in points.iter().zip(&curve.intervals) {
            if let Some((x, _)) = point.filter(|_| high > low) {
                self.y.add(*low);
                self.y.add(*high);
                runs.push(vec![(x, *low), (x, *high)]);
            }
        }
        if let Some((paint, _)) = curve.stroke.filter(|_| !runs.is_empty()) {
            let (dash, arrows) = (Dash::None, false);
            self.shapes.push(Shape::Lines { runs, paint, width: 1.2, dash, arrows });
        }
    }

    fn dots(&mut self, curve: &Curve, points: &[Option<Point>]) {
        let Some(dots) = &curve.dots else { return };
        self.x.room = true;
        let points = points.iter().flatten().map(|point| (*point, dots.size)).collect();
        self.shapes.push(Shape::Dots { points, paint: dots.paint, symbol: dots.symbol });
    }

    fn words(&mut self, curve: &Curve, points: &[Option<Point>]) {
        let worded = points.iter().zip(&curve.words).filter(|(_, (text, _))| !text.is_empty());
        let words: Vec<_> = worded
            .filter_map(|(point, (text, side))| {
                let lines = text.split('\n').map(str::to_owned).collect();
                Some(((*point)?, lines, *side))
            })
            .collect();
        if !words.is_empty() {
            self.shapes.push(Shape::Words(words));
        }
    }

    /// An area in steps on those before it.
    fn stack(&mut self, stack: &Stack) {
        let own = &stack.steps;
        let mut places: Vec<f64> = own.iter().chain(&self.top).map(|(x, _)| *x).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let below: Vec<Point> = places.iter().map(|x| (*x, level(&self.top, *x))).collect();
        let top: Vec<Point> = below.iter().map(|(x, y)| (*x, y + level(own, *x))).collect();
        for (at, (from, _)) in own.iter().enumerate() {
            self.x.add(*from);
            let next = own.get(at + 1).map_or(*from, |(x, _)| *x);
            let (x, y) = ((*from, next), (level(&below, *from), level(&top, *from)));
            self.tip(x, y, stack.tips.get(at));
        }
        top.iter().for_each(|(_, y)| self.y.add(*y));
        (self.y.stands_on_0, self.y.room) = (true, true);
        let outline = outlined(&stepped(&top), &stepped(&below));
        self.shapes.push(Shape::Areas(vec![outline], stack.paint));
        self.top = top;
    }
}

/// Where each of the places lies.
fn along(places: &Places, axis: &Axis, names: &mut Vec<String>) -> Vec<Option<f64>> {
    match places {
        Places::Numbers(numbers) if axis.of == Quantity::Name => {
            numbers.iter().map(|number| place_of(&number.to_string(), names)).collect()
        }
        Places::Numbers(numbers) => {
            numbers.iter().map(|number| number.is_finite().then_some(*number)).collect()
        }
        Places::Names(of) => {
            of.iter().map(|name| (!name.is_empty()).then(|| place_of(name, names))?).collect()
        }
    }
}

fn turned_pair(turned: bool, one: Point, other: Point) -> (Point, Point) {
    if turned { (other, one) } else { (one, other) }
}

fn about(place: f64, half: f64) -> Point {
    (place - half, place + half)
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

/// The names and colours of what a chart with a legend of its own shows.
pub(super) fn legend(shown: &Shown) -> Vec<(String, String)> {
    let named = shown.traces.iter().filter(|_| shown.chart.legend);
    let stacks = named.filter_map(|trace| match trace {
        Trace::Stack(stack) => Some((stack.name.clone(), stack.paint.colour.0.to_owned())),
        _ => None,
    });
    stacks.collect()
}

/// The steps of a map's colours, from the least: where the names of its ticks are.
pub(super) fn colour_bar(shown: &Shown) -> Option<ColourBar> {
    let map = shown.traces.iter().find_map(|trace| match trace {
        Trace::Map(map) => Some(map),
        _ => None,
    })?;
    Some(ColourBar {
        title: map.title.clone(),
        colours: Map::colours().map(Paint::from).collect(),
        ticks: map.ticks.clone(),
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
