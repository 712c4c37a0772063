//! A node: send, receive, and a row for every message.

use crate::error::FabricError;
use crate::pin::ticks_per_ns;
use crate::scribe::{Recording, Scribe};
use crate::spec::{NodeId, Waiting};
use crate::transport::{Arrival, Flag, Handed, Head, Payload, Transport};
use bytes::Bytes;
use clock::{Clock, Ticks};
use record::{ABSENT, ArrivedClock, How, Kind};
use std::collections::VecDeque;
use std::time::Duration;

/// Largest message: what the record's byte column is checked for.
const MESSAGE_BYTES_MAX: u64 = (1 << 40) - 1;
/// Messages to itself that a node holds before `send` refuses.
const LOCAL_MAX: usize = 1 << 16;
/// Looks without pause between two looks at the deadline, in a polling node.
const LOOKS_PER_CHECK: u32 = 256;
/// Looks before a blocking node goes to sleep: about as long as falling asleep and being woken costs.
const LOOKS_BEFORE_SLEEP: u32 = 40;
/// Longest sleep between two looks after the peers.
const NAP: Duration = Duration::from_millis(20);

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
    /// Both sides write their half of each message (bare payloads), instead of the receiver the whole.
    pub halves: bool,
}

/// How long to wait for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    Poll,
    /// Until this moment of the node's clock.
    Until(Ticks),
    /// Until one comes; [`FabricError::Stalled`] names this node when that takes longer than the peers' time-out.
    Expecting(NodeId),
    /// Until one comes, or this node, for which we work, has said good-bye: then [`FabricError::Closed`].
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
    body: Body<'a>,
}

enum Body<'a> {
    InTransport(&'a mut dyn Transport),
    Own(Bytes),
}

