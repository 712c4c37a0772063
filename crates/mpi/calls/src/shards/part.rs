//! What a share has counted.

use crate::recording::Written;
use crate::runner::Counts;
use crate::writers::Rows;
use mpi_facts::Blocking;
use serde::{Deserialize, Serialize};

/// What a share has written, or several together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub counts: Counts,
    pub written: Written,
    pub rows: Vec<Rows>,
}

impl Part {
    /// All shares' together, of which there is at least one.
    pub fn together(parts: Vec<Part>) -> Option<Part> {
        let mut all = parts.into_iter().reduce(|mut all, part| {
            // What was counted on the way is the same for each: all read the same logs.
            all.written.add(part.written);
            all.rows.extend(part.rows);
            all
        })?;
        all.rows.sort_by_key(|rows| rows.rank);
        Some(all)
    }
}

impl Written {
    fn add(&mut self, other: Written) {
        self.matched += other.matched;
        self.lone_sends += other.lone_sends;
        self.lone_receives += other.lone_receives;
        self.violations += other.violations;
        self.truncated += other.truncated;
        self.doubts.add(&other.doubts);
        // Collectives are compared by each share among all ranks.
        let Blocking { unknown_sends, unknown_ns, too_late, .. } = other.blocking;
        self.blocking.unknown_sends += unknown_sends;
        self.blocking.unknown_ns = self.blocking.unknown_ns.saturating_add(unknown_ns);
        self.blocking.too_late += too_late;
    }
}
