//! What is gathered of messages: stages, groups, shares, sends, queue lengths, the timeline, the slowest.

use record::{Field, How, NULL, Values};

use crate::accumulator::Place;
use crate::analysis::{Anomalies, By};
use crate::blocks::Blocks;
use crate::cells::{Cell, Cells};
use crate::columns::Columns;
use crate::distribution::Distribution;
use crate::groups::{Counted, Grouping, Key};
use crate::sends::{LastSends, Sends};
use crate::series::Series;
use crate::shares::Shares;
use crate::slowest::Slowest;
use crate::stages::Stages;
use crate::tally::Scratch;

/// What messages are grouped by, the columns that this takes, and how many groups are kept.
pub(crate) const GROUPINGS: [(By, &[Field], usize); 6] = [
    (By::Hops, &[Field::Hops], 64),
    (By::Packets, &[Field::Packets], 128),
    (By::Bytes, &[Field::Bytes], 512),
    (By::Pair, &[Field::Src, Field::Dst], 64),
    (By::Kind, &[Field::Kind], 16),
    (By::Launch, &[], 256),
];

/// Where sizes are among the groupings.
pub(crate) const BYTES: usize = 2;
/// Where launches are among the groupings.
pub(crate) const LAUNCH: usize = 5;

/// Columns of small whole numbers, in the order of [`Messages::counts`].
pub(crate) const COUNTS: [Field; 3] = [Field::QueueLength, Field::InFlight, Field::OnNodeWaited];

/// All that was gathered of messages.
pub(crate) struct Messages {
    pub count: u64,
    /// First `ready` and last `taken`; the first is after the last when there are none.
    pub span: (i64, i64),
    pub anomalies: Anomalies,
    pub stages: [Distribution; 4],
    pub groupings: [Grouping; 6],
    pub shares: Shares,
    pub counts: [Distribution; 3],
    pub sends: Sends,
    pub series: Series,
    pub slowest: Slowest,
    clock_error_ns: i64,
}

/// What is worked with from batch to batch, so that nothing is allocated anew.
#[derive(Default)]
pub(crate) struct Working {
    pub stages: Stages,
    pub cells: Cells,
    pub scratch: Scratch,
    pub counted: Counted,
    pub lanes: [Vec<i64>; 4],
    last_sends: LastSends,
    ready: Vec<i64>,
}

/// Fewer rows a cell than this on average, and each grouping sorts by itself: a column with a value of its own on every row
/// would otherwise make all groupings dear.
const ROWS_A_CELL: usize = 64;
/// So few cells are cheap however few their rows.
const CELLS_CHEAP: usize = 8;

impl Working {
    /// A new batch begins: it does not follow on the last.
    pub fn begin_batch(&mut self) {
        self.last_sends.clear();
    }

    /// Count the stages of a cell's rows.
    fn count(&mut self, cell: usize, columns: &Columns) {
        let Cell { first, rows } = self.cells.get(cell);
        let within_node = within_node(columns, first);
        for stage in 0..4 {
            let values = stage_values(&self.stages, stage, rows, &mut self.lanes[stage]);
            self.counted[stage].fill(values, &mut self.scratch);
        }
        let local: &[i64] =
            if within_node { stage_values(&self.stages, 0, rows, &mut self.lanes[0]) } else { &[] };
        self.counted[4].fill(local, &mut self.scratch);
    }
}

/// A stage's values in some rows, those that are missing left out; as they are where that is all of them.
pub(crate) fn stage_values<'a>(
    stages: &'a Stages,
    stage: usize,
    rows: Option<&[u32]>,
    kept: &'a mut Vec<i64>,
) -> &'a [i64] {
    let all = &stages.of[stage];
    match rows {
        None if stages.complete => return all,
        None => {
            kept.clear();
            kept.extend(all.iter().filter(|&&value| value != NULL));
        }
        Some(rows) => {
            kept.clear();
            kept.extend(rows.iter().map(|&row| all[row as usize]).filter(|&value| value != NULL));
        }
    }
    kept
}

