//! The ends of connections: sockets, whichever processes use them, and how much was done with each.

use crate::entry::{Address, Before, Birth};
use crate::framing::{Class, Guess, Reason};
use crate::transport::{Hiding, Transport};

/// The clock by which the calls at an end are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EndClock {
    /// The machine, among those of the run.
    pub host: u32,
    /// It may be so far off, against another machine's, ns.
    pub error_ns: i64,
}

impl EndClock {
    /// How far it and another one may be apart, ns; not at all on one machine.
    pub fn apart(self, other: EndClock) -> i64 {
        if self.host == other.host { 0 } else { self.error_ns.saturating_add(other.error_ns) }
    }
}

/// An end of a connection.
#[derive(Debug)]
pub(crate) struct End {
    pub clock: EndClock,
    pub transport: Transport,
    pub inodes: Inodes,
    pub local: Address,
    pub peer: Address,
    /// How it came to be, where a traced process made it, or the kernel has told.
    pub birth: Option<Birth>,
    /// Where no traced process made it: what it had carried before.
    pub taken_over: TakenOver,
    /// When it was made or found, ns.
    pub made: i64,
    /// When it was last used, ns.
    pub last: i64,
    /// The process that was first to use it.
    pub node: u32,
    pub sent: Moved,
    pub received: Moved,
    /// From when a process that wrote into it may have written what it did not log.
    pub silence: Silence,
    /// The rule that its bytes follow, of which none was given.
    pub guess: Option<Guess>,
    /// Where it is an end of a pipe; of a Unix-domain connection only what the C library's streams
    /// did.
    pub pipe: PipeUse,
}

/// Numbers in the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inodes {
    /// The end's; of a pipe that of both ends.
    pub own: u64,
    /// The peer's, of a Unix-domain socket, as far as it is known; else 0.
    pub peer: u64,
}

/// What is known of the use of a pipe beside its calls.
#[derive(Clone, Debug)]
pub(crate) struct PipeUse {
    /// Entries that say what lay there.
    pub looks: u64,
    /// Why its calls do not show all bytes, where it is known that they do not.
    pub hiding: Option<Hiding>,
    /// The nodes in which the C library's streams used it.
    pub stream_nodes: Vec<u32>,
    /// From when a process may have moved bytes there by a call that it did not log, and no other
    /// call moved any; ns.
    pub unlogged_from: i64,
}

impl PipeUse {
    /// Nothing was noticed.
    pub const NONE: PipeUse =
        PipeUse { looks: 0, hiding: None, stream_nodes: Vec::new(), unlogged_from: i64::MAX };

    /// What another process noticed.
    pub fn merge(&mut self, other: &PipeUse) {
        self.looks += other.looks;
        self.hiding = self.hiding.or(other.hiding);
        self.stream_nodes.extend(&other.stream_nodes);
        self.unlogged_from = self.unlogged_from.min(other.unlogged_from);
    }

    /// All of it is there; a call last moved bytes at `last`, ns. Bytes that were not logged shift
    /// all that other calls moved later.
    fn complete(&mut self, last: Option<i64>) {
        if last.is_some_and(|last| last > self.unlogged_from) {
            self.unlogged_from = i64::MAX;
        }
    }
}

impl End {
    /// Of which no more is known than what it is.
    pub fn new(transport: Transport, [local, peer]: [Address; 2], node: u32) -> End {
        End {
            clock: EndClock::default(),
            transport,
            inodes: Inodes::default(),
            local,
            peer,
            birth: None,
            taken_over: TakenOver::Never,
            made: 0,
            last: 0,
            node,
            sent: Moved::default(),
            received: Moved::default(),
            silence: Silence::NONE,
            guess: None,
            pipe: PipeUse::NONE,
        }
    }

    /// Whether another end may be on the same machine, or its address is one in the whole network.
    pub fn may_meet(&self, other: &End) -> bool {
        self.clock.host == other.clock.host || self.transport.is_tcp() && !self.local.is_loopback()
    }

    /// Whether it is connected to itself: one that calls an address of its own, at which nobody
    /// listens, may reach itself.
    pub fn is_own_peer(&self) -> bool {
        self.transport.is_tcp() && self.local == self.peer
    }

    /// Whether a call on it moved anything, or tried to.
    pub fn is_used(&self) -> bool {
        self.sent.calls + self.received.calls > 0
    }

    /// Whether any bytes went there.
    pub fn has_moved(&self) -> bool {
        self.sent.bytes + self.received.bytes > 0
    }

