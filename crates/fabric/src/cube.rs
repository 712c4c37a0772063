//! The hypercube: nodes whose numbers differ in one bit are linked; everything else is forwarded, store-and-forward.
//!
//! A fragment is cut into packets of at most a settable size. Each crosses the lowest dimension in which where it is and
//! where it goes differ, then the next (e-cube): one way for each pair, so packets of a pair keep their order, and
//! hops are real. A node forwards whenever it polls, and while it waits for room to send.
//!
//! **Bounded.** A packet that finds no room on its outlink is held, and the link that it came over is paused until it has
//! gone: one packet a link. Of the node's own fragments at most one an outlink is partly sent. What came for this node
//! while it was sending waits in a short queue; then those links are paused that bring more.
//!
//! **Free of deadlock**, as long as what arrives is taken: a packet that came over dimension *i* waits for room in dimension
//! *j* > *i* only, or for delivery. So waiting never goes round in a circle: the highest dimension waits for delivery
//! only, the one below for the highest, and so on (Dally and Seitz, "Deadlock-free message routing in multiprocessor
//! interconnection networks", 1987).
//!
//! **Loss.** Only neighbours notice that a node is gone; they tell their neighbours, and so on, so that everybody's error names
//! the node that is lost and not the one that gave up because of it. No way round a lost node is looked for.

use crate::error::FabricError;
use crate::spec::{NodeId, Spec, Topology};
use crate::transport::{Arrival, Flag, Handed, Head, Payload, Transport};
use assembly::{Assembly, Whole, sent_at_source};
use barrier::Barrier;
use bytes::Bytes;
use record::{ABSENT, Kind};
use route::{ROUTE_BYTES, Route, RouteError, What, next_node};
use std::collections::VecDeque;
use std::time::Duration;

mod assembly;
mod barrier;
mod losses;
pub(crate) mod route;
mod shape;
#[cfg(test)]
mod tests;

use losses::Losses;
pub(crate) use shape::Shape;

/// Largest fragment; the node cuts longer messages.
const FRAGMENT_BYTES_MAX: usize = 1 << 20;
/// Fragments that may wait in the node because they came while it was sending.
const WAITING_MAX: usize = 64;
/// Packets taken from the links in one go while sending.
const RELAY_AT_ONCE: usize = 64;
/// After so many messages taken the source is told, if no message going there has told it.
const TELL_EVERY: u32 = 32;
/// How long to sleep while a packet waits for room: no link may wake us for it.
const NAP: Duration = Duration::from_millis(1);

/// One node of the cube, over its links.
pub(crate) struct Cube {
    me: NodeId,
    shape: Shape,
    links: Box<dyn Transport>,
    /// By dimension: the packet that came over it and cannot go on.
    held: Vec<Option<Packet>>,
    /// By dimension: the own fragment that is partly sent over it.
    unfinished: Vec<Option<Unfinished>>,
    assemblies: Vec<Assembly>,
    waiting: VecDeque<(Arrival, Vec<u8>)>,
    in_hand: InHand,
    counts: Vec<Counts>,
    barrier: Barrier,
    losses: Losses,
    /// Something was put on a link outside of a send.
    unflushed: bool,
    /// Where packets are put together.
    packet: Vec<u8>,
}

/// A packet that came over a link.
struct Packet {
    arrival: Arrival,
    bytes: Vec<u8>,
}

struct Unfinished {
    head: Head,
    route: Route,
    payload: Vec<u8>,
}

/// The payload that the last poll returned.
enum InHand {
    Nothing,
    /// Behind the route, in the packet that the link's last poll returned.
    OnLink,
    Own(Vec<u8>),
}

/// Messages to and from another node; counts wrap.
#[derive(Clone, Copy, Default)]
struct Counts {
    sent: u32,
    acknowledged: u32,
    taken: u32,
    told: u32,
}

/// Whether a packet found its place.
enum Placed {
    Yes,
    /// It made a fragment whole.
    Whole(Whole),
    /// No room: to be held.
    No,
}

