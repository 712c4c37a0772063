//! What a batch is worked on with: memory that is used again for the next, so that nothing is
//! allocated anew.

use record::{Field, NULL};

use crate::cells::{Cell, Cells};
use crate::columns::Columns;
use crate::filter;
use crate::groups::Counted;
use crate::sends::LastSends;
use crate::stages::Stages;
use crate::tally::{FEW, Scratch};

/// Working memory of an accumulator.
#[derive(Default)]
pub(crate) struct Working {
    /// Stages of the rows at hand.
    pub stages: Stages,
    /// The rows sorted.
    pub cells: Cells,
    /// What was counted last: the rows as a whole, or a cell of them.
    pub counted: Counted,
    /// Values gathered, by stage.
    pub lanes: [Vec<i64>; 4],
    /// Times within a node.
    within: Vec<i64>,
    /// The last send of each pair in this batch.
    pub last_sends: LastSends,
    /// `ready` of each row, where the column is not there to be borrowed.
    pub ready: Vec<i64>,
    /// What sizes that are not told apart have in common, by row.
    pub size_keys: Vec<i64>,
    scratch: Scratch,
}

impl Working {
    /// A new batch begins: it does not follow on the last.
    pub fn begin_batch(&mut self) {
        self.last_sends.clear();
    }

    /// Count the stages of all rows. Rows within a node are told apart one by one, as they may be
    /// mixed.
    pub fn count_whole(&mut self, columns: &Columns) {
        for stage in 0..4 {
            let values = stage_values(&self.stages, stage, None, &mut self.lanes[stage]);
            self.counted[stage].fill(values, &mut self.scratch);
        }
        let local: Vec<i64> = match (columns.shared(Field::Src), columns.shared(Field::Dst)) {
            (Some(src), Some(dst)) if src == NULL || src != dst => Vec::new(),
            _ => {
                let times = self.stages.of[0].iter().enumerate();
                times
                    .filter(|&(row, &time)| time != NULL && within_node(columns, row))
                    .map(|(_, &time)| time)
                    .collect()
            }
        };
        self.counted[4].fill(&local, &mut self.scratch);
    }

    /// Count the stages of one cell. Cells that are not sorted by pair may mix rows within a node
    /// with others.
    pub fn count_cell(&mut self, cell: usize, columns: &Columns) {
        let Cell { rows, .. } = self.cells.get(cell);
        let Some(rows) = rows else { return self.count_whole(columns) };
        for stage in 0..4 {
            let values = stage_values(&self.stages, stage, Some(rows), &mut self.lanes[stage]);
            self.counted[stage].fill(values, &mut self.scratch);
        }
        let local = &mut self.within;
        local.clear();
        let whole = &self.stages.of[0];
        let within = rows.iter().map(|&row| row as usize).filter(|&row| within_node(columns, row));
        local.extend(within.map(|row| whole[row]).filter(|&time| time != NULL));
        self.counted[4].fill(local, &mut self.scratch);
    }

    /// Stages A to D of the cell that was counted last, where its rows are few.
    pub fn few_values(&self, cell: usize) -> Option<[&[i64]; 4]> {
        let few = self.cells.get(cell).rows.is_some_and(|rows| rows.len() < FEW);
        few.then(|| self.lanes.each_ref().map(Vec::as_slice))
    }

    /// Stages A to D of one cell, those that are missing left out.
    pub fn cell_values(&mut self, cell: usize) -> [&[i64]; 4] {
        let Cell { rows, .. } = self.cells.get(cell);
        let [a, b, c, d] = self.lanes.each_mut();
        [(0, a), (1, b), (2, c), (3, d)]
            .map(|(stage, kept)| stage_values(&self.stages, stage, rows, kept))
    }

    /// Count whole times alone, as cycles have no stages.
    pub fn count_times(&mut self, cell: usize) -> &[i64] {
        let Cell { rows, .. } = self.cells.get(cell);
        let times = stage_values(&self.stages, 0, rows, &mut self.lanes[0]);
        self.counted[0].fill(times, &mut self.scratch);
        self.counted[1..].iter_mut().for_each(|tally| tally.fill(&[], &mut self.scratch));
        times
    }
}

/// A stage's values in some rows (`None`: in all), those that are missing left out; as they are
/// where that is all of them.
pub(crate) fn stage_values<'a>(
    stages: &'a Stages,
    stage: usize,
    rows: Option<&[u32]>,
    kept: &'a mut Vec<i64>,
) -> &'a [i64] {
    let all = &stages.of[stage];
    kept.clear();
    match rows {
        None if stages.complete => return all,
        None => kept.extend(all.iter().filter(|&&value| value != NULL)),
        Some(rows) => {
            kept.extend(rows.iter().map(|&row| all[row as usize]).filter(|&value| value != NULL))
        }
    }
    kept
}

/// Whether a message's source is its destination: it has no `sent` and no `arrived`, and does not
/// lack them.
#[inline]
pub fn within_node(columns: &Columns, row: usize) -> bool {
    filter::within_node(columns.at(Field::Src, row), columns.at(Field::Dst, row))
}
