//! Columns: what a row may carry beyond its base, and what a reader can ask for.
//!
//! A [`Column`] is optional: a producer lists those that it fills in a [`Schema`], and a file has
//! no column that its producer did not list. A [`Field`] is any column of a messages file, as
//! readers name it.

use serde::{Deserialize, Serialize};

/// An optional column. The numbers are part of the live log's format: append, never renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Column {
    /// Links crossed. Held in the base row.
    Hops = 0,
    /// Packets that carried the message. Held in the base row.
    Packets = 1,
    /// Messages handed over in the same call. Held in the base row.
    Batch = 2,
    /// Messages on their way to the destination when it was sent. Held in the base row.
    InFlight = 3,
    /// Messages waiting in the receive queue when it arrived. Held in the base row.
    QueueLength = 4,
    /// Error bound of `arrived`, ± ns (bracketed and modelled stamps).
    ArrivedErrorNs = 5,
    /// On-node messages handled while it waited.
    OnNodeWaited = 6,
    /// Source object.
    SrcObject = 7,
    /// Destination object.
    DstObject = 8,
    /// Virtual send time, the bits of an `f64`.
    VirtualSend = 9,
    /// Virtual receive time, the bits of an `f64`.
    VirtualReceive = 10,
    /// Tag that the program gave it.
    Tag = 11,
    /// Communicator that it went through.
    Communicator = 12,
    /// When the receive was posted, ns on the timeline.
    PostedNs = 13,
    /// When the call that collected it was entered, ns on the timeline.
    AwaitedNs = 14,
    /// When the sender could use its buffer again, ns on the timeline.
    ReleasedNs = 15,
    /// The sending call, by its row in the source node's table of calls.
    SendCall = 16,
    /// The call that posted the receive, by its row in the destination node's table of calls.
    ReceiveCall = 17,
    /// Place in the program that sent it.
    SendSite = 18,
    /// Place in the program that posted the receive.
    ReceiveSite = 19,
    /// The call that took the message, by its row in the destination node's table of calls.
    TakenCall = 20,
    /// How many rows after [`Column::SendCall`] the call is that released the sender's buffer.
    ReleasedLater = 21,
    /// What its receive left open, as a sum: 1 the source, 2 the tag; the same of the probe that
    /// found it: 4 and 8. Null where nothing was.
    Wildcard = 22,
    /// The probe that found the message, by its row in the destination node's table of calls.
    ProbeCall = 23,
    /// When the wait was over in which the receiver waited for it, ns on the timeline; null where
    /// that was the call that took it.
    WokenNs = 24,
    /// Number of the connection that carried it, in its run.
    Connection = 25,
    /// The thread that sent it, as its system numbers it.
    SrcThread = 26,
    /// The thread that took it, as its system numbers it.
    DstThread = 27,
    /// How many descriptors its receiver waited for when it waited for it; null where that is not
    /// known.
    AwaitedFiles = 28,
}

/// Which optional columns a node fills, and in which order
/// [`Recorder::push_with`](crate::Recorder::push_with) takes the words of those that the base row
/// does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Schema {
    columns: Vec<Column>,
}

/// A column of a messages file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Field {
    /// Launch, counted from 0.
    Launch,
    /// Number at the source node.
    Seq,
    /// Source node.
    Src,
    /// Destination node.
    Dst,
    /// [`Kind`](crate::Kind), read as its code.
    Kind,
    /// Payload bytes.
    Bytes,
    /// Stamp, ns on the timeline.
    ReadyNs,
    /// Stamp, ns on the timeline.
    SentNs,
    /// Stamp, ns on the timeline.
    ArrivedNs,
    /// Stamp, ns on the timeline.
    TakenNs,
    /// [`How`](crate::How), read as its code.
    ArrivedHow,
    /// See [`Column::Hops`].
    Hops,
    /// See [`Column::Packets`].
    Packets,
    /// See [`Column::Batch`].
    Batch,
    /// See [`Column::InFlight`].
    InFlight,
    /// See [`Column::QueueLength`].
    QueueLength,
    /// See [`Column::ArrivedErrorNs`].
    ArrivedErrorNs,
    /// See [`Column::OnNodeWaited`].
    OnNodeWaited,
    /// See [`Column::SrcObject`].
    SrcObject,
    /// See [`Column::DstObject`].
    DstObject,
    /// See [`Column::VirtualSend`]; read as the bits of the `f64`.
    VirtualSend,
    /// See [`Column::VirtualReceive`]; read as the bits of the `f64`.
    VirtualReceive,
    /// See [`Column::Tag`].
    Tag,
    /// See [`Column::Communicator`].
    Communicator,
    /// See [`Column::PostedNs`] on the timeline.
    PostedNs,
    /// See [`Column::AwaitedNs`] on the timeline.
    AwaitedNs,
    /// See [`Column::ReleasedNs`] on the timeline.
    ReleasedNs,
    /// See [`Column::SendCall`].
    SendCall,
    /// See [`Column::ReceiveCall`].
    ReceiveCall,
    /// See [`Column::SendSite`].
    SendSite,
    /// See [`Column::ReceiveSite`].
    ReceiveSite,
    /// See [`Column::TakenCall`].
    TakenCall,
    /// See [`Column::ReleasedLater`].
    ReleasedLater,
    /// See [`Column::Wildcard`].
    Wildcard,
    /// See [`Column::ProbeCall`].
    ProbeCall,
    /// See [`Column::WokenNs`] on the timeline.
    WokenNs,
    /// See [`Column::Connection`].
    Connection,
    /// See [`Column::SrcThread`].
    SrcThread,
    /// See [`Column::DstThread`].
    DstThread,
    /// See [`Column::AwaitedFiles`].
    AwaitedFiles,
}

