//! One direction of a connection: what was written, what was read, and which bytes are the same.
//!
//! Calls come in the order in which they returned. A message is done when the calls are there that
//! wrote it and read it; until then it is kept, and so is what was read before the call that wrote
//! it had returned. How many bytes there will be is known beforehand, so that what nobody reads, or
//! writes, is not waited for.

use crate::arrival::{Arrival, Known, Usual, arrival};
use crate::cutting::{Cutter, Piece};
use crate::entry::flags;
use crate::framing::{Class, Reason};
use crate::held_back::HeldBack;
use crate::marks::Marks;
use crate::moved::Moved;
use crate::op::{Op, Wait};
use crate::pipe::{Obstacle, Pipe, Verdict};
use crate::row::MessageRow;
use crate::transport::{Look, Transport};
use crate::way::{Span, Way};
use crate::writes::{Sent, Writes, Writing};
use record::{How, NULL};
use std::collections::VecDeque;

/// What a direction came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub matched: u64,
    pub lone_sends: u64,
    pub lone_receives: u64,
    /// Of those that are matched.
    pub held_back: HeldBack,
}

impl Counts {
    /// Of both, but for what was held back, which is of one direction.
    pub fn and(self, other: Counts) -> Counts {
        Counts {
            matched: self.matched + other.matched,
            lone_sends: self.lone_sends + other.lone_sends,
            lone_receives: self.lone_receives + other.lone_receives,
            held_back: HeldBack::default(),
        }
    }
}

/// Why no messages can be told of a direction as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// Something was read before it was written, so the two ends do not belong together.
    Order,
    /// See [`Obstacle`].
    Pipe(Obstacle),
}

/// A direction of a connection of which both ends are known.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    way: Way,
    pub counts: Counts,
    /// Something was read beyond what was written.
    has_beyond: bool,
    writes: Writes,
    cutter: Cutter<Sent>,
    marks: Marks,
    /// Messages that wait for who reads them, each with the offset behind it.
    sent: VecDeque<(u64, Sent)>,
    /// Reads that wait for who wrote their bytes.
    reads: VecDeque<(u64, Op)>,
    /// Behind the bytes in messages that are cut, in messages that are done, and that are read.
    cut: u64,
    done: u64,
    got: u64,
    /// Behind what was read of what others wrote.
    others: u64,
    usual: Usual,
    is_finished: bool,
    pipe: Option<Box<Pipe>>,
}

impl Direction {
    /// Of which nothing has been seen yet.
    pub fn new(way: Way, marks: Marks) -> Direction {
        Direction {
            way,
            counts: Counts::default(),
            has_beyond: false,
            writes: Writes::new(),
            cutter: Cutter::new(way.written.bytes()),
            marks,
            sent: VecDeque::new(),
            reads: VecDeque::new(),
            cut: way.written.from,
            done: way.written.from,
            got: way.read.from,
            others: way.read.from,
            usual: Usual::default(),
            is_finished: false,
            pipe: None,
        }
    }

    /// Of a pipe.
    pub fn of_pipe(way: Way, pipe: Pipe) -> Direction {
        Direction { pipe: Some(Box::new(pipe)), ..Direction::new(way, Marks::default()) }
    }

    /// A call wrote.
    pub fn send(&mut self, op: &Op) {
        if let Some(pipe) = &mut self.pipe {
            pipe.write(op);
        }
        if let Some(sent) = self.writes.take(op) {
            self.marks.moved(false, sent.bytes);
            self.cutter.push(sent, sent.bytes);
        }
    }

    /// A call read.
    pub fn receive(&mut self, op: &Op) {
        if let Some(pipe) = &mut self.pipe {
            pipe.read(op);
        }
        if op.bytes > 0 {
            self.marks.moved(true, op.bytes.into());
            self.got += u64::from(op.bytes);
            self.reads.push_back((self.got, *op));
        }
    }

    /// Somebody looked how much lay in the pipe.
    pub fn look(&mut self, look: Look<i64>) {
        if let Some(pipe) = &mut self.pipe {
            pipe.look(look);
        }
    }

    /// Messages that are halves because calls overlapped.
    pub fn crowded(&self) -> u64 {
        self.pipe.as_ref().map_or(0, |pipe| pipe.crowded)
    }

    /// See [`Way::is_others`].
    pub fn is_others(&self, row: &MessageRow) -> bool {
        self.way.is_others(row)
    }

