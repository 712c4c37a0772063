//! What an optimistic node can be told about how to work. None of it changes results.

mod throttle;

pub use throttle::Throttle;

use crate::{Balance, RunError};
use serde::{Deserialize, Serialize};

/// How a node works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Sends to a later simtime than this do nothing.
    pub cutoff: f64,
    /// When messages of undone events are cancelled.
    pub cancellation: Cancellation,
    /// Bytes that messages, saved states and history may use on a node; `None`: no bound.
    pub memory_bytes: Option<usize>,
    /// Whether messages are sent back when memory is short.
    pub sendback: bool,
    /// Ask for a GVT round once so many events wait for being committed; `u32::MAX`: never, only
    /// time asks, and a node that has come as far ahead as [`Throttle::Adaptive`] lets it.
    pub gvt_events: u32,
    /// Unacknowledged messages that a node may have; `None`: no bound, and no acknowledgements.
    pub max_acks: Option<u32>,
    /// The same for anti-messages.
    pub max_neg_acks: u32,
    /// When a message is acknowledged, if any is.
    #[serde(default)]
    pub ack_at: AckAt,
    /// How deep the receive queue is searched before an object runs.
    pub search: Search,
    /// Added to an object's cancellations for every message of it that is cancelled.
    pub penalty: u32,
    /// Taken off each time the scheduler meets it.
    pub reward: u32,
    /// Which objects may not run ahead.
    pub throttle: Throttle,
    /// How load is balanced by moving objects between nodes; `None`: not at all.
    pub balance: Option<Balance>,
    /// Whether objects may be moved between nodes although load is not balanced: for tests.
    pub migration: bool,
    /// Do, undo, compare and do again every event.
    pub undo_check: bool,
    /// Cancel everything that an object had sent to itself in one sweep, as the 1988 kernel did: to
    /// show what that costs.
    pub zip_forward: bool,
    /// Whether and how the work of objects is timed.
    pub timing: Timing,
    /// How many times as long event sections are made to take, by waiting in a loop; 1: as they
    /// are. Needs timing.
    pub stretch: f64,
    /// Whether committed events are told with what caused them and how long they took, for the
    /// critical path. Needs timing.
    pub causes: bool,
    /// Executed events that one step of fossil collection looks at: other work waits for as long.
    pub collection_step: u32,
}

/// Whether and how the work of objects is timed. The engine has no clock: its driver gives it one
/// of this kind ([`Node::time_objects`](crate::Node::time_objects)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// Not: all times of objects are 0.
    #[default]
    None,
    /// Processor time of the thread that runs the object.
    Process,
    /// Wall clock, with whatever interrupts the object.
    Wall,
}

/// When messages of undone events are cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cancellation {
    /// When the event, run again, has not sent them again.
    Lazy,
    /// At once.
    Aggressive,
}

/// When a message is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AckAt {
    /// Once the engine takes it, out of the queue if it is queued: the bound on unacknowledged
    /// messages bounds the queue, and its length holds up the sender.
    #[default]
    Taken,
    /// Once it has arrived, as Mercury did: only the way counts, and the queue has no bound. The
    /// network acknowledges where it can ([`Node::leave_acknowledging`](crate::Node)); else the
    /// engine does, when it is given the message: between two events.
    Arrival,
}

/// How deep the receive queue is searched before an object runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// All that has arrived is taken first.
    All,
    /// Look at so many, in order of arrival, for one that is due no later than the object.
    Plimit(u32),
    /// Move so many into an ordered queue (anti-messages first, then by send time) and look at its
    /// head.
    RecvqLimit(u32),
}

impl Options {
    /// Whether they can be carried out.
    ///
    /// # Errors
    /// When a number makes no sense.
    pub fn check(&self) -> Result<(), RunError> {
        self.balance.as_ref().map_or(Ok(()), Balance::check)?;
        let refuse = |reason: &str| Err(RunError::Options { reason: reason.into() });
        match self.throttle.mistake() {
            Some(mistake) => refuse(mistake),
            _ if self.cutoff.is_nan() => refuse("the cutoff is not a number"),
            _ if self.max_acks == Some(0) || self.max_neg_acks == 0 => refuse(
                "--max-acks and --max-neg-acks must be at least 1: with 0, no message could ever \
                be sent",
            ),
            _ if matches!(self.search, Search::RecvqLimit(0)) => {
                refuse("a receive-queue limit of 0 would never accept a message: give at least 1")
            }
            _ if self.penalty > 0 && self.reward == 0 => refuse(
                "a penalty without a reward is never worked off: give a reward of at least 1",
            ),
            _ if !(1.0..=1e6).contains(&self.stretch) => {
                refuse("events can be made 1 to 1000000 times as long: give a factor in this range")
            }
            _ if self.timing == Timing::None
                && (self.stretch > 1.0 || self.causes || self.balance.is_some()) =>
            {
                refuse(
                    "longer events, a critical path and load balancing need the objects' work \
                    timed: give --timing process or wall",
                )
            }
            _ if self.collection_step == 0 => {
                refuse("fossil collection in steps of 0 events would never end: give at least 1")
            }
            _ if self.gvt_events == 0 => {
                refuse("GVT cannot be computed after every 0 events: give at least 1")
            }
            _ => Ok(()),
        }
    }
}

impl Options {
    /// Whether objects may move between nodes.
    pub(crate) fn may_move(&self) -> bool {
        self.migration || self.balance.is_some()
    }

    /// Whether any of them may keep a ready object from running.
    pub(crate) fn are_careful(&self) -> bool {
        self.memory_bytes.is_some()
            || self.max_acks.is_some()
            || self.search != Search::All
            || self.penalty > 0
            || self.throttle.looks_at_objects()
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            cutoff: crate::VirtualTime::POSINF.simtime(),
            cancellation: Cancellation::Lazy,
            memory_bytes: None,
            sendback: true,
            gvt_events: 512,
            max_acks: None,
            max_neg_acks: 100,
            ack_at: AckAt::Taken,
            search: Search::All,
            penalty: 0,
            reward: 0,
            throttle: Throttle::Adaptive,
            balance: None,
            migration: false,
            undo_check: cfg!(debug_assertions),
            zip_forward: false,
            timing: Timing::None,
            stretch: 1.0,
            causes: false,
            collection_step: 32,
        }
    }
}
