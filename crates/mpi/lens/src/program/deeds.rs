//! What calls did with messages, by the call.

use super::Kept;
use predict::{Envelope, Parcel, Step, Wildcards};
use record::{Batch, Field, NULL, RecordError, Run};
use std::collections::HashSet;

/// Of a rank: the row of a call and what it did, in order.
#[derive(Default)]
pub(super) struct Deeds {
    of: Vec<(i64, u8, Step)>,
    next: usize,
}

/// What the ranks of a run did with its matched messages.
pub(super) struct Read {
    /// By rank.
    pub deeds: Vec<Deeds>,
    pub messages: Vec<Parcel>,
    /// Those that other receives may take.
    pub wildcards: Wildcards,
}

const FIELDS: [Field; 12] = [
    Field::Src,
    Field::Dst,
    Field::Bytes,
    Field::SendCall,
    Field::ReceiveCall,
    Field::TakenCall,
    Field::ReleasedLater,
    Field::TakenNs,
    Field::Tag,
    Field::Communicator,
    Field::Wildcard,
    Field::ProbeCall,
];

impl Deeds {
    fn add(&mut self, row: i64, step: Step) {
        // Within a call: what it looks for it posts a receive of, receives are posted before
        // anything is sent, and it waits last.
        let turn = match step {
            Step::Probe(_) => 0,
            Step::Post(_) => 1,
            Step::Send(_) => 2,
            Step::Take(_) => 3,
            _ => 4,
        };
        self.of.push((row, turn, step));
    }

    /// What the call of this row did; rows are asked for in order.
    pub fn at(&mut self, row: i64) -> impl Iterator<Item = Step> + '_ {
        while self.of.get(self.next).is_some_and(|(of, ..)| *of < row) {
            self.next += 1;
        }
        let from = self.next;
        while self.of.get(self.next).is_some_and(|(of, ..)| *of == row) {
            self.next += 1;
        }
        self.of[from..self.next].iter().map(|(_, _, step)| *step)
    }
}

/// The matched messages of a run, and what each rank did with them.
pub(super) fn read(run: &Run, ranks: usize, kept: &mut Kept) -> Result<Read, RecordError> {
    let open = open(run)?;
    let mut deeds: Vec<Deeds> = (0..ranks).map(|_| Deeds::default()).collect();
    let (mut messages, mut wildcards) = (Vec::new(), Wildcards::default());
    let mut batch = Batch::new();
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch)?;
        for row in 0..batch.rows() {
            let values = FIELDS.map(|field| batch.column(field).at(row));
            let [src, dst, bytes, send, receive, taken, later, when] = values[..8] else {
                continue;
            };
            let [tag, communicator, wildcard, probe] = values[8..] else { continue };
            let [from, to] = [src, dst].map(|rank| usize::try_from(rank).unwrap_or(ranks));
            if [send, receive, taken, when].contains(&NULL) || from.max(to) >= ranks {
                kept.unmatched += 1;
                continue;
            }
            let message = messages.len() as u32;
            messages.push(Parcel { from: from as u16, to: to as u16, bytes: bytes as u64 });
            deeds[from].add(send, Step::Send(message));
            if later != NULL {
                deeds[from].add(send + later, Step::Free(message));
            }
            deeds[to].add(receive, Step::Post(message));
            deeds[to].add(taken, Step::Take(message));
            if probe != NULL {
                deeds[to].add(probe, Step::Probe(message));
            }
            if open.contains(&(dst, communicator)) {
                wildcards.add(message, envelope(tag, communicator, wildcard, probe));
            }
        }
    }
    deeds.iter_mut().for_each(|of| of.of.sort_by_key(|(row, turn, _)| (*row, *turn)));
    Ok(Read { deeds, messages, wildcards })
}

/// Ranks, and the communicators in which they received from any source, or any tag.
fn open(run: &Run) -> Result<HashSet<(i64, i64)>, RecordError> {
    const FIELDS: [Field; 3] = [Field::Dst, Field::Communicator, Field::Wildcard];
    let mut open = HashSet::new();
    let mut batch = Batch::new();
    for chunk in run.chunks().iter().filter(|chunk| chunk.has(Field::Wildcard)) {
        chunk.read(&FIELDS, &mut batch)?;
        for row in 0..batch.rows() {
            let [dst, communicator, wildcard] = FIELDS.map(|field| batch.column(field).at(row));
            if wildcard != NULL {
                open.insert((dst, communicator));
            }
        }
    }
    Ok(open)
}

/// What a message and its receive go by. Where a probe found it, the probe decided which it is.
fn envelope(tag: i64, communicator: i64, wildcard: i64, probe: i64) -> Envelope {
    let wildcard = if wildcard == NULL { 0 } else { wildcard };
    let left_open = if probe == NULL { wildcard } else { wildcard >> 2 };
    Envelope {
        communicator: communicator as u32,
        tag: tag as i32,
        any_source: left_open & 1 != 0,
        any_tag: left_open & 2 != 0,
    }
}
