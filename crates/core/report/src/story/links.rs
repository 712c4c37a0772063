//! The links of a chain of causes as sentences.

use record::Kind;
use stats::story::{Chapter, Link, Row};

use super::phrases::{at, capital, moment};
use super::words::Words;
use document::{count, counted};

impl Words<'_> {
    /// One step from an effect to its cause.
    pub(super) fn link(&self, link: &Link, chapter: &Chapter) -> String {
        match link {
            Link::RolledBackFor { rollback, message } if message.kind == Kind::Anti => {
                self.rolled_back_for_anti(rollback, message)
            }
            Link::RolledBackFor { rollback, message } => self.straggler(rollback, message, chapter),
            Link::ExecutedFor { execution, message } => format!(
                "{} was executed at virtual time {} for {}, taken {}.",
                capital(&self.names.of_some(execution.dst_object)),
                at(execution.virtual_receive),
                self.sender(message),
                moment(message.taken_ns, chapter)
            ),
            Link::CancelledAfter { object, rollback } => format!(
                "{}'s messages were cancelled because a rollback had undone the events that sent \
                them: {} from virtual time {} back to {}, {}.",
                capital(&self.names.of(*object)),
                counted(rollback.packets.unwrap_or(0).unsigned_abs(), "event"),
                at(rollback.virtual_send),
                at(rollback.virtual_receive),
                moment(rollback.ready_ns, chapter)
            ),
            Link::Unknown { work } => format!(
                "What called for that {} of {} is not among the rows looked at: it came earlier.",
                work.kind.name(),
                self.names.of_some(work.dst_object)
            ),
        }
    }

    fn rolled_back_for_anti(&self, rollback: &Row, anti: &Row) -> String {
        let whose = match anti.is_within_node() {
            true => self.names.of_some(anti.src_object),
            false => format!("{} on node\u{a0}{}", self.names.of_some(anti.src_object), anti.src),
        };
        format!(
            "{} was rolled back because {whose} cancelled the message that it had sent to it at \
            virtual time {}.",
            capital(&self.names.of_some(rollback.dst_object)),
            at(anti.virtual_send)
        )
    }

    fn straggler(&self, rollback: &Row, message: &Row, chapter: &Chapter) -> String {
        format!(
            "{} had come to virtual time {} when {}, for virtual time {}, was taken, {}: a \
            straggler.",
            capital(&self.names.of_some(rollback.dst_object)),
            at(rollback.virtual_send),
            self.sender(message),
            at(message.virtual_receive),
            moment(message.taken_ns, chapter)
        )
    }

    /// A message by its sender.
    fn sender(&self, message: &Row) -> String {
        let from = self.names.of_some(message.src_object);
        match message.is_within_node() {
            true => format!("a message from {from}"),
            false => {
                format!(
                    "message number {} of node\u{a0}{} (from {from})",
                    count(message.seq),
                    message.src
                )
            }
        }
    }
}