    /// An end has found where messages end.
    pub fn mark(&mut self, is_reader: bool, ends: impl Iterator<Item = (u64, Class)>) {
        self.marks.push(is_reader, ends);
    }

    /// Nothing more will come.
    pub fn finish(&mut self) {
        self.is_finished = true;
        self.marks.finish();
        if let Some(pipe) = &mut self.pipe {
            pipe.finish();
        }
    }

    /// Messages that were written while another call wrote, too.
    pub fn overlapping(&self) -> u64 {
        self.writes.overlapping
    }

    /// Why no more ends of messages were found.
    pub fn stop(&self, ends: [&Moved; 2]) -> Option<Reason> {
        self.marks.stop(ends)
    }

    /// No message that is still to come was ready before, or taken before: by calls that return at
    /// `now` or later.
    pub fn bounds(&self, now: i64) -> (i64, i64) {
        if self.done >= self.way.written.to && (self.is_finished || self.got >= self.way.read.to) {
            return (i64::MAX, i64::MAX);
        }
        let waiting = self.sent.front().map(|(_, sent)| sent).or(self.cutter.front());
        let to_come = now.saturating_sub(self.way.longest_ns);
        let ready = match waiting {
            Some(sent) => sent.ready,
            None => self.writes.since.map_or(to_come, |since| since.min(to_come)),
        };
        (ready, self.reads.front().map_or(now, |(_, read)| read.exit))
    }

    /// The next message of which all is known that there is to know.
    pub fn next(&mut self) -> Result<Option<MessageRow>, Doubt> {
        self.cut();
        if let Some(pipe) = &mut self.pipe {
            pipe.check().map_err(Doubt::Pipe)?;
        }
        if let Some(row) = self.of_others().or_else(|| self.of_halves()) {
            return Ok(Some(row));
        }
        let Some((end, message)) = self.sent.front().copied() else { return self.beyond() };
        let passed = self.reads.partition_point(|(read, _)| *read < end);
        if self.pipe.is_none() {
            self.reads.drain(..passed);
        }
        let read = self.way.read;
        if end > read.to || end <= read.from {
            let reader = if end > read.to { self.way.to } else { self.way.outside };
            self.counts.lone_sends += 1;
            return Ok(Some(self.done(end, lone_send(&message, reader))));
        }
        let at = if self.pipe.is_none() { 0 } else { passed };
        let Some((read, got)) = self.reads.get(at).copied() else { return Ok(None) };
        match self.pipe.as_mut().map(|pipe| pipe.judge([message.exit, got.exit])) {
            Some(Verdict::NotYet) => return Ok(None),
            Some(Verdict::Crowded) => return Ok(Some(self.halved(end, &message))),
            Some(Verdict::Told) | None => {}
        }
        if got.exit.saturating_add(self.way.apart_ns) < message.enter {
            return Err(self.contradicted());
        }
        self.reads.drain(..at);
        let Some(is_last) = self.is_last((end, read), &got) else { return Ok(None) };
        let mut known = what_is_known(&message, &got, self.way.transport, is_last);
        if let Some(pipe) = &mut self.pipe {
            let (not_before, until) = pipe.level.arrived(end);
            known.latest = known.latest.min(until);
            known.enter = known.enter.max(not_before.min(known.latest));
        }
        if let Some((_, at)) = self.way.had_arrived.filter(|(offset, _)| end <= *offset) {
            known.latest = known.latest.min(at);
        }
        // One of the two clocks is off by that.
        let before = known.enter.saturating_sub(known.latest);
        if (1..=self.way.apart_ns).contains(&before) {
            known.enter = known.latest;
        }
        let arrival = arrival(known, message.bytes, &mut self.usual);
        self.counts.matched += 1;
        if self.way.transport.is_tcp() {
            let sent = message.sent(arrival.at);
            self.counts.held_back.note(message.bytes, [sent, message.exit], arrival);
        }
        let row = MessageRow {
            src: message.node,
            dst: got.node,
            seq: 0,
            bytes: message.bytes,
            class: message.class,
            ready: message.ready,
            writing: message.writing,
            sent: message.sent(arrival.at),
            arrival,
            taken: got.exit,
            waited: got.waited_for(arrival.at),
            connection: 0,
            threads: [message.thread, got.thread],
        };
        Ok(Some(self.done(end, row)))
    }