    /// All of it is there: the kernel knows of its birth what no traced process has seen.
    pub fn complete(&mut self) {
        self.complete_birth();
        self.sent.complete();
        self.received.complete();
        self.pipe.complete(self.sent.last.max(self.received.last));
    }

    fn complete_birth(&mut self) {
        match (self.birth, self.taken_over) {
            (None, TakenOver::At(before, _)) => self.birth = Some(before.birth()),
            _ => self.taken_over = TakenOver::Never,
        }
    }

    /// Bytes that others had given to it, and taken from it, before any traced process did.
    pub fn before(&self) -> [u64; 2] {
        match self.taken_over {
            TakenOver::At(before, _) => [before.sent, before.received],
            TakenOver::Never | TakenOver::Untold => [0; 2],
        }
    }

    /// Up to which byte all that was sent to it had arrived, and when, ns, where that is known.
    pub fn had_arrived(&self) -> Option<(u64, i64)> {
        match self.taken_over {
            TakenOver::At(before, at) => {
                let quiet_ms = before.quiet_ms.saturating_sub(Before::STEP_MS);
                let last = at.saturating_sub(i64::from(quiet_ms) * 1_000_000);
                Some((before.received + before.unread, last))
            }
            TakenOver::Never | TakenOver::Untold => None,
        }
    }

    /// Whether the kernel has counted more bytes there than the calls that were seen had moved.
    pub fn hides_bytes(&self) -> bool {
        let [sent, received] = self.before();
        let is_more = |way: &Moved, before: u64| way.counted > before + way.bytes;
        self.transport.is_tcp() && (is_more(&self.sent, sent) || is_more(&self.received, received))
    }

    /// Whether others had moved bytes there before.
    pub fn is_late(&self) -> bool {
        self.before() != [0; 2]
    }
}

/// Whether traced processes found an end, and what it had carried when the first of them did. Each
/// looks before it moves a byte there, so the least count is that of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TakenOver {
    Never,
    /// When it was found, ns.
    At(Before, i64),
    /// Of one of them it is not known.
    Untold,
}

impl TakenOver {
    /// A process found it, and this.
    pub fn add(&mut self, found: Option<(Before, i64)>) {
        let passed = |before: &Before| before.sent + before.received;
        *self = match (*self, found) {
            (TakenOver::Untold, _) | (_, None) => TakenOver::Untold,
            (TakenOver::At(first, at), Some((before, _))) if passed(&first) <= passed(&before) => {
                TakenOver::At(first, at)
            }
            (_, Some((before, at))) => TakenOver::At(before, at),
        };
    }
}

/// What the calls of one way at an end came to.
#[derive(Clone, Debug)]
pub(crate) struct Moved {
    /// Calls, with those that were refused.
    pub calls: u64,
    pub bytes: u64,
    /// Bytes that the kernel had counted when a process was done with the end, with those that had
    /// gone before.
    counted: u64,
    /// The longest call took so long, ns.
    pub longest_ns: i64,
    /// The first was entered, and the last returned, ns.
    pub first: i64,
    pub last: Option<i64>,
    /// There will be no further bytes.
    pub is_ended: bool,
    pub marks: Marked,
    movers: Nodes,
}

/// Ends of messages that were found there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marked {
    /// Slots of the log that hold them and come on the walk, behind a call in their chunk.
    pub slots: u64,
    /// Those at the beginning of a chunk: the call that they belong to is in an earlier one.
    pub early: Vec<(u64, Class)>,
    pub count: u64,
    /// Those of [`Class::Paired`].
    pub paired: u64,
    /// The least offset.
    pub first: Option<u64>,
    /// The greatest.
    pub last: u64,
    /// One of them, where the bytes end, is in no slot.
    pub has_last: bool,
    /// Why no more were found.
    pub stop: Option<Reason>,
    finders: Nodes,
}

/// Processes, as far as it matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Nodes {
    #[default]
    None,
    One(u32),
    Several,
}

impl Nodes {
    fn add(&mut self, node: u32) {
        *self = match *self {
            Nodes::None => Nodes::One(node),
            Nodes::One(other) if other == node => Nodes::One(node),
            _ => Nodes::Several,
        };
    }

    fn merge(&mut self, other: Nodes) {
        match other {
            Nodes::None => {}
            Nodes::One(node) => self.add(node),
            Nodes::Several => *self = Nodes::Several,
        }
    }
}

