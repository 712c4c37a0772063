//! How long messages like this one usually take.

use record::{Field, NULL};

use super::row::Row;
use crate::analysis::Stage;
use crate::columns::Columns;
use crate::distribution::GroupDistribution;

/// Stages in the order of their letters.
const STAGES: [(Stage, Field, Field); 4] = [
    (Stage::EndToEnd, Field::ReadyNs, Field::TakenNs),
    (Stage::SendWait, Field::ReadyNs, Field::SentNs),
    (Stage::Transit, Field::SentNs, Field::ArrivedNs),
    (Stage::ReceiveWait, Field::ArrivedNs, Field::TakenNs),
];

/// Fewer messages have nothing usual.
const FEW: u64 = 10;

/// Times of messages of one launch, of the same pair of nodes and of about the same size (less than
/// twice or half).
#[derive(Clone, Debug, Default)]
pub struct Usual {
    stages: [GroupDistribution; 4],
}

/// Figures of a stage of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct UsualTimes {
    /// Messages that have it.
    pub messages: u64,
    /// Half of them take at most this, ns.
    pub median_ns: i64,
    /// 99 % of them take at most this, ns.
    pub p99_ns: i64,
    /// So many take longer than the message of the story.
    pub slower: u64,
}

impl Usual {
    /// Take in those rows that are like `message`.
    pub(super) fn add(&mut self, message: &Row, columns: &Columns) {
        let mut rows = (0..columns.rows()).filter(|row| is_alike(message, columns, *row));
        let shared = ALIKE.iter().all(|field| columns.shared(*field).is_some());
        if shared && rows.next().is_none() {
            return;
        }
        let rows: Vec<usize> = if shared { Vec::new() } else { rows.collect() };
        let mut times = Vec::new();
        for (distribution, (_, from, to)) in self.stages.iter_mut().zip(STAGES) {
            let (from, to) = (columns.column(from), columns.column(to));
            let time = |row: usize| match (from.at(row), to.at(row)) {
                (NULL, _) | (_, NULL) => None,
                (from, to) => Some(to.saturating_sub(from)),
            };
            times.clear();
            match shared {
                true => times.extend((0..columns.rows()).filter_map(time)),
                false => times.extend(rows.iter().copied().filter_map(time)),
            }
            distribution.add_slice(&times);
        }
    }

    /// Whether what is usual for one message is usual for the other.
    pub(super) fn is_shared(one: &Row, other: &Row) -> bool {
        let what = |row: &Row| (row.src, row.dst, row.kind, row.bytes);
        what(one) == what(other)
    }

    /// Take in what `other` took in.
    pub(super) fn merge(&mut self, other: &Usual) {
        self.stages.iter_mut().zip(&other.stages).for_each(|(ours, theirs)| ours.merge(theirs));
    }

    /// Count one message's stage, as tests plant it.
    #[cfg(test)]
    pub(super) fn plant(&mut self, stage: Stage, ns: i64) {
        self.stages[stage as usize].add(ns);
    }

    /// The figures of a stage, beside a message that took `ns` in it; `None` where too few have it.
    pub fn times(&self, stage: Stage, ns: i64) -> Option<UsualTimes> {
        let distribution = &self.stages[stage as usize];
        let &[median_ns, p99_ns] = &distribution.quantiles(&[0.5, 0.99])[..] else { return None };
        let messages = distribution.count();
        // Those that share the message's counter, itself among them, are as slow as it.
        let slower = distribution
            .counters()
            .filter(|counter| counter.low > ns)
            .map(|counter| counter.count)
            .sum();
        (messages >= FEW).then_some(UsualTimes { messages, median_ns, p99_ns, slower })
    }
}

/// The columns that tell which messages are alike.
const ALIKE: [Field; 4] = [Field::Src, Field::Dst, Field::Kind, Field::Bytes];

fn is_alike(message: &Row, columns: &Columns, row: usize) -> bool {
    columns.at(Field::Src, row) == i64::from(message.src)
        && columns.at(Field::Dst, row) == i64::from(message.dst)
        && columns.at(Field::Kind, row) == message.kind as i64
        && is_about(columns.at(Field::Bytes, row), message.bytes)
}

fn is_about(bytes: i64, of: u64) -> bool {
    let bytes = u64::try_from(bytes).unwrap_or(0);
    bytes == of || (bytes < of.saturating_mul(2) && of < bytes.saturating_mul(2))
}
