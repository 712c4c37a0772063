//! What is gathered of whole cycles: round trips, relay rounds.

use record::{Field, NULL};

use crate::blocks::Blocks;
use crate::columns::Columns;
use crate::distribution::Distribution;
use crate::groups::Grouping;
use crate::place::Place;
use crate::visits::Visits;
use crate::working::Working;

/// Sizes that are told apart: those of document 003's sweep are 10,000.
const SIZES_MOST: usize = 1 << 14;

/// All that was gathered of cycles.
pub(crate) struct Cycles {
    pub all: Distribution,
    /// By launch; as stage A.
    pub by_launch: Grouping,
    /// By bytes; as stage A.
    pub by_bytes: Grouping,
    pub visits: Visits,
}

impl Default for Cycles {
    fn default() -> Cycles {
        Cycles {
            all: Distribution::default(),
            by_launch: Grouping::new(256),
            by_bytes: Grouping::new(SIZES_MOST),
            visits: Visits::default(),
        }
    }
}

impl Cycles {
    /// Take in cycles of one block.
    pub fn add(
        &mut self,
        columns: &Columns,
        place: Place,
        blocks: &mut Blocks,
        working: &mut Working,
    ) {
        working.stages.fill(columns);
        working.cells.sort(columns, &[Field::Bytes]);
        for cell in 0..working.cells.len() {
            let first = working.cells.get(cell).first;
            let times = working.count_times(cell);
            let count = times.len() as u64;
            self.all.add_slice(times);
            self.by_launch.add((i64::from(place.launch), 0), count, &working.counted);
            let bytes = columns.at(Field::Bytes, first);
            if bytes != NULL {
                self.by_bytes.add((bytes, 0), count, &working.counted);
            }
            if let Some(block) = place.block {
                blocks.add_cycles(block, &working.counted);
                if bytes != NULL {
                    self.visits.add(bytes, block, &working.counted);
                }
            }
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Cycles) {
        self.all.merge(&other.all);
        self.by_launch.merge(other.by_launch);
        self.by_bytes.merge(other.by_bytes);
        self.visits.merge(other.visits);
    }
}
