//! A node: send, receive, and a row for every message.

mod closing;
mod letter;
mod local;
mod receipts;
mod sending;
mod waiting;
pub use waiting::LOOKS_BEFORE_SLEEP;

use crate::error::FabricError;
use crate::pin::ticks_per_ns;
use crate::scribe::{Recording, Scribe, Stamps};
use crate::spec::{NodeId, Waiting};
use crate::transport::{Flag, Happening, Head, Transport, TransportReport};
use clock::{Clock, Ticks};
use record::{ABSENT, Kind};
use std::collections::VecDeque;
use std::time::Duration;
use waiting::Whole;

pub use letter::Letter;

/// What a node is told when it is made.
pub struct NodeOptions {
    /// Its number.
    pub id: NodeId,
    /// Nodes in all.
    pub nodes: u16,
    /// What it takes stamps with: the same clock as its transport's.
    pub clock: Clock,
    /// What it writes down.
    pub recording: Recording,
    /// How it waits.
    pub wait: Waiting,
    /// How long a peer may take nothing while we have something for it.
    pub peer_timeout: Duration,
}

/// How long to wait for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    Poll,
    /// Until this moment of the node's clock, or until a peer says good-bye or a receipt comes:
    /// whoever waits may be waiting for that.
    Until(Ticks),
    /// Until one comes; [`FabricError::Stalled`] names this node when that takes longer than the
    /// peers' time-out.
    Expecting(NodeId),
    /// Until one comes, or this node, for which we work, has said good-bye: then
    /// [`FabricError::Closed`].
    Serving(NodeId),
    /// Until one comes or none can come any more, because all have said good-bye.
    Forever,
}

/// A message that the program has taken. Its payload is lent until the node is used again.
pub struct Message<'a> {
    /// Who sent it.
    pub from: NodeId,
    /// What it is for.
    pub kind: Kind,
    /// Its number at its source.
    pub seq: u64,
    /// When its sender called send (the sender's clock); [`record::ABSENT`] ticks when unrecorded.
    pub ready: Ticks,
    /// When it was taken; [`record::ABSENT`] ticks when unrecorded.
    pub taken: Ticks,
    stamps: &'a Stamps,
    body: Body<'a>,
}

enum Body<'a> {
    InTransport(&'a mut dyn Transport),
    Own(Vec<u8>),
}

impl Message<'_> {
    /// The payload.
    pub fn payload(&self) -> &[u8] {
        match &self.body {
            Body::InTransport(transport) => transport.payload(),
            Body::Own(bytes) => bytes,
        }
    }

    /// When and how it came: kept only with [`Recording::Delegated`].
    pub fn stamps(&self) -> &Stamps {
        self.stamps
    }
}

/// One worker of the distributed program. Not shared between threads: a thread has its own.
pub struct Node {
    id: NodeId,
    nodes: u16,
    clock: Clock,
    transport: Box<dyn Transport>,
    scribe: Scribe,
    stamping: bool,
    wait: Waiting,
    peer_timeout: Duration,
    next_seq: u64,
    /// Since when the node has been looking without pause; `u64::MAX` if it has not.
    spinning_since: u64,
    partial: Vec<Vec<u8>>,
    local: VecDeque<(Head, Vec<u8>)>,
    byes: Vec<bool>,
    /// Receipts that came while the node waited, and are not yet asked for.
    receipts: u32,
}

impl Node {
    /// A node over a transport.
    pub fn new(transport: Box<dyn Transport>, options: NodeOptions) -> Node {
        let nodes = usize::from(options.nodes);
        Node {
            id: options.id,
            nodes: options.nodes,
            clock: options.clock,
            transport,
            stamping: matches!(options.recording, Recording::Full(_) | Recording::Delegated),
            scribe: Scribe::new(options.id, options.recording),
            wait: options.wait,
            peer_timeout: options.peer_timeout,
            next_seq: 0,
            spinning_since: u64::MAX,
            partial: vec![Vec::new(); nodes],
            local: VecDeque::new(),
            byes: vec![false; nodes],
            receipts: 0,
        }
    }

    /// This node's number.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// Nodes in all.
    pub fn nodes(&self) -> u16 {
        self.nodes
    }

    /// What this node takes stamps with.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// A moment some time from now, for [`Wait::Until`].
    pub fn after(&self, time: Duration) -> Ticks {
        let ticks = time.as_nanos() as f64 * ticks_per_ns(&self.clock);
        Ticks(self.clock.now().0.saturating_add(ticks as u64))
    }

    /// The time from one stamp of this node to a later one, ns: for pacing and rates, good to a per
    /// mille.
    pub fn ns_between(&self, begin: Ticks, end: Ticks) -> u64 {
        (end.0.wrapping_sub(begin.0) as f64 / ticks_per_ns(&self.clock)) as u64
    }

    /// Whether messages sent from now on are stamped and recorded: not while warming up. A receiver
    /// records what carries stamps.
    pub fn set_stamping(&mut self, stamping: bool) {
        self.stamping = stamping && self.scribe.records_messages();
    }

