//! What a run holds: its messages, and what it says of its sockets.

use record::{Batch, Field, How, NULL, Run};
use streams::{KEY, SocketsFacts};

/// A message: its nodes, bytes and stamps, and how good `arrived` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    pub src: i64,
    pub dst: i64,
    pub bytes: i64,
    /// Ready, sent, arrived, taken.
    pub stamps: [i64; 4],
    pub how: Option<How>,
    pub error: i64,
}

pub fn messages_of(run: &Run) -> Vec<Message> {
    const STAMPS: [Field; 4] = [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs];
    let others = [Field::Src, Field::Dst, Field::Bytes, Field::ArrivedHow, Field::ArrivedErrorNs];
    let fields = [&STAMPS[..], &others].concat();
    let (mut batch, mut messages) = (Batch::new(), Vec::new());
    for chunk in run.chunks() {
        chunk.read(&fields, &mut batch).unwrap();
        messages.extend((0..batch.rows()).map(|row| {
            let at = |field| batch.column(field).at(row);
            Message {
                src: at(Field::Src),
                dst: at(Field::Dst),
                bytes: at(Field::Bytes),
                stamps: STAMPS.map(at),
                how: u8::try_from(at(Field::ArrivedHow)).ok().and_then(How::from_code),
                error: at(Field::ArrivedErrorNs),
            }
        }));
    }
    messages
}

pub fn facts_of(run: &Run) -> SocketsFacts {
    serde_json::from_value(run.info.parameters[KEY].clone()).unwrap()
}

impl Message {
    /// The time of send wait, transit or receive wait.
    pub fn stage(&self, stage: usize) -> i64 {
        self.stamps[stage + 1] - self.stamps[stage]
    }

    pub fn is_whole(&self) -> bool {
        !self.stamps.contains(&NULL)
    }
}