    fn contradicted(&self) -> Doubt {
        self.pipe.as_ref().map_or(Doubt::Order, |pipe| Doubt::Pipe(pipe.contradicted()))
    }

    /// Which call read a message is not known: each side of it is told alone.
    fn halved(&mut self, end: u64, message: &Sent) -> MessageRow {
        if let Some(pipe) = &mut self.pipe {
            pipe.halves = Some(Span { from: end - message.bytes, to: end });
        }
        self.counts.lone_sends += 1;
        self.done(end, lone_send(message, self.way.outside))
    }

    /// What was read of such a message: a row for each call.
    fn of_halves(&mut self) -> Option<MessageRow> {
        let pipe = self.pipe.as_mut()?;
        let halves = pipe.halves?;
        while self.reads.front().is_some_and(|(read, _)| *read <= halves.from) {
            self.reads.pop_front();
        }
        let (read, got) = self.reads.front().copied()?;
        let to = read.min(halves.to);
        pipe.halves = (to < halves.to).then_some(Span { from: to, ..halves });
        self.counts.lone_receives += 1;
        Some(lone_receive((to - halves.from, None), &got, self.way.outside, false))
    }

    fn done(&mut self, end: u64, row: MessageRow) -> MessageRow {
        self.sent.pop_front();
        self.done = end;
        row
    }

    /// Whether nothing behind the message that ends there can have come before the read's stamp;
    /// `None` where that is not known yet.
    fn is_last(&self, (end, read): (u64, u64), got: &Op) -> Option<bool> {
        if end != read || !self.way.transport.is_tcp() || got.stamp == NULL {
            return Some(false);
        }
        let is_no_next = end >= self.way.written.to || self.is_finished;
        match self.sent.get(1) {
            _ if got.has(flags::EMPTIED) => Some(true),
            Some((_, next)) => Some(next.enter >= got.stamp),
            None => is_no_next.then_some(true),
        }
    }

    /// Cut what was written into messages.
    fn cut(&mut self) {
        while let Some(piece) = self.cutter.next(&mut self.marks) {
            let message = joined(&self.cutter, &piece);
            self.cutter.pass(&piece);
            self.cut += piece.bytes;
            self.sent.push_back((self.cut, message));
        }
    }

    /// What was read that others wrote before the writer was found: a row for each call.
    fn of_others(&mut self) -> Option<MessageRow> {
        let begun = self.way.written.from;
        if self.others >= begun {
            return None;
        }
        let (read, got) = self.reads.front().copied()?;
        let (bytes, ends_here) = (read.min(begun) - self.others, read <= begun);
        self.others += bytes;
        if ends_here {
            self.reads.pop_front();
        }
        self.counts.lone_receives += 1;
        let is_last = ends_here && got.has(flags::EMPTIED);
        Some(lone_receive((bytes, None), &got, self.way.outside, is_last))
    }

    /// What was read beyond all that was written: a row for each call.
    fn beyond(&mut self) -> Result<Option<MessageRow>, Doubt> {
        let written = self.way.written.to;
        while self.reads.front().is_some_and(|(read, _)| *read <= self.done) {
            self.reads.pop_front();
        }
        if self.done < written {
            return Ok(None);
        }
        let Some((read, got)) = self.reads.pop_front() else { return Ok(None) };
        let read_by = got.exit.saturating_add(self.way.apart_ns);
        if !self.has_beyond && read_by < self.way.silent_from {
            // Bytes that nobody wrote: the log of the sender is not whole, or they are others'.
            return Err(self.contradicted());
        }
        self.has_beyond = true;
        self.counts.lone_receives += 1;
        let bytes = (read - written).min(got.bytes.into());
        let is_last = got.has(flags::EMPTIED);
        Ok(Some(lone_receive((bytes, None), &got, self.way.from, is_last)))
    }
}

/// Calls that wrote a message, as one.
fn joined(cutter: &Cutter<Sent>, piece: &Piece) -> Sent {
    let mut calls = cutter.calls(piece).copied();
    let first = calls.next().expect("a message has a first call");
    let Some(class) = piece.class else {
        return Sent { bytes: piece.bytes, ..first };
    };
    let (mut last, mut writing) = (first, Writing::default());
    writing.add(first.ready, first.free_at(), 0);
    for call in calls {
        writing.add(call.ready, call.free_at(), 0);
        last = call;
    }
    let (bytes, class) = (piece.bytes, Some(class));
    Sent { ready: first.ready, writing: writing.sum, bytes, class, ..last }
}

