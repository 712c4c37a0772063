//! The calls that were blocked, as the tables of a run have them.

use crate::cores::{on_all_cores, pieces};
use crate::found::{MessageLine, Wait, WorstWait};
use crate::{CallTables, LensError, function_name};
use calls::cause::Cause;
use calls::table::{WAIT_COLUMNS, WaitColumn};
use record::{NULL, SideBatch, SideReader, Values};
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

    /// The same on all cores, with these columns alone (see [`IDENTITY`]): what each core made of
    /// the calls that it had, from `new` on. The calls of a rank come in the table's order, if
    /// those of the first core are put before those of the next.
    pub(crate) fn on_all_cores<T: Send>(
        &self,
        columns: &[WaitColumn],
        new: impl Fn() -> T + Sync,
        each: impl Fn(&mut T, &BlockedCall) + Sync,
    ) -> Result<Vec<T>, LensError> {
        let tables: Vec<(u32, &Path)> = self.waits().collect();
        let pieces: Vec<_> = pieces(&tables).collect();
        let some = |first: usize, step: usize| {
            let mut made = new();
            for ((rank, path), piece) in pieces.iter().skip(first).step_by(step) {
                let mut table = Blocked::open(*rank, path, columns)?;
                for group in piece.groups(table.groups()) {
                    table.read(group)?.for_each(|call| each(&mut made, &call));
                }
            }
            Ok(made)
        };
        on_all_cores(pieces.len(), some)
    }
}

/// The columns without which there is no blocked call. Others that are not read are none.
pub(crate) const IDENTITY: [WaitColumn; 5] =
    [WaitColumn::Call, WaitColumn::Enter, WaitColumn::Until, WaitColumn::Cause, WaitColumn::By];

/// A rank's table of blocked calls, of which some columns are read.
struct Blocked {
    rank: u32,
    table: SideReader,
    batch: SideBatch,
    /// Where a column is among those that are read.
    places: [Option<usize>; WAIT_COLUMNS.len()],
}

impl Blocked {
    fn open(rank: u32, path: &Path, columns: &[WaitColumn]) -> Result<Blocked, LensError> {
        let in_file: Vec<_> = columns.iter().map(|column| column.in_file()).collect();
        let table = SideReader::open(path, &in_file).map_err(LensError::Record)?;
        let mut places = [None; WAIT_COLUMNS.len()];
        columns.iter().enumerate().for_each(|(at, column)| places[*column as usize] = Some(at));
        Ok(Blocked { rank, table, batch: SideBatch::default(), places })
    }

    fn groups(&self) -> usize {
        self.table.groups()
    }

    /// Whether a call of the group may have this value in a column.
    fn may_have(&self, group: usize, column: WaitColumn, value: i64) -> bool {
        self.places[column as usize].is_none_or(|at| self.table.may_have(group, at, value))
    }

    /// The least row of a call that a group has. Where that is not known, the group is read before
    /// all others.
    fn least_call(&self, group: usize) -> i64 {
        let least = self.places[WaitColumn::Call as usize].map(|at| self.table.least(group, at));
        least.flatten().unwrap_or(i64::MIN)
    }

    /// Those of a row group.
    fn read(&mut self, group: usize) -> Result<impl Iterator<Item = BlockedCall> + '_, LensError> {
        let rank = self.rank;
        self.read_as(group, move |columns, row| {
            BlockedCall::of(rank, |column| columns[column as usize].at(row))
        })
    }

    /// The same, as they wait for their turn.
    fn read_pending(
        &mut self,
        group: usize,
    ) -> Result<impl Iterator<Item = Pending> + '_, LensError> {
        self.read_as(group, |columns, row| Pending::of(|column| columns[column as usize].at(row)))
    }

    fn read_as<T>(
        &mut self,
        group: usize,
        of: impl Fn(&[Values; WAIT_COLUMNS.len()], usize) -> Option<T>,
    ) -> Result<impl Iterator<Item = T>, LensError> {
        let Blocked { table, batch, places, .. } = self;
        table.read_into(group, batch).map_err(LensError::Record)?;
        let column = |place: Option<usize>| place.map_or(Values::Absent, |at| batch.column(at));
        let columns = places.map(column);
        Ok((0..batch.rows()).filter_map(move |row| of(&columns, row)))
    }
}

/// Those of one rank in the order of its calls.
///
/// The table has them in the order in which they ended, which is the same but for calls of several
/// threads: so few row groups must be in memory at once.
pub(crate) struct BlockedInOrder {
    table: Option<Blocked>,
    /// For each group the least row of a call that it or a later one has.
    least: Vec<i64>,
    /// Groups read.
    read: usize,
    rank: u32,
    /// What was read, in order.
    pending: Vec<Pending>,
    /// How many of those were handed over.
    handed: usize,
}

/// One that waits for its turn: what its table is read for here, for millions may wait.
#[derive(Clone, Copy)]
struct Pending {
    call: i64,
    from_ns: i64,
    until_ns: i64,
    function: Option<i64>,
    by: u32,
    cause: Cause,
}

impl BlockedInOrder {
    /// Those of the table at `path`, with their functions; none without one.
    pub fn of(rank: u32, path: Option<&Path>) -> Result<BlockedInOrder, LensError> {
        let columns: Vec<_> = IDENTITY.into_iter().chain([WaitColumn::Function]).collect();
        let table = path.map(|path| Blocked::open(rank, path, &columns)).transpose()?;
        let least_calls =
            |table: &Blocked| (0..table.groups()).map(|at| table.least_call(at)).collect();
        let mut least: Vec<i64> = table.as_ref().map(least_calls).unwrap_or_default();
        for group in (1..least.len()).rev() {
            least[group - 1] = least[group - 1].min(least[group]);
        }
        Ok(BlockedInOrder { table, least, read: 0, rank, pending: Vec::new(), handed: 0 })
    }

