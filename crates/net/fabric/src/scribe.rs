//! What a node writes down: a row for every message that it takes.

use crate::gauge::QueueGauge;
use crate::spec::NodeId;
use crate::transport::{Arrival, Head};
use clock::Clock;
use record::{ABSENT, ArrivedClock, How, Kind, Recorder, Row};

/// What a node writes down.
pub enum Recording {
    /// Nothing.
    Off,
    /// Whole cycles only: no stamps travel. What recording costs is measured against this.
    Cycles(Recorder),
    /// Every message.
    Full(Recorder),
    /// Nothing, but stamps are taken and travel as if every message were written down: the program
    /// packs several messages of its own into one of ours, and writes their rows by
    /// [`crate::Message::stamps`].
    Delegated,
}

/// What the fabric knows of a message's way, for programs that write rows themselves
/// ([`Recording::Delegated`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps {
    /// Just before the network layer was given it (the sender's clock); [`record::ABSENT`] within a
    /// node.
    pub sent: u64,
    /// The network layer of this node had it, on the clock that `arrived_clock` names.
    pub arrived: u64,
    /// Whose clock that is.
    pub arrived_clock: ArrivedClock,
    /// How that is known.
    pub arrived_how: How,
    /// Half-width of a bracketed arrival, ns.
    pub error_ns: u64,
    /// The arrival in this node's ticks, as well as it can be told at once: for a
    /// [`crate::QueueGauge`].
    pub arrived_ticks: u64,
    /// Messages on their way to this node when it was sent, as its sender knew it.
    pub in_flight: u32,
    /// Packets that carried it.
    pub packets: u32,
    /// Links crossed.
    pub hops: u8,
}

/// Writes one node's rows.
pub(crate) struct Scribe {
    me: NodeId,
    recording: Recording,
    has_error_column: bool,
    gauge: QueueGauge,
    queue_len: u32,
    /// Of the last message taken, for a program that writes rows itself.
    stamps: Stamps,
}

impl Scribe {
    pub fn new(me: NodeId, recording: Recording) -> Scribe {
        let has_error_column = match &recording {
            Recording::Off | Recording::Delegated => false,
            Recording::Cycles(recorder) | Recording::Full(recorder) => recorder.extras() == 1,
        };
        Scribe {
            me,
            recording,
            has_error_column,
            gauge: QueueGauge::new(),
            queue_len: 0,
            stamps: Stamps::NONE,
        }
    }

    /// Messages that waited when the last one taken arrived.
    pub fn queue_len(&self) -> u32 {
        self.queue_len
    }

    /// Of the last message taken.
    pub fn stamps(&self) -> &Stamps {
        &self.stamps
    }

    /// Whether messages are written down, by us or by the program.
    pub fn records_messages(&self) -> bool {
        matches!(self.recording, Recording::Full(_) | Recording::Delegated)
    }

    pub fn into_recording(self) -> Recording {
        self.recording
    }

    /// A message is taken now: stamp that, and write its row. Returns the stamp.
    #[inline]
    pub fn taking(&mut self, arrival: &Arrival, bytes: u64, clock: Clock) -> u64 {
        let warming_up = arrival.head.ready == ABSENT;
        if warming_up || !self.records_messages() {
            return ABSENT;
        }
        let taken = if arrival.just_now { arrival.arrived } else { clock.now().0 };
        if matches!(self.recording, Recording::Delegated) {
            self.stamps = Stamps::of(arrival);
            return taken;
        }
        self.queue_len = self.gauge.length_at(arrival.arrived_ticks.min(taken));
        self.gauge.took(taken);
        let row = Row {
            arrived: arrival.arrived,
            taken,
            hops: arrival.hops,
            arrived_clock: arrival.clock,
            arrived_how: arrival.how,
            packets: arrival.packets,
            queue_len: self.queue_len,
            ..row_of(&arrival.head, arrival.from, self.me, bytes)
        };
        self.write(&row, arrival.error_ns);
        taken
    }

    /// A whole cycle was seen.
    #[inline]
    pub fn cycle(&mut self, begin: u64, end: u64, seq: u64, bytes: u64) {
        let head = Head {
            ready: begin,
            sent: ABSENT,
            seq,
            kind: Kind::Cycle,
            flag: crate::Flag::Last,
            batch: 1,
            in_flight: 0,
        };
        let row = Row { taken: end, ..row_of(&head, self.me, self.me, bytes) };
        self.write(&row, 0);
    }

    #[inline]
    fn write(&mut self, row: &Row, error_ns: u64) {
        let (Recording::Full(recorder) | Recording::Cycles(recorder)) = &mut self.recording else {
            return;
        };
        if self.has_error_column {
            recorder.push_with(row, &[error_ns]);
        } else {
            recorder.push(row);
        }
    }
}

impl Stamps {
    const NONE: Stamps = Stamps {
        sent: ABSENT,
        arrived: ABSENT,
        arrived_clock: ArrivedClock::Receiver,
        arrived_how: How::Observed,
        error_ns: 0,
        arrived_ticks: ABSENT,
        in_flight: 0,
        packets: 0,
        hops: 0,
    };

    fn of(arrival: &Arrival) -> Stamps {
        Stamps {
            sent: arrival.head.sent,
            arrived: arrival.arrived,
            arrived_clock: arrival.clock,
            arrived_how: arrival.how,
            error_ns: arrival.error_ns,
            arrived_ticks: arrival.arrived_ticks,
            in_flight: arrival.head.in_flight,
            packets: arrival.packets,
            hops: arrival.hops,
        }
    }
}

/// What a row takes from its message's head; the receiver's stamps and counts are still absent.
#[inline]
fn row_of(head: &Head, src: NodeId, dst: NodeId, bytes: u64) -> Row {
    Row {
        ready: head.ready,
        sent: head.sent,
        arrived: ABSENT,
        taken: ABSENT,
        seq: head.seq,
        src,
        dst,
        kind: head.kind,
        hops: 0,
        arrived_clock: ArrivedClock::Receiver,
        arrived_how: How::Observed,
        bytes,
        packets: 0,
        in_flight: head.in_flight,
        queue_len: 0,
        batch: head.batch,
    }
}