impl Messages {
    /// Nothing yet.
    pub fn new(slowest: usize, clock_error_ns: i64) -> Messages {
        Messages {
            count: 0,
            span: (i64::MAX, i64::MIN),
            anomalies: Anomalies::default(),
            stages: Default::default(),
            groupings: GROUPINGS.map(|(_, _, cap)| Grouping::new(cap)),
            shares: Shares::default(),
            counts: Default::default(),
            sends: Sends::default(),
            series: Series::default(),
            slowest: Slowest::new(slowest),
            clock_error_ns,
        }
    }

    /// Take in messages of one block; there is at least one.
    pub fn add(&mut self, columns: &Columns, place: Place, blocks: &mut Blocks, working: &mut Working) {
        self.count += columns.rows() as u64;
        working.stages.fill(columns);
        self.add_groups(columns, place, blocks, working);
        self.add_anomalies(columns, &working.stages);
        self.add_shares(working);
        self.add_counts(columns, &mut working.lanes[0]);
        self.sends.add(columns, &mut working.last_sends);
        self.add_timeline(columns, working);
        let max = working.stages.of[0].iter().fold(NULL, |max, &time| max.max(time));
        self.slowest.add(place.launch, columns, &working.stages, max);
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Messages) {
        self.count += other.count;
        self.span = (self.span.0.min(other.span.0), self.span.1.max(other.span.1));
        self.anomalies.merge(&other.anomalies);
        self.stages.iter_mut().zip(&other.stages).for_each(|(mine, theirs)| mine.merge(theirs));
        self.groupings.iter_mut().zip(other.groupings).for_each(|(mine, theirs)| mine.merge(theirs));
        self.shares.merge(&other.shares);
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| mine.merge(theirs));
        self.sends.merge(&other.sends);
        self.series.merge(&other.series);
        self.slowest.merge(other.slowest);
    }

    fn add_groups(&mut self, columns: &Columns, place: Place, blocks: &mut Blocks, working: &mut Working) {
        working
            .cells
            .sort(columns, &[Field::Src, Field::Dst, Field::Kind, Field::Bytes, Field::Hops, Field::Packets]);
        let cells = working.cells.len();
        if cells <= CELLS_CHEAP || cells * ROWS_A_CELL <= columns.rows() {
            self.add_cells(columns, place, Some(blocks), working, &[0, 1, 2, 3, 4, 5]);
        } else {
            working.cells.sort(columns, &[]);
            self.add_cells(columns, place, Some(blocks), working, &[LAUNCH]);
            for (at, (_, lanes, _)) in GROUPINGS.iter().enumerate().take(LAUNCH) {
                working.cells.sort(columns, lanes);
                self.add_cells(columns, place, None, working, &[at]);
            }
        }
    }

    /// Hand each cell to some groupings and, with `blocks`, to the block and the whole.
    fn add_cells(
        &mut self,
        columns: &Columns,
        place: Place,
        mut blocks: Option<&mut Blocks>,
        working: &mut Working,
        groupings: &[usize],
    ) {
        for cell in 0..working.cells.len() {
            working.count(cell, columns);
            let Cell { first, rows } = working.cells.get(cell);
            let messages = rows.map_or(columns.rows(), <[u32]>::len) as u64;
            for &at in groupings {
                if let Some(key) = key(GROUPINGS[at].0, columns, first, place) {
                    self.groupings[at].add(key, messages, &working.counted);
                }
            }
            let Some(blocks) = blocks.as_deref_mut() else { continue };
            if let Some(block) = place.block {
                blocks.add_messages(block, &working.counted);
            }
            for stage in 0..4 {
                let values = stage_values(&working.stages, stage, rows, &mut working.lanes[stage]);
                self.stages[stage].add_known(values, working.counted[stage].moments());
                self.anomalies.negative[stage] += working.counted[stage].negatives().len() as u64;
            }
        }
    }

    fn add_anomalies(&mut self, columns: &Columns, stages: &Stages) {
        match columns.shared(Field::ArrivedHow) {
            Some(how) => self.anomalies.count_how(how, columns.rows() as u64),
            None => (0..columns.rows())
                .for_each(|row| self.anomalies.count_how(columns.at(Field::ArrivedHow, row), 1)),
        }
        if !stages.complete {
            (0..columns.rows()).for_each(|row| self.anomalies.count_missing(columns, row));
        }
        if self.clock_error_ns > 0 {
            let error = self.clock_error_ns.unsigned_abs();
            let within = |time: &&i64| time.unsigned_abs() < error;
            self.anomalies.within_clock_error += stages.of[2].iter().filter(within).count() as u64;
        }
    }

    fn add_shares(&mut self, working: &mut Working) {
        let stages = &working.stages;
        if stages.complete {
            return self.shares.add(stages.of.each_ref().map(Vec::as_slice));
        }
        let whole = |row: &usize| stages.of.iter().all(|stage| stage[*row] != NULL);
        let rows: Vec<usize> = (0..stages.of[0].len()).filter(whole).collect();
        for (kept, stage) in working.lanes.iter_mut().zip(&stages.of) {
            kept.clear();
            kept.extend(rows.iter().map(|&row| stage[row]));
        }
        self.shares.add(working.lanes.each_ref().map(Vec::as_slice));
    }

    fn add_counts(&mut self, columns: &Columns, kept: &mut Vec<i64>) {
        for (distribution, lane) in self.counts.iter_mut().zip(COUNTS) {
            match columns.column(lane) {
                Values::Absent | Values::Constant(NULL) => {}
                Values::Constant(value) => distribution.add_times(value, columns.rows() as u64),
                Values::Each(each) if each.contains(&NULL) => {
                    kept.clear();
                    kept.extend(each.iter().filter(|&&value| value != NULL));
                    distribution.add_slice(kept);
                }
                Values::Each(each) => distribution.add_slice(each),
            }
        }
    }

    fn add_timeline(&mut self, columns: &Columns, working: &mut Working) {
        let ready = match columns.column(Field::ReadyNs) {
            Values::Each(each) => each,
            _ => {
                working.ready.clear();
                working.ready.resize(columns.rows(), columns.at(Field::ReadyNs, 0));
                &working.ready
            }
        };
        self.series.add(ready, &working.stages.of[0]);
        let first = ready.iter().filter(|&&at| at != NULL).fold(i64::MAX, |first, &at| first.min(at));
        let last = match columns.column(Field::TakenNs) {
            // A stamp that is missing is the smallest of all values, so it is never the last.
            Values::Each(each) => each.iter().fold(NULL, |last, &at| last.max(at)),
            _ => columns.at(Field::TakenNs, 0),
        };
        self.span = (self.span.0.min(first), self.span.1.max(last));
    }
}

