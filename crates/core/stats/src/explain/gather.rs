//! Which messages are slow, and what work of nodes the run recorded.

use std::collections::{BTreeMap, BTreeSet};

use record::{Batch, Field, Kind, NULL, NodeCauses};

use super::heavy::{Heavy, Late, Lateness, Name};
use super::overlaps::Overlaps;
use super::question::Question;
use super::sample::{Member, Sample, hash};
use super::spans::Work;
use super::{alike, noise, period, spans, weigh};
use crate::accumulator::Position;
use crate::analysis::{Analysis, Explained, Explanation, Stage, StageView, Who};
use crate::columns::Columns;
use crate::filter::Filter;
use crate::stages::Stages;

/// The columns that explaining reads.
pub const FIELDS: [Field; 13] = [
    Field::Seq,
    Field::Src,
    Field::Dst,
    Field::Kind,
    Field::Bytes,
    Field::ReadyNs,
    Field::SentNs,
    Field::ArrivedNs,
    Field::TakenNs,
    Field::Hops,
    Field::Packets,
    Field::QueueLength,
    Field::ArrivedHow,
];

/// Messages kept of a group.
const MEMBERS_MOST: usize = 1 << 15;
/// The slowest part that is a group of its own, and how many messages a stage must have for one.
const SLOWEST: (f64, u64) = (0.999, 10_000);

/// Gathers what explaining needs. One a thread; [`Gatherer::merge`] them.
#[derive(Clone, Debug)]
pub struct Gatherer {
    questions: Vec<Question>,
    filter: Filter,
    found: Vec<Sample>,
    all: Sample,
    heavy: Heavy,
    work: Work,
    /// Where the filter has a cut.
    overlaps: Option<Overlaps>,
    /// First and last stamp of each launch.
    launches: BTreeMap<u32, (i64, i64)>,
    /// Memory for the next batch: stages, and which messages are taken.
    stages: Stages,
    mask: Vec<bool>,
}

/// The groups of slow messages of a run, those first that took most time. A peak of the whole is
/// one of its parts: peaks of end-to-end time are asked about only where it has no parts.
pub fn questions(analysis: &Analysis) -> Vec<Question> {
    let has_parts = analysis.stages.iter().any(|view| view.stage != Stage::EndToEnd);
    let asked = |question: &Question| {
        question.who == Who::Slowest || question.stage != Stage::EndToEnd || !has_parts
    };
    let mut questions: Vec<Question> =
        analysis.stages.iter().flat_map(of_stage).filter(asked).collect();
    let time = |question: &Question| {
        let view = analysis.stage(question.stage);
        let total = view.map_or(0.0, |view| view.summary.total_ns);
        match (question.who, view) {
            (Who::Peak(at), Some(view)) => view.peaks[at].time_share * total,
            _ => f64::INFINITY,
        }
    };
    questions.sort_by(|a, b| time(b).total_cmp(&time(a)));
    questions
}

fn of_stage(view: &StageView) -> Vec<Question> {
    let quantile = |p: f64| view.summary.quantiles.iter().find(|q| q.p == p).map(|q| q.value_ns);
    let Some(median_ns) = quantile(0.5) else { return Vec::new() };
    let question = |who, range_ns| Question { stage: view.stage, who, range_ns, median_ns };
    let main = view.peaks.iter().map(|peak| peak.count).max();
    let slow = |(_, peak): &(usize, &crate::analysis::Peak)| {
        Some(peak.count) != main && peak.place_ns > median_ns as f64
    };
    let peaks = view.peaks.iter().enumerate().filter(slow);
    let peak = |(at, peak): (usize, &crate::analysis::Peak)| {
        question(Who::Peak(at), (peak.from_ns.ceil() as i64, peak.to_ns.floor() as i64))
    };
    let mut questions: Vec<Question> = peaks.map(peak).collect();
    let (p, least) = SLOWEST;
    if view.stage == Stage::EndToEnd
        && view.summary.count >= least
        && let Some(from) = quantile(p)
    {
        questions.push(question(Who::Slowest, (from, i64::MAX)));
    }
    questions
}