impl Cube {
    /// A node of a cube over links to its neighbours.
    pub fn new(links: Box<dyn Transport>, me: NodeId, spec: &Spec) -> Cube {
        let nodes = usize::from(spec.nodes);
        let asked = match spec.topology {
            Topology::Hypercube { packet_bytes } => packet_bytes as usize,
            Topology::Mesh => usize::MAX,
        };
        let packet_bytes = asked.min(links.fragment_bytes_max() - ROUTE_BYTES);
        let shape = Shape { nodes: spec.nodes, packet_bytes, fragment_bytes_max: FRAGMENT_BYTES_MAX };
        let none = |_| None;
        Cube {
            me,
            shape,
            links,
            held: (0..shape.dimensions()).map(none).collect(),
            unfinished: (0..shape.dimensions()).map(|_| None).collect(),
            assemblies: (0..nodes).map(|_| Assembly::default()).collect(),
            waiting: VecDeque::new(),
            in_hand: InHand::Nothing,
            counts: vec![Counts::default(); nodes],
            barrier: Barrier::default(),
            losses: Losses::new(nodes),
            unflushed: false,
            packet: Vec::with_capacity(ROUTE_BYTES + packet_bytes.min(FRAGMENT_BYTES_MAX)),
        }
    }
}

impl Transport for Cube {
    fn try_send(&mut self, to: NodeId, head: &mut Head, payload: Payload<'_>) -> Result<Handed, FabricError> {
        if to >= self.shape.nodes || to == self.me {
            return Err(FabricError::NoSuchNode { node: to, last: self.shape.nodes - 1 });
        }
        if let Some(error) = self.losses.on_the_way(self.me, to) {
            return Err(error);
        }
        self.push_on()?;
        let dimension = self.dimension_to(to);
        if self.unfinished[dimension].is_none() {
            let started = self.start(dimension, to, head, payload.bytes());
            match self.mourned(started)? {
                Some(true) => return Ok(Handed::Yes),
                Some(false) => {}
                None => return self.losses.on_the_way(self.me, to).map_or(Ok(Handed::Full), Err),
            }
        }
        self.relay()?;
        Ok(Handed::Full)
    }

    fn flush(&mut self) -> Result<(), FabricError> {
        self.unflushed = false;
        self.links.flush()
    }

    fn poll(&mut self, spinning_since: u64) -> Result<Option<Arrival>, FabricError> {
        self.in_hand = InHand::Nothing;
        let arrival = self.poll_links(spinning_since)?;
        if let Some(arrival) = &arrival {
            self.took(arrival);
        }
        if self.unflushed {
            self.flush()?;
        }
        if arrival.is_none() {
            self.losses.report(false)?;
        }
        Ok(arrival)
    }

    fn payload(&self) -> &[u8] {
        match &self.in_hand {
            InHand::Nothing => &[],
            InHand::OnLink => &self.links.payload()[ROUTE_BYTES..],
            InHand::Own(bytes) => bytes,
        }
    }

    fn payload_shared(&mut self) -> Bytes {
        match std::mem::replace(&mut self.in_hand, InHand::Nothing) {
            InHand::Nothing => Bytes::new(),
            InHand::OnLink => self.links.payload_shared().slice(ROUTE_BYTES..),
            InHand::Own(bytes) => bytes.into(),
        }
    }

    fn park(&mut self, timeout: Duration) -> Result<(), FabricError> {
        if !self.waiting.is_empty() {
            return Ok(());
        }
        let stuck = self.held.iter().any(Option::is_some) || self.unfinished.iter().any(Option::is_some);
        self.links.park(if stuck { timeout.min(NAP) } else { timeout })
    }

    fn check_peers(&mut self) -> Result<(), FabricError> {
        // A neighbour that gives up tells first because of whom: hear that before missing it.
        self.relay()?;
        let checked = self.links.check_peers();
        self.mourned(checked)?;
        self.flush()?;
        self.losses.report(true)
    }

    /// Nobody forwards over a cube, so nobody pauses it.
    fn pause(&mut self, _from: NodeId, _paused: bool) {}