fn what_is_known(message: &Sent, got: &Op, transport: Transport, is_last: bool) -> Known {
    let (taken, is_tcp) = (got.exit, transport.is_tcp());
    if !is_tcp || got.stamp == NULL {
        // Bytes for a Unix-domain socket, or a pipe, are there when the call returns.
        let latest = if is_tcp { taken } else { taken.min(message.exit) };
        return Known { enter: message.enter, latest, exact: None };
    }
    let exact = is_last.then_some(got.stamp);
    Known { enter: message.enter, latest: got.stamp.min(taken), exact }
}

fn lone_send(message: &Sent, receiver: u32) -> MessageRow {
    MessageRow {
        src: message.node,
        dst: receiver,
        seq: 0,
        bytes: message.bytes,
        class: message.class,
        ready: message.ready,
        writing: message.writing,
        sent: message.sent(NULL),
        arrival: Arrival::UNKNOWN,
        taken: NULL,
        waited: Wait::UNKNOWN,
        connection: 0,
        threads: [message.thread, 0],
    }
}

/// `is_last`: nothing was behind it in the queue, so the stamp is its own.
fn lone_receive(
    (bytes, class): (u64, Option<Class>),
    got: &Op,
    src: u32,
    is_last: bool,
) -> MessageRow {
    let is_observed = is_last && got.stamp != NULL;
    MessageRow {
        src,
        dst: got.node,
        seq: 0,
        bytes,
        class,
        ready: NULL,
        writing: 0,
        sent: NULL,
        arrival: match is_observed {
            true => Arrival::observed(got.stamp),
            false => Arrival { at: got.stamp, error: NULL, how: How::Bracketed },
        },
        taken: got.exit,
        waited: got.waited_for(if is_observed { got.stamp } else { NULL }),
        connection: 0,
        threads: [0, got.thread],
    }
}

/// One way at an end whose other end is not known: every message that it wrote, or read, is a half
/// one; what it read is a read where it is not framed.
#[derive(Clone, Debug)]
pub(crate) struct HalfWay<T> {
    cutter: Cutter<T>,
    marks: Marks,
}

impl<T> HalfWay<T> {
    /// Of which nothing has been seen yet. `is_framed`: what the end has found is used.
    pub fn new(moved: &Moved, is_framed: bool) -> HalfWay<T> {
        let marks = if is_framed { Marks::of(moved) } else { Marks::default() };
        HalfWay { cutter: Cutter::new(moved.bytes), marks }
    }

    /// A call moved so many bytes.
    pub fn push(&mut self, call: T, bytes: u64) {
        self.marks.moved(false, bytes);
        self.cutter.push(call, bytes);
    }

    /// The end has found where messages end.
    pub fn mark(&mut self, ends: impl Iterator<Item = (u64, Class)>) {
        self.marks.push(false, ends);
    }

    /// Nothing more will come.
    pub fn finish(&mut self) {
        self.marks.finish();
    }

    /// The first call whose message is not done.
    pub fn front(&self) -> Option<&T> {
        self.cutter.front()
    }

    /// Why no more ends of messages were found.
    pub fn stop(&self, moved: &Moved) -> Option<Reason> {
        self.marks.stop([moved, moved])
    }
}

impl HalfWay<Sent> {
    /// The next message that it wrote.
    pub fn next(&mut self, outside: u32) -> Option<MessageRow> {
        let piece = self.cutter.next(&mut self.marks)?;
        let message = joined(&self.cutter, &piece);
        self.cutter.pass(&piece);
        Some(lone_send(&message, outside))
    }
}

impl HalfWay<Op> {
    /// The next message that it read.
    pub fn next(&mut self, outside: u32) -> Option<MessageRow> {
        let piece = self.cutter.next(&mut self.marks)?;
        let got = *self.cutter.calls(&piece).last().expect("a message has a last call");
        self.cutter.pass(&piece);
        // What was joined to it in the queue may have come later than the last byte that was read.
        let is_last = piece.ends_call && got.has(flags::EMPTIED);
        Some(lone_receive((piece.bytes, piece.class), &got, outside, is_last))
    }
}

#[cfg(test)]
mod tests;
