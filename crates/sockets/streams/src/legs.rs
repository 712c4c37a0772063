//! The messages of one way of an exchange, put together one after another.

use crate::exchanges::{Exchange, Leg};
use crate::row::MessageRow;
use crate::writes::Writing;
use record::NULL;

/// A leg so far.
#[derive(Clone, Debug)]
pub(crate) struct LegDraft {
    /// Its first message and its last.
    first: MessageRow,
    last: MessageRow,
    messages: i64,
    bytes: i64,
    writing: Writing,
}

impl LegDraft {
    /// Of one message.
    pub fn of(row: &MessageRow) -> LegDraft {
        let mut draft = LegDraft {
            first: *row,
            last: *row,
            messages: 0,
            bytes: 0,
            writing: Writing::default(),
        };
        draft.take(row);
        draft
    }

    /// One more message.
    pub fn add(draft: &mut Option<LegDraft>, row: &MessageRow) {
        match draft {
            Some(draft) => draft.take(row),
            None => *draft = Some(LegDraft::of(row)),
        }
    }

    fn take(&mut self, row: &MessageRow) {
        self.last = *row;
        self.messages += 1;
        self.bytes += row.bytes as i64;
        if row.ready != NULL && row.sent != NULL {
            self.writing.add(row.ready, row.sent, row.writing);
        }
    }

    fn leg(&self) -> Leg {
        let (first, last) = (&self.first, &self.last);
        let writing_ns = match first.ready != NULL && last.sent != NULL {
            true => self.writing.sum.min((last.sent - first.ready).max(0)),
            false => NULL,
        };
        Leg {
            src: last.src.into(),
            seq: last.seq as i64,
            messages: self.messages,
            bytes: self.bytes,
            ready_ns: first.ready,
            writing_ns,
            sent_ns: last.sent,
            arrived_ns: last.arrival.at,
            arrived_error_ns: last.arrival.error,
            taken_ns: last.taken,
        }
    }
}

/// A request and its answer, with the node that answered.
pub(crate) fn exchange([request, answer]: &[LegDraft; 2]) -> (u32, Exchange) {
    (answer.first.src, Exchange { request: request.leg(), answer: answer.leg() })
}

/// Messages of both.
pub(crate) fn messages(legs: &[LegDraft; 2]) -> u64 {
    legs.iter().map(|leg| leg.messages as u64).sum()
}
