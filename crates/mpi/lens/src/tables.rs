//! The tables of calls of a run, and what is worked out of them.

use crate::blocked_calls::BlockedInOrder;
use crate::cores::{Piece, on_all_cores};
use crate::found::{Calls, WorstWait};
use crate::functions::functions;
use crate::{CallColumns, CallTally, Function, LensError, tally};
use calls::table::{CallColumn, calls_file, columns_in_file, waits_file};
use record::{Run, SideReader};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The tables of a run.
pub struct CallTables {
    /// Rank and file, in the order of ranks.
    files: Vec<(u32, PathBuf)>,
    /// The tables of blocked calls.
    waits: Vec<(u32, PathBuf)>,
}

/// Some columns of a row group of a rank's table.
pub(crate) struct Group {
    pub rank: u32,
    columns: Vec<(CallColumn, Vec<i64>)>,
}

/// What a tally reads.
const TALLIED: &[CallColumn] = &[
    CallColumn::Enter,
    CallColumn::Exit,
    CallColumn::Call,
    CallColumn::Communicator,
    CallColumn::Bytes,
    CallColumn::Polls,
    CallColumn::Site,
    CallColumn::Thread,
];

impl CallTables {
    /// Those that the run has.
    pub fn of(run: &Run) -> CallTables {
        let those = |name: fn(u32, u32) -> String| {
            let file = |(launch, node): (u32, &record::NodeInfo)| {
                (node.node, run.path().join(name(launch, node.node)))
            };
            run.info.nodes().map(file).filter(|(_, path)| path.exists()).collect()
        };
        CallTables { files: those(calls_file), waits: those(waits_file) }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The table of blocked calls of each rank that has one.
    pub(crate) fn waits(&self) -> impl Iterator<Item = (u32, &Path)> {
        self.waits.iter().map(|(rank, path)| (*rank, path.as_path()))
    }

    /// Whether there is an account of blocked calls.
    pub fn has_waits(&self) -> bool {
        !self.waits.is_empty()
    }

    /// What ranks and functions took, and what ranks did during the longest waits. A
    /// thread takes every so-many-th rank.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn tally(&self, worst: &mut [WorstWait]) -> Result<Calls, LensError> {
        let shared = &*worst;
        let parts =
            on_all_cores(self.files.len(), |first, step| self.tally_some(first, step, shared))?;
        let mut whole = CallTally::new(functions(), worst);
        for part in parts {
            whole.merge(part);
        }
        Ok(whole.finish(worst))
    }

    fn tally_some(
        &self,
        first: usize,
        step: usize,
        worst: &[WorstWait],
    ) -> Result<CallTally, LensError> {
        let mut tally = CallTally::new(functions(), worst);
        for (rank, path) in self.files.iter().skip(first).step_by(step) {
            let waits = self.waits().find(|(of, _)| of == rank).map(|(_, path)| path);
            let mut blocked = BlockedInOrder::of(*rank, waits)?;
            let mut before = 0;
            groups_of(*rank, path, TALLIED, |group| {
                tally.add(*rank, &tallied(group));
                let after = before + group.rows() as i64;
                let (site, function) =
                    (group.column(CallColumn::Site), group.column(CallColumn::Call));
                while let Some(call) = blocked.next_before(after)? {
                    let row = (call.call - before).max(0) as usize;
                    tally.add_blocked_at(site[row], function[row], &call);
                    tally.add_blocked(&call);
                }
                before = after;
                Ok::<(), LensError>(())
            })?;
        }
        Ok(tally)
    }

    /// The ranks that have a table of calls.
    pub(crate) fn ranks(&self) -> impl Iterator<Item = u32> {
        self.files.iter().map(|(rank, _)| *rank)
    }

    /// Hand over the calls of a piece of one rank's table.
    pub(crate) fn each_row_of(
        &self,
        (rank, piece): (u32, Piece),
        names: &[Function],
        mut each: impl FnMut(&tally::CallRow),
    ) -> Result<(), LensError> {
        let file = self.files.iter().find(|(of, _)| *of == rank);
        let Some((_, path)) = file else { return Ok(()) };
        let some = |all| piece.groups(all);
        some_groups_of((rank, path), some, TALLIED, |group| {
            let columns = tallied(group);
            let rows = (0..group.rows()).filter_map(|at| tally::row(names, &columns, at));
            rows.for_each(|call| each(&call));
            Ok(())
        })
    }

    /// These columns of one row of a rank's table; empty where there is no such row.
    pub(crate) fn row_of(
        &self,
        rank: u32,
        row: i64,
        columns: &[CallColumn],
    ) -> Result<Vec<i64>, LensError> {
        let file = self.files.iter().find(|(of, _)| *of == rank);
        let (Some((_, path)), Ok(mut row)) = (file, usize::try_from(row)) else {
            return Ok(Vec::new());
        };
        let mut table =
            SideReader::open(path, &columns_in_file(columns)).map_err(LensError::Record)?;
        for group in 0..table.groups() {
            let rows = table.group_rows(group);
            if row < rows {
                let read = table.read(group).map_err(LensError::Record)?;
                return Ok(read.iter().map(|column| column[row]).collect());
            }
            row -= rows;
        }
        Ok(Vec::new())
    }

    /// Hand over all row groups of all ranks, with these columns.
    pub(crate) fn each_group<E: From<LensError>>(
        &self,
        columns: &[CallColumn],
        mut each: impl FnMut(&Group) -> Result<(), E>,
    ) -> Result<(), E> {
        self.files.iter().try_for_each(|(rank, path)| groups_of(*rank, path, columns, &mut each))
    }
}

fn groups_of<E: From<LensError>>(
    rank: u32,
    path: &Path,
    columns: &[CallColumn],
    each: impl FnMut(&Group) -> Result<(), E>,
) -> Result<(), E> {
    some_groups_of((rank, path), |all| 0..all, columns, each)
}

/// The row groups that `some` names, of how many there are.
fn some_groups_of<E: From<LensError>>(
    (rank, path): (u32, &Path),
    some: impl FnOnce(usize) -> Range<usize>,
    columns: &[CallColumn],
    mut each: impl FnMut(&Group) -> Result<(), E>,
) -> Result<(), E> {
    let failed = |error| E::from(LensError::Record(error));
    let mut table = SideReader::open(path, &columns_in_file(columns)).map_err(failed)?;
    for group in some(table.groups()) {
        let read = table.read(group).map_err(failed)?;
        let columns = columns.iter().copied().zip(read).collect();
        each(&Group { rank, columns })?;
    }
    Ok(())
}

fn tallied(group: &Group) -> CallColumns<'_> {
    CallColumns {
        enter: group.column(CallColumn::Enter),
        exit: group.column(CallColumn::Exit),
        call: group.column(CallColumn::Call),
        communicator: group.column(CallColumn::Communicator),
        bytes: group.column(CallColumn::Bytes),
        polls: group.column(CallColumn::Polls),
        site: group.column(CallColumn::Site),
        thread: group.column(CallColumn::Thread),
    }
}

impl Group {
    /// A column that was asked for.
    pub fn column(&self, wanted: CallColumn) -> &[i64] {
        let found = self.columns.iter().find(|(column, _)| *column == wanted);
        found.map_or(&[], |(_, values)| values)
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, values)| values.len())
    }
}
