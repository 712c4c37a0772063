//! What is gathered of the messages that the analysis is about: stages, groups, shares, queue
//! lengths, the timeline, the slowest.

use record::{Field, How, NULL, Values};

use crate::analysis::Anomalies;
use crate::blocks::Blocks;
use crate::columns::Columns;
use crate::distribution::Distribution;
use crate::groupings::Groupings;
use crate::place::Place;
use crate::series::Series;
use crate::shares::Shares;
use crate::slowest::Slowest;
use crate::stages::Stages;
use crate::working::{Working, stage_values, within_node};

/// Columns of small whole numbers, in the order of [`Messages::counts`].
pub(crate) const COUNTS: [Field; 3] = [Field::QueueLength, Field::InFlight, Field::OnNodeWaited];

/// All that was gathered of messages.
pub(crate) struct Messages {
    pub count: u64,
    /// First `ready` and last `taken`; the first is after the last when there are none.
    pub span: (i64, i64),
    pub anomalies: Anomalies,
    pub stages: [Distribution; 4],
    pub groupings: Groupings,
    pub shares: Shares,
    pub counts: [Distribution; 3],
    pub series: Series,
    pub slowest: Slowest,
    clock_error_ns: i64,
}

impl Messages {
    /// Nothing yet.
    pub fn new(slowest: usize, clock_error_ns: i64) -> Messages {
        Messages {
            count: 0,
            span: (i64::MAX, i64::MIN),
            anomalies: Anomalies::default(),
            stages: Default::default(),
            groupings: Groupings::default(),
            shares: Shares::default(),
            counts: Default::default(),
            series: Series::default(),
            slowest: Slowest::new(slowest),
            clock_error_ns,
        }
    }

    /// Take in messages of one block; there is at least one.
    pub fn add(
        &mut self,
        columns: &Columns,
        place: Place,
        blocks: &mut Blocks,
        working: &mut Working,
    ) {
        self.count += columns.rows() as u64;
        working.stages.fill(columns);
        working.count_whole(columns);
        self.add_stages(place, blocks, working);
        self.slowest.add(place.launch, columns, &working.stages, working.counted[0].moments().max);
        self.groupings.add(columns, place, working);
        self.add_anomalies(columns, &working.stages);
        self.add_shares(working);
        self.add_counts(columns, &mut working.lanes[0]);
        self.add_timeline(columns, working);
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Messages) {
        self.count += other.count;
        self.span = (self.span.0.min(other.span.0), self.span.1.max(other.span.1));
        self.anomalies.merge(&other.anomalies);
        self.stages.iter_mut().zip(&other.stages).for_each(|(mine, theirs)| mine.merge(theirs));
        self.groupings.merge(other.groupings);
        self.shares.merge(&other.shares);
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| mine.merge(theirs));
        self.series.merge(&other.series);
        self.slowest.merge(other.slowest);
    }

    /// Stages of all rows, which have just been counted as a whole.
    fn add_stages(&mut self, place: Place, blocks: &mut Blocks, working: &mut Working) {
        if let Some(block) = place.block {
            blocks.add_messages(block, &working.counted);
        }
        for stage in 0..4 {
            let values = stage_values(&working.stages, stage, None, &mut working.lanes[stage]);
            self.stages[stage].add_known(values, working.counted[stage].moments());
            self.anomalies.negative[stage] += working.counted[stage].negatives().len() as u64;
        }
    }

    fn add_anomalies(&mut self, columns: &Columns, stages: &Stages) {
        match columns.shared(Field::ArrivedHow) {
            Some(how) => self.anomalies.count_how(how, columns.rows() as u64),
            None => (0..columns.rows())
                .for_each(|row| self.anomalies.count_how(columns.at(Field::ArrivedHow, row), 1)),
        }
        if columns.shared(Field::ArrivedErrorNs) != Some(NULL) {
            let each = (0..columns.rows()).filter_map(|row| unsplit(columns, stages, row));
            self.anomalies.unsplit_ns = each.fold(self.anomalies.unsplit_ns, u64::saturating_add);
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
        let first =
            ready.iter().filter(|&&at| at != NULL).fold(i64::MAX, |first, &at| first.min(at));
        let last = match columns.column(Field::TakenNs) {
            // A stamp that is missing is the smallest of all values, so it is never the last.
            Values::Each(each) => each.iter().fold(NULL, |last, &at| last.max(at)),
            _ => columns.at(Field::TakenNs, 0),
        };
        self.span = (self.span.0.min(first), self.span.1.max(last));
    }
}

/// How much of a message's time may be transit or receive wait, ns.
fn unsplit(columns: &Columns, stages: &Stages, row: usize) -> Option<u64> {
    let error = u64::try_from(columns.at(Field::ArrivedErrorNs, row)).ok()?;
    let [transit, receive_wait] = [stages.of[2][row], stages.of[3][row]].map(u64::try_from);
    Some(error.min(transit.ok()?) + error.min(receive_wait.ok()?))
}

impl Anomalies {
    fn merge(&mut self, other: &Anomalies) {
        self.negative.iter_mut().zip(other.negative).for_each(|(mine, theirs)| *mine += theirs);
        self.missing.iter_mut().zip(other.missing).for_each(|(mine, theirs)| *mine += theirs);
        self.bracketed += other.bracketed;
        self.modelled += other.modelled;
        self.within_clock_error += other.within_clock_error;
        self.unsplit_ns = self.unsplit_ns.saturating_add(other.unsplit_ns);
        self.far_stamps += other.far_stamps;
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
