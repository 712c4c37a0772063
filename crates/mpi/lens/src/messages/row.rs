//! One message with the stamps that only MPI's have, and its waits.

use record::{Field, How, NULL};

use crate::found::{MessageLine, WorstMessage};
use stats::Columns;

/// A message as its row tells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MpiRow {
    pub line: MessageLine,
    pub tag: Option<i64>,
    pub arrived: Option<i64>,
    pub posted: Option<i64>,
    pub awaited: Option<i64>,
    pub released: Option<i64>,
    pub how: Option<How>,
    pub error_ns: Option<i64>,
    pub send_call: Option<i64>,
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
            released: value(Field::ReleasedNs),
            how: value(Field::ArrivedHow).and_then(|how| How::from_code(u8::try_from(how).ok()?)),
            error_ns: value(Field::ArrivedErrorNs),
            send_call: value(Field::SendCall),
            sites: [value(Field::SendSite), value(Field::ReceiveSite)],
        })
    }

    /// The four waits, in the order of [`Wait::ALL`](crate::found::Wait::ALL); `None` where a
    /// stamp is missing.
    pub fn waits(&self, sender_blocks: bool) -> [Option<i64>; 4] {
        let ready = self.line.ready_ns;
        let late_receiver = self.posted.zip(self.released).map(|(posted, released)| {
            if sender_blocks && released > posted { after(posted, ready) } else { 0 }
        });
        let expected = self.arrived.zip(self.posted).map(|(arrived, posted)| arrived.max(posted));
        [
            self.awaited.map(|awaited| after(ready, awaited)),
            late_receiver,
            self.posted.zip(self.arrived).map(|(posted, arrived)| after(posted, arrived)),
            self.awaited.zip(expected).map(|(awaited, expected)| after(awaited, expected)),
        ]
    }

    /// From the send, or from when the receiver began to wait if that was earlier, until it was
    /// taken.
    pub fn message_time(&self) -> i64 {
        let begin =
            self.awaited.map_or(self.line.ready_ns, |awaited| awaited.min(self.line.ready_ns));
        self.line.taken_ns.saturating_sub(begin)
    }

    pub fn worst(&self, waits_ns: [Option<i64>; 4]) -> WorstMessage {
        WorstMessage {
            line: self.line,
            tag: self.tag,
            arrived_ns: self.arrived,
            posted_ns: self.posted,
            awaited_ns: self.awaited,
            released_ns: self.released,
            arrived_error_ns: self.error_ns.filter(|_| self.how != Some(How::Observed)),
            waits_ns,
            waited_ns: waited(waits_ns),
            sites: self.sites,
            doing: Default::default(),
        }
    }
}

/// The waits together. A late receiver's time and that in the queue of unexpected messages overlap:
/// the longer counts.
pub(super) fn waited(waits: [Option<i64>; 4]) -> i64 {
    let [late_sender, late_receiver, unexpected, not_collected] =
        waits.map(Option::unwrap_or_default);
    late_sender.saturating_add(late_receiver.max(unexpected)).saturating_add(not_collected)
}

/// How far `end` is after `begin`; 0 when it is not.
fn after(end: i64, begin: i64) -> i64 {
    end.saturating_sub(begin).max(0)
}
