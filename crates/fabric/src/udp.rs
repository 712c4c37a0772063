//! Transport `udp`: datagrams that may be lost, doubled and overtaken, made reliable here, as Myrinet's driver did. See docs/UDP.md.
//!
//! What must be done is decided in [`pair`], a state machine without sockets and clocks (its halves are [`outgoing`] and
//! [`incoming`]), which `simulation.rs` plays against a simulated network. Here it meets sockets: one for each peer, connected, so
//! that the kernel drops what others send, beside a lifeline over TCP ([`meeting`]).
//!
//! Everything happens on the node's thread when it sends or looks, unless the spec gives what comes to a task of its own ([`task`]).

use crate::error::FabricError;
use crate::key::RunKey;
use crate::pin::{ticks_of, ticks_per_ns};
use crate::spec::{NodeId, Spec};
use crate::tcp::arrive::arrival;
use crate::tcp::mesh::Meeting;
use crate::tcp::stamp::Conversion;
use crate::transport::{Arrival, Flag, Handed, Head, Payload, Transport};
use clock::Clock;
use counters::UdpReport;
use faults::Faults;
use link::{Link, Reading};
use meeting::{Agreed, agree};
use options::{ReceiveTask, UdpOptions, UdpTimer};
use pair::{Pair, Setup};
use record::{ABSENT, Kind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};
use timing::Times;

pub(crate) mod counters;
pub(crate) mod datagram;
mod faults;
mod incoming;
mod link;
mod meeting;
pub(crate) mod options;
mod outgoing;
pub(crate) mod pair;
pub(crate) mod priority;
#[cfg(test)]
mod simulation;
mod task;
pub(crate) mod timing;
mod wire;

/// Before the first round trip is known.
const FIRST_PATIENCE: Duration = Duration::from_millis(2);
/// An acknowledgement may ride on an answer, and a sleeper's wake-up takes tens of microseconds.
const LEAST_PATIENCE: Duration = Duration::from_micros(200);
/// However often it has gone already.
const MOST_PATIENCE: Duration = Duration::from_millis(200);
/// Datagrams read in one go before something else is done.
const READS_MAX: u32 = 64;
/// With more peers than this, the kernel is asked which of them have something.
const ASKED_ONE_BY_ONE: usize = 2;
/// A sender of messages that nobody records looks for acknowledgements every so many.
const SENDS_PER_LOOK: u64 = 16;
/// Bytes of a datagram, whatever it is.
const ROOM_BYTES: usize = 65_536;

/// One node's end.
pub(crate) struct Endpoint {
    clock: Clock,
    conversion: Conversion,
    nodes: u16,
    links: Vec<Link>,
    /// Where a node's link is in `links`.
    places: Vec<Option<usize>>,
    /// Whose turn it is to be asked for a message.
    next: usize,
    in_hand: Option<usize>,
    /// Links that something was put in for since the last flush.
    touched: Vec<usize>,
    was_full: bool,
    /// Before the last look that found nothing, in ticks (zero: never).
    empty_at: u64,
    looked_at: u64,
    room: Box<[u8]>,
    out: Vec<u8>,
    report: UdpReport,
    fragment_bytes: usize,
    ns_per_tick: f64,
    leaving_timeout: Duration,
}

/// What an end is set up with.
pub(crate) struct Opening<'a> {
    pub me: NodeId,
    pub spec: &'a Spec,
    /// The listening addresses of all nodes, by number.
    pub peers: &'a [SocketAddr],
    pub options: &'a UdpOptions,
    pub listener: TcpListener,
    pub key: &'a RunKey,
    pub clock: Clock,
}

/// Connect this node with its peers, who do the same.
pub(crate) fn connect(opening: Opening<'_>) -> Result<Box<dyn Transport>, FabricError> {
    let endpoint = Endpoint::open(&opening)?;
    Ok(match opening.options.receive_task {
        ReceiveTask::Inline => Box::new(endpoint),
        ReceiveTask::Own { user_priority } => Box::new(task::Tasked::start(endpoint, user_priority)?),
    })
}