    /// Send one message and return its number. Waits for room; [`FabricError::Stalled`] when there
    /// is none in time.
    #[inline]
    pub fn send(&mut self, to: NodeId, kind: Kind, payload: &[u8]) -> Result<u64, FabricError> {
        let ready = self.stamp();
        self.hand_over(to, self.head(kind, ready, ready, 1), payload)
    }

    /// Send one message that should have gone at `ready`: in an open loop the wait counts from
    /// there.
    pub fn send_intended(
        &mut self,
        to: NodeId,
        kind: Kind,
        ready: Ticks,
        payload: &[u8],
    ) -> Result<u64, FabricError> {
        let ready = if self.stamping { ready.0 } else { ABSENT };
        self.hand_over(to, self.head(kind, ready, ABSENT, 1), payload)
    }

    /// Send several messages in one call; the network layer is woken once.
    pub fn send_batch(
        &mut self,
        to: NodeId,
        kind: Kind,
        payloads: &[&[u8]],
    ) -> Result<(), FabricError> {
        let batch = u16::try_from(payloads.len()).unwrap_or(u16::MAX);
        let ready = self.stamp();
        for payload in payloads {
            self.queue_one(to, self.head(kind, ready, ABSENT, batch), payload)?;
        }
        self.transport.flush()
    }

    /// Take the next message. `None`: none came in time.
    #[inline]
    pub fn receive(&mut self, wait: Wait) -> Result<Option<Message<'_>>, FabricError> {
        if !self.local.is_empty() {
            return Ok(self.take_local());
        }
        let Some(Whole { arrival, joined }) = self.next_whole(wait)? else { return Ok(None) };
        let bytes = joined.as_ref().map_or_else(|| self.transport.payload().len(), Vec::len);
        let taken = self.scribe.taking(&arrival, bytes as u64, self.clock);
        let body = match joined {
            Some(bytes) => Body::Own(bytes),
            None => Body::InTransport(&mut *self.transport),
        };
        let Head { ready, seq, kind, .. } = arrival.head;
        let (ready, taken) = (Ticks(ready), Ticks(taken));
        Ok(Some(Message {
            from: arrival.from,
            kind,
            seq,
            ready,
            taken,
            stamps: self.scribe.stamps(),
            body,
        }))
    }

    /// Computing of the program that takes so long: it passes where time is simulated, and is past
    /// already elsewhere.
    #[inline]
    pub fn spend(&mut self, ns: u64) {
        self.transport.spend(ns);
    }

    /// Sleep until this moment of the node's clock, whatever comes, where time is simulated.
    /// `false`: it passes by itself, and the caller waits as it likes.
    pub fn rest(&mut self, until: Ticks) -> bool {
        self.transport.rest(until)
    }

    /// A node that has looked in vain and looks again and again until this moment of its clock
    /// passes that time at once, where time is simulated, or until something comes.
    #[inline]
    pub fn skip_looks(&mut self, until: Ticks) {
        self.transport.skip_looks(until);
    }

    /// Messages on their way to `to`, as this node knows it.
    pub fn in_flight(&mut self, to: NodeId) -> u32 {
        self.transport.in_flight(to)
    }

    /// Messages that waited in the receive queue when the last one taken arrived.
    pub fn queue_len(&self) -> u32 {
        self.scribe.queue_len()
    }

    /// Write down a whole cycle that this node began and saw the end of.
    #[inline]
    pub fn cycle(&mut self, begin: Ticks, end: Ticks, bytes: u64) {
        self.scribe.cycle(begin.0, end.0, self.next_seq, bytes);
        self.next_seq += 1;
    }

    /// What happened in its transport that may have held messages up. Asked for once, when the node
    /// is closed.
    pub fn happenings(&mut self) -> Vec<Happening> {
        self.transport.happenings()
    }

    /// What its transport counted. Asked for once, when the node is closed.
    pub fn transport_report(&mut self) -> Option<TransportReport> {
        self.transport.report()
    }

    /// What the node wrote, for finishing it.
    pub fn into_recording(self) -> Recording {
        self.scribe.into_recording()
    }

    #[inline(always)]
    fn stamp(&self) -> u64 {
        if self.stamping { self.clock.now().0 } else { ABSENT }
    }

    #[inline(always)]
    fn head(&self, kind: Kind, ready: u64, sent: u64, batch: u16) -> Head {
        Head { ready, sent, seq: self.next_seq, kind, flag: Flag::Last, batch, in_flight: 0 }
    }

    fn peer_without_bye(&self) -> Option<NodeId> {
        (0..self.nodes).find(|node| *node != self.id && !self.byes[usize::from(*node)])
    }

    fn stalled(&self, node: NodeId, doing: &'static str) -> FabricError {
        FabricError::Stalled { node, waited_ms: self.peer_timeout.as_millis() as u64, doing }
    }
}
