//! The messages by node pair, kind and size at once, for a reader who chooses among them.

use record::Kind;

use super::Stage;
use crate::filter::Span;

/// Cells of messages that agree in pair, kind and size, with the times of each in bins that add up:
/// those of any choice are the sum of its cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facets {
    /// Source and destination. Where there are many, the first of them: the others are in cells
    /// without a pair.
    pub pairs: Vec<(u32, u32)>,
    pub kinds: Vec<Kind>,
    /// Payloads: each by itself, or, where there are many, together within powers of two, from the
    /// smallest to the largest that came.
    pub sizes: Vec<Span>,
    /// The ends of each bin, both inclusive, ns, ascending; those that took a message.
    pub bins: Vec<(i64, i64)>,
    pub cells: Vec<FacetCell>,
}

/// Messages that agree in pair, kind and size.
#[derive(Clone, Debug, PartialEq)]
pub struct FacetCell {
    /// Which of the pairs, kinds and sizes; `None` where a message lacks it or the pair is one of
    /// the others.
    pub of: [Option<usize>; 3],
    pub messages: u64,
    /// Those of stages A to D that its messages have.
    pub stages: Vec<(Stage, Binned)>,
}

/// Times in bins.
#[derive(Clone, Debug, PartialEq)]
pub struct Binned {
    /// Smallest and largest, exact, ns.
    pub min_ns: i64,
    pub max_ns: i64,
    /// Which of the bins, ascending, and how many times.
    pub counts: Vec<(usize, u64)>,
}

impl Facets {
    /// How far a quantile taken from the bins may be off: half a bin, as a part of the value.
    pub const QUANTILE_ERROR: f64 = 1.0 / (2 << crate::joint::SUB) as f64;

    /// Whether there is anything to choose from.
    pub fn vary(&self) -> bool {
        self.pairs.len() > 1 || self.kinds.len() > 1 || self.sizes.len() > 1
    }
}
