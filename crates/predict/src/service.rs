//! A recorded program of threads that answer as messages come, and what it does on a machine.
//!
//! [`play`](crate::play()) has nodes do the same things in the same order. A server does not: it
//! serves who comes first. So what a thread did is here in turns. A turn begins with its cause, as
//! a rule a message, and holds what the thread did because of it: it computes, and sends. A thread
//! does one turn at a time, that whose cause came first; turns of one connection stay in their
//! order, and so do all turns of a thread that waits for one peer at a time.
//!
//! What the model leaves out: that threads share processors, and when they may not run at once;
//! programs that would do other things at another speed; what a lost packet costs TCP. How it finds
//! its rate on a connection that is new, or was idle, is in [`window`].

mod causes;
mod desk;
mod gate;
mod player;
mod window;

#[cfg(test)]
mod tests;

pub use window::{Trip, Window};

use crate::play::{Played, Stamps, Stuck};
use machine::Machine;
use std::sync::Arc;

/// A recorded run of threads that serve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Service {
    pub threads: Vec<Thread>,
    /// By node: the host that it is on. Hosts are the machine's nodes.
    pub host_of: Vec<u16>,
    pub messages: Arc<[Letter]>,
    /// Bytes of a stream that may be on their way, or lie unread: with more, its sender waits.
    pub room_bytes: u64,
}

/// A thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thread {
    pub node: u16,
    /// As recorded. Those that are to come in order come so.
    pub turns: Arc<[Turn]>,
    /// Of all turns, turn by turn.
    pub deeds: Vec<Deed>,
    /// From when a message comes to when the thread goes on that waits for it, where that was not
    /// seen of the turn, ns.
    pub usual_wake_ns: u64,
    /// It takes all that has come before it sends anything because of that, and then sends it.
    pub in_rounds: bool,
}

/// What a thread did because of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    pub cause: Cause,
    /// A thread that waited for the cause went on so much later, ns.
    pub wake_ns: Option<u64>,
    /// All turns before it are done before it, and none behind it is.
    pub in_order: bool,
    /// One of the same thread that is done before it.
    pub before: Option<u32>,
    /// How many of the thread's deeds are its own.
    pub deeds: u32,
}

/// Why a turn begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// So long after the run did, ns.
    Begin { at_ns: u64 },
    /// So long after a process had done all that it did, ns.
    Ended { node: u16, later_ns: u64 },
    /// A message came.
    Came(u32),
    /// Another thread took a message.
    Taken(u32),
    /// A connection of this thread's process was made.
    Connected(u32),
    /// One came.
    Accepted(u32),
}

/// A step of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deed {
    /// The thread computes before it, ns.
    pub work_ns: u64,
    pub what: What,
}

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// No more than computing.
    Compute,
    Send(u32),
    Take(u32),
    /// It asks for a connection with a process of this node.
    Connect {
        connection: u32,
        to: u16,
    },
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    pub from: u16,
    pub to: u16,
    pub bytes: u64,
    /// A direction of a connection, numbered from 0 on: its messages come in their order.
    pub stream: u32,
    /// What it was on its way, where no network was between its ends, ns.
    pub within_ns: u64,
    /// It stood still for so long, whatever the network, before it went on its way, ns.
    pub stalled_ns: u64,
}

impl Service {
    /// How many hosts there are.
    pub fn hosts(&self) -> u16 {
        self.host_of.iter().max().map_or(0, |most| most + 1)
    }

    pub(crate) fn host(&self, node: u16) -> u16 {
        self.host_of[usize::from(node)]
    }
}

/// Play it on a machine. `seed` decides which packets are lost; `tell` hears of each message that
/// is taken.
///
/// # Errors
/// When the machine has too few nodes for its hosts, or a thread waits for what never comes.
pub fn serve(
    service: &Service,
    machine: &Machine,
    seed: u64,
    tell: impl FnMut(u32, Stamps),
) -> Result<Played, Stuck> {
    let hosts = service.hosts();
    if hosts > machine.nodes {
        return Err(Stuck::Nodes { machine: machine.nodes, program: hosts.into() });
    }
    player::Player::new(service, machine, seed, tell).run()
}