    fn in_flight(&mut self, to: NodeId) -> u32 {
        self.counts.get(usize::from(to)).map_or(0, |counts| counts.sent.wrapping_sub(counts.acknowledged))
    }

    fn fragment_bytes_max(&self) -> usize {
        FRAGMENT_BYTES_MAX
    }

    fn leave(&mut self) {
        self.links.leave();
    }

    fn settle(&mut self) -> Result<bool, FabricError> {
        self.push_on()?;
        if self.held.iter().any(Option::is_some) || self.unfinished.iter().any(Option::is_some) {
            return Ok(false);
        }
        let dimensions = self.shape.dimensions();
        loop {
            if let Some(dimension) = self.barrier.to_tell(dimensions) {
                let mut head = control_head(Flag::Barrier);
                let told = self.links.try_send(self.me ^ 1 << dimension, &mut head, Payload::Copied(&[]))?;
                if told == Handed::Full {
                    return Ok(false);
                }
                self.links.flush()?;
                self.barrier.tell();
            }
            if !self.barrier.advance() {
                return Ok(self.barrier.is_over(dimensions));
            }
        }
    }
}

impl Cube {
    /// Put an own fragment on its outlink, at least its first packet. `false`: no room for any.
    fn start(&mut self, dimension: usize, to: NodeId, head: &mut Head, payload: &[u8]) -> Result<bool, FabricError> {
        let counts = self.counts[usize::from(to)];
        head.in_flight = counts.sent.wrapping_sub(counts.acknowledged);
        let mut route = Route {
            src: self.me,
            dst: to,
            hops: 1,
            what: What::Piece(head.flag),
            index: 0,
            packets: self.shape.packets(payload.len()),
            bytes: payload.len() as u32,
            in_flight: head.in_flight,
            taken: counts.taken,
            sent: ABSENT,
        };
        let mut first = *head;
        if !self.send_packets(dimension, &mut first, &mut route, payload)? && route.index == 0 {
            return Ok(false);
        }
        head.sent = first.sent;
        let counts = &mut self.counts[usize::from(to)];
        counts.told = counts.taken;
        counts.sent = counts.sent.wrapping_add(u32::from(head.flag == Flag::Last));
        if route.index < route.packets {
            self.unfinished[dimension] = Some(Unfinished { head: *head, route, payload: payload.to_vec() });
        }
        Ok(true)
    }

    /// Send packets from `route.index` on until all are sent or there is no room. `true`: all are. `head` becomes the
    /// first one's as sent.
    fn send_packets(
        &mut self, dimension: usize, head: &mut Head, route: &mut Route, payload: &[u8],
    ) -> Result<bool, FabricError> {
        while route.index < route.packets {
            self.packet.clear();
            self.packet.extend_from_slice(&route.encode());
            self.packet.extend_from_slice(&payload[self.shape.piece(payload.len(), route.index)]);
            let mut link_head = Head { flag: Flag::Last, ..*head };
            let to = self.me ^ 1 << dimension;
            if self.links.try_send(to, &mut link_head, Payload::Copied(&self.packet))? == Handed::Full {
                return Ok(false);
            }
            if route.index == 0 {
                head.sent = link_head.sent;
            }
            route.index += 1;
        }
        Ok(true)
    }

    /// Try again what found no room before: held packets first, then own fragments.
    fn push_on(&mut self) -> Result<(), FabricError> {
        for dimension in 0..self.held.len() {
            if let Some(packet) = self.held[dimension].take() {
                self.place_again(dimension, packet)?;
            }
            if let Some(mut unfinished) = self.unfinished[dimension].take() {
                let Unfinished { head, route, payload } = &mut unfinished;
                self.unflushed = true;
                let sent = self.send_packets(dimension, head, route, payload);
                if let Some(false) = self.mourned(sent)? {
                    self.unfinished[dimension] = Some(unfinished);
                }
            }
        }
        if self.losses.any() {
            self.announce();
        }
        Ok(())
    }

