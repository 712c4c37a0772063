//! What is counted, per object and per node: the columns of XL_STATS, and the identities between
//! them.

use crate::{LoadCycle, Migration, RunError};
use serde::{Deserialize, Serialize};

/// What one object did. The names are ours; `XL_COLUMNS` has the 1991 memo's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Event messages sent forward, positive (counted at the sender when they leave it).
    pub positive_sent: u64,
    /// Anti-messages sent forward.
    pub anti_sent: u64,
    /// Event messages received, positive.
    pub positive_received: u64,
    /// Anti-messages received.
    pub anti_received: u64,
    /// Event messages consumed by committed events.
    pub messages: u64,
    /// Event executions begun.
    pub started: u64,
    /// Event executions that came to their end without a fault.
    pub completed: u64,
    /// Committed events.
    pub events: u64,
    /// Annihilations in its input queue.
    pub annihilated: u64,
    /// States saved, the first one included: one an event, as a copy or as what it takes to compute
    /// it again.
    pub states_saved: u64,
    /// States committed, the first one included.
    pub states_committed: u64,
    /// Send calls, those included that lazy cancellation matched; dropped ones excluded.
    pub sends: u64,
    /// Messages sent back to their senders, positive.
    pub returns_sent: u64,
    /// Messages that came back.
    pub returns_received: u64,
    /// Send calls of committed events, dropped ones included.
    pub committed_sends: u64,
    /// Of these dropped, because they went beyond the cutoff.
    pub committed_drops: u64,
    /// Rollbacks.
    pub rollbacks: u64,
    /// Events undone by them.
    pub undone: u64,
    /// Time of all its event sections, ns; 0 where objects are not timed.
    pub spent_ns: u64,
    /// Of this the time of those undone.
    pub undone_ns: u64,
    /// Parts of it that went to another node.
    pub migrations: u64,
    /// States that went with them.
    pub moved_states: u64,
    /// Messages that went with them.
    pub moved_inputs: u64,
    /// States sent after them, because the part before had changed.
    pub resent_states: u64,
    /// Copies of its state made before events; those in order make none.
    #[serde(default)]
    pub copies: u64,
}

/// What one node did besides its objects' work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeCounters {
    /// Event messages sent to other nodes.
    pub off_node: u64,
    /// Messages that lazy cancellation found again.
    pub lazy_hits: u64,
    /// Messages annihilated before they had left the outgoing queue.
    pub unsent: u64,
    /// GVT rounds.
    pub gvt_rounds: u64,
    /// Steps of fossil collection.
    pub collection_steps: u64,
    /// Most history entries looked at in one step.
    pub collection_step_max: u64,
    /// Most cancellations between two looks at arrivals.
    pub cancellation_step_max: u64,
    /// Times that throttling passed over an object.
    pub throttled: u64,
    /// Times that a penalty passed over an object.
    pub penalised: u64,
    /// Arrived messages that were handled in place of a ready object.
    pub searched: u64,
    /// Event messages of other nodes that were taken out of the receive queue.
    pub unqueued: u64,
    /// Of these, taken while a message that had arrived before them still waited in it.
    pub overtook: u64,
    /// Times that max_acks held the outgoing queue.
    pub held_by_acks: u64,
    /// Times that the memory budget was reached.
    pub memory_pressed: u64,
    /// Events undone to make room.
    pub retreats: u64,
    /// Events run again between a snapshot and the point rolled back to.
    pub coasted: u64,
    /// Most bytes in use, of those that count against the budget.
    pub memory_peak: u64,
    /// Lines printed by committed events.
    pub lines: u64,
    /// Parts of objects that came from other nodes.
    pub migrations_in: u64,
    /// Parts of objects that went to other nodes.
    pub migrations_out: u64,
    /// Messages that came or lay here and were passed on, because their receiver is elsewhere.
    pub passed_on: u64,
    /// Looks at the load and migrations beyond those that are listed.
    pub unlisted: u64,
}

/// What a node came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Counters of its objects, with their numbers.
    pub objects: Vec<(u32, Counters)>,
    /// Its own, one a node after merging.
    pub nodes: Vec<(u16, NodeCounters)>,
    /// Of objects that have moved, what each node has counted: (node, object, counters). Their sum
    /// is in `objects`.
    pub parts: Vec<(u16, u32, Counters)>,
    /// What the looks at the load found, by look and node.
    pub load_cycles: Vec<LoadCycle>,
    /// What moved, by node and time.
    pub migrations: Vec<Migration>,
    /// Configuration messages sent.
    pub tells: u64,
    /// Digest of the committed events; the sum over nodes is the run's.
    pub trace_digest: u64,
    /// Digest of the final states; likewise.
    pub state_digest: u64,
    /// Simtime of the last committed event; negative infinity's stand-in when there was none.
    pub final_time: f64,
}

impl Counters {
    /// Add another object's.
    pub fn add(&mut self, other: &Counters) {
        for (ours, theirs) in self.all_mut().into_iter().zip(other.clone().all_mut()) {
            *ours = ours.wrapping_add(*theirs);
        }
    }

    fn all_mut(&mut self) -> [&mut u64; 25] {
        [
            &mut self.positive_sent,
            &mut self.anti_sent,
            &mut self.positive_received,
            &mut self.anti_received,
            &mut self.messages,
            &mut self.started,
            &mut self.completed,
            &mut self.events,
            &mut self.annihilated,
            &mut self.states_saved,
            &mut self.states_committed,
            &mut self.sends,
            &mut self.returns_sent,
            &mut self.returns_received,
            &mut self.committed_sends,
            &mut self.committed_drops,
            &mut self.rollbacks,
            &mut self.undone,
            &mut self.spent_ns,
            &mut self.undone_ns,
            &mut self.migrations,
            &mut self.moved_states,
            &mut self.moved_inputs,
            &mut self.resent_states,
            &mut self.copies,
        ]
    }
}

