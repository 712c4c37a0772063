//! The chain of causes that leads to a moment, by what its time went to.

use machine::{Time, Timer};
use std::ops::{Index, IndexMut};

/// What the time of a chain goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum Share {
    /// The program computes.
    Computing,
    /// Processors send, receive, copy, look, and are interrupted.
    Overhead,
    /// What a message without a byte takes on the way.
    Latency,
    /// What its bytes take besides, alone on the network.
    Bandwidth,
    /// What others on the network, and lost packets, cost besides.
    Contention,
    /// What TCP holds messages back for, or what they are on their way within a host.
    Stall,
}

impl Share {
    pub const ALL: [Share; 6] = [
        Share::Computing,
        Share::Overhead,
        Share::Latency,
        Share::Bandwidth,
        Share::Contention,
        Share::Stall,
    ];

    /// The words for it.
    pub fn words(self) -> &'static str {
        match self {
            Share::Computing => "computing",
            Share::Overhead => "sending and receiving",
            Share::Latency => "latency",
            Share::Bandwidth => "bandwidth",
            Share::Contention => "contention",
            Share::Stall => "TCP's waits, and ways within hosts",
        }
    }
}

/// The last chain of causes that leads to a moment: each wait is followed to the node that it was
/// for. Its parts make up the time since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path {
    parts: [Time; Share::ALL.len()],
    /// Messages on it.
    pub messages: u64,
}

impl Path {
    /// The path that leads nowhere yet.
    pub const fn at_the_start() -> Path {
        Path { parts: [0; Share::ALL.len()], messages: 0 }
    }

    /// All of its time, ps.
    pub fn total(&self) -> Time {
        self.parts.iter().sum()
    }

    /// A processor works so long from `now` on, with its timer's interrupts in between: how long
    /// that takes.
    pub fn work(&mut self, share: Share, timer: &Timer, now: &mut Time, work: Time) -> Time {
        let done = timer.done(*now, work);
        let took = done - *now;
        self[share] += took;
        *now = done;
        took
    }

    /// The same path, later by so much of a share.
    pub fn and(mut self, share: Share, time: Time) -> Path {
        self[share] += time;
        self
    }
}

impl Index<Share> for Path {
    type Output = Time;
    fn index(&self, share: Share) -> &Time {
        &self.parts[share as usize]
    }
}

impl IndexMut<Share> for Path {
    fn index_mut(&mut self, share: Share) -> &mut Time {
        &mut self.parts[share as usize]
    }
}
