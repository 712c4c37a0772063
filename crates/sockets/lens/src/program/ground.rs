//! What a thread's turns are told by, beside what it did itself: what others took before, and who
//! had ended.

use super::events::{Told, Who};
use super::messages::Read;
use machine::Processor;
use std::collections::{BTreeMap, HashMap};
use streams::SocketsFacts;
use streams::connections::Connection;

/// What is known of the machine that the program was recorded on.
pub(super) struct Basis {
    /// What sends and receives take, where that is no computing.
    pub processor: Option<Processor>,
    /// Between hosts.
    pub latency_ns: i64,
}

/// What is known of all that was taken, and of who made what.
pub(super) struct Ground<'a> {
    pub read: &'a Read,
    pub connections: &'a HashMap<u32, Connection>,
    pub basis: Basis,
    /// The first moment of all, ns on the timeline.
    pub from: i64,
    /// By connection and node: messages that it took there, as they were taken.
    taken: HashMap<(u32, u16), Vec<Taken>>,
    /// By node: the same of all its connections.
    taken_by: HashMap<u16, Vec<Taken>>,
    /// By connection: when something was taken there for the last time.
    pub last: HashMap<u32, i64>,
    /// By node: the one that had ended before it began, and when.
    ended: HashMap<u16, (u16, i64)>,
}

/// That a message was taken.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    pub at: i64,
    pub who: Who,
    pub message: u32,
}

impl<'a> Ground<'a> {
    pub fn of(
        told: &Told,
        read: &'a Read,
        connections: &'a HashMap<u32, Connection>,
        facts: &SocketsFacts,
        basis: Basis,
    ) -> Ground<'a> {
        let mut ground = Ground {
            read,
            connections,
            basis,
            from: told.from,
            taken: HashMap::new(),
            taken_by: HashMap::new(),
            last: HashMap::new(),
            ended: HashMap::new(),
        };
        for (message, one) in (0..).zip(&read.messages) {
            let who = (one.nodes[1], one.threads[1]);
            let taken = Taken { at: one.taken, who, message };
            ground.taken.entry((one.connection, who.0)).or_default().push(taken);
            let last = ground.last.entry(one.connection).or_insert(one.taken);
            *last = one.taken.max(*last);
            ground.taken_by.entry(who.0).or_default().push(taken);
        }
        let all = ground.taken.values_mut().chain(ground.taken_by.values_mut());
        all.for_each(|taken| taken.sort_by_key(|one| (one.at, one.message)));
        ground.follow(told, facts);
        ground
    }

    /// Who began when others of the same parent had ended began because of that.
    fn follow(&mut self, told: &Told, facts: &SocketsFacts) {
        let mut spans: BTreeMap<u16, (i64, i64)> = BTreeMap::new();
        for ((node, _), events) in &told.of {
            let (first, last) = (events[0].0, events[events.len() - 1].0);
            let span = spans.entry(*node).or_insert((first, last));
            *span = (span.0.min(first), span.1.max(last));
        }
        let mut of_parent: HashMap<Option<u32>, Vec<(i64, i64, u16)>> = HashMap::new();
        for process in &facts.processes {
            let node = process.node as u16;
            if let Some((first, last)) = spans.get(&node) {
                of_parent.entry(process.parent).or_default().push((*last, *first, node));
            }
        }
        for siblings in of_parent.values_mut() {
            siblings.sort_unstable();
            for (_, first, node) in siblings.iter() {
                let earlier = siblings.partition_point(|(last, ..)| last < first);
                if let Some((last, _, before)) = earlier.checked_sub(1).map(|at| siblings[at]) {
                    self.ended.insert(*node, (before, last));
                }
            }
        }
    }

    /// The last message that this process had taken on a connection by then.
    pub fn last_taken(&self, connection: u32, node: u16, at: i64) -> Option<Taken> {
        last_by(self.taken.get(&(connection, node))?, at)
    }

    /// What this process had taken last by then, from anybody.
    pub fn last_taken_by(&self, node: u16, at: i64) -> Option<Taken> {
        last_by(self.taken_by.get(&node)?, at)
    }

    /// The process that had ended before this one began, and when.
    pub fn ended_before(&self, node: u16) -> Option<(u16, i64)> {
        self.ended.get(&node).copied()
    }

    /// A connection, if it is known.
    pub fn connection(&self, number: u32) -> Option<&Connection> {
        self.connections.get(&number)
    }
}

fn last_by(all: &[Taken], at: i64) -> Option<Taken> {
    let behind = all.partition_point(|one| one.at <= at);
    behind.checked_sub(1).map(|last| all[last])
}
