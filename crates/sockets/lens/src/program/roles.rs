//! How a thread goes about its connections.

use super::events::{Did, Event, Told, Who};
use super::messages::Read;
use std::collections::{BTreeMap, HashMap, HashSet};
use streams::connections::Connection;

/// Whose turn comes next, and what a thread's sends are because of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// One peer at a time: each thing because of the one before.
    InOrder,
    /// Whoever comes first, and a connection's sends because of what came there.
    ByConnection,
    /// Whoever comes first, and sends because of what came last, from anybody.
    ByTime,
}

/// A thread that waits for one descriptor alone more often than this does so always.
const ALONE: f64 = 0.9;

/// What is known of a thread before its turns are told.
#[derive(Default)]
struct Habits {
    /// How often it waited, and how often for one descriptor alone.
    waited: u64,
    waited_alone: u64,
    asks: bool,
    answers: bool,
    /// Requests to several were under way at once.
    asks_several: bool,
}

/// The way of each thread.
pub(super) fn ways(
    told: &Told,
    read: &Read,
    connections: &HashMap<u32, Connection>,
) -> BTreeMap<Who, Way> {
    let way = |(who, events): (&Who, &Vec<Event>)| {
        (*who, Habits::of(who.0, events, read, connections).way())
    };
    told.of.iter().map(way).collect()
}

/// Whether this node asks on a connection; else it answers.
fn asks(node: u16, connection: Option<&Connection>) -> bool {
    connection.is_some_and(|of| of.asker.node == i64::from(node))
}

impl Habits {
    fn of(
        node: u16,
        events: &[Event],
        read: &Read,
        connections: &HashMap<u32, Connection>,
    ) -> Habits {
        let mut habits = Habits::default();
        let mut under_way: HashSet<u32> = HashSet::new();
        for (_, did) in events {
            match did {
                Did::Sent { message } => {
                    let connection = read.messages[*message as usize].connection;
                    if asks(node, connections.get(&connection)) {
                        habits.asks = true;
                        under_way.insert(connection);
                        habits.asks_several |= under_way.len() > 1;
                    } else {
                        habits.answers = true;
                    }
                }
                Did::Took { message } => {
                    let seen = &read.messages[*message as usize];
                    habits.waited += u64::from(seen.has_waited());
                    habits.waited_alone += u64::from(seen.waited_alone);
                    under_way.remove(&seen.connection);
                    let asks = asks(node, connections.get(&seen.connection));
                    habits.asks |= asks;
                    habits.answers |= !asks;
                }
                Did::TookFromOutside { .. } => habits.answers = true,
                Did::Accepted { .. } | Did::Connected { .. } | Did::SentOutside => {}
            }
        }
        habits
    }

    fn way(&self) -> Way {
        let blocks = self.waited_alone as f64 > ALONE * self.waited as f64;
        match (self.asks, self.answers) {
            _ if blocks => Way::InOrder,
            (true, true) => Way::ByTime,
            (true, false) if !self.asks_several => Way::InOrder,
            _ => Way::ByConnection,
        }
    }
}
