//! Both distributions over the same bins, so that they can be drawn on one axis.

use serde::{Deserialize, Serialize};

use crate::bins;
use crate::distribution::BlockDistribution;

/// Bins, about: as fine as blocks are counted where the runs span less than a decade.
const BINS: usize = 140;

/// A bin, `from ≤ value < to` in ns, and the part of each run's messages in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShapeBin {
    /// Lower edge.
    pub from_ns: f64,
    /// Upper edge.
    pub to_ns: f64,
    /// Part of A's messages, 0 to 1.
    pub a: f64,
    /// Part of B's.
    pub b: f64,
}

/// Bins of equal width on a log scale that hold all messages of both.
pub(super) fn shape(a: &BlockDistribution, b: &BlockDistribution) -> Vec<ShapeBin> {
    let low = a.moments().min.min(b.moments().min);
    let high = a.moments().max.max(b.moments().max);
    let edges = bins::log_edges(low, high, BINS, |edge| BlockDistribution::width_at(edge) as i64);
    let (of_a, of_b) =
        (bins::count_between(a.counters(), &edges), bins::count_between(b.counters(), &edges));
    let part = |count: u64, of: &BlockDistribution| count as f64 / of.count().max(1) as f64;
    let both = of_a.iter().zip(&of_b);
    both.map(|(x, y)| ShapeBin {
        from_ns: x.from,
        to_ns: x.to,
        a: part(x.count, a),
        b: part(y.count, b),
    })
    .collect()
}