impl Default for Moved {
    fn default() -> Moved {
        Moved {
            calls: 0,
            bytes: 0,
            counted: 0,
            longest_ns: 0,
            first: i64::MAX,
            last: None,
            is_ended: false,
            marks: Marked::default(),
            movers: Nodes::None,
        }
    }
}

impl Moved {
    /// A call of a process.
    pub fn call(&mut self, node: u32, (enter, exit): (i64, i64), bytes: u32) {
        self.calls += 1;
        self.bytes += u64::from(bytes);
        self.longest_ns = self.longest_ns.max(exit.saturating_sub(enter));
        self.first = self.first.min(enter);
        self.last = self.last.max(Some(exit));
        self.movers.add(node);
    }

    /// So many bytes had gone there by the kernel's account, when a process was done with it.
    pub fn count(&mut self, bytes: u64) {
        self.counted = self.counted.max(bytes);
    }

    /// What another process did there.
    pub fn merge(&mut self, other: &Moved) {
        self.calls += other.calls;
        self.bytes += other.bytes;
        self.counted = self.counted.max(other.counted);
        self.longest_ns = self.longest_ns.max(other.longest_ns);
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.is_ended |= other.is_ended;
        self.movers.merge(other.movers);
        self.marks.merge(&other.marks);
    }

    /// Whether one process made all of them.
    pub fn is_of_one(&self) -> bool {
        matches!(self.movers, Nodes::One(_))
    }

    /// All of it is there: what was found is only of use where one process saw all bytes.
    pub fn complete(&mut self) {
        let found = &mut self.marks;
        if found.finders == Nodes::None {
            return;
        }
        let is_of_one = self.movers == Nodes::None || self.movers == found.finders;
        if !is_of_one || found.finders == Nodes::Several {
            let (slots, stop) = (found.slots, Some(Reason::Processes));
            *found = Marked { slots, stop, ..Marked::default() };
            return;
        }
        if self.ends_with_its_bytes() {
            self.marks.add(self.bytes, Class::Paired);
            self.marks.has_last = true;
        }
    }

    /// Whether the last message ends where the bytes do.
    fn ends_with_its_bytes(&self) -> bool {
        let is_to_the_end = self.marks.stop == Some(Reason::ToTheEnd) && self.is_ended;
        is_to_the_end && self.marks.last < self.bytes
    }
}

impl Marked {
    /// A process found these, in a slot of its log.
    pub fn slot(&mut self, node: u32, ends: impl Iterator<Item = (u64, Class)>) {
        self.slots += 1;
        self.finders.add(node);
        ends.for_each(|(offset, class)| self.add(offset, class));
    }

    /// The same at the beginning of a chunk.
    pub fn early_slot(&mut self, node: u32, ends: impl Iterator<Item = (u64, Class)>) {
        self.finders.add(node);
        for (offset, class) in ends {
            self.add(offset, class);
            self.early.push((offset, class));
        }
    }

    /// A process found no more.
    pub fn stop(&mut self, node: u32, reason: Reason) {
        self.finders.add(node);
        self.stop = Some(reason);
    }

    fn add(&mut self, offset: u64, class: Class) {
        self.count += 1;
        self.paired += u64::from(class == Class::Paired);
        self.first = Some(self.first.map_or(offset, |first| first.min(offset)));
        self.last = self.last.max(offset);
    }

    fn merge(&mut self, other: &Marked) {
        self.slots += other.slots;
        self.early.extend(&other.early);
        self.count += other.count;
        self.paired += other.paired;
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = self.last.max(other.last);
        self.stop = other.stop.or(self.stop);
        self.finders.merge(other.finders);
    }
}

/// When the first of the processes that wrote into an end logged its last call that did; of all
/// that used it, its last call there, where none of them wrote. A process that is killed does not
/// log the calls within which its threads are, though the bytes are gone: what another thread does
/// elsewhere meanwhile says nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silence {
    /// ns.
    pub from: i64,
    is_of_writer: bool,
}

impl Silence {
    /// Of nobody.
    pub const NONE: Silence = Silence { from: i64::MAX, is_of_writer: false };

    /// A process has done this, too: when it wrote for the last time, if it did, and when it made
    /// its last call.
    pub fn go_on(&mut self, wrote: Option<i64>, last: i64) {
        let before = if self.from == i64::MAX { i64::MIN } else { self.from };
        *self = match (wrote, self.is_of_writer) {
            (Some(wrote), true) => Silence { from: before.max(wrote), is_of_writer: true },
            (Some(wrote), false) => Silence { from: wrote, is_of_writer: true },
            (None, true) => *self,
            (None, false) => Silence { from: before.max(last), is_of_writer: false },
        };
    }