    /// Hand over the next ones that are before the call of row `end`.
    pub fn each_before(
        &mut self,
        end: i64,
        mut each: impl FnMut(&BlockedCall),
    ) -> Result<(), LensError> {
        loop {
            let unread = self.least.get(self.read).copied().unwrap_or(i64::MAX);
            let pending = &self.pending[self.handed..];
            let due = pending.partition_point(|call| call.call < end.min(unread));
            pending[..due].iter().for_each(|pending| each(&pending.call(self.rank)));
            self.handed += due;
            if unread >= end {
                return Ok(());
            }
            self.read_group()?;
        }
    }

    fn read_group(&mut self) -> Result<(), LensError> {
        let Some(table) = &mut self.table else { return Ok(()) };
        self.pending.drain(..self.handed);
        self.handed = 0;
        self.pending.extend(table.read_pending(self.read)?);
        self.read += 1;
        self.pending.sort_unstable_by_key(|call| call.call);
        Ok(())
    }
}

impl Pending {
    #[inline]
    fn of(values: impl Fn(WaitColumn) -> i64) -> Option<Pending> {
        let value = |column| known(values(column));
        Some(Pending {
            call: value(WaitColumn::Call)?,
            from_ns: value(WaitColumn::Enter)?,
            until_ns: value(WaitColumn::Until)?,
            function: value(WaitColumn::Function),
            by: u32::try_from(value(WaitColumn::By)?).ok()?,
            cause: Cause::of(value(WaitColumn::Cause)?)?,
        })
    }

    fn call(self, rank: u32) -> BlockedCall {
        let Pending { call, from_ns, until_ns, function, by, cause } = self;
        let without = BlockedCall::without_message(rank, call, [from_ns, until_ns], (cause, by));
        BlockedCall { function, ..without }
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
    let mut table = Blocked::open(rank, path, WAIT_COLUMNS)?;
    for group in 0..table.groups() {
        table.read(group)?.for_each(|call| each(&call));
    }
    Ok(())
}

/// Those of one rank that were blocked for messages of this number. Only row groups that may have
/// one are read.
pub(crate) fn blocked_for(
    rank: u32,
    path: &Path,
    seq: i64,
    mut each: impl FnMut(&BlockedCall),
) -> Result<(), LensError> {
    let mut table = Blocked::open(rank, path, WAIT_COLUMNS)?;
    for group in 0..table.groups() {
        if table.may_have(group, WaitColumn::Seq, seq) {
            table.read(group)?.filter(|call| call.seq == Some(seq)).for_each(|call| each(&call));
        }
    }
    Ok(())
}

/// A value that is not null.
#[inline]
fn known(value: i64) -> Option<i64> {
    Some(value).filter(|value| *value != NULL)
}

impl BlockedCall {
    #[inline]
    fn of(rank: u32, values: impl Fn(WaitColumn) -> i64) -> Option<BlockedCall> {
        let value = |column| known(values(column));
        Some(BlockedCall {
            sites: [value(WaitColumn::Site), value(WaitColumn::OtherSite)],
            tag: value(WaitColumn::Tag),
            seq: value(WaitColumn::Seq),
            bytes: value(WaitColumn::Bytes).unwrap_or(0),
            ready_ns: value(WaitColumn::Ready),
            taken_ns: value(WaitColumn::Taken),
            ..Pending::of(&values)?.call(rank)
        })
    }

    /// One of which neither the places are known, nor a message that it waited for. From when until
    /// when it was blocked, for what cause, and by whom.
    pub fn without_message(
        rank: u32,
        call: i64,
        [from_ns, until_ns]: [i64; 2],
        (cause, by): (Cause, u32),
    ) -> BlockedCall {
        BlockedCall {
            rank,
            call,
            from_ns,
            until_ns,
            cause,
            by,
            function: None,
            sites: [None; 2],
            tag: None,
            seq: None,
            bytes: 0,
            ready_ns: None,
            taken_ns: None,
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use calls::table::wait_columns_in_file;
    use record::SideWriter;

    /// A table with these calls, four to a row group.
    fn table(path: &Path, calls: &[i64]) {
        let columns = wait_columns_in_file();
        let mut writer = SideWriter::create(path, &columns, 0, 0).unwrap().with_group_rows(4);
        for call in calls {
            let mut row = [NULL; WAIT_COLUMNS.len()];
            let mut put = |column: WaitColumn, value: i64| row[column as usize] = value;
            put(WaitColumn::Call, *call);
            put(WaitColumn::Enter, call * 10);
            put(WaitColumn::Until, call * 10 + 5);
            put(WaitColumn::Cause, 0);
            put(WaitColumn::By, 1);
            writer.push(&row).unwrap();
        }
        writer.finish().unwrap();
    }

    #[test]
    fn blocked_calls_come_in_the_order_of_calls_and_few_are_held() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("waits.parquet");
        let calls = [0, 1, 2, 3, 9, 5, 4, 8, 7, 6, 12, 11, 10, 13, 14, 15, 16, 17];
        table(&path, &calls);
        let mut blocked = BlockedInOrder::of(0, Some(&path)).unwrap();
        let mut found = Vec::new();
        for end in [0, 2, 3, 10, 10, 18] {
            blocked.each_before(end, |call| found.push(call.call)).unwrap();
            assert!(found.iter().all(|call| *call < end), "{found:?}");
            assert!(blocked.pending.len() <= 8, "{} are held", blocked.pending.len());
        }
        assert_eq!(found, (0..18).collect::<Vec<_>>());
        let none = |call: &BlockedCall| panic!("{call:?}");
        BlockedInOrder::of(0, None).unwrap().each_before(9, none).unwrap();
    }
}
