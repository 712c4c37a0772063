//! What can go wrong in a model and in a run.

use crate::{ObjectId, VirtualTime};

/// What a handler did wrong. Harmless in an event that is undone.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// A send to now or before.
    #[error(
        "it sent to object {} at {receive}, which is not after the current time ({now}); the \
        receive time must be strictly later",
        receiver.0
    )]
    SendIntoPast {
        /// To whom.
        receiver: ObjectId,
        /// For when.
        receive: VirtualTime,
        /// When.
        now: VirtualTime,
    },
    /// A send to after the end of time, or to a time that is not a number.
    #[error("it sent to object {} at {receive}, which is beyond the end of simulated time \
        (999999999)", receiver.0)]
    SendBeyondEnd {
        /// To whom.
        receiver: ObjectId,
        /// For when.
        receive: VirtualTime,
    },
    /// A send to nobody.
    #[error("it sent to object {}, but the model's last object is {}", receiver.0, objects - 1)]
    UnknownReceiver {
        /// To whom.
        receiver: ObjectId,
        /// How many objects there are.
        objects: u32,
    },
    /// A payload over the limit.
    #[error("it sent a payload of {bytes} bytes; the limit is {limit}")]
    PayloadTooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A loop without end.
    #[error("it made more than {limit} {what} in one event; is it in an endless loop?")]
    Runaway {
        /// What it made.
        what: &'static str,
        /// How many it may make.
        limit: u64,
    },
    /// The handler said so.
    #[error("{reason}")]
    Failed {
        /// Why.
        reason: String,
    },
    /// The handler panicked.
    #[error("it panicked: {message}")]
    Panicked {
        /// With what words.
        message: String,
    },
    /// Undoing and repeating an event did not give the same.
    #[error(
        "{what} differs after the event was executed, undone and executed again: the handler \
        depends on more than its state and its messages, or its undo is wrong"
    )]
    NotRepeatable {
        /// What differs.
        what: &'static str,
    },
}

/// Why a run ended without a result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// An event that came true has a fault.
    #[error("object {name} failed at virtual time {time}: {fault}")]
    Model {
        /// Which object.
        object: ObjectId,
        /// Its name.
        name: String,
        /// At what time.
        time: VirtualTime,
        /// What it did.
        fault: Fault,
    },
    /// The model has no objects, or its configuration names one that does not exist.
    #[error("{reason}")]
    Configuration {
        /// What is wrong.
        reason: String,
    },
    /// More nodes than objects, a placement that names no node, options that contradict each other.
    #[error("{reason}")]
    Options {
        /// What is wrong.
        reason: String,
    },
    /// Not even the committed state fits.
    #[error(
        "node {node} needs {needed} bytes for what is committed at virtual time {time}, but its \
        budget is {budget}: give a larger --memory, or more nodes"
    )]
    Memory {
        /// Which node.
        node: u16,
        /// What it needs.
        needed: usize,
        /// What it may use.
        budget: usize,
        /// When.
        time: VirtualTime,
    },
    /// The engine's own bookkeeping does not add up: a bug of ours.
    #[error(
        "the engine's counts contradict each other: {what}; this is a bug in fourstamp: \
        please report it with the command"
    )]
    Identity {
        /// What does not add up.
        what: String,
    },
    /// Another node said something that cannot be.
    #[error("node {node} broke the engine's protocol: {what}")]
    Protocol {
        /// Which node.
        node: u16,
        /// What it sent.
        what: String,
    },
}