impl Gatherer {
    /// For these questions, among the messages that `filter` takes, and for what is late in this
    /// run.
    pub fn new(questions: Vec<Question>, filter: Filter, lateness: Lateness) -> Gatherer {
        let found = vec![Sample::new(MEMBERS_MOST); questions.len()];
        // Work shorter than a tenth of the least delay that is asked about cannot be what made it.
        let delays = questions.iter().map(|q| q.range_ns.0.saturating_sub(q.median_ns).max(0));
        let least = delays.min().unwrap_or(0) / 10;
        Gatherer {
            questions,
            overlaps: Overlaps::new(&filter),
            filter,
            found,
            all: Sample::new(MEMBERS_MOST),
            heavy: Heavy::new(lateness),
            work: Work::new(least),
            launches: BTreeMap::new(),
            stages: Stages::default(),
            mask: Vec::new(),
        }
    }

    /// In a run of this topology: messages cross other nodes where it says so.
    pub fn within(mut self, topology: &str) -> Gatherer {
        self.overlaps.iter_mut().for_each(|overlaps| overlaps.within(topology));
        self
    }

    /// Take in a batch, which should hold [`FIELDS`].
    pub fn add(&mut self, batch: &Batch, at: Position) {
        let columns = Columns::new(batch.rows());
        let columns =
            FIELDS.iter().fold(columns, |columns, &field| columns.with(field, batch.column(field)));
        self.add_columns(&columns, at);
    }

    /// Take in a batch given as columns. Each row of the run must come once, in any order of
    /// batches.
    pub fn add_columns(&mut self, columns: &Columns, at: Position) {
        let mut stages = std::mem::take(&mut self.stages);
        stages.fill(columns);
        let mut mask = std::mem::take(&mut self.mask);
        let taken = self.filter.select(columns, &mut mask);
        let mut extent = (i64::MAX, i64::MIN);
        for row in 0..columns.rows() {
            let kind = u8::try_from(columns.at(Field::Kind, row)).ok().and_then(Kind::from_code);
            if let Some(kind) = kind.filter(|kind| kind.is_interval()) {
                self.add_work(columns, row, at.launch, kind);
                continue;
            }
            let (ready, end) = (columns.at(Field::ReadyNs, row), columns.at(Field::TakenNs, row));
            if ready != NULL && end != NULL {
                extent = (extent.0.min(ready), extent.1.max(end));
            }
            let is_taken = taken.row(&mask, row);
            if let Some(overlaps) = &mut self.overlaps {
                overlaps.add_message(columns, row, at.launch, is_taken);
            }
            if is_taken {
                self.add_taken(columns, &stages, row, (at.launch, kind));
            }
        }
        (self.stages, self.mask) = (stages, mask);
        if extent.0 != i64::MAX {
            self.extend(at.launch, extent);
        }
    }

    /// A launch has messages in this time.
    fn extend(&mut self, launch: u32, (begin, end): (i64, i64)) {
        let extent = self.launches.entry(launch).or_insert((begin, end));
        *extent = (extent.0.min(begin), extent.1.max(end));
    }

    fn add_taken(
        &mut self,
        columns: &Columns,
        stages: &Stages,
        row: usize,
        (launch, kind): (u32, Option<Kind>),
    ) {
        let identity =
            hash(launch, columns.at(Field::Src, row) as u32, columns.at(Field::Seq, row) as u64);
        let member = |stage| Member::of(columns, row, launch, kind, stage);
        self.all.add(identity, || member(Stage::EndToEnd));
        let life_ns = stages.of[Stage::EndToEnd as usize][row];
        if life_ns != NULL && self.heavy.is_late(life_ns) {
            self.heavy.add(late(&member(Stage::EndToEnd), columns, row, stages));
        }
        for (question, found) in self.questions.iter().zip(&mut self.found) {
            let time = stages.of[question.stage as usize][row];
            if time != NULL && question.range_ns.0 <= time && time <= question.range_ns.1 {
                found.add(identity, || member(question.stage));
            }
        }
    }

    fn add_work(&mut self, columns: &Columns, row: usize, launch: u32, kind: Kind) {
        let (from, to) = (columns.at(Field::ReadyNs, row), columns.at(Field::TakenNs, row));
        if kind != Kind::Cycle && from != NULL && to != NULL {
            let place = (launch, columns.at(Field::Dst, row) as u32);
            self.work.add(place, kind, (from, to));
            self.overlaps.iter_mut().for_each(|all| all.add_work(place, kind, (from, to)));
        }
    }

