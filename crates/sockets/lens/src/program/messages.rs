//! The messages of a traced run.

use predict::Letter;
use record::{Batch, Field, How, Kind, NULL, Run};
use std::collections::HashMap;
use streams::SocketsFacts;

use super::ServiceError;

/// A message of which both ends are known; times are ns on the run's timeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub nodes: [u16; 2],
    /// The threads that sent and took it.
    pub threads: [u32; 2],
    pub seq: i64,
    pub bytes: u64,
    pub connection: u32,
    pub ready: i64,
    pub sent: i64,
    pub arrived: i64,
    /// `arrived` is what the kernel said, and no estimate.
    pub is_observed: bool,
    pub taken: i64,
    /// When its receiver began to wait for it, and when that wait was over; null where that is not
    /// known, or it was the call that took it.
    pub awaited: i64,
    pub woken: i64,
    /// Its receiver waited for it, and for no other descriptor.
    pub waited_alone: bool,
    /// How long it stood still on its way for no cause that the network has, ns.
    pub stalled: i64,
}

/// One of which one end is known: what a program did that talks to one that was not traced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Half {
    pub node: u16,
    pub thread: u32,
    /// When it was sent, or taken.
    pub at: i64,
    /// When it arrived; null of one that was sent.
    pub arrived: i64,
}

/// Those of a run.
#[derive(Default)]
pub(super) struct Read {
    /// In the order in which they were sent.
    pub messages: Vec<Seen>,
    pub halves: u64,
    pub half: Vec<Half>,
}

const FIELDS: [Field; 16] = [
    Field::Kind,
    Field::Src,
    Field::Dst,
    Field::Seq,
    Field::Bytes,
    Field::ReadyNs,
    Field::SentNs,
    Field::ArrivedNs,
    Field::TakenNs,
    Field::ArrivedHow,
    Field::AwaitedNs,
    Field::WokenNs,
    Field::AwaitedFiles,
    Field::Connection,
    Field::SrcThread,
    Field::DstThread,
];

/// Linux lets the two sockets of a connection hold about so much, unless it is told otherwise.
const ROOM_BYTES: u64 = 4 << 20;

pub(super) fn read(run: &Run) -> Result<Read, ServiceError> {
    let mut all = Read::default();
    let mut batch = Batch::new();
    for chunk in run.chunks() {
        if !chunk.has(Field::Connection) {
            return Err(ServiceError::Older);
        }
        chunk.read(&FIELDS, &mut batch)?;
        for row in 0..batch.rows() {
            let values = FIELDS.map(|field| batch.column(field).at(row));
            if values[0] == Kind::Data as i64 {
                all.add(values);
            }
        }
    }
    all.messages.sort_by_key(|one| (one.ready, one.nodes[0], one.seq));
    all.messages.shrink_to_fit();
    Ok(all)
}

impl Read {
    fn add(&mut self, values: [i64; FIELDS.len()]) {
        let [_, src, dst, seq, bytes, ready, sent, arrived, taken, how, ..] = values;
        let [.., awaited, woken, files, connection, from, to] = values;
        let nodes = [src as u16, dst as u16];
        if [ready, sent, arrived, taken, from, to].contains(&NULL) {
            self.halves += 1;
            self.half.extend((ready != NULL && from != NULL).then_some(Half {
                node: nodes[0],
                thread: from as u32,
                at: ready,
                arrived: NULL,
            }));
            self.half.extend((taken != NULL && to != NULL).then_some(Half {
                node: nodes[1],
                thread: to as u32,
                at: taken,
                arrived: if arrived == NULL { taken } else { arrived },
            }));
            return;
        }
        self.messages.push(Seen {
            nodes,
            threads: [from as u32, to as u32],
            seq,
            bytes: bytes.max(0) as u64,
            connection: connection as u32,
            ready,
            sent,
            arrived,
            is_observed: how == How::Observed as i64,
            taken,
            awaited,
            woken,
            waited_alone: files == 1 && awaited < arrived,
            stalled: 0,
        });
    }

    /// Leave out what was before the first thing between hosts, and behind the last: no network
    /// matters to that.
    pub fn keep_between(&mut self, host_of: &[u16], from: i64) {
        let is_between = |one: &&Seen| {
            let [from, to] = one.nodes.map(|node| host_of[usize::from(node)]);
            from != to
        };
        let until = self.messages.iter().filter(is_between).map(|one| one.taken).max();
        let until = until.unwrap_or(i64::MAX);
        self.messages.retain(|one| one.ready >= from && one.taken <= until);
        self.half.retain(|half| (from..=until).contains(&half.at));
    }

    /// How many nodes there are, those of untraced programs with them.
    pub fn nodes(&self, facts: &SocketsFacts) -> usize {
        let seen = self.messages.iter().flat_map(|one| one.nodes).map(usize::from);
        let half = self.half.iter().map(|one| usize::from(one.node));
        let known = facts.processes.iter().map(|process| process.node as usize);
        seen.chain(half).chain(known).max().map_or(0, |most| most + 1)
    }

    /// By source and number.
    pub fn numbers(&self) -> HashMap<(i64, i64), u32> {
        let key = |one: &Seen| (i64::from(one.nodes[0]), one.seq);
        (0..).zip(&self.messages).map(|(at, one)| (key(one), at)).collect()
    }

    /// Bytes that a stream may hold: as many as one did when recorded, or what is usual.
    pub fn room_bytes(&self) -> u64 {
        let mut moments: Vec<(i64, u32, i64)> = Vec::with_capacity(2 * self.messages.len());
        for one in &self.messages {
            let stream = one.letter().stream;
            moments.push((one.sent, stream, one.bytes as i64));
            moments.push((one.taken, stream, -(one.bytes as i64)));
        }
        moments.sort_unstable();
        let (mut held, mut most) = (HashMap::<u32, i64>::new(), 0);
        for (_, stream, bytes) in moments {
            let held = held.entry(stream).or_default();
            *held += bytes;
            most = most.max(*held);
        }
        ROOM_BYTES.max(most as u64)
    }

    /// What of them is not played as it was.
    pub fn said(&self) -> Vec<String> {
        let halves = document::counted(self.halves, "message");
        let of_others = (self.halves > 0).then(|| {
            format!(
                "{halves} with programs that were not traced, or unmatched: what came of them \
                comes when it did, whatever the network."
            )
        });
        of_others.into_iter().collect()
    }
}

impl Seen {
    /// Its receiver waited for it.
    pub fn has_waited(&self) -> bool {
        self.awaited != NULL && self.awaited < self.arrived
    }

    pub fn letter(&self) -> Letter {
        let [from, to] = self.nodes;
        // Of a connection within a process, one way cannot be told from the other: its threads do.
        let way = (from, self.threads[0]) > (to, self.threads[1]);
        Letter {
            from,
            to,
            bytes: self.bytes,
            stream: 2 * self.connection + u32::from(way),
            within_ns: (self.arrived - self.sent).max(0) as u64,
            stalled_ns: self.stalled as u64,
        }
    }
}
