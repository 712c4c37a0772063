//! The format of a process's log: slots of four words, written by the tracer on the program's way
//! and read when the run is closed.
//!
//! ```text
//!  file   │ page 0: head │ chunk of slots │ chunk │ ...    a chunk is one thread's at a time
//!  chunk  │ role │ slot │ slot │ ...                      see `window`
//!  slot   │ head │ enter │ exit │ fourth word │
//!  head   │ bytes: 32 │ socket: 20 │ flags: 8 │ kind: 4 │
//! ```
//!
//! The head is stored last, and never 0: a slot whose head is 0 was not written to its end. A
//! socket takes three slots; the heads of the other two say that they belong to it. Where messages
//! end in a direction that is framed is written behind the calls that moved them, by byte offset
//! ([`Ends`]). How much a socket that was found had carried is in a slot behind it ([`Before`]);
//! how much it had when a process was done with it is in another ([`After`]). How much lay in a
//! pipe behind a call is in that call's fourth word, and when a process was done with it in a slot
//! ([`Look`]).

mod caller;
mod ends;
pub mod head;
pub mod noticed;

pub use caller::Caller;
pub use ends::Ends;

use crate::framing::{Guess, Reason};
use crate::transport::{Hiding, Look, Transport};

/// Words of a slot.
pub const SLOT_WORDS: usize = 4;
/// Bytes of a slot.
pub const SLOT_BYTES: usize = SLOT_WORDS * 8;
/// Slots of a socket's entry.
pub const SOCKET_SLOTS: usize = 3;
/// Bytes that a thread takes of the file at once.
pub const CHUNK_BYTES: usize = 1 << 16;
/// Bytes before the first chunk.
pub const HEAD_BYTES: usize = 4096;
/// Sockets are numbered below this in each process.
pub const SOCKETS_MAX: u32 = 1 << 20;

/// No connection carries so many bytes: a log that says so is damaged.
const BYTES_MAX: u64 = 1 << 60;

/// What a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Bytes given to a socket.
    Send = 1,
    /// Bytes taken from a socket.
    Receive = 2,
    /// A socket that is used from here on.
    Socket = 3,
    /// A descriptor of a socket was closed.
    Close = 4,
    /// Belongs to the slot before.
    More = 5,
    /// Ends of messages.
    Ends = 6,
    /// From here on the ends of messages are not found.
    Stop = 7,
    /// The rule that a connection follows, of which none was given.
    Guess = 8,
    /// What a socket had carried when it was found.
    Before = 9,
    /// What a socket had carried when a process was done with it.
    After = 10,
    /// How much lay in a pipe when a process was done with an end of it.
    Unread = 11,
    /// Not all bytes of a pipe are moved by calls that are seen.
    Hides = 12,
    /// A thread waited until there was something to read.
    Wait = 13,
    /// What follows in the chunk is of this thread.
    Thread = 14,
}

/// Flags of a call.
pub mod flags {
    /// The call could not wait for room: the socket, or the call, is non-blocking.
    pub const NO_WAIT: u8 = 1;
    /// Nothing was taken: there was no room (`EAGAIN`).
    pub const REFUSED: u8 = 2;
    /// The fourth word of a receive is the kernel's stamp.
    pub const STAMPED: u8 = 4;
    /// The receive took less than it had room for: it has emptied the queue.
    pub const EMPTIED: u8 = 8;
    /// End of stream: the peer has shut its side down.
    pub const END: u8 = 16;
    /// The fourth word is a look at what lay in the pipe behind the call.
    pub const LOOKED: u8 = 32;
    /// A send, behind which somebody looked, was given more than it took.
    pub const PART: u8 = 64;
    /// The thread had waited before the receive, now or earlier: see [`Kind::Wait`](super::Kind).
    pub const HAS_WAITED: u8 = 128;
}

/// How a socket came to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Birth {
    /// `connect`.
    Connected = 1,
    /// `accept`.
    Accepted = 2,
    /// `socketpair` or `pipe`, whose caller has both ends; or a FIFO that was opened.
    Pair = 3,
    /// It was there: inherited, passed by another process, or older than the trace.
    Found = 4,
}

