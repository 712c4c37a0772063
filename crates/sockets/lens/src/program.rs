//! The program in a traced run: what each thread did because of what, as turns that can be played
//! on another machine.
//!
//! Nobody sees why a program does something; what came before it tells. Threads are of two ways:
//!
//! * **One peer at a time**: the thread waits in the read itself, or never has two requests under
//!   way. It does the same things in the same order, each because of what it did before.
//! * **Whoever comes first**: it waits in `poll`, `epoll_wait` or their like. What it sends on a
//!   connection is because of what it took there last. Where it has both clients and servers of its
//!   own, it is because of what it took last from any.
//!
//! A thread that answers what another one took does so because that one took it.

mod events;
mod ground;
mod hosts;
mod messages;
mod network;
mod roles;
mod stalls;
mod turns;
mod ways;
mod work;

use crate::facts;
use ground::Basis;
use machine::{Machine, Processor};
use predict::Service;
use record::{RecordError, Run};
use stalls::Stalled;
use streams::exchanges;

/// A program that was read off a run, and how far it is what ran.
pub struct ReadService {
    /// What is played.
    pub service: Service,
    /// From the first thing that a thread did to the last, ns.
    pub measured_ns: u64,
    /// Requests and answers whose messages are in it.
    pub exchanges: Vec<Asked>,
    /// The names of the processes, by node.
    pub names: Vec<String>,
    /// The network that was measured between its hosts, and nothing else: to play the run as it
    /// was recorded where no machine's file says what it was recorded on.
    pub network: Option<Machine>,
    /// What is not played as it was, in sentences.
    pub kept: Vec<String>,
}

/// A request and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Node.
    pub asker: u16,
    /// Node.
    pub answerer: u16,
    /// Its last message, by its number in the program.
    pub request: u32,
    /// See [`request`](Asked::request).
    pub answer: u32,
    /// From when the first message of the request was ready to when the last one was, ns.
    pub writing_ns: u64,
    /// From when the request was ready to when its answer was taken, as recorded, ns.
    pub recorded_ns: u64,
}

/// Why a run holds no program that can be played.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// A table cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// It lacks columns.
    #[error(
        "it does not say which thread and connection each message is of: it was recorded by an \
         older version; record it again"
    )]
    Older,
    /// Too much of it is not known.
    #[error(
        "of {matched} of its {all} messages both ends are known, and a program with holes in it \
         cannot be played: trace all programs that talk to each other"
    )]
    Unmatched {
        /// Messages with both ends known.
        matched: u64,
        /// All messages.
        all: u64,
    },
    /// A node was named that it does not have.
    #[error("it has no node {0}: `fourstamp report` has their numbers")]
    NoNode(u16),
    /// No network matters to it.
    #[error(
        "all its processes belong on one host: it is one program, or they talk over Unix-domain \
         sockets or pipes, which no network carries"
    )]
    OneHost,
}

/// With fewer messages than this part known at both ends there is no program to play.
const MATCHED_MIN: f64 = 0.9;
/// A constant of machines, ns.
const LATENCY: &str = "network.latency";

/// Read the program of a closed run. `recorded` is the machine it was recorded on, where that is
/// known: what sending and receiving take on it is no computing. `same_host`: nodes that stay on
/// one host, besides those that belong on one.
///
/// # Errors
/// When there is none that can be played, or a table is damaged.
pub fn program(
    run: &Run,
    recorded: Option<&Machine>,
    same_host: &[Vec<u16>],
) -> Result<ReadService, ServiceError> {
    let facts = facts::of(&run.info).unwrap_or_default();
    let mut read = messages::read(run)?;
    let matched = read.messages.len() as u64;
    let all = matched + read.halves;
    if matched == 0 || (matched as f64) < MATCHED_MIN * all as f64 {
        return Err(ServiceError::Unmatched { matched, all });
    }
    let connections = events::connections(run)?;
    let nodes = read.nodes(&facts);
    let unknown = same_host.iter().flatten().find(|node| usize::from(**node) >= nodes);
    if let Some(node) = unknown {
        return Err(ServiceError::NoNode(*node));
    }
    let mut together = hosts::Together::of(&run.info, &facts, &read, &connections, nodes);
    same_host.iter().for_each(|nodes| together.join_all(nodes));
    let host_of = together.hosts();
    if host_of.iter().all(|host| *host == host_of[0]) {
        return Err(ServiceError::OneHost);
    }
    let network = network::measured(&read, &host_of);
    let from = events::first(&read, &connections, &host_of);
    read.keep_between(&host_of, from);
    let stalled = network
        .as_ref()
        .map_or(Stalled::default(), |network| stalls::note(&mut read, &host_of, network));
    let told = events::of_threads(&read, &connections);
    let basis = Basis {
        processor: recorded.map(|machine| Processor::of(machine, 0)),
        latency_ns: recorded.or(network.as_ref()).map_or(0.0, |of| of.value(LATENCY)) as i64,
    };
    let built = turns::threads(&told, &read, &connections, &facts, basis);
    let names = names(&facts, nodes);
    let mut kept = vec![hosts::said(&facts, &host_of, &read)];
    let service = Service {
        threads: built.threads,
        host_of,
        messages: read.messages.iter().map(messages::Seen::letter).collect(),
        room_bytes: read.room_bytes(),
    };
    let exchanges = asked(run, &facts, &read)?;
    kept.extend(built.said);
    kept.extend(stalled.said());
    kept.extend(read.said());
    let measured_ns = told.until.saturating_sub(told.from).max(0) as u64;
    Ok(ReadService { service, measured_ns, exchanges, names, network, kept })
}

fn names(facts: &streams::SocketsFacts, nodes: usize) -> Vec<String> {
    let mut names: Vec<String> = (0..nodes).map(|node| format!("node {node}")).collect();
    for process in &facts.processes {
        if let Some(name) = names.get_mut(process.node as usize) {
            name.clone_from(&process.name);
        }
    }
    names
}

/// The exchanges of which each message is in the program.
fn asked(
    run: &Run,
    facts: &streams::SocketsFacts,
    read: &messages::Read,
) -> Result<Vec<Asked>, RecordError> {
    let numbers = read.numbers();
    let mut found = Vec::new();
    let answerers = facts.processes.iter().map(|process| process.node);
    for answerer in answerers.filter(|node| exchanges::has_answered(run.path(), *node)) {
        exchanges::each(run.path(), answerer, |one| {
            let number = |leg: &exchanges::Leg| numbers.get(&(leg.src, leg.seq)).copied();
            let (Some(request), Some(answer)) = (number(&one.request), number(&one.answer)) else {
                return;
            };
            let Some(whole) = one.whole() else { return };
            let [ready, last] = [one.request.ready_ns, read.messages[request as usize].ready];
            found.push(Asked {
                asker: one.request.src as u16,
                answerer: one.answer.src as u16,
                request,
                answer,
                writing_ns: (last - ready).max(0) as u64,
                recorded_ns: whole.max(0) as u64,
            });
        })?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