    /// Take in what `other`, made with the same questions, took in.
    pub fn merge(&mut self, other: Gatherer) {
        self.found.iter_mut().zip(other.found).for_each(|(mine, theirs)| mine.merge(theirs));
        self.all.merge(other.all);
        self.heavy.merge(other.heavy);
        self.work.merge(other.work);
        if let (Some(mine), Some(theirs)) = (&mut self.overlaps, other.overlaps) {
            mine.merge(theirs);
        }
        other.launches.into_iter().for_each(|(launch, extent)| self.extend(launch, extent));
    }

    /// What goes with each group, `causes` being what was seen beside the run.
    pub fn explain(self, causes: &[NodeCauses], nodes: u32) -> Explanation {
        let Gatherer { questions, found, all, heavy, work, launches, overlaps, .. } = self;
        let (episodes, explained) = heavy.into_episodes(causes);
        let beside = spans::Beside::new(causes, &work, &launches);
        let tests = questions.len().max(1) * (beside.kinds() + period::TESTS);
        let all = all.into_members();
        let run =
            Whole { causes, all: &all, beside: &beside, launches: &launches, tests, explained };
        let groups =
            questions.iter().zip(found).map(|(question, sample)| run.group(question, sample));
        let groups = groups.collect();
        let watched = causes.iter().map(|of| of.node).collect::<BTreeSet<_>>().len() as u32;
        let overlaps = overlaps.map_or_else(Vec::new, |overlaps| overlaps.found(&launches));
        let (idle, watched) = (noise::idle(causes), (watched, nodes));
        Explanation { episodes, groups, overlaps, idle, watched }
    }
}

/// What groups are held against.
struct Whole<'a> {
    causes: &'a [NodeCauses],
    all: &'a [Member],
    beside: &'a spans::Beside,
    launches: &'a BTreeMap<u32, (i64, i64)>,
    tests: usize,
    /// Messages of episodes that are explained.
    explained: BTreeSet<Name>,
}

impl Whole<'_> {
    /// What goes with one group, those left out that are explained already.
    fn group(&self, question: &Question, sample: Sample) -> Explained {
        let &Whole { causes, all, beside, launches, tests, .. } = self;
        let (count, whole) = (sample.count, sample.is_whole());
        let mut members = sample.into_members();
        let sampled = members.len();
        members.retain(|member| !self.explained.contains(&(member.launch, member.src, member.seq)));
        let apart = count as f64 * (sampled - members.len()) as f64 / sampled.max(1) as f64;
        let apart = (apart.round() as u64).min(count);
        let episodes = weigh::episodes(&members);
        let mut reasons = weigh::reasons(question, &episodes, beside, tests);
        reasons.extend(alike::reasons(&members, all, launches));
        reasons.extend(period::reasons(question, &members, whole, tests));
        Explained {
            stage: question.stage,
            who: question.who,
            range_ns: question.range_ns,
            median_ns: question.median_ns,
            count,
            apart,
            episodes: episodes.len() as u64,
            reasons,
            noise: noise::of(question, (&members, count - apart), causes, launches),
        }
    }
}

/// A message with the longest stage of its life.
fn late(member: &Member, columns: &Columns, row: usize, stages: &Stages) -> Late {
    let &Member { launch, src, dst, seq, from_ns, to_ns, .. } = member;
    let parts = [Stage::SendWait, Stage::Transit, Stage::ReceiveWait];
    let stage = |stage: Stage| {
        let ns = stages.of[stage as usize][row];
        let begin = match stage {
            Stage::SendWait | Stage::EndToEnd => Field::ReadyNs,
            Stage::Transit => Field::SentNs,
            Stage::ReceiveWait => Field::ArrivedNs,
        };
        let from = columns.at(begin, row);
        (ns != NULL && from != NULL).then(|| (stage, from, from.saturating_add(ns)))
    };
    let known: Vec<(Stage, i64, i64)> = parts.into_iter().filter_map(stage).collect();
    let whole = (Stage::EndToEnd, from_ns, to_ns);
    let longest = match known.len() == parts.len() {
        true => {
            known.into_iter().max_by_key(|(_, from, to)| to.saturating_sub(*from)).unwrap_or(whole)
        }
        false => whole,
    };
    Late { life_ns: to_ns.saturating_sub(from_ns), launch, src, dst, seq, longest }
}