    fn place_again(&mut self, dimension: usize, packet: Packet) -> Result<(), FabricError> {
        match self.place(&packet.arrival, &packet.bytes)? {
            Placed::No => {
                self.held[dimension] = Some(packet);
                return Ok(());
            }
            Placed::Whole(whole) => self.keep(whole, &packet.bytes),
            Placed::Yes => {}
        }
        self.links.pause(packet.arrival.from, false);
        Ok(())
    }

    /// The next fragment for this node; forwards what comes on the way there.
    fn poll_links(&mut self, spinning_since: u64) -> Result<Option<Arrival>, FabricError> {
        self.push_on()?;
        // What waits came before whatever the links have.
        if let Some((arrival, payload)) = self.waiting.pop_front() {
            self.in_hand = InHand::Own(payload);
            return Ok(Some(arrival));
        }
        loop {
            let polled = self.links.poll(spinning_since);
            let Some(link) = self.mourned(polled)?.flatten() else { return Ok(None) };
            if let Some(whole) = self.take_from_link(&link)? {
                self.in_hand = whole.payload.map_or(InHand::OnLink, InHand::Own);
                return Ok(Some(whole.arrival));
            }
        }
    }

    /// Forward for others while this node waits to send; what is for itself is kept for the next poll.
    fn relay(&mut self) -> Result<(), FabricError> {
        if let InHand::OnLink = self.in_hand {
            self.in_hand = InHand::Own(self.payload().to_vec());
        }
        for _ in 0..RELAY_AT_ONCE {
            let polled = self.links.poll(u64::MAX);
            let Some(link) = self.mourned(polled)?.flatten() else { break };
            if let Some(whole) = self.take_from_link(&link)? {
                let packet = if whole.payload.is_none() { self.links.payload().to_vec() } else { Vec::new() };
                self.keep(whole, &packet);
            }
        }
        if self.unflushed {
            self.flush()?;
        }
        Ok(())
    }

    /// Let a fragment wait for the next poll. It was taken off the link earlier than it will be taken.
    fn keep(&mut self, whole: Whole, packet: &[u8]) {
        let arrival = Arrival { just_now: false, ..whole.arrival };
        let payload = whole.payload.unwrap_or_else(|| packet[ROUTE_BYTES..].to_vec());
        self.waiting.push_back((arrival, payload));
    }

    /// Deal with what the link's last poll returned. `Some`: it made a fragment for this node whole.
    fn take_from_link(&mut self, link: &Arrival) -> Result<Option<Whole>, FabricError> {
        let dimension = (link.from ^ self.me).trailing_zeros() as usize;
        match link.head.flag {
            Flag::Barrier => {
                self.barrier.hear(dimension);
                return Ok(None);
            }
            // The neighbour leaves; its messages' good-byes have come on their own ways.
            Flag::Bye => return Ok(None),
            Flag::Last | Flag::More => {}
        }
        let mut bytes = std::mem::take(&mut self.packet);
        bytes.clear();
        bytes.extend_from_slice(self.links.payload());
        let placed = self.place(link, &bytes);
        if let Ok(Placed::No) = placed {
            self.links.pause(link.from, true);
            self.held[dimension] = Some(Packet { arrival: *link, bytes: std::mem::take(&mut bytes) });
        }
        self.packet = bytes;
        match placed? {
            Placed::Whole(whole) => Ok(Some(whole)),
            Placed::Yes | Placed::No => Ok(None),
        }
    }

    /// Find the place of a packet: here, or the next link.
    fn place(&mut self, link: &Arrival, packet: &[u8]) -> Result<Placed, FabricError> {
        let garbage = |error: RouteError| FabricError::Garbage { node: link.from, what: error.to_string() };
        let (route, piece) = Route::decode(packet, self.me, &self.shape).map_err(garbage)?;
        if route.what == What::Obituary {
            self.losses.hear(route.src, link.from);
            return Ok(Placed::Yes);
        }
        if route.dst != self.me {
            return self.forward(link, route, piece);
        }
        if self.waiting.len() >= WAITING_MAX {
            return Ok(Placed::No);
        }
        self.learn(&route).map_err(garbage)?;
        if route.what == What::Taken {
            return Ok(Placed::Yes);
        }
        let whole = self.assemblies[usize::from(route.src)].add(link, &route, piece).map_err(garbage)?;
        Ok(whole.map_or(Placed::Yes, Placed::Whole))
    }