/// The group that a row belongs to; `None` where it lacks the column.
fn key(by: By, columns: &Columns, row: usize, place: Place) -> Option<Key> {
    let value = |lane| Some(columns.at(lane, row)).filter(|&value| value != NULL);
    match by {
        By::Hops => Some((value(Field::Hops)?, 0)),
        By::Packets => Some((value(Field::Packets)?, 0)),
        By::Bytes => Some((value(Field::Bytes)?, 0)),
        By::Pair => Some((value(Field::Src)?, value(Field::Dst)?)),
        By::Kind => Some((value(Field::Kind)?, 0)),
        By::Launch => Some((i64::from(place.launch), 0)),
    }
}

fn within_node(columns: &Columns, row: usize) -> bool {
    let src = columns.at(Field::Src, row);
    src != NULL && src == columns.at(Field::Dst, row)
}

impl Anomalies {
    fn merge(&mut self, other: &Anomalies) {
        self.negative.iter_mut().zip(other.negative).for_each(|(mine, theirs)| *mine += theirs);
        self.missing.iter_mut().zip(other.missing).for_each(|(mine, theirs)| *mine += theirs);
        self.bracketed += other.bracketed;
        self.modelled += other.modelled;
        self.within_clock_error += other.within_clock_error;
    }

    /// Count how `arrived` came about; the codes are those of the record.
    fn count_how(&mut self, how: i64, messages: u64) {
        match u8::try_from(how).ok().and_then(How::from_code) {
            Some(How::Bracketed) => self.bracketed += messages,
            Some(How::Modelled) => self.modelled += messages,
            _ => {}
        }
    }

    /// A message within a node has no `sent` and no `arrived`, and does not lack them.
    fn count_missing(&mut self, columns: &Columns, row: usize) {
        let needed = if within_node(columns, row) { [true, false, false, true] } else { [true; 4] };
        let stamps = [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs];
        for ((missing, lane), needed) in self.missing.iter_mut().zip(stamps).zip(needed) {
            *missing += u64::from(needed && columns.at(lane, row) == NULL);
        }
    }
}
