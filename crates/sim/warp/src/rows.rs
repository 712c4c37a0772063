//! One node's rows of a simulation: messages between nodes and within one, and what the engine did.
//!
//! The fabric stamps frames; a parcel has its frame's `sent` and `arrived`, its own `ready` (when
//! it left the engine) and its own `taken` (when the engine took it). So the time that it waited to
//! be packed is send wait, and the time that it waited behind others of its frame is receive wait.
//! Columns that count messages on the way count frames; `batch` is how many parcels a frame had.
//! Packets are those that carry a part of the parcel, not all of its frame's.

use crate::witness::Taking;
use clock::Clock;
use fabric::{NodeId, QueueGauge, Spec, Stamps};
use record::{ABSENT, ArrivedClock, Column, How, Kind, Recorder, Row};
use std::collections::VecDeque;
use timewarp::{ObjectId, Passage, Passing, VirtualTime, Work};

/// The optional columns that a simulation over this fabric fills in.
pub fn columns(spec: &Spec) -> Vec<Column> {
    let mut columns = fabric::columns(spec);
    columns.extend([
        Column::Hops,
        Column::Packets,
        Column::Batch,
        Column::InFlight,
        Column::QueueLength,
    ]);
    columns.extend(WORDS);
    columns
}

/// The columns that have a word each here, behind that of the arrival's error where there is one.
const WORDS: [Column; 5] = [
    Column::OnNodeWaited,
    Column::SrcObject,
    Column::DstObject,
    Column::VirtualSend,
    Column::VirtualReceive,
];

/// Writes one node's rows.
pub struct Rows {
    me: NodeId,
    clock: Clock,
    recorder: Recorder,
    has_error_column: bool,
    /// Bytes of a packet, where the fabric cuts messages into any.
    packet_bytes: Option<u32>,
    gauge: QueueGauge,
    /// Messages of this node to itself, by when they were handled.
    on_node: QueueGauge,
    on_node_handled: u64,
    next_number: u64,
    /// Parcels that the engine keeps until it takes them; `None`: it takes them at once.
    kept: Option<VecDeque<Option<Pending>>>,
    /// The number of the first of them, in order of arrival.
    first_kept: u64,
}

/// A row that lacks only when its message was taken.
struct Pending {
    row: Row,
    words: Words,
    arrived_ticks: u64,
    /// On-node messages handled before it arrived.
    handled_before: u64,
}

/// The words of a row beyond its base.
#[derive(Clone, Copy)]
struct Words {
    error_ns: u64,
    on_node_waited: u64,
    objects: [u64; 2],
    times: [u64; 2],
}

/// Most that a column of 24 bits holds.
const COUNT_MAX: u32 = (1 << 24) - 1;

impl Rows {
    /// Rows of node `me`. `keeps`: the engine keeps what arrives, and says when it takes it.
    pub fn new(me: NodeId, clock: Clock, recorder: Recorder, keeps: bool) -> Rows {
        Rows {
            me,
            clock,
            has_error_column: recorder.extras() > WORDS.len(),
            recorder,
            packet_bytes: None,
            gauge: QueueGauge::new(),
            on_node: QueueGauge::new(),
            on_node_handled: 0,
            next_number: 0,
            kept: keeps.then(VecDeque::new),
            first_kept: 0,
        }
    }

    /// Of a fabric that cuts messages into packets of so many bytes.
    pub fn in_packets(self, packet_bytes: Option<u32>) -> Rows {
        Rows { packet_bytes, ..self }
    }

    /// The present moment.
    #[inline]
    pub fn now(&self) -> u64 {
        self.clock.now().0
    }

    /// Give so many messages numbers; returns the first.
    #[inline]
    pub fn numbers(&mut self, messages: u32) -> u64 {
        let first = self.next_number;
        self.next_number += u64::from(messages);
        first
    }

    /// A parcel from another node: its row, now or when the engine takes it.
    #[inline]
    pub fn taking(&mut self, taking: &Taking<'_>) {
        let row = self.row_of(taking);
        let words = taking
            .passage
            .as_ref()
            .map_or(Words::NONE, Words::of)
            .with_error(taking.frame.error_ns);
        let arrived_ticks = taking.frame.arrived_ticks;
        let since = self.on_node.length_at(arrived_ticks.min(self.now()));
        let handled_before = self.on_node_handled - u64::from(since);
        let pending = Pending { row, words, arrived_ticks, handled_before };
        match &mut self.kept {
            Some(kept) if taking.passage.is_some() => kept.push_back(Some(pending)),
            _ => self.took_now(pending),
        }
    }

    /// The engine takes the parcel that was the `arrival`-th to come.
    pub fn took(&mut self, arrival: u64) {
        let Some(kept) = &mut self.kept else { return };
        let at = arrival.wrapping_sub(self.first_kept);
        let pending =
            usize::try_from(at).ok().and_then(|at| kept.get_mut(at)).and_then(Option::take);
        while let Some(None) = kept.front() {
            kept.pop_front();
            self.first_kept += 1;
        }
        if let Some(pending) = pending {
            self.took_now(pending);
        }
    }

    /// A message within the node, in its receiver's queue now.
    #[inline]
    pub fn within_node(&mut self, passage: &Passage) {
        let now = self.now();
        self.on_node.took(now);
        self.on_node_handled += 1;
        let row =
            Row { bytes: passage.bytes as u64, ..self.interval(kind_of(passage.kind), now, now) };
        self.write(&row, &Words::of(passage));
    }

