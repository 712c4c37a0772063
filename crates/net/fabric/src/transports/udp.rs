//! Transport `udp`: datagrams that may be lost, doubled and overtaken, made reliable here, as
//! Myrinet's driver did. See docs/UDP.md.
//!
//! What must be done is decided in [`pair`], a state machine without sockets and clocks (its halves
//! are [`outgoing`] and [`incoming`]), which `simulation.rs` plays against a simulated network.
//! Here it meets sockets: one for each peer, connected, so that the kernel drops what others send,
//! beside a lifeline over TCP ([`meeting`]).
//!
//! Everything happens on the node's thread when it sends or looks, unless the spec gives what comes
//! to a task of its own ([`task`]).

use crate::error::FabricError;
use crate::spec::NodeId;
use crate::transport::{Arrival, Flag, Handed, Happening, Head, Transport, TransportReport};
use crate::transports::links::Links;
use crate::transports::sockets::observer::Observer;
use crate::transports::turn::Turn;
use crate::transports::{LookCost, NodePlace, TransportKind, sockets};
use counters::{Resent, UdpReport};
use link::Link;
use record::ABSENT;
use std::time::{Duration, Instant};

pub(crate) mod counters;
mod credit;
pub(crate) mod datagram;
mod faults;
mod incoming;
mod link;
mod looking;
mod meeting;
mod opening;
pub(crate) mod options;
mod outgoing;
mod overtaking;
pub(crate) mod pair;
pub(crate) mod priority;
mod resend_timer;
#[cfg(test)]
mod simulation;
mod task;
pub(crate) mod timing;
mod wire;

/// A sender of messages that nobody records looks for acknowledgements every so many.
const SENDS_PER_LOOK: u64 = 16;

/// The row of this transport.
pub static UDP: TransportKind = TransportKind {
    name: "udp",
    about: "Datagrams, made reliable by Fourstamp; nodes are processes",
    nodes: NodePlace::Machines,
    look: LookCost::SystemCall,
    brackets: true,
    options: options::OPTIONS,
    counters: counters::COUNTERS,
    settings: options::settings,
    must_block: options::must_block,
    other_timer: options::other_timer,
    check: options::check,
    prepare: sockets::tell_addresses,
    open: opening::open,
    ..TransportKind::PLAIN
};

/// One node's end.
pub(crate) struct Endpoint {
    observer: Observer,
    links: Links<Link>,
    /// Who is asked for a message next.
    turn: Turn,
    in_hand: Option<usize>,
    /// Links that something was put in for since the last flush.
    touched: Vec<usize>,
    was_full: bool,
    /// Where a datagram is read into, and where one is put together.
    room: Box<[u8]>,
    out: Vec<u8>,
    report: UdpReport,
    fragment_bytes: usize,
    leaving_timeout: Duration,
}

