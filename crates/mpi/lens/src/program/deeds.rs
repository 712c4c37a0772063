//! What calls did with messages, by the call.

use super::Kept;
use predict::{Parcel, Step};
use record::{Batch, Field, NULL, RecordError, Run};

/// Of a rank: the row of a call and what it did, in order.
#[derive(Default)]
pub(super) struct Deeds {
    of: Vec<(i64, u8, Step)>,
    next: usize,
}

const FIELDS: [Field; 8] = [
    Field::Src,
    Field::Dst,
    Field::Bytes,
    Field::SendCall,
    Field::ReceiveCall,
    Field::TakenCall,
    Field::ReleasedLater,
    Field::TakenNs,
];

impl Deeds {
    fn add(&mut self, row: i64, step: Step) {
        // Within a call: receives are posted before anything is sent, and it waits last.
        let turn = match step {
            Step::Post(_) => 0,
            Step::Send(_) => 1,
            Step::Take(_) => 2,
            _ => 3,
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
pub(super) fn read(
    run: &Run,
    ranks: usize,
    kept: &mut Kept,
) -> Result<(Vec<Deeds>, Vec<Parcel>), RecordError> {
    let mut deeds: Vec<Deeds> = (0..ranks).map(|_| Deeds::default()).collect();
    let mut messages: Vec<Parcel> = Vec::new();
    let mut batch = Batch::new();
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch)?;
        for row in 0..batch.rows() {
            let [src, dst, bytes, send, receive, taken, later, when] =
                FIELDS.map(|field| batch.column(field).at(row));
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
        }
    }
    deeds.iter_mut().for_each(|of| of.of.sort_by_key(|(row, turn, _)| (*row, *turn)));
    Ok((deeds, messages))
}
