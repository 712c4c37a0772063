//! The slowest messages of a run, in bounded memory.

use record::{Field, NULL};

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::analysis::SlowMessage;
use crate::columns::Columns;
use crate::stages::Stages;

/// End-to-end time, then identity, smaller first: no two messages are equal, so any order of adding
/// ends alike.
type Rank = (i64, Reverse<(u32, u32, u64)>);

/// The slowest messages so far.
#[derive(Clone, Debug)]
pub(crate) struct Slowest {
    most: usize,
    heap: BinaryHeap<Reverse<Ranked>>,
}

#[derive(Clone, Debug)]
struct Ranked {
    rank: Rank,
    message: SlowMessage,
}

impl Slowest {
    /// None yet, `most` at most.
    pub fn new(most: usize) -> Slowest {
        Slowest { most, heap: BinaryHeap::new() }
    }

    /// Take in a batch whose slowest message took `max` end to end.
    pub fn add(&mut self, launch: u32, columns: &Columns, stages: &Stages, max: i64) {
        if max < self.threshold() || self.most == 0 {
            return;
        }
        for (row, &time) in stages.of[0].iter().enumerate() {
            if time != NULL && time >= self.threshold() {
                self.offer(message(launch, columns, stages, row), time);
            }
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Slowest) {
        other
            .heap
            .into_iter()
            .for_each(|Reverse(ranked)| self.offer(ranked.message, ranked.rank.0));
    }

    /// Slowest first.
    pub fn into_sorted(self) -> Vec<SlowMessage> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(ranked)| ranked.message).collect()
    }

    /// A message faster than this is not among the slowest.
    fn threshold(&self) -> i64 {
        match self.heap.peek() {
            Some(Reverse(least)) if self.heap.len() >= self.most => least.rank.0,
            _ => NULL,
        }
    }

    fn offer(&mut self, message: SlowMessage, time: i64) {
        let rank = (time, Reverse((message.launch, message.src, message.seq)));
        if self.heap.len() >= self.most {
            if self.heap.peek().is_none_or(|Reverse(least)| rank <= least.rank) {
                return;
            }
            self.heap.pop();
        }
        self.heap.push(Reverse(Ranked { rank, message }));
    }
}

fn message(launch: u32, columns: &Columns, stages: &Stages, row: usize) -> SlowMessage {
    let whole = |lane| match columns.at(lane, row) {
        NULL => 0,
        value => value,
    };
    SlowMessage {
        launch,
        src: whole(Field::Src) as u32,
        dst: whole(Field::Dst) as u32,
        seq: whole(Field::Seq) as u64,
        bytes: whole(Field::Bytes) as u64,
        ready_ns: columns.at(Field::ReadyNs, row),
        stage_ns: std::array::from_fn(|stage| match stages.of[stage][row] {
            NULL => None,
            time => Some(time),
        }),
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Ranked) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}
