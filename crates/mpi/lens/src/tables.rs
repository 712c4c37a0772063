//! The tables of calls of a run, and what is worked out of them.

use crate::BlockingCalls;
use crate::found::{Calls, WorstMessage};
use crate::functions::{functions, send_blocks};
use crate::{CallColumns, CallTally, LensError};
use calls::table::{CallColumn, calls_file, columns_in_file};
use record::{Run, SideReader};
use std::path::{Path, PathBuf};
use std::thread::ScopedJoinHandle;

/// The tables of a run.
pub struct CallTables {
    /// Rank and file, in the order of ranks.
    files: Vec<(u32, PathBuf)>,
}

/// Some columns of a row group of a rank's table.
pub(crate) struct Group {
    pub rank: u32,
    /// The number of its first row.
    pub first: u64,
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
        let file = |(launch, node): (u32, &record::NodeInfo)| {
            (node.node, run.path().join(calls_file(launch, node.node)))
        };
        CallTables { files: run.info.nodes().map(file).filter(|(_, path)| path.exists()).collect() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Which calls block their rank.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn blocking(&self) -> Result<BlockingCalls, LensError> {
        let mut all = BlockingCalls::default();
        self.each_group(&[CallColumn::Call], |group| {
            let codes = group.column(CallColumn::Call);
            all.add(group.rank, group.first, codes.iter().map(|code| send_blocks(*code)));
            Ok::<(), LensError>(())
        })?;
        Ok(all)
    }

    /// What ranks and functions took, and what ranks did while the worst messages were under way. A
    /// thread takes every so-many-th rank.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn tally(&self, worst: &mut [WorstMessage]) -> Result<Calls, LensError> {
        let threads = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .clamp(1, self.files.len().max(1));
        let shared = &*worst;
        let parts: Vec<Result<CallTally, LensError>> = std::thread::scope(|scope| {
            let some = |thread| scope.spawn(move || self.tally_some(thread, threads, shared));
            let handles: Vec<_> = (0..threads).map(some).collect();
            let joined = |handle: ScopedJoinHandle<'_, Result<CallTally, LensError>>| {
                handle.join().unwrap_or(Err(LensError::Panicked))
            };
            handles.into_iter().map(joined).collect()
        });
        let mut whole = CallTally::new(functions(), worst);
        for part in parts {
            whole.merge(part?);
        }
        Ok(whole.finish(worst))
    }

    fn tally_some(
        &self,
        first: usize,
        step: usize,
        worst: &[WorstMessage],
    ) -> Result<CallTally, LensError> {
        let mut tally = CallTally::new(functions(), worst);
        for (rank, path) in self.files.iter().skip(first).step_by(step) {
            groups_of(*rank, path, TALLIED, |group| {
                tally.add(*rank, &tallied(group));
                Ok::<(), LensError>(())
            })?;
        }
        Ok(tally)
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
    let mut first = 0;
    for group in 0..table.groups() {
        let read = table.read(group).map_err(failed)?;
        let columns = columns.iter().copied().zip(read).collect();
        each(&Group { rank, first, columns })?;
        first += table.group_rows(group) as u64;
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
