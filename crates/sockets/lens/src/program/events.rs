//! What each thread did with connections and messages, in the order of time.

use super::messages::{Read, Seen};
use record::{NULL, RecordError, Run};
use std::collections::{BTreeMap, HashMap};
use streams::connections::{self, Connection, Maker};

/// A thread of a node.
pub(super) type Who = (u16, u32);

/// What a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Did {
    Accepted {
        connection: u32,
    },
    Took {
        message: u32,
    },
    /// A message of a program that was not traced, which had come then.
    TookFromOutside {
        arrived: i64,
    },
    Connected {
        connection: u32,
    },
    Sent {
        message: u32,
    },
    SentOutside,
}

/// When, and what.
pub(super) type Event = (i64, Did);

/// What all threads did.
pub(super) struct Told {
    pub of: BTreeMap<Who, Vec<Event>>,
    /// The first and the last moment, ns on the timeline.
    pub from: i64,
    pub until: i64,
}

/// The connections of a run, by number.
pub(super) fn connections(run: &Run) -> Result<HashMap<u32, Connection>, RecordError> {
    let mut found = HashMap::new();
    connections::each(run.path(), |one| {
        found.insert(one.number as u32, *one);
    })?;
    Ok(found)
}

/// The first thing that was done between hosts, ns on the timeline.
pub(super) fn first(read: &Read, connections: &HashMap<u32, Connection>, host_of: &[u16]) -> i64 {
    let begun = |one: &Seen| {
        let [from, to] = one.nodes.map(|node| host_of[usize::from(node)]);
        let connect = connections.get(&one.connection).map(|of| of.asker.enter_ns);
        let connect = connect.filter(|at| *at != NULL).unwrap_or(one.ready);
        (from != to).then_some(connect.min(one.ready))
    };
    read.messages.iter().filter_map(begun).min().unwrap_or(i64::MIN)
}

pub(super) fn of_threads(read: &Read, connections: &HashMap<u32, Connection>) -> Told {
    let mut of: BTreeMap<Who, Vec<Event>> = BTreeMap::new();
    let mut put = |who: Who, at: i64, did: Did| of.entry(who).or_default().push((at, did));
    let mut carried = vec![];
    for (message, one) in (0..).zip(&read.messages) {
        put((one.nodes[0], one.threads[0]), one.ready, Did::Sent { message });
        put((one.nodes[1], one.threads[1]), one.taken, Did::Took { message });
        carried.push(one.connection);
    }
    carried.sort_unstable();
    carried.dedup();
    for half in &read.half {
        let arrived = half.arrived;
        let did = if arrived == NULL { Did::SentOutside } else { Did::TookFromOutside { arrived } };
        put((half.node, half.thread), half.at, did);
    }
    for (number, one) in carried.into_iter().filter_map(|of| Some((of, connections.get(&of)?))) {
        let makers = [one.asker, one.answerer].map(made);
        if let [Some((asker, [connect, _])), Some((answerer, [_, accepted]))] = makers {
            put(asker, connect, Did::Connected { connection: number });
            put(answerer, accepted, Did::Accepted { connection: number });
        }
    }
    of.values_mut().for_each(|events| events.sort_unstable());
    let moments = || of.values().flat_map(|events| [events[0].0, events[events.len() - 1].0]);
    let (from, until) = (moments().min().unwrap_or(0), moments().max().unwrap_or(0));
    Told { of, from, until }
}

/// Who made an end of a connection, and when the call was entered and returned.
fn made(maker: Maker) -> Option<(Who, [i64; 2])> {
    let known = ![maker.node, maker.thread, maker.enter_ns, maker.exit_ns].contains(&NULL);
    known.then_some(((maker.node as u16, maker.thread as u32), [maker.enter_ns, maker.exit_ns]))
}
