//! The tables of calls of a run, and what is worked out of them.

use crate::blocked_calls::BlockedInOrder;
use crate::cores::on_all_cores;
use crate::found::{Calls, WorstWait};
use crate::functions::functions;
use crate::tally::CallRow;
use crate::{CallColumns, CallTally, LensError};
use calls::table::{CallColumn, calls_file, columns_in_file, waits_file};
use record::{Run, SideBatch, SideReader, Values};
use std::path::{Path, PathBuf};

/// The tables of a run.
pub struct CallTables {
    /// Rank and file, in the order of ranks.
    files: Vec<(u32, PathBuf)>,
    /// The tables of blocked calls.
    waits: Vec<(u32, PathBuf)>,
}

/// Some columns of a row group of a rank's table.
pub(crate) struct Group<'a> {
    pub rank: u32,
    columns: &'a [CallColumn],
    batch: &'a SideBatch,
}

/// What takes in the calls of a rank beside the tally, so that they are read once.
pub(crate) trait Beside: Send {
    fn add(&mut self, call: &CallRow);
}

impl Beside for () {
    #[inline]
    fn add(&mut self, _: &CallRow) {}
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

    /// What ranks and functions took, and what ranks did during the longest waits; and of each
    /// rank what `beside` gives for it, which has seen its calls. A thread takes every so-many-th
    /// rank.
    ///
    /// # Errors
    /// When a table is damaged.
    pub(crate) fn tally<B: Beside>(
        &self,
        worst: &mut [WorstWait],
        beside: impl Fn(u32) -> B + Sync,
    ) -> Result<(Calls, Vec<(u32, B)>), LensError> {
        let shared = &*worst;
        let some = |first, step| self.tally_some((first, step), shared, &beside);
        let parts = on_all_cores(self.files.len(), some)?;
        let (mut whole, mut all) = (CallTally::new(functions(), worst), Vec::new());
        for (part, beside) in parts {
            whole.merge(part);
            all.extend(beside);
        }
        Ok((whole.finish(worst), all))
    }

    fn tally_some<B: Beside>(
        &self,
        (first, step): (usize, usize),
        worst: &[WorstWait],
        beside: impl Fn(u32) -> B,
    ) -> Result<(CallTally, Vec<(u32, B)>), LensError> {
        let (mut tally, mut all) = (CallTally::new(functions(), worst), Vec::new());
        for (rank, path) in self.files.iter().skip(first).step_by(step) {
            let waits = self.waits().find(|(of, _)| of == rank).map(|(_, path)| path);
            let mut blocked = BlockedInOrder::of(*rank, waits)?;
            let mut beside = beside(*rank);
            let mut before = 0;
            groups_of(*rank, path, TALLIED, |group| {
                tally.add_each(*rank, &tallied(group), |call| beside.add(call));
                let after = before + group.rows() as i64;
                let (site, function) =
                    (group.column(CallColumn::Site), group.column(CallColumn::Call));
                blocked.each_before(after, |call| {
                    let row = (call.call - before).max(0) as usize;
                    tally.add_blocked_at(site.at(row), function.at(row), call);
                    tally.add_blocked(call);
                })?;
                before = after;
                Ok::<(), LensError>(())
            })?;
            all.push((*rank, beside));
        }
        Ok((tally, all))
    }

    /// The ranks that have a table of calls.
    pub(crate) fn ranks(&self) -> impl Iterator<Item = u32> {
        self.files.iter().map(|(rank, _)| *rank)
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
    mut each: impl FnMut(&Group) -> Result<(), E>,
) -> Result<(), E> {
    let failed = |error| E::from(LensError::Record(error));
    let mut table = SideReader::open(path, &columns_in_file(columns)).map_err(failed)?;
    let mut batch = SideBatch::default();
    for group in 0..table.groups() {
        table.read_into(group, &mut batch).map_err(failed)?;
        each(&Group { rank, columns, batch: &batch })?;
    }
    Ok(())
}

fn tallied<'a>(group: &Group<'a>) -> CallColumns<'a> {
    CallColumns {
        rows: group.rows(),
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

impl<'a> Group<'a> {
    /// A column that was asked for.
    pub fn column(&self, wanted: CallColumn) -> Values<'a> {
        let at = self.columns.iter().position(|column| *column == wanted);
        at.map_or(Values::Absent, |at| self.batch.column(at))
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.batch.rows()
    }
}
