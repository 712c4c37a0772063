//! Keeping the rows that a story is told from.

use record::{Field, Kind, NULL};

use super::pool::Pool;
use super::row::Row;
use super::usual::Usual;
use crate::analysis::Stage;
use crate::columns::Columns;

/// What a story is told from.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The message.
    pub message: Row,
    /// Rows of the node that received it, from a while before it was sent until it was taken: what
    /// the node took and sent, its work, and what was on its way together with the message.
    pub receiver: Pool,
    /// Rows of the node that sent it, from when it was ready until it was sent.
    pub sender: Pool,
    /// How long messages like it usually take.
    pub usual: Usual,
    /// Messages, also of those that were left out of the pools.
    pub counts: Counts,
}

/// Messages that were counted whether or not their rows were kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// In the receive queue when the message arrived, and taken before it; those of its own frame
    /// not counted.
    pub before: u64,
    /// Likewise, but of the machinery (`gvt`, `ack`): not counted among the others.
    pub machinery: u64,
    /// In its own frame, and taken before it.
    pub mates: u64,
    /// Arrived after it and taken before it.
    pub overtook: u64,
    /// Sent by its node to the same node while it waited to be sent.
    pub sent_same: u64,
    /// Sent by its node to other nodes meanwhile.
    pub sent_others: u64,
    /// Taken by the node that it was for while it waited to be sent.
    pub taken_meanwhile: u64,
}

/// Gathers a [`Scene`].
#[derive(Clone, Debug)]
pub struct Gather {
    scene: Scene,
    /// Looked back to from here, ns.
    from: i64,
}

/// So many of the message's lives before it are looked at, for what caused what held it.
const LIVES_BEFORE: i64 = 4;
/// And at least so long, ns.
const BEFORE_LEAST: i64 = 2_000_000;
/// And at most so long.
const BEFORE_MOST: i64 = 2_000_000_000;

impl Gather {
    /// For the story of `message`, with at most `rows` rows of each of its nodes.
    pub fn new(message: Row, rows: usize) -> Gather {
        let begin =
            message.ready_ns.or(message.sent_ns).or(message.arrived_ns).or(message.taken_ns);
        let begin = begin.unwrap_or(0);
        let life = message.taken_ns.map_or(0, |taken| taken.saturating_sub(begin).max(0));
        let before = life.saturating_mul(LIVES_BEFORE).clamp(BEFORE_LEAST, BEFORE_MOST);
        let (receiver, sender) = (Pool::new(rows), Pool::new(rows));
        let (usual, counts) = (Usual::default(), Counts::default());
        Gather {
            scene: Scene { message, receiver, sender, usual, counts },
            from: begin.saturating_sub(before),
        }
    }

    /// Take in the usual times of a chunk of the message's launch, with the columns
    /// [`STAMPS`](super::STAMPS).
    pub fn add_usual(&mut self, columns: &Columns) {
        self.scene.usual.add(&self.scene.message, columns);
    }

    /// Whether what is usual for the message of `other`, of the same launch, is so for this one.
    pub fn shares_usual(&self, other: &Gather) -> bool {
        Usual::is_shared(&self.scene.message, &other.scene.message)
    }

    /// Let usual be what it is for the message of `other`.
    pub fn copy_usual(&mut self, other: &Gather) {
        self.scene.usual = other.scene.usual.clone();
    }

    /// Whether any row of such a chunk matters, whose stamps lie within `extent`: then it is to be
    /// read with all [`FIELDS`](super::FIELDS) and given to [`add`](Self::add).
    pub fn concerns(&self, columns: &Columns, extent: (i64, i64)) -> bool {
        let (first, last) = extent;
        let is_apart =
            last < self.from || self.scene.message.taken_ns.is_some_and(|taken| taken < first);
        !is_apart && (0..columns.rows()).any(|row| self.is_near(columns, row))
    }

    /// Take in the rows of a chunk that matter.
    pub fn add(&mut self, columns: &Columns) {
        for row in 0..columns.rows() {
            if self.is_near(columns, row) {
                self.add_row(Row::of(columns, row));
            }
        }
    }

    /// Take in what `other` gathered for the same message.
    pub fn merge(&mut self, other: Gather) {
        self.scene.receiver.merge(other.scene.receiver);
        self.scene.sender.merge(other.scene.sender);
        self.scene.usual.merge(&other.scene.usual);
        self.scene.counts.add(&other.scene.counts);
    }

    /// What was gathered.
    pub fn finish(mut self) -> Scene {
        self.scene.receiver.finish();
        self.scene.sender.finish();
        self.scene
    }

    /// Whether a row has anything to do with the message's nodes and life: a quick look at its
    /// stamps.
    fn is_near(&self, columns: &Columns, row: usize) -> bool {
        let message = &self.scene.message;
        let nodes = [i64::from(message.src), i64::from(message.dst)];
        if !nodes.contains(&columns.at(Field::Src, row))
            && !nodes.contains(&columns.at(Field::Dst, row))
        {
            return false;
        }
        let at = |field| match columns.at(field, row) {
            NULL => None,
            value => Some(value),
        };
        let begin = at(Field::ReadyNs)
            .or(at(Field::SentNs))
            .or(at(Field::ArrivedNs))
            .or(at(Field::TakenNs));
        let end = at(Field::TakenNs)
            .or(at(Field::ArrivedNs))
            .or(at(Field::SentNs))
            .or(at(Field::ReadyNs));
        let (Some(begin), Some(end)) = (begin, end) else { return false };
        end >= self.from && message.taken_ns.is_none_or(|taken| begin <= taken)
    }

