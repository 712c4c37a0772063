//! Transport `tcp`: one connection for every linked pair of nodes, in one process or on different
//! machines.
//!
//! A message is a frame ([`frame`]) behind whatever else goes to the same peer, written once per
//! flush and read with as many others as have come. Nothing waits but [`Tcp::park`]. A connection
//! is a [`link`]; its flow control is in [`flow`], its end in [`ending`], what the kernel's receive
//! stamps are worth in [`inbox`] and [`sight`], setting up in `sockets::mesh`.
//!
//! **System calls.** With one peer a look is one `recvmsg`, and sleeping is the same call left
//! waiting in the kernel: as many calls as the plainest program needs. With several peers a look is
//! one `epoll_wait`, and one `recvmsg` for each peer that has something.
//!
//! It does not encrypt, and heals no connection: a peer whose connection breaks is lost.

use crate::error::FabricError;
use crate::open::{Opening, boxed};
use crate::pin::ticks_of;
use crate::spec::NodeId;
use crate::transport::{Arrival, Flag, Handed, Head, Transport};
use crate::transports::links::Links;
use crate::transports::sockets::mesh::{Meeting, Met};
use crate::transports::sockets::observer::Observer;
use crate::transports::turn::Turn;
use crate::transports::{LookCost, NodePlace, TransportKind, sockets};
use flow::Late;
use inbox::Delivery;
use link::{Link, Looked, WINDOW};
use lookout::{Asked, Lookout, wait_for_one};
use record::ABSENT;
use std::time::{Duration, Instant};
use unwritten::Unwritten;

mod ending;
mod flow;
pub(crate) mod frame;
pub(crate) mod inbox;
pub(crate) mod link;
mod lookout;
mod outbox;
mod sight;
#[cfg(test)]
mod tests;
mod unwritten;

/// What has been owed to a peer for so long is acknowledged.
const ACKNOWLEDGE_AFTER: Duration = Duration::from_millis(1);
/// Looks that find nothing between two thoughts about what is owed.
const LOOKS_PER_THOUGHT: u32 = 256;
/// A node that only sends looks for acknowledgements every so many messages, once a quarter of the
/// window is on its way.
const SENDS_PER_LOOK: u32 = 64;

/// The row of this transport.
pub static TCP: TransportKind = TransportKind {
    name: "tcp",
    about: "TCP connections; nodes are processes",
    nodes: NodePlace::Machines,
    look: LookCost::SystemCall,
    brackets: true,
    over_tcp: true,
    prepare: sockets::tell_addresses,
    open: |opening| Ok(boxed([connect(opening)?])),
    ..TransportKind::PLAIN
};

/// One node's connections.
pub(crate) struct Tcp {
    observer: Observer,
    links: Links<Link>,
    /// Who is asked for a fragment next.
    turn: Turn,
    in_hand: Option<usize>,
    lookout: Lookout,
    unwritten: Unwritten,
    /// The last fragment found no room.
    was_full: bool,
    /// Since the last that found a fragment.
    empty_looks: u32,
    acknowledge_after_ticks: u64,
    leaving_timeout: Duration,
    fragment_bytes: usize,
}

/// Connect this node with its peers, who do the same.
fn connect(mut opening: Opening<'_>) -> Result<Tcp, FabricError> {
    let (me, listener) = opening.one_that_listens()?;
    let Opening { spec, key, clock, .. } = opening;
    let peers = &spec.transport.peers;
    let leaving_timeout = Duration::from_millis(spec.peer_timeout_ms);
    let deadline = Instant::now() + leaving_timeout;
    let mut observer = Observer::new(clock);
    let met = Meeting { me, spec, peers, key, clock: &clock, deadline }.all(&listener)?;
    let link = |met: Met| Link::new(met.node, met.stream, spec, met.same_clock);
    let links: Vec<Link> = met.into_iter().map(link).collect();
    observer.conversion.compare();
    Ok(Tcp {
        observer,
        lookout: Lookout::new(links.len()).map_err(FabricError::io("setting up epoll"))?,
        unwritten: Unwritten::new(links.len()),
        links: Links::new(spec.nodes, links, |link| link.node),
        turn: Turn::default(),
        in_hand: None,
        was_full: false,
        empty_looks: 0,
        acknowledge_after_ticks: ticks_of(&clock, ACKNOWLEDGE_AFTER),
        leaving_timeout,
        fragment_bytes: WINDOW.or_chosen(spec.path_room).fragment_bytes,
    })
}

