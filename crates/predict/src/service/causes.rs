//! Which turns begin because of what.

use super::{Cause, Service};
use machine::{PS_PER_NS, Table, Time};

/// A turn of a thread, by their numbers.
pub(super) type Who = (u32, u32);

/// Who waits for what.
pub(super) struct Causes {
    /// By message: the turn that takes it.
    takers: Vec<Who>,
    /// By message, by connection, by node: turns that begin when it was taken, is made, has ended.
    taken: Table<Vec<Who>>,
    made: Table<Vec<Who>>,
    ended: Table<Vec<Who>>,
    /// Turns that begin by themselves, and when.
    pub begin: Vec<(Who, Time)>,
}

const NOBODY: Who = (u32::MAX, u32::MAX);

impl Causes {
    pub fn of(service: &Service) -> Causes {
        let mut causes = Causes {
            takers: vec![NOBODY; service.messages.len()],
            taken: Table::default(),
            made: Table::default(),
            ended: Table::default(),
            begin: Vec::new(),
        };
        for (thread, of) in (0..).zip(&service.threads) {
            for (turn, of) in (0..).zip(of.turns.iter()) {
                causes.add((thread, turn), of.cause);
            }
        }
        causes
    }

    fn add(&mut self, who: Who, cause: Cause) {
        match cause {
            Cause::Begin { at_ns } => self.begin.push((who, at_ns * PS_PER_NS)),
            Cause::Came(message) => self.takers[message as usize] = who,
            Cause::Taken(message) => self.taken.entry(message.into()).or_default().push(who),
            Cause::Connected(of) | Cause::Accepted(of) => {
                self.made.entry(of.into()).or_default().push(who);
            }
            Cause::Ended { node, .. } => self.ended.entry(node.into()).or_default().push(who),
        }
    }

    /// Who takes a message, if anybody does.
    pub fn taker(&self, message: u32) -> Option<Who> {
        Some(self.takers[message as usize]).filter(|who| *who != NOBODY)
    }

    /// Those that begin because a message was taken.
    pub fn taken(&mut self, message: u32) -> Vec<Who> {
        if self.taken.is_empty() {
            return Vec::new();
        }
        self.taken.remove(&message.into()).unwrap_or_default()
    }

    /// Those that begin because a connection is made.
    pub fn made(&mut self, connection: u32) -> Vec<Who> {
        self.made.remove(&connection.into()).unwrap_or_default()
    }

    /// Those that begin because a process has ended.
    pub fn ended(&mut self, node: u16) -> Vec<Who> {
        self.ended.remove(&node.into()).unwrap_or_default()
    }
}
