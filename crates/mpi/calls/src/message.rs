//! The two sides of a message, and the row that they make together.

use crate::arrival::Arrival;
use crate::event::Looked;
use crate::usual::Protocol;
use record::{Column, Field, Kind, NULL, Schema};

/// What the sender knows. Stamps are ns on the timeline, rows those of the table of calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub src: u32,
    pub dst: u32,
    pub communicator: u32,
    pub tag: i32,
    /// Number among the sends of its rank.
    pub seq: u64,
    pub ready: i64,
    /// Exit of the call that completed it; null if none did.
    pub released: i64,
    pub bytes: u64,
    pub row: i64,
    pub site: u32,
    /// It was released by the call that sent it, which waited for nothing but the library's own
    /// ways.
    pub blocking: bool,
}

/// What the receiver knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Got {
    pub src: u32,
    pub dst: u32,
    pub communicator: u32,
    pub tag: i32,
    /// Number among the messages that its rank took; none for one that no call has collected.
    pub number: Option<u64>,
    pub posted: i64,
    pub awaited: i64,
    pub taken: i64,
    pub looked: Looked,
    pub bytes: u64,
    pub row: i64,
    pub site: u32,
    /// The call that completed it completed no other receive.
    pub alone: bool,
}

impl Got {
    /// What tells of the arrival of a message that travels so: a probe does only if the bytes came
    /// with the announcement.
    #[inline]
    pub fn looked_for(&self, protocol: Protocol) -> Looked {
        match self.looked.is_probe && protocol != Protocol::Eager {
            true => {
                Looked { from: self.awaited, until: self.taken, is_probe: false, ..self.looked }
            }
            false => self.looked,
        }
    }
}

/// A row of a messages file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    src: u32,
    dst: u32,
    communicator: u32,
    tag: i32,
    seq: u64,
    bytes: u64,
    ready: i64,
    posted: i64,
    awaited: i64,
    taken: i64,
    released: i64,
    arrival: Arrival,
    send_row: i64,
    receive_row: i64,
    send_site: u32,
    receive_site: u32,
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

impl Message {
    /// Both sides are known.
    pub fn whole(sent: &Sent, got: &Got, arrival: Arrival) -> Message {
        Message {
            posted: got.posted,
            awaited: got.awaited,
            taken: got.taken,
            arrival,
            receive_row: got.row,
            receive_site: got.site,
            ..Message::of_send(sent)
        }
    }

    /// A send without a receive.
    pub fn of_send(sent: &Sent) -> Message {
        Message {
            src: sent.src,
            dst: sent.dst,
            communicator: sent.communicator,
            tag: sent.tag,
            seq: sent.seq,
            bytes: sent.bytes,
            ready: sent.ready,
            posted: NULL,
            awaited: NULL,
            taken: NULL,
            released: sent.released,
            arrival: Arrival::UNKNOWN,
            send_row: sent.row,
            receive_row: NULL,
            send_site: sent.site,
            receive_site: 0,
        }
    }

    /// A receive without a send. `seq` numbers it after all sends of its source.
    pub fn of_receive(got: &Got, seq: u64) -> Message {
        Message {
            src: got.src,
            dst: got.dst,
            communicator: got.communicator,
            tag: got.tag,
            seq,
            bytes: got.bytes,
            ready: NULL,
            posted: got.posted,
            awaited: got.awaited,
            taken: got.taken,
            released: NULL,
            arrival: Arrival::UNKNOWN,
            send_row: NULL,
            receive_row: got.row,
            send_site: 0,
            receive_site: got.site,
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
            Field::ReadyNs => self.ready,
            // Within a rank nothing is handed to a network.
            Field::SentNs if self.src == self.dst => NULL,
            Field::SentNs => self.ready,
            Field::ArrivedNs => self.arrival.at,
            Field::TakenNs => self.taken,
            Field::ArrivedHow if self.arrival.at == NULL => NULL,
            Field::ArrivedHow => self.arrival.how as i64,
            Field::ArrivedErrorNs => self.arrival.error,
            Field::Tag => i64::from(self.tag),
            Field::Communicator => i64::from(self.communicator),
            Field::PostedNs => self.posted,
            Field::AwaitedNs => self.awaited,
            Field::ReleasedNs => self.released,
            Field::SendCall => self.send_row,
            Field::ReceiveCall => self.receive_row,
            Field::SendSite => site(self.send_site),
            Field::ReceiveSite => site(self.receive_site),
            _ => NULL,
        }
    }
}

fn site(id: u32) -> i64 {
    if id == 0 { NULL } else { i64::from(id) }
}
