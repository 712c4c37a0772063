//! Why a piece of a node's work was done: the message that called for it, what sent that, and so
//! on.
//!
//! Time Warp's own rules say what calls for what. An object is rolled back to a virtual time when a
//! message or an anti-message for it with that receive time is taken after the object has passed
//! it; an event is executed when its messages are there; an anti-message is sent for what an undone
//! event had sent. So a row with the right object and time, before the work began, is the cause and
//! not merely its neighbour in time. The chain ends where such a row is missing, at another node,
//! or at its greatest depth.

use record::Kind;

use super::gather::Scene;
use super::row::Row;

/// Links of a chain.
const DEPTH: usize = 4;

/// One step from an effect to its cause.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// An object was rolled back for this message or anti-message.
    RolledBackFor {
        /// The rollback.
        rollback: Box<Row>,
        /// The straggler, or the anti-message.
        message: Box<Row>,
    },
    /// An event was executed for this message, the last of its bundle to come.
    ExecutedFor {
        /// The execution.
        execution: Box<Row>,
        /// Its message.
        message: Box<Row>,
    },
    /// What an object sent was cancelled after this rollback had undone the events that sent it.
    CancelledAfter {
        /// The object.
        object: i64,
        /// The rollback.
        rollback: Box<Row>,
    },
    /// The rows that are kept do not hold the message that called for this work.
    Unknown {
        /// The work.
        work: Box<Row>,
    },
}

/// What called for `work`, and for that, and so on.
pub(super) fn of_work(scene: &Scene, work: &Row) -> Vec<Link> {
    let mut links = Vec::new();
    let mut next = Some(Effect::Work(work.clone()));
    while let Some(effect) = next.take()
        && links.len() < DEPTH
    {
        let Some(link) = cause(scene, &effect) else { break };
        next = follow(scene, &link);
        links.push(link);
    }
    links
}

/// Why an object's messages were cancelled: `first` is the first anti-message.
pub(super) fn of_cancelling(scene: &Scene, first: &Row) -> Vec<Link> {
    let Some(rollback) = undoing(scene, first) else { return Vec::new() };
    let object = first.src_object.unwrap_or_default();
    let mut links = vec![Link::CancelledAfter { object, rollback: Box::new(rollback.clone()) }];
    links.extend(of_work(scene, rollback));
    links.truncate(DEPTH);
    links
}

/// What a cause is looked for.
enum Effect {
    Work(Row),
    Cancelling(Row),
}

fn cause(scene: &Scene, effect: &Effect) -> Option<Link> {
    match effect {
        Effect::Cancelling(anti) => {
            let rollback = Box::new(undoing(scene, anti)?.clone());
            Some(Link::CancelledAfter { object: anti.src_object?, rollback })
        }
        Effect::Work(work) if matches!(work.kind, Kind::Rollback | Kind::Execution) => {
            Some(match calling(scene, work) {
                None => Link::Unknown { work: Box::new(work.clone()) },
                Some(message) => {
                    let (work, message) = (Box::new(work.clone()), Box::new(message.clone()));
                    match work.kind {
                        Kind::Rollback => Link::RolledBackFor { rollback: work, message },
                        _ => Link::ExecutedFor { execution: work, message },
                    }
                }
            })
        }
        Effect::Work(_) => None,
    }
}

/// What to look at after this link.
fn follow(scene: &Scene, link: &Link) -> Option<Effect> {
    match link {
        Link::RolledBackFor { message, .. }
            if message.kind == Kind::Anti && message.is_within_node() =>
        {
            Some(Effect::Cancelling((**message).clone()))
        }
        Link::ExecutedFor { message, .. } if message.is_within_node() => {
            sending(scene, message).cloned().map(Effect::Work)
        }
        Link::CancelledAfter { rollback, .. } => Some(Effect::Work((**rollback).clone())),
        Link::RolledBackFor { .. } | Link::ExecutedFor { .. } | Link::Unknown { .. } => None,
    }
}

/// The last message for the object and virtual time of this work that was taken before it began.
fn calling<'a>(scene: &'a Scene, work: &Row) -> Option<&'a Row> {
    let (begin, time) = (work.ready_ns?, work.virtual_receive?);
    let may_call = |row: &&Row| match row.kind {
        Kind::Event => true,
        Kind::Anti => work.kind == Kind::Rollback,
        _ => false,
    };
    let fits = |row: &&Row| row.dst_object == work.dst_object && row.virtual_receive == Some(time);
    let was_there =
        |row: &&Row| row.dst == work.dst && row.taken_ns.is_some_and(|taken| taken <= begin);
    let rows = scene.receiver.rows().iter();
    rows.filter(may_call).filter(fits).filter(was_there).max_by_key(|row| row.taken_ns)
}

/// The last rollback before an anti-message that undid the event which had sent its message.
fn undoing<'a>(scene: &'a Scene, anti: &Row) -> Option<&'a Row> {
    let (time, send) = (anti.ready_ns?, anti.virtual_send?);
    let undid = |row: &&Row| {
        row.kind == Kind::Rollback
            && row.dst == anti.src
            && row.dst_object == anti.src_object
            && row.virtual_receive.is_some_and(|to| to <= send)
            && row.taken_ns.is_some_and(|end| end <= time)
    };
    scene.receiver.rows().iter().filter(undid).max_by_key(|row| row.taken_ns)
}

/// The execution that sent a message within the node.
fn sending<'a>(scene: &'a Scene, message: &Row) -> Option<&'a Row> {
    let sent = |row: &&Row| {
        row.kind == Kind::Execution
            && row.dst == message.src
            && row.dst_object == message.src_object
            && row.virtual_receive == message.virtual_send
            && row.ready_ns <= message.taken_ns
    };
    scene.receiver.rows().iter().filter(sent).max_by_key(|row| row.taken_ns)
}