    /// A piece of the engine's work that began then and ends now.
    #[inline]
    pub fn worked(&mut self, begin: u64, work: &Work) {
        let now = self.now();
        let (kind, count, objects, [send, receive]) = match *work {
            Work::Execution { object, time, messages } => {
                (Kind::Execution, messages, [object; 2], [time; 2])
            }
            Work::Rollback { object, from, to, events } => {
                (Kind::Rollback, events, [object; 2], [from, to])
            }
            Work::Collection { gvt, events } => {
                (Kind::Collection, events, [ObjectId::CONFIGURATION; 2], [gvt; 2])
            }
            Work::GvtRound { gvt, passes } => {
                (Kind::GvtRound, passes, [ObjectId::CONFIGURATION; 2], [gvt; 2])
            }
        };
        let row = Row { packets: count.min(COUNT_MAX), ..self.interval(kind, begin, now) };
        let mut words = Words {
            objects: objects.map(word_of),
            times: [send, receive].map(bits),
            ..Words::NONE
        };
        match kind {
            Kind::Rollback => words.objects[0] = ABSENT,
            Kind::Collection | Kind::GvtRound => words.times[0] = ABSENT,
            _ => {}
        }
        self.write(&row, &words);
    }

    /// What the rows were written with, for finishing it.
    pub fn into_recorder(self) -> Recorder {
        self.recorder
    }

    /// Why rows cannot be kept, if that is so.
    pub fn failure(&self) -> Option<record::RecordError> {
        self.recorder.check().err()
    }

    #[inline]
    fn took_now(&mut self, pending: Pending) {
        let Pending { mut row, mut words, arrived_ticks, handled_before } = pending;
        row.taken = self.now();
        row.queue_len = self.gauge.length_at(arrived_ticks.min(row.taken)).min(COUNT_MAX);
        self.gauge.took(row.taken);
        words.on_node_waited = self.on_node_handled - handled_before;
        self.write(&row, &words);
    }

    #[inline]
    fn row_of(&self, taking: &Taking<'_>) -> Row {
        let Stamps { sent, arrived, arrived_clock, arrived_how, in_flight, packets, hops, .. } =
            *taking.frame;
        let packets = self
            .packet_bytes
            .map_or(packets, |bytes| carrying(taking.span, bytes).min(packets.max(1)));
        Row {
            ready: taking.ready,
            sent,
            arrived,
            taken: ABSENT,
            seq: taking.number,
            src: taking.from,
            dst: self.me,
            kind: taking.passage.as_ref().map_or(Kind::Gvt, |passage| kind_of(passage.kind)),
            hops,
            arrived_clock,
            arrived_how,
            bytes: taking.passage.as_ref().map_or(0, |passage| passage.bytes as u64),
            packets,
            in_flight: in_flight.min(COUNT_MAX),
            queue_len: 0,
            batch: u16::try_from(taking.batch).unwrap_or(u16::MAX),
        }
    }

    /// A row of this node's own, with a begin and an end.
    #[inline]
    fn interval(&mut self, kind: Kind, begin: u64, end: u64) -> Row {
        let seq = self.numbers(1);
        Row {
            ready: begin,
            sent: ABSENT,
            arrived: ABSENT,
            taken: end,
            seq,
            src: self.me,
            dst: self.me,
            kind,
            hops: 0,
            arrived_clock: ArrivedClock::Receiver,
            arrived_how: How::Observed,
            bytes: 0,
            packets: 0,
            in_flight: 0,
            queue_len: 0,
            batch: 1,
        }
    }

    #[inline]
    fn write(&mut self, row: &Row, words: &Words) {
        let Words { error_ns, on_node_waited, objects, times } = *words;
        let ([from, to], [send, receive]) = (objects, times);
        let all = [error_ns, on_node_waited, from, to, send, receive];
        self.recorder.push_with(row, if self.has_error_column { &all } else { &all[1..] });
    }
}

impl Words {
    const NONE: Words =
        Words { error_ns: 0, on_node_waited: ABSENT, objects: [ABSENT; 2], times: [ABSENT; 2] };

    #[inline]
    fn of(passage: &Passage) -> Words {
        Words {
            objects: [passage.sender, passage.receiver].map(word_of),
            times: [passage.send, passage.receive].map(bits),
            ..Words::NONE
        }
    }

    fn with_error(self, error_ns: u64) -> Words {
        Words { error_ns, ..self }
    }
}

/// Packets of so many bytes that carry a part of these bytes of a frame, first and behind the last.
fn carrying((from, to): (usize, usize), packet_bytes: u32) -> u32 {
    let packet = packet_bytes.max(1) as usize;
    let last = to.saturating_sub(1).max(from);
    u32::try_from(last / packet - from / packet + 1).unwrap_or(u32::MAX)
}

fn kind_of(passing: Passing) -> Kind {
    match passing {
        Passing::Event => Kind::Event,
        Passing::Anti => Kind::Anti,
        Passing::Sendback => Kind::Sendback,
    }
}

/// Configuration is no object.
#[inline]
fn word_of(object: ObjectId) -> u64 {
    if object == ObjectId::CONFIGURATION { ABSENT } else { u64::from(object.0) }
}

#[inline]
fn bits(time: VirtualTime) -> u64 {
    time.simtime().to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_packets_that_carry_a_part_of_it() {
        // (bytes of the frame, packet) -> packets
        for (from, to, packet, packets) in [
            (16, 76, 128, 1),
            (16, 128, 128, 1),
            (16, 129, 128, 2),
            (100, 160, 128, 2),
            (128, 256, 128, 1),
            (127, 257, 128, 3),
            (40, 40, 1, 1),
        ] {
            assert_eq!(carrying((from, to), packet), packets, "{from}..{to} in {packet}");
        }
    }
}