impl Transport for Tcp {
    #[inline]
    fn try_send(
        &mut self,
        to: NodeId,
        head: &mut Head,
        payload: &[u8],
    ) -> Result<Handed, FabricError> {
        let at = self.links.place(to)?;
        if let Some(refusal) = self.links[at].refusal() {
            return Err(refusal);
        }
        let bytes = payload;
        if !self.links[at].has_room(bytes.len()) && !self.make_room(at, bytes.len()) {
            self.was_full = true;
            return Ok(Handed::Full);
        }
        let mut now = 0;
        if head.ready != ABSENT {
            self.refresh_in_flight(at, head.seq);
            now = self.observer.now();
            (head.in_flight, head.sent) = (self.links[at].in_flight(), now);
        }
        self.links[at].put(head, bytes, now);
        self.was_full = false;
        self.unwritten.touch(at);
        Ok(Handed::Yes)
    }

    #[inline]
    fn flush(&mut self) -> Result<(), FabricError> {
        let links = &mut self.links;
        self.unwritten.flush(|at| links[at].write());
        Ok(())
    }

    #[inline]
    fn poll(&mut self, _spinning_since: u64) -> Result<Option<Arrival>, FabricError> {
        self.in_hand = None;
        if let Some(arrival) = self.next_arrival() {
            return Ok(Some(arrival));
        }
        self.write_backlog();
        if !self.look(Duration::ZERO, false)? {
            self.found_nothing();
        } else if let Some(arrival) = self.next_arrival() {
            self.empty_looks = 0;
            return Ok(Some(arrival));
        }
        self.report_failure(false).map(|()| None)
    }

    #[inline]
    fn payload(&self) -> &[u8] {
        self.in_hand.map_or(&[], |at| self.links[at].payload())
    }

    fn park(&mut self, timeout: Duration) -> Result<(), FabricError> {
        self.write_backlog();
        // Whoever waits for room is not helped by a fragment that is here already.
        if !self.was_full && self.links.iter().any(|link| !link.paused && link.has_next()) {
            return Ok(());
        }
        self.acknowledge_late();
        let owing = self.links.iter().any(Link::owes);
        let timeout = if owing { timeout.min(ACKNOWLEDGE_AFTER) } else { timeout };
        let whole = !owing && !self.unwritten.is_left();
        self.look(timeout, whole)?;
        self.observer.looks.waited();
        self.was_full = false;
        self.acknowledge_late();
        Ok(())
    }

    fn check_peers(&mut self) -> Result<(), FabricError> {
        for link in self.links.iter_mut() {
            link.read(false, &mut self.observer);
        }
        self.acknowledge_late();
        self.report_failure(true)
    }

    fn pause(&mut self, from: NodeId, paused: bool) {
        if let Ok(at) = self.links.place(from) {
            self.links[at].paused = paused;
        }
    }

    fn in_flight(&mut self, to: NodeId) -> u32 {
        self.links.place(to).map_or(0, |at| self.links[at].in_flight())
    }

    fn fragment_bytes_max(&self) -> usize {
        self.fragment_bytes
    }

    /// Good-bye to those who have not heard it, and then the end of the stream. Waits until the
    /// peers have ended theirs: closing a connection while they still send would make the kernel
    /// throw away what they have not read.
    fn leave(&mut self) {
        let deadline = Instant::now() + self.leaving_timeout;
        for link in self.links.iter_mut().filter(|link| !link.said_bye() && !link.has_ended()) {
            link.put(&Head::control(Flag::Bye), &[], 0);
        }
        let mut shut = vec![false; self.links.len()];
        while Instant::now() < deadline && self.links.iter().any(|link| !link.has_ended()) {
            for (link, shut) in self.links.iter_mut().zip(&mut shut) {
                if !*shut && link.write() {
                    link.shut();
                    *shut = true;
                }
                while link.next().is_some() {}
            }
            if self.look(Duration::from_millis(1), false).is_err() {
                break;
            }
        }
        // A peer that had left before waits for the end of this side, too, and this value may live
        // on for a while.
        self.links.iter_mut().for_each(Link::shut);
    }
}

