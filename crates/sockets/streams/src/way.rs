//! From one end of a connection to the other: whose bytes go there, and how many.

use crate::ends::End;
use crate::row::MessageRow;
use crate::transport::Transport;

/// Bytes of a direction: the offset of the first, and that behind the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub from: u64,
    pub to: u64,
}

impl Span {
    pub fn of(before: u64, moved: u64) -> Span {
        Span { from: before, to: before + moved }
    }

    /// How many.
    pub fn bytes(self) -> u64 {
        self.to.saturating_sub(self.from)
    }

    /// The bytes of both.
    pub fn and(self, other: Span) -> Span {
        Span { from: self.from.max(other.from), to: self.to.min(other.to) }
    }
}

/// Whose calls they are, and how many bytes there will be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub transport: Transport,
    /// The process that is told where none has written it, or read it.
    pub from: u32,
    pub to: u32,
    /// When the first of those that write logged its last call that did, ns. One that is killed
    /// within a call does not log it, and nothing after it.
    pub silent_from: i64,
    /// Bytes that are written, and read, by traced processes.
    pub written: Span,
    pub read: Span,
    /// Up to which byte all had arrived when the reader was found, and when, ns.
    pub had_arrived: Option<(u64, i64)>,
    /// The node that wrote what was written before, and read what was read before.
    pub outside: u32,
    /// No call that writes takes longer, ns.
    pub longest_ns: i64,
    /// The two ends' clocks may be so far apart, ns.
    pub apart_ns: i64,
}

impl Way {
    /// From one end to another; `outside` stands for all programs that were not traced.
    pub fn between(from: &End, to: &End, outside: u32) -> Way {
        Way {
            transport: from.transport,
            from: from.node,
            to: to.node,
            silent_from: match from.transport.is_pipe() {
                true => from.pipe.unlogged_from,
                false => from.silence.from,
            },
            written: Span::of(from.before()[0], from.sent.bytes),
            read: Span::of(to.before()[1], to.received.bytes),
            had_arrived: to.had_arrived(),
            outside,
            longest_ns: from.sent.longest_ns,
            apart_ns: from.clock.apart(to.clock),
        }
    }

    /// Bytes that were both written and read.
    pub fn matched(&self) -> u64 {
        self.written.and(self.read).bytes()
    }

    /// Bytes that were written, but for those that others had read before.
    pub fn written_for_reader(&self) -> u64 {
        self.written.to.saturating_sub(self.written.from.max(self.read.from))
    }

    /// Bytes of which one side is not known because others moved them before: those that they
    /// wrote, or read.
    pub fn others(&self) -> u64 {
        self.written.bytes() - self.written_for_reader() + self.read.bytes() - self.read_of_writer()
    }

    fn read_of_writer(&self) -> u64 {
        self.read.to.saturating_sub(self.read.from.max(self.written.from))
    }

    /// Whether it is a message that others wrote, or read, before.
    pub fn is_others(&self, row: &MessageRow) -> bool {
        [row.src, row.dst].contains(&self.outside)
    }
}
