//! Messages to choose from on a page, by several facets at once: cells that add up to any choice.

use crate::colour::Colour;

/// The quantiles that are shown of a choice.
pub const CHOSEN_QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// What there is to choose from, and what each choice consists of.
#[derive(Clone, Debug)]
pub struct Chooser {
    /// What can be chosen, each from a list.
    pub facets: Vec<Facet>,
    /// The command that makes the whole report of the chosen: what stands before the options of
    /// the facets, and what stands after them. Its words are quoted for a shell.
    pub command: (String, String),
    /// The same with a choice as an example, for who has no script.
    pub example: String,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// All messages.
    pub messages: u64,
    /// How far a quantile from the bins may be off, as a part of the value.
    pub quantile_error: f64,
    /// The ends of each bin, both inclusive, ns, ascending.
    pub bins: Vec<(i64, i64)>,
    /// Messages that agree in all facets.
    pub cells: Vec<ChooserCell>,
}

/// What can be chosen from one list.
#[derive(Clone, Debug)]
pub struct Facet {
    /// Its name: `Size`.
    pub name: String,
    /// What the list says where nothing is chosen: `all 12 sizes`.
    pub all: String,
    /// The options of the command where nothing is chosen; mostly none.
    pub options: String,
    /// What there is.
    pub choices: Vec<Choice>,
}

/// An entry of a list.
#[derive(Clone, Debug)]
pub struct Choice {
    /// As shown.
    pub label: String,
    /// The options of the command: `--size 64`.
    pub options: String,
    /// The figures of each measure where this alone is chosen and other tables have them, so that
    /// the two agree.
    pub figures: Vec<Option<ChosenFigures>>,
}

/// A time that messages have.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Its name: `End to end`.
    pub name: &'static str,
    /// Its colour.
    pub colour: Colour,
    /// The figures of all messages.
    pub all: ChosenFigures,
}

/// Figures of a choice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChosenFigures {
    /// Messages that have the time.
    pub count: u64,
    /// [`CHOSEN_QUANTILES`], ns; `None` where there are too few messages for one.
    pub quantiles_ns: [Option<i64>; 4],
    /// Slowest, ns.
    pub max_ns: i64,
}

/// Messages that agree in all facets.
#[derive(Clone, Debug)]
pub struct ChooserCell {
    /// By facet: which of the choices; `None` if it is none of them.
    pub of: Vec<Option<usize>>,
    /// How many.
    pub messages: u64,
    /// By measure: the times, where there are any.
    pub times: Vec<Option<ChooserTimes>>,
}

/// Times in bins.
#[derive(Clone, Debug)]
pub struct ChooserTimes {
    /// Smallest and largest, ns.
    pub ends_ns: (i64, i64),
    /// Which bin, ascending, and how many times.
    pub counts: Vec<(usize, u64)>,
}
