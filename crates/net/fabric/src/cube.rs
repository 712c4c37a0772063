//! The hypercube: nodes whose numbers differ in one bit are linked; everything else is forwarded,
//! store-and-forward.
//!
//! A fragment is cut into packets of at most a settable size. Each crosses the lowest dimension in
//! which where it is and where it goes differ, then the next (e-cube): one way for each pair, so
//! packets of a pair keep their order, and hops are real. A node forwards whenever it polls, and
//! while it waits for room to send.
//!
//! **Bounded.** A packet that finds no room on its outlink is held, and the link that it came over
//! is paused until it has gone: one packet a link. Of the node's own fragments at most one an
//! outlink is partly sent. What came for this node while it was sending waits in a short queue;
//! then those links are paused that bring more.
//!
//! **Free of deadlock**, as long as what arrives is taken: a packet that came over dimension *i*
//! waits for room in dimension *j* > *i* only, or for delivery. So waiting never goes round in a
//! circle: the highest dimension waits for delivery only, the one below for the highest, and so on
//! (Dally and Seitz, "Deadlock-free message routing in multiprocessor interconnection networks",
//! 1987).
//!
//! **Loss.** Only neighbours notice that a node is gone; they tell their neighbours, and so on, so
//! that everybody's error names the node that is lost and not the one that gave up because of it.
//! No way round a lost node is looked for.

use crate::error::FabricError;
use crate::spec::{NodeId, Spec, Topology};
use crate::transport::{Arrival, Flag, Handed, Happening, Head, Transport, TransportReport};
use assembly::{Assembly, Whole};
use barrier::Barrier;
use route::{ROUTE_BYTES, Route};
use std::collections::VecDeque;
use std::time::Duration;

mod assembly;
mod barrier;
mod losses;
mod moving;
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
/// Messages sent to a node between two looks at the links, at most.
const RELAY_EVERY: u32 = 256;
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
        let shape =
            Shape { nodes: spec.nodes, packet_bytes, fragment_bytes_max: FRAGMENT_BYTES_MAX };
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
    fn try_send(
        &mut self,
        to: NodeId,
        head: &mut Head,
        payload: &[u8],
    ) -> Result<Handed, FabricError> {
        if to >= self.shape.nodes || to == self.me {
            return Err(FabricError::NoSuchNode { node: to, last: self.shape.nodes - 1 });
        }
        if let Some(error) = self.losses.on_the_way(self.me, to) {
            return Err(error);
        }
        self.push_on()?;
        let dimension = self.dimension_to(to);
        if self.unfinished[dimension].is_none() {
            let started = self.start(dimension, to, head, payload);
            match self.mourned(started)? {
                Some(true) => {
                    // Who only sends must still forward for others, and hear what has been taken.
                    if self.counts[usize::from(to)].sent.is_multiple_of(RELAY_EVERY) {
                        self.relay()?;
                    }
                    return Ok(Handed::Yes);
                }
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

    fn park(&mut self, timeout: Duration) -> Result<(), FabricError> {
        if !self.waiting.is_empty() {
            return Ok(());
        }
        let stuck =
            self.held.iter().any(Option::is_some) || self.unfinished.iter().any(Option::is_some);
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
        self.counts
            .get(usize::from(to))
            .map_or(0, |counts| counts.sent.wrapping_sub(counts.acknowledged))
    }

    fn fragment_bytes_max(&self) -> usize {
        FRAGMENT_BYTES_MAX
    }

    fn leave(&mut self) {
        self.links.leave();
    }

    fn happenings(&mut self) -> Vec<Happening> {
        self.links.happenings()
    }

    fn report(&mut self) -> Option<TransportReport> {
        self.links.report()
    }

    fn settle(&mut self) -> Result<bool, FabricError> {
        self.push_on()?;
        if self.held.iter().any(Option::is_some) || self.unfinished.iter().any(Option::is_some) {
            return Ok(false);
        }
        let dimensions = self.shape.dimensions();
        loop {
            if let Some(dimension) = self.barrier.to_tell(dimensions) {
                let mut head = Head::control(Flag::Barrier);
                let told = self.links.try_send(self.me ^ 1 << dimension, &mut head, &[])?;
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
