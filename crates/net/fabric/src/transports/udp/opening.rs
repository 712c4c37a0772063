//! Opening an end: meeting the peers, and what each pair starts with.

use super::Endpoint;
use super::counters::UdpReport;
use super::faults::Faults;
use super::link::Link;
use super::meeting::{Agreed, agree};
use super::options::{ReceiveTask, UdpOptions, UdpTimer};
use super::pair::{Pair, Setup};
use super::task::Tasked;
use super::timing::Times;
use super::wire::Wire;
use crate::error::FabricError;
use crate::open::Opening;
use crate::pin::ticks_of;
use crate::spec::NodeId;
use crate::transport::Transport;
use crate::transports::links::Links;
use crate::transports::sockets::mesh::Meeting;
use crate::transports::sockets::observer::Observer;
use crate::transports::turn::Turn;
use clock::Clock;
use std::time::{Duration, Instant};

/// Before the first round trip is known.
const FIRST_PATIENCE: Duration = Duration::from_millis(2);
/// An acknowledgement may ride on an answer, and a sleeper's wake-up takes tens of microseconds.
const LEAST_PATIENCE: Duration = Duration::from_micros(200);
/// However often it has gone already.
const MOST_PATIENCE: Duration = Duration::from_millis(200);
/// Bytes of a datagram, whatever it is.
const ROOM_BYTES: usize = 65_536;

/// Connect this node with its peers, who do the same: the end of the one node here.
pub(super) fn open(opening: Opening<'_>) -> Result<Vec<Box<dyn Transport>>, FabricError> {
    let options = UdpOptions::of(opening.spec)?;
    let endpoint = Endpoint::open(opening, &options)?;
    Ok(vec![match options.receive_task {
        ReceiveTask::Inline => Box::new(endpoint),
        ReceiveTask::Own { user_priority } => Box::new(Tasked::start(endpoint, user_priority)?),
    }])
}

impl Endpoint {
    fn open(mut opening: Opening<'_>, options: &UdpOptions) -> Result<Endpoint, FabricError> {
        let (me, listener) = opening.one_that_listens()?;
        let Opening { spec, key, clock, .. } = opening;
        let peers = &spec.transport.peers;
        let leaving_timeout = Duration::from_millis(spec.peer_timeout_ms);
        let deadline = Instant::now() + leaving_timeout;
        let met = Meeting { me, spec, peers, key, clock: &clock, deadline }.all(&listener)?;
        let agreed: Result<Vec<Agreed>, _> =
            met.into_iter().map(|met| agree(met, leaving_timeout)).collect();
        let links: Vec<Link> =
            agreed?.into_iter().map(|agreed| new_link(agreed, me, options, &clock)).collect();
        Ok(Endpoint {
            observer: Observer::new(clock),
            touched: Vec::with_capacity(links.len()),
            links: Links::new(spec.nodes, links, |link| link.node),
            turn: Turn::default(),
            in_hand: None,
            was_full: false,
            room: vec![0; ROOM_BYTES].into_boxed_slice(),
            out: Vec::with_capacity(ROOM_BYTES),
            report: UdpReport::new(),
            fragment_bytes: Pair::payload_bytes_max(options.datagram_bytes),
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
    // A task of its own acknowledges each datagram, as a network card does; inline it waits a
    // little for an answer to ride on.
    let acks_every = match options.receive_task {
        ReceiveTask::Own { .. } => 1,
        ReceiveTask::Inline => (options.max_acks / 4).clamp(1, 64),
    };
    let setup =
        Setup { peer: node, options: *options, times, keys, acks_every, now: clock.now().0 };
    let faults = options.faults.map(|faults| {
        let direction = u64::from(me) << 16 | u64::from(node);
        Faults::new(faults, direction + 1, ticks(Duration::from_micros(faults.delay_us)))
    });
    let resend_cost = Duration::from_micros(options.resend_cost_us);
    let wire = Wire::new(socket, faults);
    Link::new(node, Pair::new(setup), wire, lifeline, same_clock, resend_cost)
}
