//! The ends of connections: sockets, whichever processes use them, and how much was done with each.

use crate::entry::{Address, Before, Birth, Caller};
use crate::framing::Guess;
use crate::moved::Moved;
use crate::silence::Silence;
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
    pub identity: Identity,
    pub local: Address,
    pub peer: Address,
    /// How it came to be, where a traced process made it, or the kernel has told.
    pub birth: Option<Birth>,
    /// Where no traced process made it: what it had carried before.
    pub taken_over: TakenOver,
    pub made: Made,
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

/// The call that made an end, or when it was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Made {
    /// When the call was entered, and when it returned, ns.
    pub at: [i64; 2],
    /// Whose it was; 0 where that is not known.
    pub thread: u32,
}

/// What the kernel knows an end by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Its number; of a pipe that of both ends.
    pub inode: u64,
    /// The peer's, of a Unix-domain socket, as far as it is known; else 0.
    pub peer_inode: u64,
    /// Who connected to whom, of a Unix-domain connection.
    pub caller: Caller,
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
            identity: Identity::default(),
            local,
            peer,
            birth: None,
            taken_over: TakenOver::Never,
            made: Made::default(),
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

    /// Whether the kernel did not say who its peer is, but who had connected to whom.
    pub fn is_unnamed(&self) -> bool {
        self.identity.peer_inode == 0 && self.identity.caller.is_known()
    }

    /// Whether it was accepted when whoever had connected was gone.
    pub fn is_of_gone_client(&self) -> bool {
        self.is_unnamed() && self.birth == Some(Birth::Accepted)
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
        self.transport.is_tcp()
            && (self.sent.hides_bytes(sent) || self.received.hides_bytes(received))
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
}
