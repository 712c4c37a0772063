//! Messages on their way: sent, announced, and matched with the receives that were posted.

use super::{Blocked, Engine, Event, Request, Then, Truth};
use crate::cluster::program::{EAGER_MAX, Envelope};
use calls::entry::flags;

impl Engine<'_> {
    pub(super) fn send(
        &mut self,
        rank: usize,
        to: usize,
        envelope: Envelope,
        bytes: u64,
        synchronous: bool,
    ) {
        let request = self.request(rank, false, None, envelope);
        let name = if synchronous { "Ssend" } else { "Send" };
        let kind = if synchronous { flags::SENDS | flags::SYNCHRONOUS } else { flags::SENDS };
        let call = self.call(rank, name, kind, to, envelope, bytes);
        self.put(rank, to, envelope, bytes, request, synchronous);
        self.block(
            rank,
            Blocked::For { requests: vec![request], any: false, call, then: Then::Send },
        );
    }

    /// A request; numbered when it is one that the program sees.
    pub(super) fn request(
        &mut self,
        rank: usize,
        is_receive: bool,
        source: Option<usize>,
        envelope: Envelope,
    ) -> usize {
        let of = &mut self.ranks[rank];
        of.requests += 1;
        let (number, posted_row) = (of.requests, of.log.rows());
        let posted = self.now;
        self.requests.push(Request {
            rank,
            number,
            is_receive,
            source,
            envelope,
            posted,
            posted_row,
            message: None,
            complete_at: None,
        });
        self.requests.len() - 1
    }

    /// A message begins its way.
    pub(super) fn put(
        &mut self,
        src: usize,
        dst: usize,
        envelope: Envelope,
        bytes: u64,
        send: usize,
        synchronous: bool,
    ) {
        let ready = self.now;
        let rendezvous = bytes > EAGER_MAX;
        let transit = if rendezvous { self.machine.latency / 2 } else { self.transit(bytes) };
        let last = self.last_arrival.entry((src, dst)).or_insert(0);
        let envelope_at = (ready + transit).max(*last + 1);
        *last = envelope_at;
        let message = self.truth.len();
        let seq = self.ranks[src].sends;
        self.ranks[src].sends += 1;
        self.truth.push(Truth {
            src,
            dst,
            seq,
            communicator: envelope.communicator,
            tag: envelope.tag.unwrap(),
            bytes,
            ready,
            arrived: if rendezvous { None } else { Some(envelope_at) },
            posted: None,
            taken: None,
            send_row: self.ranks[src].log.rows(),
            receive_row: None,
            wildcard: 0,
            probe_row: None,
            order: None,
            envelope_at,
            rendezvous,
            synchronous,
            send,
        });
        if !rendezvous && !synchronous {
            self.requests[send].complete_at = Some(ready + 100);
        }
        self.at(envelope_at, Event::Envelope(message));
    }

    pub(super) fn transit(&mut self, bytes: u64) -> i64 {
        let base = self.machine.latency + bytes as i64 * self.machine.ns_per_kib / 1024;
        base + self.random.between(0, base / 5)
    }

    pub(super) fn envelope(&mut self, message: usize) {
        let dst = self.truth[message].dst;
        let fits = |request: &usize| {
            self.fits(message, self.requests[*request].source, self.requests[*request].envelope)
        };
        match self.ranks[dst].posted.iter().position(fits) {
            Some(at) => {
                let request = self.ranks[dst].posted.remove(at);
                self.matched(message, request);
            }
            None => {
                self.ranks[dst].unexpected.push(message);
                self.wake(dst);
            }
        }
    }

    pub(super) fn post(&mut self, request: usize) {
        let Request { rank, source, envelope, .. } = self.requests[request];
        match self.find(rank, source, envelope) {
            Some(at) => {
                let message = self.ranks[rank].unexpected.remove(at);
                self.matched(message, request);
            }
            None => self.ranks[rank].posted.push(request),
        }
    }

    pub(super) fn find(
        &self,
        rank: usize,
        source: Option<usize>,
        envelope: Envelope,
    ) -> Option<usize> {
        self.ranks[rank].unexpected.iter().position(|message| self.fits(*message, source, envelope))
    }

    pub(super) fn fits(&self, message: usize, source: Option<usize>, envelope: Envelope) -> bool {
        let truth = &self.truth[message];
        truth.communicator == envelope.communicator
            && source.is_none_or(|source| source == truth.src)
            && envelope.tag.is_none_or(|tag| tag == truth.tag)
    }

    pub(super) fn matched(&mut self, message: usize, request: usize) {
        let transit = self.transit(self.truth[message].bytes);
        let now = self.now;
        let Request { posted, source, envelope, .. } = self.requests[request];
        let truth = &mut self.truth[message];
        if truth.rendezvous {
            truth.arrived = Some((truth.ready.max(posted) + transit).max(now));
        }
        truth.posted = Some(posted);
        truth.wildcard |= i64::from(source.is_none()) | i64::from(envelope.tag.is_none()) << 1;
        truth.receive_row = Some(self.requests[request].posted_row);
        let complete = now.max(truth.arrived.unwrap());
        let (src, dst, send) = (truth.src, truth.dst, truth.send);
        self.requests[request].message = Some(message);
        self.requests[request].complete_at = Some(complete);
        self.requests[send].complete_at.get_or_insert(complete);
        self.wake(dst);
        self.wake(src);
    }
}