/// A call that sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Number of the socket in this process.
    pub socket: u32,
    /// See [`flags`].
    pub flags: u8,
    /// Bytes that it sent or took.
    pub bytes: u32,
    /// When it was entered, ticks.
    pub enter: u64,
    /// When it returned, ticks.
    pub exit: u64,
    /// Of a send, the bytes that it was given; of a receive, the kernel's stamp, ns of
    /// `CLOCK_REALTIME`; of either on a pipe a [look](Look::word).
    pub fourth: u64,
}

/// An end of a connection, whichever process uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    /// IPv6, or IPv4 mapped into it; 0 for a Unix-domain socket; the file system of a pipe.
    pub host: u128,
    /// 0 for a Unix-domain socket and a pipe.
    pub port: u16,
}

impl Address {
    /// Whether it is the machine itself, under a name that every machine has.
    pub fn is_loopback(&self) -> bool {
        std::net::Ipv6Addr::from(self.host).to_canonical().is_loopback()
    }
}

/// A socket that is used from here on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Socket {
    /// Its number in this process.
    pub number: u32,
    /// How it came to be used.
    pub birth: Birth,
    /// What it is an end of.
    pub transport: Transport,
    /// When the call was entered that made it, and when it returned; ticks.
    pub made: [u64; 2],
    /// Its number in the system, by which processes that share it are known.
    pub inode: u64,
    /// The same of the peer, where the kernel tells; else 0.
    pub peer_inode: u64,
    /// Of a Unix-domain socket that connected, or was accepted, and of whose peer nothing is told.
    pub caller: Caller,
    /// Its own address.
    pub local: Address,
    /// The peer's.
    pub peer: Address,
}

/// What a TCP connection had carried when a process came to use it that had not made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Before {
    /// Number of the socket in this process.
    pub socket: u32,
    /// The end connected; else it was accepted.
    pub has_connected: bool,
    /// Bytes that had been given to the socket.
    pub sent: u64,
    /// Bytes that had been taken from it.
    pub received: u64,
    /// Bytes that lay in it.
    pub unread: u64,
    /// By the kernel's account the last byte had come so long ago, ms. Its clock has steps of up to
    /// [`STEP_MS`](Before::STEP_MS).
    pub quiet_ms: u32,
}

/// What a TCP connection had carried, by the kernel's account, when a process closed it or ended.
/// Calls that were seen cannot have moved less, unless something else moved bytes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After {
    /// Number of the socket in this process.
    pub socket: u32,
    /// Bytes that had been given to the socket.
    pub sent: u64,
    /// Bytes that had been taken from it.
    pub received: u64,
    /// When, ticks.
    pub at: u64,
}

/// What a slot says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Bytes were sent, or refused.
    Send(Call),
    /// Bytes were received.
    Receive(Call),
    /// A socket is used from here on.
    Socket(Socket),
    /// A descriptor of this socket was closed at this tick.
    Close {
        /// Its number in this process.
        socket: u32,
        /// When the call returned, ticks.
        at: u64,
    },
    /// Messages end there.
    Ends(Ends),
    /// What a socket that was found had carried.
    Before(Before),
    /// What a socket had carried when a process was done with it.
    After(After),
    /// What lay in a pipe when a process was done with an end of it.
    Unread {
        /// The end's number in this process.
        socket: u32,
        /// In ticks.
        look: Look<u64>,
    },
    /// Not all bytes of a pipe are moved by calls that are seen.
    Hides {
        /// The end's number in this process.
        socket: u32,
        /// Why.
        hiding: Hiding,
    },
    /// The thread, before the receives that follow, waited from one tick to another until there was
    /// something to read; for so many descriptors, or 0 where that is not known.
    Wait([u64; 3]),
    /// What follows in the chunk is of this thread, as the system numbers it.
    Thread(u32),
    /// The rule that a connection follows, of which none was given.
    Guess {
        /// Its number in this process.
        socket: u32,
        /// The rule.
        guess: Guess,
    },
    /// From a byte on, the ends of messages are not found.
    Stop {
        /// Its number in this process.
        socket: u32,
        /// In what it wrote, not what it read.
        is_sent: bool,
        /// The byte.
        offset: u64,
        /// Why.
        reason: Reason,
    },
}

const fn head_word(kind: Kind, flags: u8, socket: u32, bytes: u32) -> u64 {
    kind as u64 | (flags as u64) << 4 | (socket as u64) << 12 | (bytes as u64) << 32
}

