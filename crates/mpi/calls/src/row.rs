//! The row that the two sides of a message make together.

use crate::arrival::Arrival;
use crate::message::{Got, Sent};
use record::{Column, Field, Kind, NULL, Schema};

/// A row of a messages file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageRow {
    src: u32,
    dst: u32,
    communicator: u32,
    tag: i32,
    seq: u64,
    bytes: u64,
    send: SendEnd,
    receive: ReceiveEnd,
    arrival: Arrival,
}

/// What the sender's calls tell; null where nothing does.
#[derive(Clone, Copy, Debug)]
struct SendEnd {
    ready: i64,
    released: i64,
    row: i64,
    site: u32,
}

/// What the receiver's calls tell.
#[derive(Clone, Copy, Debug)]
struct ReceiveEnd {
    posted: i64,
    awaited: i64,
    taken: i64,
    row: i64,
    site: u32,
}

/// The optional columns of a messages file.
pub(crate) fn schema() -> Schema {
    Schema::new(&[
        Column::ArrivedErrorNs,
        Column::Tag,
        Column::Communicator,
        Column::PostedNs,
        Column::AwaitedNs,
        Column::ReleasedNs,
        Column::SendCall,
        Column::ReceiveCall,
        Column::SendSite,
        Column::ReceiveSite,
    ])
}

impl MessageRow {
    /// Both sides are known.
    pub fn whole(sent: &Sent, got: &Got, arrival: Arrival) -> MessageRow {
        MessageRow { receive: ReceiveEnd::of(got), arrival, ..MessageRow::of_send(sent) }
    }

    /// A send without a receive.
    pub fn of_send(sent: &Sent) -> MessageRow {
        MessageRow {
            src: sent.src,
            dst: sent.dst,
            communicator: sent.label.communicator,
            tag: sent.label.tag,
            seq: sent.seq,
            bytes: sent.bytes,
            send: SendEnd {
                ready: sent.ready,
                released: sent.released,
                row: sent.row,
                site: sent.site,
            },
            receive: ReceiveEnd::NONE,
            arrival: Arrival::UNKNOWN,
        }
    }

    /// A receive without a send. `seq` numbers it after all sends of its source.
    pub fn of_receive(got: &Got, seq: u64) -> MessageRow {
        MessageRow {
            src: got.src,
            dst: got.dst,
            communicator: got.label.communicator,
            tag: got.label.tag,
            seq,
            bytes: got.bytes,
            send: SendEnd::NONE,
            receive: ReceiveEnd::of(got),
            arrival: Arrival::UNKNOWN,
        }
    }

    /// The value of a column.
    pub fn value(&self, field: Field) -> i64 {
        match field {
            Field::Seq => self.seq as i64,
            Field::Src => i64::from(self.src),
            Field::Dst => i64::from(self.dst),
            Field::Kind => Kind::Data as i64,
            Field::Bytes => self.bytes as i64,
            Field::ReadyNs => self.send.ready,
            // Within a rank nothing is handed to a network.
            Field::SentNs if self.src == self.dst => NULL,
            Field::SentNs => self.send.ready,
            Field::ArrivedNs => self.arrival.at,
            Field::TakenNs => self.receive.taken,
            Field::ArrivedHow if self.arrival.at == NULL => NULL,
            Field::ArrivedHow => self.arrival.how as i64,
            Field::ArrivedErrorNs => self.arrival.error,
            Field::Tag => i64::from(self.tag),
            Field::Communicator => i64::from(self.communicator),
            Field::PostedNs => self.receive.posted,
            Field::AwaitedNs => self.receive.awaited,
            Field::ReleasedNs => self.send.released,
            Field::SendCall => self.send.row,
            Field::ReceiveCall => self.receive.row,
            Field::SendSite => site(self.send.site),
            Field::ReceiveSite => site(self.receive.site),
            _ => NULL,
        }
    }
}

impl SendEnd {
    const NONE: SendEnd = SendEnd { ready: NULL, released: NULL, row: NULL, site: 0 };
}

impl ReceiveEnd {
    const NONE: ReceiveEnd =
        ReceiveEnd { posted: NULL, awaited: NULL, taken: NULL, row: NULL, site: 0 };

    fn of(got: &Got) -> ReceiveEnd {
        ReceiveEnd {
            posted: got.posted,
            awaited: got.awaited,
            taken: got.taken,
            row: got.row,
            site: got.site,
        }
    }
}

fn site(id: u32) -> i64 {
    if id == 0 { NULL } else { i64::from(id) }
}