impl Message<'_> {
    /// The payload.
    pub fn payload(&self) -> &[u8] {
        match &self.body {
            Body::InTransport(transport) => transport.payload(),
            Body::Own(bytes) => bytes,
        }
    }

    /// The payload as a handle that can be kept: without a copy where the sender handed it on by reference.
    pub fn payload_shared(self) -> Bytes {
        match self.body {
            Body::InTransport(transport) => transport.payload_shared(),
            Body::Own(bytes) => bytes,
        }
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
    local: VecDeque<(Head, Bytes)>,
    byes: Vec<bool>,
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
            stamping: matches!(options.recording, Recording::Full(_)),
            scribe: Scribe::new(options.id, options.recording, options.halves),
            wait: options.wait,
            peer_timeout: options.peer_timeout,
            next_seq: 0,
            spinning_since: u64::MAX,
            partial: vec![Vec::new(); nodes],
            local: VecDeque::new(),
            byes: vec![false; nodes],
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

    /// The time from one stamp of this node to a later one, ns: for pacing and rates, good to a per mille.
    pub fn ns_between(&self, begin: Ticks, end: Ticks) -> u64 {
        (end.0.wrapping_sub(begin.0) as f64 / ticks_per_ns(&self.clock)) as u64
    }

    /// Whether messages sent from now on are stamped and recorded: not while warming up. A receiver records what
    /// carries stamps. With bare payloads, which carry none, everything is recorded.
    pub fn set_stamping(&mut self, stamping: bool) {
        self.stamping = self.scribe.records_messages() && (stamping || self.scribe.writes_halves());
    }

    /// Send one message and return its number. Waits for room; [`FabricError::Stalled`] when there is none in time.
    #[inline]
    pub fn send(&mut self, to: NodeId, kind: Kind, payload: &[u8]) -> Result<u64, FabricError> {
        let ready = self.stamp();
        self.hand_over(to, kind, ready, 1, Payload::Copied(payload))
    }

    /// Send one message that should have gone at `ready`: in an open loop the wait counts from there.
    pub fn send_intended(&mut self, to: NodeId, kind: Kind, ready: Ticks, payload: &[u8]) -> Result<u64, FabricError> {
        let ready = if self.stamping { ready.0 } else { ABSENT };
        self.hand_over(to, kind, ready, 1, Payload::Copied(payload))
    }

    /// Send one message whose payload the receiver may get by reference.
    pub fn send_shared(&mut self, to: NodeId, kind: Kind, payload: &Bytes) -> Result<u64, FabricError> {
        let ready = self.stamp();
        self.hand_over(to, kind, ready, 1, Payload::Shared(payload))
    }

    /// Send several messages in one call; the network layer is woken once.
    pub fn send_batch(&mut self, to: NodeId, kind: Kind, payloads: &[&[u8]]) -> Result<(), FabricError> {
        let batch = u16::try_from(payloads.len()).unwrap_or(u16::MAX);
        let ready = self.stamp();
        for payload in payloads {
            self.queue_one(to, kind, ready, batch, Payload::Copied(payload))?;
        }
        self.transport.flush()
    }

    /// Take the next message. `None`: none came in time.
    #[inline]
    pub fn receive(&mut self, wait: Wait) -> Result<Option<Message<'_>>, FabricError> {
        if !self.local.is_empty() {
            return Ok(self.take_local());
        }
        let Some((arrival, joined)) = self.next_arrival(wait)? else { return Ok(None) };
        let bytes = joined.as_ref().map_or_else(|| self.transport.payload().len(), Vec::len);
        let taken = self.scribe.taking(&arrival, bytes as u64, self.clock);
        let body = match joined {
            Some(bytes) => Body::Own(bytes.into()),
            None => Body::InTransport(&mut *self.transport),
        };
        let Head { ready, seq, kind, .. } = arrival.head;
        Ok(Some(Message { from: arrival.from, kind, seq, ready: Ticks(ready), taken: Ticks(taken), body }))
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

    /// Say good-bye to all, take what still comes (it is recorded), and leave when all others do.
    pub fn close(&mut self) -> Result<(), FabricError> {
        let peers: Vec<NodeId> = (0..self.nodes).filter(|node| *node != self.id).collect();
        for to in peers {
            let head = Head { flag: Flag::Bye, ..self.head(Kind::Other, ABSENT, 1) };
            self.hand_over_fragment(to, head, Payload::Copied(&[]))?;
        }
        self.transport.flush()?;
        let deadline = self.after(self.peer_timeout);
        let mut late = false;
        while let Some(missing) = self.peer_without_bye() {
            match self.receive(Wait::Until(deadline)) {
                Ok(Some(_)) | Err(FabricError::Closed) => {}
                Ok(None) => late = true,
                Err(error) => return Err(error),
            }
            if late && self.clock.now() > deadline {
                return Err(self.stalled(missing, "we close"));
            }
        }
        while !self.transport.settle()? {
            if self.clock.now() > deadline {
                return Err(self.stalled(self.id, "we leave"));
            }
            self.transport.poll(u64::MAX)?;
            std::thread::yield_now();
        }
        self.transport.leave();
        Ok(())
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
    fn head(&self, kind: Kind, ready: u64, batch: u16) -> Head {
        Head { ready, sent: ABSENT, seq: self.next_seq, kind, flag: Flag::Last, batch, in_flight: 0 }
    }

    #[inline]
    fn hand_over(&mut self, to: NodeId, kind: Kind, ready: u64, batch: u16, payload: Payload<'_>) -> Result<u64, FabricError> {
        self.queue_one(to, kind, ready, batch, payload)?;
        self.transport.flush()?;
        Ok(self.next_seq - 1)
    }

    #[inline]
    fn queue_one(&mut self, to: NodeId, kind: Kind, ready: u64, batch: u16, payload: Payload<'_>) -> Result<(), FabricError> {
        let head = self.head(kind, ready, batch);
        if to == self.id {
            return self.send_local(head, payload);
        }
        if to >= self.nodes {
            return Err(FabricError::NoSuchNode { node: to, last: self.nodes - 1 });
        }
        let bytes = payload.bytes().len();
        let sent = match payload {
            Payload::Copied(all) if bytes > self.transport.fragment_bytes_max() => self.send_in_fragments(to, head, all)?,
            Payload::Shared(all) if bytes > self.transport.fragment_bytes_max() && !self.transport.by_reference() => {
                self.send_in_fragments(to, head, all)?
            }
            whole => self.hand_over_fragment(to, head, whole)?,
        };
        self.next_seq += 1;
        self.scribe.sending(to, &sent, bytes as u64);
        Ok(())
    }

    fn send_in_fragments(&mut self, to: NodeId, head: Head, payload: &[u8]) -> Result<Head, FabricError> {
        if payload.len() as u64 > MESSAGE_BYTES_MAX {
            return Err(FabricError::TooLarge { bytes: payload.len() as u64, limit: MESSAGE_BYTES_MAX });
        }
        let mut first_sent = None;
        let mut fragments = payload.chunks(self.transport.fragment_bytes_max()).peekable();
        while let Some(fragment) = fragments.next() {
            let flag = if fragments.peek().is_some() { Flag::More } else { Flag::Last };
            let sent = self.hand_over_fragment(to, Head { flag, ..head }, Payload::Copied(fragment))?;
            // What waits for room is this very message: it may have to be seen before there is any.
            self.transport.flush()?;
            first_sent.get_or_insert(sent);
        }
        Ok(first_sent.unwrap_or(head))
    }

    /// Hand one fragment to the transport, waiting for room. Returns its head as sent.
    #[inline]
    fn hand_over_fragment(&mut self, to: NodeId, mut head: Head, payload: Payload<'_>) -> Result<Head, FabricError> {
        match self.transport.try_send(to, &mut head, payload)? {
            Handed::Yes => Ok(head),
            Handed::Full => self.wait_for_room(to, head, payload),
        }
    }

    #[cold]
    fn wait_for_room(&mut self, to: NodeId, mut head: Head, payload: Payload<'_>) -> Result<Head, FabricError> {
        self.transport.flush()?;
        let deadline = self.after(self.peer_timeout);
        let mut looks = 0;
        while self.transport.try_send(to, &mut head, payload)? == Handed::Full {
            looks += 1;
            if !self.pause(&mut looks)? {
                continue;
            }
            if self.clock.now() > deadline {
                return Err(self.stalled(to, "we wait to send it a message"));
            }
        }
        Ok(head)
    }

    /// Between two looks: spin, or sleep when it is time to. `true` when it was time to look at the deadline.
    #[inline]
    fn pause(&mut self, looks: &mut u32) -> Result<bool, FabricError> {
        std::hint::spin_loop();
        match self.wait {
            Waiting::Polling if !looks.is_multiple_of(LOOKS_PER_CHECK) => return Ok(false),
            Waiting::Blocking if *looks < LOOKS_BEFORE_SLEEP => return Ok(false),
            Waiting::Polling => {}
            Waiting::Blocking => self.transport.park(NAP)?,
        }
        // Every 65,536 looks (some milliseconds) of a polling node, and after every sleep of a blocking one.
        if self.wait == Waiting::Blocking || looks.is_multiple_of(LOOKS_PER_CHECK << 8) {
            self.check_peers()?;
        }
        Ok(true)
    }

    fn check_peers(&mut self) -> Result<(), FabricError> {
        match self.transport.check_peers() {
            Err(FabricError::PeerLost { node, .. }) if self.byes[usize::from(node)] => Ok(()),
            other => other,
        }
    }

    /// The next message from another node, joined if it came in fragments.
    #[inline]
    fn next_arrival(&mut self, wait: Wait) -> Result<Option<(Arrival, Option<Vec<u8>>)>, FabricError> {
        let mut looks = 0;
        let mut deadline = None;
        loop {
            if let Some(arrival) = self.transport.poll(self.spinning_since)? {
                self.spinning_since = u64::MAX;
                match self.accept(arrival) {
                    Accepted::Whole(joined) => return Ok(Some((arrival, joined))),
                    Accepted::Partly => {}
                    // Whoever waits for a while may be waiting for just this.
                    Accepted::Bye if matches!(wait, Wait::Until(_)) => return Ok(None),
                    Accepted::Bye => {}
                }
                continue;
            }
            if wait == Wait::Poll {
                return Ok(None);
            }
            if self.spinning_since == u64::MAX && self.scribe.records_messages() {
                self.spinning_since = self.clock.now().0;
            }
            looks += 1;
            if self.pause(&mut looks)? && self.waited_enough(wait, &mut deadline)? {
                return Ok(None);
            }
            if self.wait == Waiting::Blocking && looks >= LOOKS_BEFORE_SLEEP {
                // A sleeper was not looking.
                self.spinning_since = u64::MAX;
            }
        }
    }

    /// Called when a wait has become long enough to afford a look at the clock.
    fn waited_enough(&mut self, wait: Wait, deadline: &mut Option<Ticks>) -> Result<bool, FabricError> {
        let nobody_left = match wait {
            Wait::Serving(leader) => self.byes[usize::from(leader)],
            _ => self.nodes > 1 && self.peer_without_bye().is_none(),
        };
        if nobody_left {
            // What they sent before their good-bye has been taken.
            return Err(FabricError::Closed);
        }
        match wait {
            Wait::Until(moment) => Ok(self.clock.now() >= moment),
            Wait::Expecting(from) => {
                let deadline = *deadline.get_or_insert_with(|| self.after(self.peer_timeout));
                if self.clock.now() < deadline { Ok(false) } else { Err(self.stalled(from, "we wait for its message")) }
            }
            Wait::Poll | Wait::Serving(_) | Wait::Forever => Ok(false),
        }
    }

    #[inline]
    fn accept(&mut self, arrival: Arrival) -> Accepted {
        let partial = &mut self.partial[usize::from(arrival.from)];
        match arrival.head.flag {
            Flag::Last if partial.is_empty() => Accepted::Whole(None),
            Flag::Last => {
                partial.extend_from_slice(self.transport.payload());
                Accepted::Whole(Some(std::mem::take(partial)))
            }
            Flag::More => {
                partial.extend_from_slice(self.transport.payload());
                Accepted::Partly
            }
            Flag::Bye => {
                self.byes[usize::from(arrival.from)] = true;
                Accepted::Bye
            }
            Flag::Barrier => Accepted::Partly,
        }
    }

    fn peer_without_bye(&self) -> Option<NodeId> {
        (0..self.nodes).find(|node| *node != self.id && !self.byes[usize::from(*node)])
    }

    fn stalled(&self, node: NodeId, doing: &'static str) -> FabricError {
        FabricError::Stalled { node, waited_ms: self.peer_timeout.as_millis() as u64, doing }
    }

    fn send_local(&mut self, head: Head, payload: Payload<'_>) -> Result<(), FabricError> {
        if self.local.len() >= LOCAL_MAX {
            return Err(self.stalled(self.id, "it sends to itself without receiving"));
        }
        let bytes = match payload {
            Payload::Copied(bytes) => Bytes::copy_from_slice(bytes),
            Payload::Shared(bytes) => bytes.clone(),
        };
        self.local.push_back((head, bytes));
        self.next_seq += 1;
        Ok(())
    }

    /// A message within the node: only `ready` and `taken` exist.
    fn take_local(&mut self) -> Option<Message<'_>> {
        let (head, bytes) = self.local.pop_front()?;
        let arrival = Arrival {
            from: self.id,
            head,
            arrived: ABSENT,
            clock: ArrivedClock::Receiver,
            how: How::Observed,
            error_ns: 0,
            arrived_ticks: ABSENT,
            just_now: false,
            hops: 0,
            packets: 0,
        };
        let taken = self.scribe.taking(&arrival, bytes.len() as u64, self.clock);
        let Head { ready, seq, kind, .. } = head;
        Some(Message { from: self.id, kind, seq, ready: Ticks(ready), taken: Ticks(taken), body: Body::Own(bytes) })
    }
}

enum Accepted {
    Whole(Option<Vec<u8>>),
    Partly,
    Bye,
}