    /// Another process used the end.
    pub fn add(&mut self, other: Silence) {
        if other.is_of_writer == self.is_of_writer {
            self.from = self.from.min(other.from);
        } else if other.is_of_writer {
            *self = other;
        }
    }
}

/// Whether the C library's streams moved bytes between the ends of a Unix-domain connection. Those
/// of a process may have been in use for something else: they moved none where what one end wrote
/// by calls is all that the other read by calls.
pub(crate) fn have_streams_moved_bytes(ends: [&End; 2]) -> bool {
    let [one, other] = ends;
    let hides = |end: &End| end.pipe.hiding.is_some();
    let all_is_seen = |from: &End, to: &End| {
        from.sent.bytes == to.received.bytes && (!hides(from) || to.received.is_ended)
    };
    match [hides(one), hides(other)] {
        [false, false] => false,
        [true, true] => true,
        _ => !all_is_seen(one, other) || !all_is_seen(other, one),
    }
}

/// The end that connected, or that was first to write, asks: it comes first.
pub(crate) fn asker_first(ends: &[End], [one, other]: [usize; 2]) -> [usize; 2] {
    let births = [one, other].map(|at| ends[at].birth);
    let is_other = match births {
        [Some(Birth::Connected), _] | [_, Some(Birth::Accepted)] => false,
        [_, Some(Birth::Connected)] | [Some(Birth::Accepted), _] => true,
        _ => ends[other].sent.first < ends[one].sent.first,
    };
    if is_other { [other, one] } else { [one, other] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_end_had_carried_is_what_the_first_that_found_it_says() {
        let before = |sent, received| {
            let (socket, has_connected, unread, quiet_ms) = (1, true, 0, 0);
            Before { socket, has_connected, sent, received, unread, quiet_ms }
        };
        let mut found = TakenOver::Never;
        found.add(Some((before(30, 7), 500)));
        found.add(Some((before(10, 7), 400)));
        found.add(Some((before(30, 20), 600)));
        assert_eq!(found, TakenOver::At(before(10, 7), 400));
        found.add(None);
        found.add(Some((before(0, 0), 100)));
        assert_eq!(found, TakenOver::Untold);
    }

    #[test]
    fn streams_moved_no_bytes_where_all_that_was_read_was_written_by_calls() {
        let end = |sent, received, is_ended, has_streams: bool| {
            let mut end = End::new(Transport::Unix, [Address { host: 0, port: 0 }; 2], 0);
            (end.sent.bytes, end.received.bytes, end.received.is_ended) =
                (sent, received, is_ended);
            end.pipe.hiding = has_streams.then_some(Hiding::Streams);
            end
        };
        let moved = |one: &End, other: &End| {
            let both = [[one, other], [other, one]].map(have_streams_moved_bytes);
            assert_eq!(both[0], both[1]);
            both[0]
        };
        let parent = |sent, received, is_ended| end(sent, received, is_ended, false);
        let child = |sent, received| end(sent, received, false, true);
        assert!(!moved(&parent(9, 70, false), &end(50, 0, false, false)), "no streams");
        assert!(!moved(&parent(9, 50, true), &child(50, 9)));
        assert!(moved(&parent(9, 70, true), &child(50, 9)), "it printed");
        assert!(moved(&parent(9, 50, false), &child(50, 9)), "it may have printed more");
        assert!(moved(&parent(9, 50, true), &child(50, 0)), "it may have scanned");
        assert!(moved(&end(9, 50, true, true), &child(50, 9)), "both may have, as much");
    }

    #[test]
    fn who_writes_counts_and_of_several_the_first_that_fell_silent() {
        let of = |wrote, last| {
            let mut silence = Silence::NONE;
            silence.go_on(wrote, last);
            silence
        };
        let mut all = Silence::NONE;
        all.add(of(None, 50));
        assert_eq!(all.from, 50, "nobody wrote so far");
        all.add(of(Some(900), 1000));
        all.add(of(Some(700), 2000));
        all.add(of(None, 10));
        assert_eq!(all.from, 700);
        let mut twice = of(Some(5), 80);
        twice.go_on(None, 300);
        twice.go_on(Some(9), 100);
        assert_eq!(twice.from, 9, "what it read later says nothing");
    }
}
