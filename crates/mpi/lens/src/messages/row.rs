//! One message with the stamps that only MPI's have, and how long it lay about.

use record::{Field, How, NULL};

use crate::found::{MessageLine, Wait, WorstWait};
use stats::Columns;

/// A message as its row tells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MpiRow {
    pub line: MessageLine,
    pub tag: Option<i64>,
    pub arrived: Option<i64>,
    pub posted: Option<i64>,
    pub awaited: Option<i64>,
    pub how: Option<How>,
    pub error_ns: Option<i64>,
    pub sites: [Option<i64>; 2],
}

impl MpiRow {
    /// A row; `None` when it was never sent or never taken.
    #[inline]
    pub fn of(columns: &Columns, row: usize) -> Option<MpiRow> {
        let value = |field| Some(columns.at(field, row)).filter(|&value| value != NULL);
        let rank = |field| value(field).and_then(|rank| u32::try_from(rank).ok());
        let line = MessageLine {
            src: rank(Field::Src)?,
            dst: rank(Field::Dst)?,
            seq: value(Field::Seq).map_or(0, |seq| seq as u64),
            ready_ns: value(Field::ReadyNs)?,
            taken_ns: value(Field::TakenNs)?,
            bytes: value(Field::Bytes).map_or(0, |bytes| bytes.max(0).unsigned_abs()),
        };
        Some(MpiRow {
            line,
            tag: value(Field::Tag),
            arrived: value(Field::ArrivedNs),
            posted: value(Field::PostedNs),
            awaited: value(Field::AwaitedNs),
            how: value(Field::ArrivedHow).and_then(|how| How::from_code(u8::try_from(how).ok()?)),
            error_ns: value(Field::ArrivedErrorNs),
            sites: [value(Field::SendSite), value(Field::ReceiveSite)],
        })
    }

    /// How long it lay in the queue of unexpected messages, and then until it was collected, from
    /// when to when; `None` where a stamp is missing.
    pub fn lay(&self) -> [Option<(i64, i64)>; 2] {
        let expected = self.arrived.zip(self.posted).map(|(arrived, posted)| arrived.max(posted));
        [self.arrived.zip(self.posted), expected.zip(self.awaited)]
    }

    /// From the send, or from when the receiver began to wait if that was earlier, until it was
    /// taken.
    pub fn message_time(&self) -> i64 {
        let begin =
            self.awaited.map_or(self.line.ready_ns, |awaited| awaited.min(self.line.ready_ns));
        self.line.taken_ns.saturating_sub(begin)
    }

    /// How far off its arrival may be, ns.
    pub fn error(&self) -> i64 {
        if self.how == Some(How::Observed) { 0 } else { self.error_ns.unwrap_or(0) }
    }

    /// It as one of the longest waits: it lay about for `ns` from a moment on.
    pub fn worst(&self, wait: Wait, from_ns: i64, ns: i64) -> WorstWait {
        WorstWait {
            wait,
            rank: self.line.src,
            by: self.line.dst,
            from_ns,
            waited_ns: ns,
            error_ns: Some(self.error()).filter(|error| *error > 0),
            message: Some(self.line),
            tag: self.tag,
            collective: None,
            sites: self.sites,
            doing: Vec::new(),
        }
    }
}

/// How far `end` is after `begin`; 0 when it is not.
pub(super) fn after(end: i64, begin: i64) -> i64 {
    end.saturating_sub(begin).max(0)
}
