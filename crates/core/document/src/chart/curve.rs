//! Lines and points, and areas on each other.

use super::Places;
use crate::colour::Paint;

/// A line through points, the points, or both.
#[derive(Clone, Debug)]
pub struct Curve {
    pub(crate) x: Places,
    pub(crate) y: Places,
    pub(crate) stroke: Option<(Paint, f64)>,
    pub(crate) dash: Dash,
    pub(crate) stepped: bool,
    pub(crate) arrows: bool,
    pub(crate) to_0: Option<Paint>,
    pub(crate) inside: Option<Paint>,
    pub(crate) dots: Option<Dots>,
    pub(crate) words: Vec<(String, Side)>,
    pub(crate) intervals: Vec<(f64, f64)>,
    pub(crate) tips: Vec<String>,
}

/// How a line is dashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dash {
    /// Not at all.
    None,
    /// Dots.
    Dot,
    /// Dashes.
    Dash,
}

/// How points look.
#[derive(Clone, Debug)]
pub struct Dots {
    /// Their colour.
    pub paint: Paint,
    /// Their width, CSS pixels.
    pub size: f64,
    /// Their form.
    pub symbol: Symbol,
}

/// The form of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// Filled.
    Disc,
    /// A circle.
    Ring,
    /// On its corner.
    Diamond,
    /// On its point.
    Triangle,
}

/// Where words stand at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Above it.
    Above,
    /// On its left.
    Left,
    /// On its right.
    Right,
}

impl Curve {
    fn new(x: Places, y: Places) -> Curve {
        Curve {
            x,
            y,
            stroke: None,
            dash: Dash::None,
            stepped: false,
            arrows: false,
            to_0: None,
            inside: None,
            dots: None,
            words: Vec::new(),
            intervals: Vec::new(),
            tips: Vec::new(),
        }
    }

    /// A line through points, so many CSS pixels wide; it ends where there is no place, and goes on
    /// at the next.
    pub fn line(
        x: impl Into<Places>,
        y: impl Into<Places>,
        paint: impl Into<Paint>,
        width: f64,
    ) -> Curve {
        Curve { stroke: Some((paint.into(), width)), ..Curve::new(x.into(), y.into()) }
    }

    /// Points without a line.
    pub fn points(x: impl Into<Places>, y: impl Into<Places>, dots: Dots) -> Curve {
        Curve::new(x.into(), y.into()).dots(dots)
    }

    /// Outlines, filled.
    pub fn outlines(x: impl Into<Places>, y: impl Into<Places>, paint: impl Into<Paint>) -> Curve {
        Curve { inside: Some(paint.into()), ..Curve::new(x.into(), y.into()) }
    }

    /// With the points.
    pub fn dots(mut self, dots: Dots) -> Curve {
        self.dots = Some(dots);
        self
    }

    /// Dashed.
    pub fn dashed(mut self, dash: Dash) -> Curve {
        self.dash = dash;
        self
    }

    /// Level until the next point.
    pub fn stepped(mut self) -> Curve {
        self.stepped = true;
        self
    }

    /// Each of its lines has two ends, and a head at the second.
    pub fn arrows(mut self) -> Curve {
        self.arrows = true;
        self
    }

    /// Filled down to 0.
    pub fn filled_to_0(mut self, paint: impl Into<Paint>) -> Curve {
        self.to_0 = Some(paint.into());
        self
    }

    /// Words at points; none where they are empty.
    pub fn words(mut self, words: Vec<(String, Side)>) -> Curve {
        self.words = words;
        self
    }

    /// How far each value may be off, as an upright line from its first to its second.
    pub fn intervals(mut self, intervals: Vec<(f64, f64)>) -> Curve {
        self.intervals = intervals;
        self
    }

    /// What is said of each point; nothing where it is empty.
    pub fn tips(mut self, tips: Vec<String>) -> Curve {
        self.tips = tips;
        self
    }
}

impl Dots {
    /// Filled points, so many CSS pixels wide.
    pub fn discs(paint: impl Into<Paint>, size: f64) -> Dots {
        Dots { paint: paint.into(), size, symbol: Symbol::Disc }
    }

    /// Circles, so many CSS pixels wide.
    pub fn rings(paint: impl Into<Paint>, size: f64) -> Dots {
        Dots { symbol: Symbol::Ring, ..Dots::discs(paint, size) }
    }
}

/// An area in steps on those before it, with a name in the chart's legend.
#[derive(Clone, Debug)]
pub struct Stack {
    pub(crate) name: String,
    /// Where each step begins, and how high it is.
    pub(crate) steps: Vec<(f64, f64)>,
    pub(crate) paint: Paint,
    pub(crate) tips: Vec<String>,
}

impl Stack {
    /// Steps from place to place; `tips` is what is said of each.
    pub fn new(
        name: impl Into<String>,
        steps: Vec<(f64, f64)>,
        paint: impl Into<Paint>,
        tips: Vec<String>,
    ) -> Stack {
        Stack { name: name.into(), steps, paint: paint.into(), tips }
    }
}
