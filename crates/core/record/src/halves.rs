//! Joining the two sides of a bare run, whose messages carried no header.
//!
//! A sender logs `ready` and `sent`, a receiver `arrived` and `taken`. Messages between two nodes
//! keep their order, so the k-th send from one node to another is the k-th receive there. What has
//! no partner is kept with the stamps that it has, and counted: after a loss on the way, partners
//! further on are not to be trusted, and the count says so.
//!
//! Memory does not grow with the run: the receiver's rows are read once, and beside them each
//! sender's log, of which the rows to other nodes are skipped.

use crate::buffer::Buffers;
use crate::row::ABSENT;
use crate::rows::{RowSource, RowsLost};
use crate::{BASE_WORDS, NodeSheet, RecordError, Row};
use std::collections::HashMap;
use std::path::Path;

/// What joining one node's rows came to.
#[derive(Default)]
pub(crate) struct Joined {
    pub unmatched_sends: u64,
    pub unmatched_receives: u64,
    pub lost: RowsLost,
}

/// Where joined rows go, as words of the receiver's schema.
type Out<'a> = dyn FnMut(&[u64]) -> Result<(), RecordError> + 'a;

/// Give `out` each message that node `sheet` received, those sent to it that it did not receive,
/// and those that it sent to nodes of which there is nothing. `partners` are the sheets of its
/// launch, itself among them.
pub(crate) fn join<'a>(
    live: &Path,
    sheet: &NodeSheet,
    partners: impl Iterator<Item = &'a NodeSheet>,
    buffers: &Buffers,
    out: &mut Out,
) -> Result<Joined, RecordError> {
    let mut sends = HashMap::new();
    for partner in partners {
        sends.insert(partner.node, Sends::open(live, partner, sheet, buffers)?);
    }
    let mut joined = Joined::default();
    let mut own = RowSource::open(live, sheet, buffers)?;
    let stride = sheet.schema.stride();
    while let Some(rows) = own.next_rows()? {
        for words in rows.chunks_exact(stride) {
            match half_of(words, sheet.node) {
                Half::Whole => out(words)?,
                Half::Send { dst } if sends.contains_key(&dst) => {}
                // Nobody else will keep it: that node never joined.
                Half::Send { .. } => {
                    joined.unmatched_sends += 1;
                    out(words)?;
                }
                Half::Receive { src } => {
                    match sends.get_mut(&src).map(Sends::next).transpose()?.flatten() {
                        Some(send) => out(&merge(send, words))?,
                        None => {
                            joined.unmatched_receives += 1;
                            out(words)?;
                        }
                    }
                }
            }
        }
    }
    joined.lost = own.lost();
    for rest in sends.values_mut() {
        while let Some(send) = rest.next()? {
            joined.unmatched_sends += 1;
            let send = send.to_vec();
            out(&send)?;
        }
    }
    Ok(joined)
}

/// Which side of a message a row is, as its node wrote it.
enum Half {
    Whole,
    Send { dst: u32 },
    Receive { src: u32 },
}

fn half_of(words: &[u64], node: u32) -> Half {
    let base: &[u64; BASE_WORDS] = words[..BASE_WORDS].try_into().expect("a row has its base");
    match Row::unpack(base) {
        Some(row) if row.taken == ABSENT && row.arrived == ABSENT && u32::from(row.src) == node => {
            Half::Send { dst: u32::from(row.dst) }
        }
        Some(row) if row.ready == ABSENT && row.sent == ABSENT && u32::from(row.dst) == node => {
            Half::Receive { src: u32::from(row.src) }
        }
        _ => Half::Whole,
    }
}

/// The sends of one node to another, in order, as words of the receiver's schema.
struct Sends {
    source: RowSource,
    waiting: Vec<u64>,
    at: usize,
    stride: usize,
    src: u32,
    dst: u32,
    /// For each extra word of the receiver's schema, the sender's word of that column.
    extras: Vec<Option<usize>>,
    row: Vec<u64>,
}

impl Sends {
    fn open(
        live: &Path,
        sender: &NodeSheet,
        receiver: &NodeSheet,
        buffers: &Buffers,
    ) -> Result<Sends, RecordError> {
        Ok(Sends {
            source: RowSource::open(live, sender, buffers)?,
            waiting: Vec::new(),
            at: 0,
            stride: sender.schema.stride(),
            src: sender.node,
            dst: receiver.node,
            extras: receiver.schema.extras().map(|column| sender.schema.word_of(column)).collect(),
            row: Vec::new(),
        })
    }

    fn next(&mut self) -> Result<Option<&[u64]>, RecordError> {
        loop {
            while let Some(words) = self.waiting.get(self.at..self.at + self.stride) {
                self.at += self.stride;
                let dst = (words[5] >> 16) as u16;
                if u32::from(dst) == self.dst
                    && matches!(half_of(words, self.src), Half::Send { .. })
                {
                    self.row.clear();
                    self.row.extend(&words[..BASE_WORDS]);
                    self.row.extend(
                        self.extras.iter().map(|word| word.map_or(ABSENT, |word| words[word])),
                    );
                    return Ok(Some(&self.row));
                }
            }
            self.at = 0;
            match self.source.next_rows()? {
                None => return Ok(None),
                Some(rows) => {
                    self.waiting.clear();
                    self.waiting.extend(rows);
                }
            }
        }
    }
}

/// One message from its two halves: what only one side knows comes from that side.
fn merge(send: &[u64], receive: &[u64]) -> Vec<u64> {
    const QUEUE_LENGTH: u64 = 0xff_ffff << 24;
    const ARRIVED: u64 = 0xff << 48;
    let mut words = send.to_vec();
    words[2] = receive[2];
    words[3] = receive[3];
    words[5] = send[5] & !ARRIVED | receive[5] & ARRIVED;
    words[7] = send[7] & !QUEUE_LENGTH | receive[7] & QUEUE_LENGTH;
    for (word, theirs) in words[BASE_WORDS..].iter_mut().zip(&receive[BASE_WORDS..]) {
        if *theirs != ABSENT {
            *word = *theirs;
        }
    }
    words
}
