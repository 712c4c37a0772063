//! From the job's ranks to the end of one node.

use super::heads::Heads;
use super::library::Library;
use super::link::{Link, WINDOW};
use super::outgoing::Outgoing;
use super::process::{self, Place};
use super::raw::Channel;
use super::stamping::Stamping;
use super::{ACKNOWLEDGE_AFTER, Mpi};
use crate::error::FabricError;
use crate::open::{Opening, boxed};
use crate::pin::ticks_of;
use crate::spec::{NodeId, Spec};
use crate::transport::Transport;
use crate::transports::links::Links;
use clock::Clock;
use record::NodeSheet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

/// Receives posted in all, and the least and most for one peer.
const POSTS: usize = 256;
const POSTS_MIN: usize = 2;
const POSTS_MAX: usize = 32;

/// The end of the one node here, in the process of its rank. All ranks must come within the spec's
/// time.
pub(super) fn open(opening: Opening<'_>) -> Result<Vec<Box<dyn Transport>>, FabricError> {
    let Opening { spec, hosted: &[me], clock, .. } = opening else {
        let reason = "with mpi, a process hosts exactly one node: that of its rank".to_string();
        return Err(FabricError::BadSpec { reason });
    };
    let library = check_place(me, spec)?;
    let leaving_timeout = Duration::from_millis(spec.peer_timeout_ms);
    let deadline = Instant::now() + leaving_timeout;
    let channel = Channel::open(library, deadline)?;
    let domains = channel.gather(domain(me, &clock), usize::from(spec.nodes), deadline)?;
    let peers: Vec<NodeId> =
        (0..spec.nodes).filter(|peer| spec.topology.linked(me, *peer)).collect();
    let posts = (POSTS / peers.len().max(1)).clamp(POSTS_MIN, POSTS_MAX);
    let window = WINDOW.or_chosen(spec.path_room);
    let same_clock = |peer: NodeId| domains[usize::from(peer)] == domains[usize::from(me)];
    let links: Result<Vec<Link>, _> = peers
        .iter()
        .map(|peer| Link::new(*peer, same_clock(*peer), window, &channel, posts))
        .collect();
    let links = links?;
    Ok(boxed([Mpi {
        clock,
        heads: Heads::new(library, &links),
        links: Links::new(spec.nodes, links, |link| link.node),
        channel: Some(channel),
        in_hand: None,
        outgoing: Outgoing::new(window.fragment_bytes),
        spare: Vec::new(),
        full_towards: None,
        stamping: Stamping::new(&clock),
        empty_looks: 0,
        thought_at: clock.now().0,
        acknowledge_after_ticks: ticks_of(&clock, ACKNOWLEDGE_AFTER),
        leaving_timeout,
        fragment_bytes: window.fragment_bytes,
    }]))
}

/// The library, if this rank can be that node.
fn check_place(me: NodeId, spec: &Spec) -> Result<&'static Library, FabricError> {
    let refuse = |reason: String| Err(FabricError::BadSpec { reason });
    match process::place() {
        None => refuse("transport mpi works only in a job that mpirun or srun has started".into()),
        Some(Place { rank, ranks, .. }) if ranks != spec.nodes || rank != me => refuse(format!(
            "rank {rank} of {ranks} cannot be node {me} of {}: with mpi, each rank must be the \
            node of the same number",
            spec.nodes
        )),
        Some(place) => Ok(place.library),
    }
}

/// The clock that a node reads, as a word: equal where two nodes read one.
fn domain(me: NodeId, clock: &Clock) -> u64 {
    let mut hasher = DefaultHasher::new();
    NodeSheet::new(0, u32::from(me), clock).domain.hash(&mut hasher);
    hasher.finish()
}