impl Outcome {
    /// Counters summed over all objects.
    pub fn total(&self) -> Counters {
        let mut total = Counters::default();
        self.objects.iter().for_each(|(_, counters)| total.add(counters));
        total
    }

    /// Take in another node's; objects are in order of their numbers afterwards.
    pub fn merge(&mut self, other: Outcome) {
        self.objects.extend(other.objects);
        self.objects.sort_by_key(|(object, _)| *object);
        self.objects.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1.add(&later.1);
            }
            same
        });
        self.nodes.extend(other.nodes);
        self.nodes.sort_by_key(|(node, _)| *node);
        self.load_cycles.extend(other.load_cycles);
        self.load_cycles.sort_by_key(|row| (row.cycle, row.node));
        self.migrations.extend(other.migrations);
        self.migrations.sort_by_key(|row| (row.from, row.when_ns));
        self.parts.extend(other.parts);
        self.parts.sort_by_key(|(node, object, _)| (*object, *node));
        self.tells += other.tells;
        self.trace_digest = self.trace_digest.wrapping_add(other.trace_digest);
        self.state_digest = self.state_digest.wrapping_add(other.state_digest);
        self.final_time = self.final_time.max(other.final_time);
    }

    /// Check the identities between the counters (part 4 of the contract). A run of all nodes, at
    /// its natural end.
    ///
    /// Identity 4, and what part 4 says of states object by object, are no checks here: a node
    /// keeps one record an event and does not count states apart, so those two columns are made
    /// from the counts of events.
    ///
    /// # Errors
    /// [`RunError::Identity`] names the first that does not hold.
    pub fn check(&self) -> Result<(), RunError> {
        let t = self.total();
        let sendback = t.returns_sent > 0;
        let signed = |value: u64| i128::from(value);
        let consumed =
            signed(t.positive_received) - signed(t.anti_received) - signed(t.returns_sent);
        same(
            "1: positive sent + configuration = positive received",
            t.positive_sent + self.tells,
            t.positive_received,
        )?;
        same("2: anti sent = anti received", t.anti_sent, t.anti_received)?;
        same("3: anti sent = annihilations", t.anti_sent, t.annihilated)?;
        if consumed != signed(t.messages) {
            return Err(broken(
                "5: positive received - anti received - returned = committed messages",
                consumed,
                t.messages,
            ));
        }
        let of_nodes =
            |of: fn(&NodeCounters) -> u64| self.nodes.iter().map(|(_, node)| of(node)).sum();
        same(
            "6: migrations in = migrations out",
            of_nodes(|n| n.migrations_in),
            of_nodes(|n| n.migrations_out),
        )?;
        same(
            "6: migrations of nodes = migrations of objects",
            of_nodes(|n| n.migrations_out),
            t.migrations,
        )?;
        same("7: returned sent = returned received", t.returns_sent, t.returns_received)?;
        if !sendback {
            same(
                "8: positive sent - anti sent + configuration = committed messages",
                t.positive_sent + self.tells - t.anti_sent,
                t.messages,
            )?;
        }
        self.objects.iter().try_for_each(|(object, counters)| check_object(*object, counters))
    }
}

fn check_object(object: u32, c: &Counters) -> Result<(), RunError> {
    let of = |what: &str| format!("{what}, object {object}");
    if c.started < c.completed || c.completed < c.events {
        return Err(broken(&of("started >= completed >= committed"), c.completed, c.events));
    }
    same(&of("annihilations = anti received"), c.annihilated, c.anti_received)?;
    same(&of("events started - undone = committed"), c.started.wrapping_sub(c.undone), c.events)?;
    same(
        &of("received - anti - returned = committed messages"),
        c.positive_received.wrapping_sub(c.anti_received).wrapping_sub(c.returns_sent),
        c.messages,
    )
}

fn same(identity: &str, left: u64, right: u64) -> Result<(), RunError> {
    if left == right { Ok(()) } else { Err(broken(identity, left, right)) }
}

fn broken(identity: &str, left: impl std::fmt::Display, right: impl std::fmt::Display) -> RunError {
    RunError::Identity { what: format!("identity {identity}: {left} against {right}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two objects; the second cancelled one message to the first, which had handled it.
    fn outcome() -> Outcome {
        let receiver = Counters {
            positive_received: 4,
            anti_received: 1,
            annihilated: 1,
            messages: 3,
            started: 4,
            completed: 4,
            undone: 1,
            rollbacks: 1,
            events: 3,
            ..Counters::default()
        };
        let sender = Counters { positive_sent: 3, anti_sent: 1, ..Counters::default() };
        Outcome { objects: vec![(0, receiver), (1, sender)], tells: 1, ..Outcome::default() }
    }

    #[test]
    fn whatever_count_is_wrong_is_found() {
        assert_eq!(outcome().check(), Ok(()));
        let wrongs: [fn(&mut Counters); 8] = [
            |c| c.positive_sent += 1,
            |c| c.anti_sent += 1,
            |c| c.positive_received += 1,
            |c| c.anti_received += 1,
            |c| c.annihilated += 1,
            |c| c.messages += 1,
            |c| c.undone += 1,
            |c| c.returns_sent += 1,
        ];
        for (number, wrong) in wrongs.into_iter().enumerate() {
            let mut outcome = outcome();
            wrong(&mut outcome.objects[0].1);
            assert!(
                matches!(outcome.check(), Err(RunError::Identity { .. })),
                "wrong {number} is not found"
            );
        }
    }
}