impl Call {
    /// As a slot. `kind` is [`Kind::Send`] or [`Kind::Receive`].
    #[inline(always)]
    pub fn slot(&self, kind: Kind) -> [u64; SLOT_WORDS] {
        let head = head_word(kind, self.flags, self.socket, self.bytes);
        [head, self.enter, self.exit, self.fourth]
    }

    fn of(slot: &[u64; SLOT_WORDS]) -> Call {
        let [head, enter, exit, fourth] = *slot;
        let (socket, flags, bytes) = (socket_of(head), (head >> 4) as u8, (head >> 32) as u32);
        Call { socket, flags, bytes, enter, exit, fourth }
    }
}

/// The closing of a descriptor as a slot.
pub fn close_slot(socket: u32, at: u64) -> [u64; SLOT_WORDS] {
    [head_word(Kind::Close, 0, socket, 0), at, at, 0]
}

/// What lay in a pipe as a slot.
pub fn unread_slot(socket: u32, look: Look<u64>) -> [u64; SLOT_WORDS] {
    [head_word(Kind::Unread, 0, socket, look.unread), look.from, look.until, 0]
}

/// A wait as a slot.
pub fn wait_slot([enter, exit, files]: [u64; 3]) -> [u64; SLOT_WORDS] {
    [head_word(Kind::Wait, 0, 0, 0), enter, exit, files]
}

/// Whose the entries that follow are, as a slot.
pub fn thread_slot(thread: u32) -> [u64; SLOT_WORDS] {
    [head_word(Kind::Thread, 0, 0, thread), 0, 0, 0]
}

/// That calls do not show all of a pipe's bytes, as a slot.
pub fn hides_slot(socket: u32, hiding: Hiding) -> [u64; SLOT_WORDS] {
    [head_word(Kind::Hides, hiding as u8, socket, 0), 0, 0, 0]
}

/// A rule that was guessed as a slot.
pub fn guess_slot(socket: u32, guess: Guess) -> [u64; SLOT_WORDS] {
    [head_word(Kind::Guess, guess as u8, socket, 0), 0, 0, 0]
}

/// The end of framing as a slot.
pub fn stop_slot((socket, is_sent): (u32, bool), offset: u64, reason: Reason) -> [u64; SLOT_WORDS] {
    [head_word(Kind::Stop, u8::from(is_sent), socket, reason as u32), offset, 0, 0]
}

fn stop_of(slot: &[u64; SLOT_WORDS]) -> Option<Entry> {
    let reason = Reason::from_code(u8::try_from(slot[0] >> 32).ok()?)?;
    let (socket, is_sent) = (socket_of(slot[0]), slot[0] >> 4 & 1 == 1);
    Some(Entry::Stop { socket, is_sent, offset: slot[1], reason })
}

fn unread_of(slot: &[u64; SLOT_WORDS]) -> Entry {
    let look = Look { from: slot[1], until: slot[2], unread: (slot[0] >> 32) as u32 };
    Entry::Unread { socket: socket_of(slot[0]), look }
}

impl Before {
    /// What [`quiet_ms`](Before::quiet_ms) may be too much, ms: a kernel's tick.
    pub const STEP_MS: u32 = 10;

    /// Whether nothing had been moved.
    pub fn is_nothing(&self) -> bool {
        self.sent == 0 && self.received == 0
    }

    /// How the end came to be.
    pub fn birth(&self) -> Birth {
        if self.has_connected { Birth::Connected } else { Birth::Accepted }
    }

    /// As a slot.
    pub fn slot(&self) -> [u64; SLOT_WORDS] {
        let flags = u8::from(self.has_connected);
        let head = head_word(Kind::Before, flags, self.socket, self.quiet_ms);
        [head, self.sent, self.received, self.unread]
    }

    fn of(slot: &[u64; SLOT_WORDS]) -> Option<Before> {
        let [head, sent, received, unread] = *slot;
        let (has_connected, quiet_ms) = (head >> 4 & 1 == 1, (head >> 32) as u32);
        let is_possible = [sent, received, unread].iter().all(|bytes| *bytes < BYTES_MAX);
        let socket = socket_of(head);
        is_possible.then_some(Before { socket, has_connected, sent, received, unread, quiet_ms })
    }
}

impl After {
    /// As a slot.
    pub fn slot(&self) -> [u64; SLOT_WORDS] {
        [head_word(Kind::After, 0, self.socket, 0), self.sent, self.received, self.at]
    }