impl Tcp {
    /// The next fragment that is here, in turn by peer.
    #[inline]
    fn next_arrival(&mut self) -> Option<Arrival> {
        for _ in 0..self.links.len() {
            let at = self.turn.take(self.links.len());
            if self.links[at].paused {
                continue;
            }
            if let Some(delivery) = self.links[at].next() {
                self.in_hand = Some(at);
                self.links[at].acknowledge(None);
                return Some(self.arrival(at, &delivery));
            }
        }
        None
    }

    #[inline]
    fn arrival(&mut self, at: usize, delivery: &Delivery) -> Arrival {
        let link = &self.links[at];
        let came = delivery.came.filter(|_| link.wants_stamps(&delivery.head));
        self.observer.arrival(link.node, delivery.head, came, link.same_clock)
    }

    /// Look once at all connections, for at most `timeout`, and read what is there. `true`:
    /// something happened. `whole`: with one peer, wait in the read itself.
    #[inline]
    fn look(&mut self, timeout: Duration, whole: bool) -> Result<bool, FabricError> {
        if self.links.len() == 1 {
            return self.look_at_one(timeout, whole);
        }
        let Tcp { links, lookout, observer, .. } = self;
        for (at, link) in links.iter().enumerate() {
            let asked = Asked { reading: link.wants_reading(), writing: link.has_pending() };
            lookout
                .ask(at, link.stream(), asked)
                .map_err(FabricError::io("asking epoll about a peer"))?;
        }
        let mut something = false;
        for &at in lookout.look(timeout).map_err(FabricError::io("waiting for peers"))? {
            links[at].write();
            something |= links[at].read(false, observer) == Looked::Something;
        }
        Ok(something)
    }

    #[inline]
    fn look_at_one(&mut self, timeout: Duration, whole: bool) -> Result<bool, FabricError> {
        let wait = whole && !timeout.is_zero() && self.links[0].wants_reading();
        if wait {
            let limited = self.links[0].limit_wait(timeout);
            limited.map_err(FabricError::io("setting how long to wait for a peer"))?;
        }
        if !wait && !timeout.is_zero() {
            let link = &self.links[0];
            let asked = Asked { reading: link.wants_reading(), writing: link.has_pending() };
            wait_for_one(link.stream(), asked, timeout)
                .map_err(FabricError::io("waiting for a peer"))?;
            self.write_backlog();
        }
        Ok(self.links[0].read(wait, &mut self.observer) == Looked::Something)
    }

    #[inline]
    fn found_nothing(&mut self) {
        self.empty_looks += 1;
        if self.links.iter().any(Link::is_recording) {
            self.observer.looks.found_nothing();
            self.observer.looks.next_after(self.observer.now());
        }
        if self.empty_looks.is_multiple_of(LOOKS_PER_THOUGHT) {
            self.acknowledge_late();
        }
    }

    /// See whether the peer has taken something, and write what waits. `true`: there is room now.
    #[cold]
    fn make_room(&mut self, at: usize, bytes: usize) -> bool {
        let done = self.links[at].write();
        self.links[at].read(false, &mut self.observer);
        self.unwritten.note(!done);
        self.links[at].has_room(bytes)
    }

    /// Keep the count of messages on their way fresh in a node that sends much and receives
    /// nothing.
    #[inline]
    fn refresh_in_flight(&mut self, at: usize, seq: u64) {
        if self.links[at].is_deep() && seq.is_multiple_of(u64::from(SENDS_PER_LOOK)) {
            self.links[at].read(false, &mut self.observer);
        }
    }

    #[inline]
    fn write_backlog(&mut self) {
        self.unwritten.retry(self.links.iter_mut(), Link::write);
    }

    fn acknowledge_late(&mut self) {
        if !self.links.iter().any(Link::owes) {
            return;
        }
        let late = Some(Late { now: self.observer.now(), limit: self.acknowledge_after_ticks });
        for link in self.links.iter_mut() {
            link.acknowledge(late);
            self.unwritten.note(link.has_pending());
        }
    }

    fn report_failure(&mut self, again: bool) -> Result<(), FabricError> {
        self.links.iter_mut().find_map(|link| link.failure(again)).map_or(Ok(()), Err)
    }
}
