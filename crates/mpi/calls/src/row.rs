//! The row that the two sides of a message make together.

use crate::arrival::Arrival;
use crate::event::Open;
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
    row: i64,
    /// Row of the call that released the buffer.
    released_in: i64,
    site: u32,
}

/// What the receiver's calls tell.
#[derive(Clone, Copy, Debug)]
struct ReceiveEnd {
    taken: i64,
    row: i64,
    /// Row of the call that took it.
    taken_in: i64,
    /// What the receive and the probe left open; 0 for nothing.
    wildcard: u8,
    /// Row of the probe that found it.
    probe: i64,
    site: u32,
}

/// The optional columns of a messages file. When a message was posted, awaited and released is when
/// calls were entered and left: the tables of calls say it.
pub(crate) fn schema() -> Schema {
    Schema::new(&[
        Column::ArrivedErrorNs,
        Column::Tag,
        Column::Communicator,
        Column::SendCall,
        Column::ReceiveCall,
        Column::SendSite,
        Column::ReceiveSite,
        Column::TakenCall,
        Column::ReleasedLater,
        Column::Wildcard,
        Column::ProbeCall,
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
                row: sent.row,
                released_in: if sent.released == NULL { NULL } else { sent.done.row },
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

    /// Append a column of `rows` to `out`.
    pub fn put(field: Field, rows: &[MessageRow], out: &mut Vec<i64>) {
        let mut all = |value: i64| out.resize(out.len() + rows.len(), value);
        match field {
            Field::Kind => all(Kind::Data as i64),
            Field::Seq => each(rows, out, |row| row.seq as i64),
            Field::Src => each(rows, out, |row| i64::from(row.src)),
            Field::Dst => each(rows, out, |row| i64::from(row.dst)),
            Field::Bytes => each(rows, out, |row| row.bytes as i64),
            Field::ReadyNs => each(rows, out, |row| row.send.ready),
            Field::SentNs => each(rows, out, MessageRow::sent),
            Field::ArrivedNs => each(rows, out, |row| row.arrival.at),
            Field::TakenNs => each(rows, out, |row| row.receive.taken),
            Field::ArrivedHow => each(rows, out, MessageRow::arrived_how),
            Field::ArrivedErrorNs => each(rows, out, |row| row.arrival.error),
            Field::Tag => each(rows, out, |row| i64::from(row.tag)),
            Field::Communicator => each(rows, out, |row| i64::from(row.communicator)),
            Field::SendCall => each(rows, out, |row| row.send.row),
            Field::ReceiveCall => each(rows, out, |row| row.receive.row),
            Field::TakenCall => each(rows, out, |row| row.receive.taken_in),
            Field::ReleasedLater => each(rows, out, |row| row.send.released_later()),
            Field::Wildcard => each(rows, out, |row| match row.receive.wildcard {
                0 => NULL,
                open => i64::from(open),
            }),
            Field::ProbeCall => each(rows, out, |row| row.receive.probe),
            Field::SendSite => each(rows, out, |row| site(row.send.site)),
            Field::ReceiveSite => each(rows, out, |row| site(row.receive.site)),
            _ => all(NULL),
        }
    }

    /// Within a rank nothing is handed to a network.
    fn sent(&self) -> i64 {
        if self.src == self.dst { NULL } else { self.send.ready }
    }

    fn arrived_how(&self) -> i64 {
        if self.arrival.at == NULL { NULL } else { self.arrival.how as i64 }
    }
}

#[inline]
fn each(rows: &[MessageRow], out: &mut Vec<i64>, value: impl Fn(&MessageRow) -> i64) {
    out.extend(rows.iter().map(value));
}

impl SendEnd {
    const NONE: SendEnd = SendEnd { ready: NULL, row: NULL, released_in: NULL, site: 0 };

    fn released_later(&self) -> i64 {
        if self.released_in == NULL { NULL } else { self.released_in - self.row }
    }
}

impl ReceiveEnd {
    const NONE: ReceiveEnd =
        ReceiveEnd { taken: NULL, row: NULL, taken_in: NULL, wildcard: 0, probe: NULL, site: 0 };

    fn of(got: &Got) -> ReceiveEnd {
        let probe = Some(got.looked).filter(|looked| looked.is_probe);
        let open = got.open.code() | probe.map_or(0, |looked| looked.open.code() << Open::BITS);
        ReceiveEnd {
            taken: got.taken,
            row: got.row,
            taken_in: got.done_row,
            wildcard: open,
            probe: probe.map_or(NULL, |looked| looked.row),
            site: got.site,
        }
    }
}

fn site(id: u32) -> i64 {
    if id == 0 { NULL } else { i64::from(id) }
}