    fn of(slot: &[u64; SLOT_WORDS]) -> Option<After> {
        let [head, sent, received, at] = *slot;
        let is_possible = sent < BYTES_MAX && received < BYTES_MAX;
        is_possible.then_some(After { socket: socket_of(head), sent, received, at })
    }
}

impl Socket {
    /// As slots.
    pub fn slots(&self) -> [u64; SOCKET_SLOTS * SLOT_WORDS] {
        let how = self.birth as u32 | (self.transport as u32) << 8;
        let ports = u32::from(self.local.port) | u32::from(self.peer.port) << 16;
        let halves = |host: u128| [(host >> 64) as u64, host as u64];
        let ([local_high, local_low], [peer_high, peer_low]) =
            (halves(self.local.host), halves(self.peer.host));
        [
            head_word(Kind::Socket, 0, self.number, how),
            self.made[0],
            self.made[1],
            self.inode,
            head_word(Kind::More, 0, self.number, ports),
            local_high,
            local_low,
            self.peer_inode,
            head_word(Kind::More, 0, self.number, 0),
            peer_high,
            peer_low,
            self.caller.word(),
        ]
    }

    fn of(words: &[u64; SOCKET_SLOTS * SLOT_WORDS]) -> Option<Socket> {
        let more = |at: usize| {
            words[at] & 0xf == Kind::More as u64 && socket_of(words[at]) == socket_of(words[0])
        };
        if !more(SLOT_WORDS) || !more(2 * SLOT_WORDS) {
            return None;
        }
        let how = (words[0] >> 32) as u32;
        let birth = match how as u8 {
            1 => Birth::Connected,
            2 => Birth::Accepted,
            3 => Birth::Pair,
            4 => Birth::Found,
            _ => return None,
        };
        let ports = (words[4] >> 32) as u32;
        let host = |at: usize| u128::from(words[at]) << 64 | u128::from(words[at + 1]);
        Some(Socket {
            number: socket_of(words[0]),
            birth,
            transport: Transport::from_code((how >> 8) as u8)?,
            made: [words[1], words[2]],
            inode: words[3],
            peer_inode: words[7],
            caller: Caller::of(words[11]),
            local: Address { host: host(5), port: ports as u16 },
            peer: Address { host: host(9), port: (ports >> 16) as u16 },
        })
    }
}

fn socket_of(head: u64) -> u32 {
    (head >> 12) as u32 & (SOCKETS_MAX - 1)
}

/// The entries of any words, and how many slots held none.
pub struct Entries<'a> {
    words: &'a [u64],
    damaged: u64,
}

impl<'a> Entries<'a> {
    /// Of the words of a chunk, behind its role.
    pub fn new(words: &'a [u64]) -> Entries<'a> {
        Entries { words, damaged: 0 }
    }

    /// Slots so far that hold something else.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            let slot: &[u64; SLOT_WORDS] = self.words.first_chunk()?;
            let kind = slot[0] & 0xf;
            let entry = match kind {
                1 => Some(Entry::Send(Call::of(slot))),
                2 => Some(Entry::Receive(Call::of(slot))),
                3 => self.words.first_chunk().and_then(Socket::of).map(Entry::Socket),
                4 => Some(Entry::Close { socket: socket_of(slot[0]), at: slot[2] }),
                6 => Ends::of(slot).map(Entry::Ends),
                7 => stop_of(slot),
                9 => Before::of(slot).map(Entry::Before),
                10 => After::of(slot).map(Entry::After),
                11 => Some(unread_of(slot)),
                12 => Hiding::from_code((slot[0] >> 4) as u8)
                    .map(|hiding| Entry::Hides { socket: socket_of(slot[0]), hiding }),
                13 => Some(Entry::Wait([slot[1], slot[2], slot[3]])),
                14 => Some(Entry::Thread((slot[0] >> 32) as u32)),
                8 => Guess::from_code((slot[0] >> 4) as u8)
                    .map(|guess| Entry::Guess { socket: socket_of(slot[0]), guess }),
                _ => None,
            };
            let slots = if matches!(entry, Some(Entry::Socket(_))) { SOCKET_SLOTS } else { 1 };
            // A thread that was killed within a call leaves a slot without a head.
            self.damaged += u64::from(entry.is_none() && slot[0] != 0);
            self.words = &self.words[slots * SLOT_WORDS..];
            if entry.is_some() {
                return entry;
            }
        }
    }
}

#[cfg(test)]
mod tests;
