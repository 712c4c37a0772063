//! A row of a run, as a story needs it.

use record::{Field, How, Kind, NULL};

use crate::analysis::Stage;
use crate::columns::Columns;

/// The columns that tell whether a row matters to a story.
pub const STAMPS: [Field; 10] = [
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
];

/// All columns that a [`Row`] is made of.
pub const FIELDS: [Field; 23] = [
    Field::Seq,
    Field::Src,
    Field::Dst,
    Field::Kind,
    Field::Bytes,
    Field::ReadyNs,
    Field::SentNs,
    Field::ArrivedNs,
    Field::TakenNs,
    Field::ArrivedHow,
    Field::ArrivedErrorNs,
    Field::Hops,
    Field::Packets,
    Field::Batch,
    Field::InFlight,
    Field::SrcObject,
    Field::DstObject,
    Field::VirtualSend,
    Field::VirtualReceive,
    Field::Tag,
    Field::PostedNs,
    Field::AwaitedNs,
    Field::WokenNs,
];

/// A message, or a piece of a node's work. Times are ns on the run's timeline.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Row {
    /// What it is.
    pub kind: Kind,
    /// Node that sent it, or that worked.
    pub src: u32,
    /// Node that it was for.
    pub dst: u32,
    /// Number at its source node.
    pub seq: u64,
    /// Payload.
    pub bytes: u64,
    /// Stamp; of work its begin.
    pub ready_ns: Option<i64>,
    /// Stamp.
    pub sent_ns: Option<i64>,
    /// Stamp.
    pub arrived_ns: Option<i64>,
    /// Stamp; of work its end.
    pub taken_ns: Option<i64>,
    /// How `arrived_ns` is known.
    pub how: How,
    /// `arrived_ns` is within ± this.
    pub error_ns: Option<i64>,
    /// Links crossed.
    pub hops: Option<i64>,
    /// Packets that carried it; of work see docs/FORMAT.md.
    pub packets: Option<i64>,
    /// Messages handed over in the same call.
    pub batch: Option<i64>,
    /// Messages on their way to `dst` when it was sent.
    pub in_flight: Option<i64>,
    /// Object that sent it.
    pub src_object: Option<i64>,
    /// Object that it was for, or that worked.
    pub dst_object: Option<i64>,
    /// Virtual send time.
    pub virtual_send: Option<f64>,
    /// Virtual receive time.
    pub virtual_receive: Option<f64>,
    pub tag: Option<i64>,
    /// The receive was posted.
    pub posted_ns: Option<i64>,
    /// The call that collected it was entered.
    pub awaited_ns: Option<i64>,
    /// The wait was over that came before that call.
    pub woken_ns: Option<i64>,
}

impl Row {
    /// A row of `columns`; what they lack is `None`. A kind that nobody knows counts as `other`.
    pub fn of(columns: &Columns, row: usize) -> Row {
        let value = |field| some(columns.at(field, row));
        let real = |field| value(field).map(|bits| f64::from_bits(bits as u64));
        let code = |field| value(field).and_then(|code| u8::try_from(code).ok());
        Row {
            kind: code(Field::Kind).and_then(Kind::from_code).unwrap_or(Kind::Other),
            src: value(Field::Src).unwrap_or(0) as u32,
            dst: value(Field::Dst).unwrap_or(0) as u32,
            seq: value(Field::Seq).unwrap_or(0) as u64,
            bytes: value(Field::Bytes).unwrap_or(0) as u64,
            ready_ns: value(Field::ReadyNs),
            sent_ns: value(Field::SentNs),
            arrived_ns: value(Field::ArrivedNs),
            taken_ns: value(Field::TakenNs),
            how: code(Field::ArrivedHow)
                .and_then(|code| How::ALL.get(usize::from(code)).copied())
                .unwrap_or(How::Observed),
            error_ns: value(Field::ArrivedErrorNs),
            hops: value(Field::Hops),
            packets: value(Field::Packets),
            batch: value(Field::Batch),
            in_flight: value(Field::InFlight),
            src_object: value(Field::SrcObject),
            dst_object: value(Field::DstObject),
            virtual_send: real(Field::VirtualSend),
            virtual_receive: real(Field::VirtualReceive),
            tag: value(Field::Tag),
            posted_ns: value(Field::PostedNs),
            awaited_ns: value(Field::AwaitedNs),
            woken_ns: value(Field::WokenNs),
        }
    }

    /// Whether it is no message but work.
    pub fn is_work(&self) -> bool {
        self.kind.is_interval()
    }

    /// Whether it never left its node.
    pub fn is_within_node(&self) -> bool {
        self.src == self.dst && self.sent_ns.is_none() && self.arrived_ns.is_none()
    }

    /// Whether both rows are of one message: same source and number.
    pub fn is_same(&self, other: &Row) -> bool {
        (self.src, self.seq, self.kind) == (other.src, other.seq, other.kind)
    }

    /// Begin and end of a stage, ns on the timeline; `None` where a stamp is missing.
    pub fn stage(&self, stage: Stage) -> Option<(i64, i64)> {
        let (from, to) = match stage {
            Stage::EndToEnd => (self.ready_ns, self.taken_ns),
            Stage::SendWait => (self.ready_ns, self.sent_ns),
            Stage::Transit => (self.sent_ns, self.arrived_ns),
            Stage::ReceiveWait => (self.arrived_ns, self.taken_ns),
        };
        Some((from?, to?))
    }

    /// Of work: how much of it lies between these, ns.
    pub fn within(&self, (from, to): (i64, i64)) -> i64 {
        match self.stage(Stage::EndToEnd) {
            Some((begin, end)) => end.min(to).saturating_sub(begin.max(from)).max(0),
            None => 0,
        }
    }
}

fn some(value: i64) -> Option<i64> {
    (value != NULL).then_some(value)
}

#[cfg(test)]
impl Row {
    /// A message with these stamps.
    pub(crate) fn stamped((src, dst): (u32, u32), seq: u64, stamps: [i64; 4]) -> Row {
        let [ready_ns, sent_ns, arrived_ns, taken_ns] = stamps.map(Some);
        Row {
            kind: Kind::Data,
            src,
            dst,
            seq,
            bytes: 8,
            ready_ns,
            sent_ns,
            arrived_ns,
            taken_ns,
            how: How::Observed,
            error_ns: None,
            hops: None,
            packets: None,
            batch: None,
            in_flight: None,
            src_object: None,
            dst_object: None,
            virtual_send: None,
            virtual_receive: None,
            tag: None,
            posted_ns: None,
            awaited_ns: None,
            woken_ns: None,
        }
    }
}
