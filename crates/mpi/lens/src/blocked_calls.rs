//! The calls that were blocked, as the tables of a run have them.

use crate::found::{MessageLine, Wait, WorstWait};
use crate::{CallTables, LensError, function_name};
use calls::cause::Cause;
use calls::table::{WaitColumn, wait_columns_in_file};
use record::{NULL, SideReader};
use std::collections::HashMap;
use std::path::Path;

/// A call that was blocked, from when it was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedCall {
    pub rank: u32,
    /// Row of the rank's table of calls.
    pub call: i64,
    pub from_ns: i64,
    pub until_ns: i64,
    pub cause: Cause,
    /// The rank that it waited for.
    pub by: u32,
    /// The number in the list of functions of the collective, or of the other rank's call of
    /// one-sided communication.
    pub function: Option<i64>,
    /// The places of `rank` and of the other one.
    pub sites: [Option<i64>; 2],
    pub tag: Option<i64>,
    /// The message that it waited for.
    pub seq: Option<i64>,
    pub bytes: i64,
    pub ready_ns: Option<i64>,
    pub taken_ns: Option<i64>,
}

impl CallTables {
    /// Hand over all calls that were blocked, rank by rank.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn each_blocked(&self, mut each: impl FnMut(&BlockedCall)) -> Result<(), LensError> {
        self.waits().try_for_each(|(rank, path)| blocked_of(rank, path, &mut each))
    }
}

/// Those of one rank after the other, to be looked up call by call.
pub(crate) struct BlockedOf<'a> {
    tables: &'a CallTables,
    rank: Option<u32>,
    /// Of that rank, by the row of the call.
    calls: HashMap<i64, BlockedCall>,
}

impl<'a> BlockedOf<'a> {
    /// None read yet.
    pub fn new(tables: &'a CallTables) -> BlockedOf<'a> {
        BlockedOf { tables, rank: None, calls: HashMap::new() }
    }

    /// How the call of this row was blocked, if it was; ranks must not come in turns.
    pub fn at(&mut self, rank: u32, row: i64) -> Result<Option<&BlockedCall>, LensError> {
        if self.rank != Some(rank) {
            self.rank = Some(rank);
            self.calls.clear();
            let path = self.tables.waits().find(|(of, _)| *of == rank).map(|(_, path)| path);
            let calls = &mut self.calls;
            path.map_or(Ok(()), |path| {
                blocked_of(rank, path, |call| {
                    calls.insert(call.call, *call);
                })
            })?;
        }
        Ok(self.calls.get(&row))
    }
}

/// Those of one rank.
pub(crate) fn blocked_of(
    rank: u32,
    path: &Path,
    mut each: impl FnMut(&BlockedCall),
) -> Result<(), LensError> {
    let mut table = SideReader::open(path, &wait_columns_in_file()).map_err(LensError::Record)?;
    for group in 0..table.groups() {
        let columns = table.read(group).map_err(LensError::Record)?;
        let rows = 0..columns.first().map_or(0, Vec::len);
        let call = |row: usize| BlockedCall::of(rank, |column| columns[column as usize][row]);
        rows.filter_map(call).for_each(|call| each(&call));
    }
    Ok(())
}

impl BlockedCall {
    fn of(rank: u32, values: impl Fn(WaitColumn) -> i64) -> Option<BlockedCall> {
        let value = |column: WaitColumn| Some(values(column)).filter(|&value| value != NULL);
        Some(BlockedCall {
            rank,
            call: value(WaitColumn::Call)?,
            from_ns: value(WaitColumn::Enter)?,
            until_ns: value(WaitColumn::Until)?,
            cause: Cause::of(value(WaitColumn::Cause)?)?,
            by: u32::try_from(value(WaitColumn::By)?).ok()?,
            function: value(WaitColumn::Function),
            sites: [value(WaitColumn::Site), value(WaitColumn::OtherSite)],
            tag: value(WaitColumn::Tag),
            seq: value(WaitColumn::Seq),
            bytes: value(WaitColumn::Bytes).unwrap_or(0),
            ready_ns: value(WaitColumn::Ready),
            taken_ns: value(WaitColumn::Taken),
        })
    }

    /// How long it was blocked, ns.
    pub fn ns(&self) -> i64 {
        self.until_ns.saturating_sub(self.from_ns)
    }

    /// The cause as a wait.
    pub fn wait(&self) -> Wait {
        Wait::BLOCKING[self.cause as usize]
    }

    /// Source and destination of the message.
    pub(crate) fn way(&self) -> (u32, u32) {
        if self.cause == Cause::LateSender { (self.by, self.rank) } else { (self.rank, self.by) }
    }

    /// The places that sent and received the message.
    pub(crate) fn ends(&self) -> [Option<i64>; 2] {
        let [own, other] = self.sites;
        if self.cause == Cause::LateSender { [other, own] } else { [own, other] }
    }

    /// It as one of the longest waits.
    pub(crate) fn worst(&self) -> WorstWait {
        WorstWait {
            wait: self.wait(),
            rank: self.rank,
            by: self.by,
            from_ns: self.from_ns,
            waited_ns: self.ns(),
            error_ns: None,
            message: self.message(),
            tag: self.tag,
            collective: self.function.map(function_name),
            sites: self.sites,
            doing: Vec::new(),
        }
    }

    fn message(&self) -> Option<MessageLine> {
        let (src, dst) = self.way();
        Some(MessageLine {
            src,
            dst,
            seq: u64::try_from(self.seq?).ok()?,
            ready_ns: self.ready_ns?,
            taken_ns: self.taken_ns?,
            bytes: self.bytes.max(0).unsigned_abs(),
        })
    }
}