    fn forward(&mut self, link: &Arrival, mut route: Route, piece: &[u8]) -> Result<Placed, FabricError> {
        route.sent = sent_at_source(link, &route);
        route.hops += 1;
        let packet = [&route.encode()[..], piece].concat();
        let mut head = Head { flag: Flag::Last, ..link.head };
        let next = next_node(self.me, route.dst);
        let handed = self.links.try_send(next, &mut head, Payload::Copied(&packet));
        self.unflushed = true;
        // Over a lost neighbour nothing goes: the packet is lost with it, and its source will hear.
        match self.mourned(handed)? {
            Some(Handed::Full) => Ok(Placed::No),
            Some(Handed::Yes) | None => Ok(Placed::Yes),
        }
    }

    /// The source of a packet tells how many of our messages it has taken.
    fn learn(&mut self, route: &Route) -> Result<(), RouteError> {
        let counts = &mut self.counts[usize::from(route.src)];
        if route.taken.wrapping_sub(counts.acknowledged) > counts.sent.wrapping_sub(counts.acknowledged) {
            return Err(RouteError::AcknowledgesTooMuch);
        }
        counts.acknowledged = route.taken;
        Ok(())
    }

    /// The node takes a fragment: count it, and tell the source now and then.
    fn took(&mut self, arrival: &Arrival) {
        let to = arrival.from;
        let counts = &mut self.counts[usize::from(to)];
        counts.taken = counts.taken.wrapping_add(u32::from(arrival.head.flag == Flag::Last));
        if counts.taken.wrapping_sub(counts.told) < TELL_EVERY {
            return;
        }
        let taken = counts.taken;
        let route = self.control_route(to, What::Taken);
        let mut head = control_head(Flag::Last);
        let next = next_node(self.me, to);
        // No room now, or a lost neighbour: the next message will tell, or the next taking.
        if let Ok(Handed::Yes) = self.links.try_send(next, &mut head, Payload::Copied(&route.encode())) {
            self.unflushed = true;
            self.counts[usize::from(to)].told = taken;
        }
    }

    /// Pass a result of the links on, but keep a lost neighbour in mind (and tell the others) instead of failing at once:
    /// what it had sent is delivered first. `None`: a neighbour is lost.
    fn mourned<T>(&mut self, result: Result<T, FabricError>) -> Result<Option<T>, FabricError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(FabricError::PeerLost { node, reason }) => {
                self.losses.see(node, reason);
                self.announce();
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Tell the neighbours who is lost, as far as there is room.
    fn announce(&mut self) {
        for dimension in 0..self.shape.dimensions() {
            let to = self.me ^ 1 << dimension;
            while let Some(lost) = self.losses.to_tell(dimension) {
                if !self.losses.is_lost(to) && !self.tell_of(lost, to) {
                    break;
                }
                self.losses.told(dimension, lost);
            }
        }
    }

    /// `false`: no room now.
    fn tell_of(&mut self, lost: NodeId, to: NodeId) -> bool {
        let route = Route { src: lost, ..self.control_route(lost, What::Obituary) };
        let told = self.links.try_send(to, &mut control_head(Flag::Last), Payload::Copied(&route.encode()));
        self.unflushed = true;
        !matches!(told, Ok(Handed::Full))
    }

    fn control_route(&self, to: NodeId, what: What) -> Route {
        let taken = self.counts[usize::from(to)].taken;
        let (src, hops, sent) = (self.me, 1, ABSENT);
        Route { src, dst: to, hops, what, index: 0, packets: 1, bytes: 0, in_flight: 0, taken, sent }
    }

    #[inline]
    fn dimension_to(&self, to: NodeId) -> usize {
        (self.me ^ to).trailing_zeros() as usize
    }
}

/// The head of what carries no message.
fn control_head(flag: Flag) -> Head {
    Head { ready: ABSENT, sent: ABSENT, seq: 0, kind: Kind::Other, flag, batch: 1, in_flight: 0 }
}