impl Transport for Endpoint {
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
        let recorded = head.ready != ABSENT;
        // So that the count of what is on its way is true at every send that is recorded.
        if self.links[at].pair.in_flight() > 0
            && (recorded || head.seq.is_multiple_of(SENDS_PER_LOOK))
        {
            self.read(at);
        }
        if !self.links[at].pair.has_room() && !self.make_room(at) {
            self.was_full = true;
            return Ok(Handed::Full);
        }
        self.put(at, head, payload);
        Ok(Handed::Yes)
    }

    #[inline]
    fn flush(&mut self) -> Result<(), FabricError> {
        while let Some(at) = self.touched.pop() {
            let now = self.observer.now();
            // What seems overdue may have been acknowledged while the node did something else.
            if self.links[at].deadline() <= now {
                self.read(at);
            }
            self.serve(at, now, false);
        }
        Ok(())
    }

    #[inline]
    fn poll(&mut self, _spinning_since: u64) -> Result<Option<Arrival>, FabricError> {
        self.in_hand = None;
        if let Some(arrival) = self.next_arrival() {
            return Ok(Some(arrival));
        }
        if self.read_some() {
            if let Some(arrival) = self.next_arrival() {
                return Ok(Some(arrival));
            }
        } else {
            self.observer.looks.found_nothing();
        }
        let now = self.observer.now();
        self.observer.looks.next_after(now);
        self.serve_all(now, true);
        self.links.iter_mut().find_map(|link| link.failure(false)).map_or(Ok(None), Err)
    }

    #[inline]
    fn payload(&self) -> &[u8] {
        self.in_hand.map_or(&[], |at| self.links[at].pair.payload())
    }

    fn park(&mut self, timeout: Duration) -> Result<(), FabricError> {
        // Whoever waits for room is not helped by a message that is here already.
        if !self.was_full && self.has_next() {
            return Ok(());
        }
        self.serve_all(self.observer.now(), true);
        let timeout = timeout.min(self.until_deadline());
        self.wait(timeout)?;
        for at in 0..self.links.len() {
            self.read(at);
        }
        self.serve_all(self.observer.now(), true);
        self.observer.looks.waited();
        self.was_full = false;
        Ok(())
    }

    fn check_peers(&mut self) -> Result<(), FabricError> {
        for at in 0..self.links.len() {
            let (link, mut reading) = self.reading(at);
            link.look_after(&mut reading);
        }
        self.serve_all(self.observer.now(), true);
        self.links.iter_mut().find_map(|link| link.failure(true)).map_or(Ok(()), Err)
    }

    fn pause(&mut self, from: NodeId, paused: bool) {
        if let Ok(at) = self.links.place(from) {
            self.links[at].paused = paused;
        }
    }

    fn in_flight(&mut self, to: NodeId) -> u32 {
        self.links.place(to).map_or(0, |at| self.links[at].pair.in_flight())
    }

    fn fragment_bytes_max(&self) -> usize {
        self.fragment_bytes
    }

    /// Good-bye to those who have not heard it; then until the peers have all that was sent, and
    /// have said so of theirs: whoever left sooner could not answer a peer whose acknowledgement
    /// was lost.
    fn leave(&mut self) {
        let deadline = Instant::now() + self.leaving_timeout;
        for link in self.links.iter_mut().filter(|link| !link.said_bye && !link.has_ended()) {
            if link.pair.has_room() {
                link.pair.put(&Head::control(Flag::Bye), &[]);
            }
        }
        while Instant::now() < deadline && self.links.iter().any(|link| !link.has_ended()) {
            for at in 0..self.links.len() {
                self.read(at);
                let (link, mut reading) = self.reading(at);
                while link.pair.next().is_some() {}
                if link.pair.all_acknowledged() {
                    link.shut();
                }
                link.look_after(&mut reading);
            }
            self.serve_all(self.observer.now(), true);
            let moment = Duration::from_millis(1).min(self.until_deadline());
            if self.links.iter().any(|link| !link.has_ended()) && self.wait(moment).is_err() {
                break;
            }
        }
    }

    fn happenings(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.report.resent).iter().map(Resent::happening).collect()
    }

    fn report(&mut self) -> Option<TransportReport> {
        self.report.counts.swallowed = self.links.iter().map(|link| link.wire.swallowed()).sum();
        Some(self.report.told())
    }
}

impl Endpoint {
    /// Put in a fragment for which there is room.
    #[inline]
    fn put(&mut self, at: usize, head: &mut Head, payload: &[u8]) {
        let link = &mut self.links[at];
        if head.ready != ABSENT {
            (head.in_flight, head.sent) = (link.pair.in_flight(), self.observer.now());
        }
        link.pair.put(head, payload);
        link.said_bye |= head.flag == Flag::Bye;
        self.was_full = false;
        if !self.touched.contains(&at) {
            self.touched.push(at);
        }
    }

    /// Whether a message is here that may be delivered.
    fn has_next(&self) -> bool {
        self.links.iter().any(|link| !link.paused && link.pair.has_next())
    }

    /// The next message that is here, in turn by peer.
    #[inline]
    fn next_arrival(&mut self) -> Option<Arrival> {
        for _ in 0..self.links.len() {
            let at = self.turn.take(self.links.len());
            let link = &mut self.links[at];
            if link.paused {
                continue;
            }
            if let Some((head, came)) = link.pair.next() {
                self.in_hand = Some(at);
                let came = came.filter(|_| head.ready != ABSENT);
                return Some(self.observer.arrival(link.node, head, came, link.same_clock));
            }
        }
        None
    }
}
