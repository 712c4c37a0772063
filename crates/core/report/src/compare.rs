//! Two runs side by side: the verdict in words, tables, both distributions on one axis.

mod conditions;
mod document;
mod facts;
mod figure;
mod intervention;
mod levels;
mod names;
mod peaks;
mod several;
mod totals;
mod trend;
mod words;

use stats::analysis::Analysis;
use stats::compare::{Comparison, Measured, TotalDifference};

use crate::facts::Facts;
use crate::population::{self, population_words};

pub use intervention::intervention;
pub use names::{RUNS_MOST, short_names};
pub use several::ComparedSeveral;
pub use trend::ComparedTrend;

/// Two runs, or two sets of runs, and what comparing them found.
#[derive(Clone, Debug)]
pub struct Compared<'a> {
    /// What B is compared with.
    pub a: ComparedSide<'a>,
    /// What may be slower.
    pub b: ComparedSide<'a>,
    /// What was found.
    pub comparison: &'a Comparison,
    /// The sums that the runs' product has of each.
    pub totals: &'a ComparedTotals,
}

/// Sums of each run, compared.
#[derive(Clone, Debug, Default)]
pub struct ComparedTotals {
    /// Those that were compared.
    pub differences: Vec<TotalDifference>,
    /// Smaller ones that were not compared.
    pub left_out: usize,
    /// Runs that have none, where others have.
    pub without: usize,
}

impl ComparedTotals {
    /// Whether nothing was compared.
    pub fn is_empty(&self) -> bool {
        self.differences.is_empty()
    }
}

/// One side of a comparison.
#[derive(Clone, Debug)]
pub struct ComparedSide<'a> {
    /// Where it was read from.
    pub name: String,
    /// What ran, run by run; at least one.
    pub facts: &'a [Facts],
    /// All its runs together.
    pub analysis: &'a Analysis,
}

/// Which messages are compared; `None` where whole cycles are.
fn which_messages(compared: &Compared<'_>) -> Option<String> {
    let (a, b) = (side_messages(&compared.a), side_messages(&compared.b));
    let text = if a == b { format!("{a}.") } else { format!("of A: {a}; of B: {b}.") };
    (compared.comparison.stage != Measured::Cycle).then_some(text)
}

/// Which messages of one side take part.
fn side_messages(side: &ComparedSide<'_>) -> String {
    let Some(facts) = side.facts.first() else { return String::new() };
    match population::leaves_out(side.analysis) {
        true => population::line(facts, side.analysis),
        false => population_words(facts, &side.analysis.population),
    }
}