    /// A row may matter to both nodes.
    pub(super) fn add_row(&mut self, row: Row) {
        let message = &self.scene.message;
        if row.is_same(message) {
            return;
        }
        self.scene.counts.count(message, &row);
        if concerns_receiver(message, &row) {
            self.scene.receiver.add(row.clone());
        }
        if concerns_sender(message, &row) {
            self.scene.sender.add(row);
        }
    }
}

/// The first and the last stamp of a chunk; `None` where it has none.
pub fn extent(columns: &Columns) -> Option<(i64, i64)> {
    let stamps = [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs];
    let (first, last) = stamps.map(|field| columns.column(field)).iter().fold(
        (i64::MAX, NULL),
        |(first, last), values| {
            values.iter(columns.rows()).fold((first, last), |(first, last), ns| {
                (first.min(if ns == NULL { i64::MAX } else { ns }), last.max(ns))
            })
        },
    );
    (first <= last).then_some((first, last))
}

/// What its receiver took until it took the message, did, sent, and what was on its way together
/// with it.
fn concerns_receiver(message: &Row, row: &Row) -> bool {
    let until =
        |time: Option<i64>| time.is_some_and(|time| message.taken_ns.is_none_or(|end| time <= end));
    let took = row.dst == message.dst && until(row.taken_ns);
    let worked = row.is_work() && row.dst == message.dst && until(row.ready_ns);
    let sent = row.src == message.dst && row.kind == Kind::Anti && until(row.ready_ns);
    took || worked || sent || is_together(message, row)
}

/// Of the same pair of nodes, on its way at the same time.
pub(super) fn is_together(message: &Row, row: &Row) -> bool {
    let pair = (row.src, row.dst) == (message.src, message.dst) && !row.is_work();
    match (row.stage(Stage::Transit), message.stage(Stage::Transit)) {
        (Some((sent, arrived)), Some((from, to))) => pair && sent <= to && arrived >= from,
        _ => false,
    }
}

/// What its sender did, took and sent while the message waited to be sent.
fn concerns_sender(message: &Row, row: &Row) -> bool {
    let Some((from, to)) = message.stage(Stage::SendWait) else { return false };
    let during = |time: Option<i64>| time.is_some_and(|time| (from..=to).contains(&time));
    let sent = row.src == message.src && !row.is_work() && during(row.sent_ns);
    let took = row.dst == message.src && !row.is_work() && during(row.taken_ns);
    let worked = row.is_work() && row.src == message.src && row.within((from, to)) > 0;
    sent || took || worked
}

impl Counts {
    fn count(&mut self, message: &Row, row: &Row) {
        if row.is_work() || row.is_within_node() {
            return;
        }
        if row.dst == message.dst {
            self.count_taken(message, row);
        }
        if let (Some((from, to)), Some(sent)) = (message.stage(Stage::SendWait), row.sent_ns)
            && row.src == message.src
            && (from..to).contains(&sent)
        {
            let same = row.dst == message.dst;
            *(if same { &mut self.sent_same } else { &mut self.sent_others }) += 1;
        }
    }

    fn count_taken(&mut self, message: &Row, row: &Row) {
        if let (Some((from, to)), Some(taken)) = (message.stage(Stage::SendWait), row.taken_ns) {
            self.taken_meanwhile += u64::from((from..to).contains(&taken));
        }
        let (Some((arrived, taken)), Some(their_taken)) =
            (message.stage(Stage::ReceiveWait), row.taken_ns)
        else {
            return;
        };
        if !(arrived..=taken).contains(&their_taken) {
            return;
        }
        let is_machinery = matches!(row.kind, Kind::Gvt | Kind::Ack);
        match row.arrived_ns {
            Some(theirs) if theirs <= arrived && is_machinery => {
                self.machinery += u64::from((their_taken, row.seq) < (taken, message.seq));
            }
            _ if is_mate(message, row) => self.mates += u64::from(row.seq < message.seq),
            Some(theirs) if theirs <= arrived => self.before += u64::from(their_taken < taken),
            Some(_) => self.overtook += u64::from(their_taken < taken),
            None => {}
        }
    }

    fn add(&mut self, other: &Counts) {
        self.before += other.before;
        self.machinery += other.machinery;
        self.mates += other.mates;
        self.overtook += other.overtook;
        self.sent_same += other.sent_same;
        self.sent_others += other.sent_others;
        self.taken_meanwhile += other.taken_meanwhile;
    }
}

/// Handed over in the same call.
pub(super) fn is_mate(message: &Row, row: &Row) -> bool {
    let several = message.batch.is_some_and(|batch| batch > 1);
    several
        && row.src == message.src
        && (row.sent_ns, row.arrived_ns) == (message.sent_ns, message.arrived_ns)
}
