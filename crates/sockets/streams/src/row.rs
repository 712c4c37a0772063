//! A row of a messages file.

use crate::arrival::Arrival;
use crate::framing::Class;
use crate::op::Wait;
use record::{Column, Field, Kind, NULL, Schema};

/// A message, on the timeline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageRow {
    pub src: u32,
    pub dst: u32,
    /// Given when all rows are known.
    pub seq: u64,
    pub bytes: u64,
    /// What the rule of its connection says it is; `None` where it is what a call moved.
    pub class: Option<Class>,
    pub ready: i64,
    /// Of `ready` to `sent`, what passed while the program wrote the message in several calls.
    pub writing: i64,
    pub sent: i64,
    pub arrival: Arrival,
    pub taken: i64,
    /// What its receiver waited for it in.
    pub waited: Wait,
    /// Of its connection in the run.
    pub connection: u64,
    /// The threads that sent and took it; 0 where that is not known.
    pub threads: [u32; 2],
}

/// The optional columns.
pub(crate) fn schema() -> Schema {
    Schema::new(&[
        Column::ArrivedErrorNs,
        Column::AwaitedNs,
        Column::WokenNs,
        Column::AwaitedFiles,
        Column::Connection,
        Column::SrcThread,
        Column::DstThread,
    ])
}

impl MessageRow {
    /// When it comes among the others.
    pub fn time(&self) -> i64 {
        [self.taken, self.arrival.at, self.ready]
            .into_iter()
            .find(|stamp| *stamp != NULL)
            .unwrap_or(0)
    }

    /// Append a column of `rows` to `out`.
    pub fn put(field: Field, rows: &[MessageRow], out: &mut Vec<i64>) {
        let mut each = |value: fn(&MessageRow) -> i64| out.extend(rows.iter().map(value));
        match field {
            Field::Kind => each(|_| Kind::Data as i64),
            Field::Seq => each(|row| row.seq as i64),
            Field::Src => each(|row| i64::from(row.src)),
            Field::Dst => each(|row| i64::from(row.dst)),
            Field::Bytes => each(|row| row.bytes as i64),
            Field::ReadyNs => each(|row| row.ready),
            Field::SentNs => each(|row| row.sent),
            Field::ArrivedNs => each(|row| row.arrival.at),
            Field::TakenNs => each(|row| row.taken),
            Field::ArrivedHow => each(|row| match row.arrival.at {
                NULL => NULL,
                _ => row.arrival.how as i64,
            }),
            Field::ArrivedErrorNs => each(|row| row.arrival.error),
            Field::AwaitedNs => each(|row| row.waited.enter),
            Field::WokenNs => each(|row| row.waited.exit),
            Field::AwaitedFiles => {
                each(|row| if row.waited.files == 0 { NULL } else { row.waited.files })
            }
            Field::Connection => each(|row| row.connection as i64),
            Field::SrcThread => each(|row| known(row.threads[0])),
            Field::DstThread => each(|row| known(row.threads[1])),
            _ => each(|_| NULL),
        }
    }
}

fn known(thread: u32) -> i64 {
    if thread == 0 { NULL } else { thread.into() }
}
