//! The pieces that a section, and the first screen, consist of.

use crate::chooser::Chooser;
use crate::colour::Colour;
use crate::table::Table;

/// A piece of a document.
#[derive(Clone, Debug)]
pub enum Block {
    /// What ran, in a line: short texts beside each other.
    Eyebrow(Vec<String>),
    /// The finding: the one heading of the first screen.
    Finding(String),
    /// A sentence of the first screen.
    Lead(String),
    /// A remark; what stands before the colon is emphasised.
    Note(Option<&'static str>, String),
    /// What to read before anything else.
    Warning(Vec<String>),
    /// A heading within a section.
    Heading(String),
    /// A list of sentences.
    List(Vec<String>),
    /// Key figures.
    Figures(Vec<Figures>),
    /// Bars of parts of a whole, with what each part means.
    Bars(Vec<ShareBar>, Parts),
    /// Names and values side by side, in groups.
    Pairs(Vec<Pairs>),
    /// The same beside a page's first screen, where a section has them for everybody.
    Aside(Vec<Pairs>),
    /// A table.
    Table(Table),
    /// What went on over a stretch of time.
    Lanes(Lanes),
    /// A drawing that needs no script; its figures stand in a table beside it.
    Drawing(Drawing),
    /// Bars of parts on one scale.
    Tracks(Vec<Track>),
    /// Messages to choose from, on the page alone.
    Chooser(Box<Chooser>),
    /// Blocks that are closed on the page until they are wanted.
    Fold(Fold),
}

/// Blocks behind a line of words.
#[derive(Clone, Debug)]
pub struct Fold {
    /// What cells of tables lead to it by: letters, digits and hyphens.
    pub name: String,
    /// What can be seen while it is closed.
    pub words: String,
    /// What is in it.
    pub blocks: Vec<Block>,
}

/// A row of key figures.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Of what.
    pub head: String,
    /// Its colour.
    pub colour: Colour,
    /// Name and value of each.
    pub tiles: Vec<(String, String)>,
}

/// A bar of parts of a whole.
#[derive(Clone, Debug)]
pub struct ShareBar {
    /// Of what.
    pub head: &'static str,
    /// Whether it is the main one.
    pub main: bool,
    /// Name, colour and part, 0 to 1.
    pub parts: Vec<(&'static str, Colour, f64)>,
}

/// What the parts of bars are: name and colour, the figures, the meaning.
pub type Parts = Vec<(&'static str, Colour, String, &'static str)>;

/// Names and values under a heading.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// The heading.
    pub head: String,
    /// Name and value; without a value a pair is left out.
    pub pairs: Vec<(String, String)>,
}

impl Pairs {
    /// Pairs under a heading.
    pub fn new(head: impl Into<String>, pairs: Vec<(String, String)>) -> Pairs {
        Pairs { head: head.into(), pairs }
    }

    /// Those that have a value.
    pub(crate) fn filled(&self) -> impl Iterator<Item = &(String, String)> {
        self.pairs.iter().filter(|(_, value)| !value.is_empty())
    }
}

/// What went on over a stretch of time, a lane for each actor.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// What it shows, for those who cannot see it.
    pub label: String,
    /// How long the stretch is, in words.
    pub length: String,
    /// The lanes.
    pub lanes: Vec<LaneOf>,
}

/// One lane.
#[derive(Clone, Debug)]
pub struct LaneOf {
    /// What it is of.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// Begin and end of each stretch, 0 to 1; equal for a moment.
    pub spans: Vec<(f64, f64)>,
}

/// A drawing.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// What it shows, for those who cannot see it.
    pub label: &'static str,
    /// Width and height.
    pub size: (f64, f64),
    /// What is drawn, in order.
    pub shapes: Vec<Shape>,
}

/// A part of a drawing. Places are x from the left and y from the top.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A filled outline through these points.
    Outline(Vec<(f64, f64)>, Colour),
    /// A box: left, top, width, height.
    Band([f64; 4], Colour),
    /// A thin line from place to place.
    Line([(f64, f64); 2], Colour),
    /// A thick line from place to place.
    Bar([(f64, f64); 2], Colour),
    /// A dot.
    Dot((f64, f64), Colour),
    /// Words about a place.
    Words((f64, f64), String, Colour),
    /// Words that begin at a place.
    Name((f64, f64), String),
}

/// A bar of parts on the scale of its neighbours.
#[derive(Clone, Debug)]
pub struct Track {
    /// What it is of.
    pub name: String,
    /// Name, colour, value and the value in words of each part.
    pub parts: Vec<(&'static str, Colour, f64, String)>,
    /// A value that is marked, and its words.
    pub mark: Option<(f64, String)>,
    /// What stands at its end.
    pub end: String,
}