impl Column {
    /// Every optional column, in the order of its code.
    pub const ALL: [Column; 29] = [
        Column::Hops,
        Column::Packets,
        Column::Batch,
        Column::InFlight,
        Column::QueueLength,
        Column::ArrivedErrorNs,
        Column::OnNodeWaited,
        Column::SrcObject,
        Column::DstObject,
        Column::VirtualSend,
        Column::VirtualReceive,
        Column::Tag,
        Column::Communicator,
        Column::PostedNs,
        Column::AwaitedNs,
        Column::ReleasedNs,
        Column::SendCall,
        Column::ReceiveCall,
        Column::SendSite,
        Column::ReceiveSite,
        Column::TakenCall,
        Column::ReleasedLater,
        Column::Wildcard,
        Column::ProbeCall,
        Column::WokenNs,
        Column::Connection,
        Column::SrcThread,
        Column::DstThread,
        Column::AwaitedFiles,
    ];

    /// The column with this code.
    pub fn from_code(code: u8) -> Option<Column> {
        Column::ALL.get(usize::from(code)).copied()
    }

    /// Whether the base row holds it, so that it costs no extra word.
    pub fn in_base(self) -> bool {
        self <= Column::QueueLength
    }

    /// The column of the messages file that it becomes.
    pub fn field(self) -> Field {
        Field::ALL[Field::ArrivedHow as usize + 1 + self as usize]
    }
}

impl Schema {
    /// A schema with these columns; a column named twice counts once.
    pub fn new(columns: &[Column]) -> Schema {
        let mut schema = Schema::default();
        for column in columns {
            if !schema.columns.contains(column) {
                schema.columns.push(*column);
            }
        }
        schema
    }

    /// The columns, in the order given.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Whether it lists `column`.
    pub fn has(&self, column: Column) -> bool {
        self.columns.contains(&column)
    }

    /// The columns that take an extra word, in the order of their words.
    pub fn extras(&self) -> impl Iterator<Item = Column> + '_ {
        self.columns.iter().copied().filter(|column| !column.in_base())
    }

    /// Words of a row: the base and one for each extra.
    pub fn stride(&self) -> usize {
        crate::BASE_WORDS + self.extras().count()
    }

    /// Where the word of `column` is in a row, when it has a word of its own.
    pub(crate) fn word_of(&self, column: Column) -> Option<usize> {
        self.extras().position(|extra| extra == column).map(|at| crate::BASE_WORDS + at)
    }
}

impl Field {
    /// Every field, in the order of a file's columns.
    pub const ALL: [Field; 40] = [
        Field::Launch,
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
        Field::Hops,
        Field::Packets,
        Field::Batch,
        Field::InFlight,
        Field::QueueLength,
        Field::ArrivedErrorNs,
        Field::OnNodeWaited,
        Field::SrcObject,
        Field::DstObject,
        Field::VirtualSend,
        Field::VirtualReceive,
        Field::Tag,
        Field::Communicator,
        Field::PostedNs,
        Field::AwaitedNs,
        Field::ReleasedNs,
        Field::SendCall,
        Field::ReceiveCall,
        Field::SendSite,
        Field::ReceiveSite,
        Field::TakenCall,
        Field::ReleasedLater,
        Field::Wildcard,
        Field::ProbeCall,
        Field::WokenNs,
        Field::Connection,
        Field::SrcThread,
        Field::DstThread,
        Field::AwaitedFiles,
    ];

    /// The column's name in the file.
    pub fn name(self) -> &'static str {
        [
            "launch",
            "seq",
            "src",
            "dst",
            "kind",
            "bytes",
            "ready_ns",
            "sent_ns",
            "arrived_ns",
            "taken_ns",
            "arrived_how",
            "hops",
            "packets",
            "batch",
            "in_flight",
            "queue_length",
            "arrived_error_ns",
            "on_node_waited",
            "src_object",
            "dst_object",
            "virtual_send",
            "virtual_receive",
            "tag",
            "communicator",
            "posted_ns",
            "awaited_ns",
            "released_ns",
            "send_call",
            "receive_call",
            "send_site",
            "receive_site",
            "taken_call",
            "released_later",
            "wildcard",
            "probe_call",
            "woken_ns",
            "connection",
            "src_thread",
            "dst_thread",
            "awaited_files",
        ][self as usize]
    }

    /// Whether every messages file has it.
    pub fn is_always_there(self) -> bool {
        self <= Field::ArrivedHow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_fields_follow_the_order_of_the_columns() {
        for (code, column) in Column::ALL.into_iter().enumerate() {
            assert_eq!(Column::from_code(code as u8), Some(column));
            let named = serde_json::to_string(&column).unwrap();
            assert_eq!(named, format!("\"{}\"", column.field().name()));
        }
        assert_eq!(Column::from_code(29), None);
        for (at, field) in Field::ALL.into_iter().enumerate() {
            assert_eq!(field as usize, at);
        }
    }

    #[test]
    fn extras_take_words_and_base_columns_do_not() {
        let schema = Schema::new(&[Column::Tag, Column::Hops, Column::VirtualSend, Column::Tag]);
        assert_eq!(schema.stride(), 10);
        assert_eq!(schema.word_of(Column::Tag), Some(8));
        assert_eq!(schema.word_of(Column::VirtualSend), Some(9));
        assert_eq!(schema.word_of(Column::Hops), None);
        assert!(schema.has(Column::Hops) && !schema.has(Column::Packets));
    }
}