impl Endpoint {
    fn open(opening: &Opening<'_>) -> Result<Endpoint, FabricError> {
        let Opening { me, spec, peers, options, listener, key, clock } = opening;
        if peers.len() != usize::from(spec.nodes) || *me >= spec.nodes {
            let reason = format!("node {me} of {} nodes was given {} addresses", spec.nodes, peers.len());
            return Err(FabricError::BadSpec { reason });
        }
        let leaving_timeout = Duration::from_millis(spec.peer_timeout_ms);
        let deadline = Instant::now() + leaving_timeout;
        let met = Meeting { me: *me, spec, peers, key, clock, deadline }.all(listener)?;
        let agreed: Result<Vec<Agreed>, _> =
            met.into_iter().map(|met| agree(met, *me, key, leaving_timeout)).collect();
        let links: Vec<Link> =
            agreed?.into_iter().map(|agreed| new_link(agreed, *me, options, clock)).collect();
        let mut places = vec![None; peers.len()];
        for (place, link) in links.iter().enumerate() {
            places[usize::from(link.node)] = Some(place);
        }
        let ns_per_tick = 1.0 / ticks_per_ns(clock);
        Ok(Endpoint {
            clock: *clock,
            conversion: Conversion::new(*clock, ns_per_tick),
            nodes: spec.nodes,
            touched: Vec::with_capacity(links.len()),
            links,
            places,
            next: 0,
            in_hand: None,
            was_full: false,
            empty_at: 0,
            looked_at: 0,
            room: vec![0; ROOM_BYTES].into_boxed_slice(),
            out: Vec::with_capacity(ROOM_BYTES),
            report: UdpReport::new(),
            fragment_bytes: Pair::payload_bytes_max(options.datagram_bytes),
            ns_per_tick,
            leaving_timeout,
        })
    }
}

fn new_link(agreed: Agreed, me: NodeId, options: &UdpOptions, clock: &Clock) -> Link {
    let Agreed { node, lifeline, socket, keys, same_clock } = agreed;
    let ticks = |time| ticks_of(clock, time);
    let period = match options.timer {
        UdpTimer::Periodic { period_us } => Some(ticks(Duration::from_micros(period_us))),
        UdpTimer::Adaptive => None,
    };
    let times = Times {
        period,
        first: ticks(FIRST_PATIENCE),
        least: ticks(LEAST_PATIENCE),
        most: ticks(MOST_PATIENCE),
    };
    // A task of its own acknowledges each datagram, as a network card does; inline it waits a little for an answer to ride on.
    let acks_every = match options.receive_task {
        ReceiveTask::Own { .. } => 1,
        ReceiveTask::Inline => (options.max_acks / 4).clamp(1, 64),
    };
    let setup = Setup { peer: node, options: *options, times, keys, acks_every, now: clock.now().0 };
    let faults = options.faults.map(|faults| {
        let direction = u64::from(me) << 16 | u64::from(node);
        Faults::new(faults, direction + 1, ticks(Duration::from_micros(faults.delay_us)))
    });
    Link::new(node, Pair::new(setup), wire::Wire::new(socket, faults), lifeline, same_clock)
}

impl Transport for Endpoint {
    #[inline]
    fn try_send(&mut self, to: NodeId, head: &mut Head, payload: Payload<'_>) -> Result<Handed, FabricError> {
        let at = self.place(to)?;
        if let Some(refusal) = self.links[at].refusal() {
            return Err(refusal);
        }
        let recorded = head.ready != ABSENT;
        // So that the count of what is on its way is true at every send that is recorded.
        if self.links[at].pair.in_flight() > 0 && (recorded || head.seq.is_multiple_of(SENDS_PER_LOOK)) {
            self.read(at);
        }
        if !self.links[at].pair.has_room() && !self.make_room(at) {
            self.was_full = true;
            return Ok(Handed::Full);
        }
        self.put(at, head, payload.bytes());
        Ok(Handed::Yes)
    }

    #[inline]
    fn flush(&mut self) -> Result<(), FabricError> {
        while let Some(at) = self.touched.pop() {
            let now = self.clock.now().0;
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
            self.empty_at = self.looked_at;
        }
        let now = self.clock.now().0;
        self.looked_at = now;
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
        self.serve_all(self.clock.now().0, true);
        let timeout = timeout.min(self.until_deadline());
        self.wait(timeout)?;
        for at in 0..self.links.len() {
            self.read(at);
        }
        self.serve_all(self.clock.now().0, true);
        (self.looked_at, self.was_full) = (0, false);
        Ok(())
    }

    fn check_peers(&mut self) -> Result<(), FabricError> {
        for at in 0..self.links.len() {
            let (link, mut reading) = self.reading(at);
            link.look_after(&mut reading);
        }
        self.serve_all(self.clock.now().0, true);
        self.links.iter_mut().find_map(|link| link.failure(true)).map_or(Ok(()), Err)
    }

    fn pause(&mut self, from: NodeId, paused: bool) {
        if let Ok(at) = self.place(from) {
            self.links[at].paused = paused;
        }
    }

    fn in_flight(&mut self, to: NodeId) -> u32 {
        self.place(to).map_or(0, |at| self.links[at].pair.in_flight())
    }

    fn fragment_bytes_max(&self) -> usize {
        self.fragment_bytes
    }

    /// Good-bye to those who have not heard it; then until the peers have all that was sent, and have said so of theirs: whoever left
    /// sooner could not answer a peer whose acknowledgement was lost.
    fn leave(&mut self) {
        let deadline = Instant::now() + self.leaving_timeout;
        let kind = Kind::Other;
        let head =
            Head { ready: ABSENT, sent: ABSENT, seq: 0, kind, flag: Flag::Bye, batch: 1, in_flight: 0 };
        for link in self.links.iter_mut().filter(|link| !link.said_bye && !link.has_ended()) {
            if link.pair.has_room() {
                link.pair.put(&head, &[]);
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
            self.serve_all(self.clock.now().0, true);
            let moment = Duration::from_millis(1).min(self.until_deadline());
            if self.links.iter().any(|link| !link.has_ended()) && self.wait(moment).is_err() {
                break;
            }
        }
    }

    fn udp_report(&mut self) -> Option<UdpReport> {
        self.report.counts.swallowed = self.links.iter().map(|link| link.wire.swallowed()).sum();
        Some(std::mem::take(&mut self.report))
    }
}

impl Endpoint {
    #[inline]
    fn place(&self, node: NodeId) -> Result<usize, FabricError> {
        let place = self.places.get(usize::from(node)).copied().flatten();
        place.ok_or(FabricError::NoSuchNode { node, last: self.nodes - 1 })
    }

    /// Put in a fragment for which there is room.
    #[inline]
    fn put(&mut self, at: usize, head: &mut Head, payload: &[u8]) {
        let link = &mut self.links[at];
        if head.ready != ABSENT {
            (head.in_flight, head.sent) = (link.pair.in_flight(), self.clock.now().0);
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
            let at = self.next;
            self.next = if at + 1 == self.links.len() { 0 } else { at + 1 };
            let link = &mut self.links[at];
            if link.paused {
                continue;
            }
            if let Some((head, came)) = link.pair.next() {
                self.in_hand = Some(at);
                let came = came.filter(|_| head.ready != ABSENT);
                return Some(arrival(link.node, head, came, link.same_clock, &mut self.conversion));
            }
        }
        None
    }

    #[inline]
    fn reading(&mut self, at: usize) -> (&mut Link, Reading<'_>) {
        let Endpoint { links, room, clock, conversion, report, empty_at, .. } = self;
        (&mut links[at], Reading { room, clock, conversion, report, empty_at: *empty_at })
    }

    /// Read what has come from one peer. `true`: something.
    #[inline]
    fn read(&mut self, at: usize) -> bool {
        let (link, mut reading) = self.reading(at);
        let mut reads = 0;
        while reads < READS_MAX && link.read(&mut reading) {
            reads += 1;
        }
        reads > 0
    }

    /// Read from all peers until there is a message. `true`: something has come.
    #[inline]
    fn read_some(&mut self) -> bool {
        if self.links.len() > ASKED_ONE_BY_ONE {
            return self.read_ready();
        }
        let mut something = false;
        for at in 0..self.links.len() {
            let (link, mut reading) = self.reading(at);
            while link.read(&mut reading) {
                something = true;
                if link.pair.has_next() {
                    break;
                }
            }
        }
        something
    }

    fn read_ready(&mut self) -> bool {
        let mut sockets: Vec<PollFd<'_>> =
            self.links.iter().map(|link| PollFd::new(&link.wire.socket, PollFlags::IN)).collect();
        if !matches!(poll(&mut sockets, Some(&timespec(Duration::ZERO))), Ok(1..)) {
            return false;
        }
        let ready: Vec<bool> = sockets.iter().map(|socket| !socket.revents().is_empty()).collect();
        drop(sockets);
        let mut something = false;
        for at in (0..ready.len()).filter(|at| ready[*at]) {
            something |= self.read(at);
        }
        something
    }

    /// Send what should go now to one peer.
    #[inline]
    fn serve(&mut self, at: usize, now: u64, idle: bool) {
        self.links[at].serve(now, idle, &mut self.out, &mut self.report);
    }

    #[inline]
    fn serve_all(&mut self, now: u64, idle: bool) {
        for at in 0..self.links.len() {
            self.serve(at, now, idle);
        }
    }

    /// There is no room: see whether acknowledgements make some. `true`: there is now.
    #[cold]
    fn make_room(&mut self, at: usize) -> bool {
        self.read(at);
        let now = self.clock.now().0;
        self.links[at].pair.found_no_room(now);
        self.serve(at, now, true);
        self.links[at].pair.has_room()
    }

    /// How long nothing has to be done if nothing comes.
    fn until_deadline(&self) -> Duration {
        let deadline = self.links.iter().map(Link::deadline).min().unwrap_or(u64::MAX);
        let ticks = deadline.saturating_sub(self.clock.now().0);
        Duration::from_nanos((ticks as f64 * self.ns_per_tick) as u64)
    }

    /// Sleep until a socket has something, or for so long.
    fn wait(&self, timeout: Duration) -> Result<(), FabricError> {
        let asked = |link: &Link| {
            if link.wire.is_backed_up() { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN }
        };
        let mut sockets: Vec<PollFd<'_>> =
            self.links.iter().map(|link| PollFd::new(&link.wire.socket, asked(link))).collect();
        match poll(&mut sockets, Some(&timespec(timeout))) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(FabricError::io("waiting for datagrams")(error.into())),
        }
    }
}

#[inline]
fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos() as _ }
}
