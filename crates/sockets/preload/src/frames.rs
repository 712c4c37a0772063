//! Where messages end, on connections whose protocol the user has named, or whose first byte lets
//! it be guessed.
//!
//! The bytes of a call are followed when it has returned, where the program has them, and no
//! further than the call has moved them. Nothing is copied out and nothing allocated: a connection
//! has two [`Follower`]s of a fixed size, which lie in memory that is mapped a block at a time, as
//! sockets are numbered. A connection for which nothing could be guessed is left again by its next
//! call.
//!
//! Two calls that write into one connection at once, or read from it, do so in an order that only
//! the kernel knows: the framing of that direction ends there.

use crate::log;
use interpose::errno;
use libc::{c_void, iovec, ssize_t};
use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use streams::entry::{Birth, Ends, SOCKETS_MAX, Socket, guess_slot, stop_slot};
use streams::framing::{Follower, Found, PortRule, Reason, Rules, Shared, Side};

/// Connections whose memory is mapped at once.
const BLOCK: usize = 256;
const BLOCKS: usize = SOCKETS_MAX as usize / BLOCK;

static RULES: OnceLock<Rules> = OnceLock::new();
static PLACES: [AtomicPtr<Connection>; BLOCKS] = [const { AtomicPtr::new(null_mut()) }; BLOCKS];

/// Which way bytes go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Sent,
    Received,
}

/// Where the bytes of a call are.
#[derive(Clone, Copy)]
pub enum Bytes {
    At(*const u8),
    Pieces(*const iovec, usize),
    /// The call does not show them.
    Hidden,
}

impl Bytes {
    /// In one piece.
    #[inline(always)]
    pub fn at(buffer: *const c_void) -> Bytes {
        Bytes::At(buffer.cast())
    }
}

/// A connection that is framed.
struct Connection {
    sent: Direction,
    received: Direction,
    shared: Shared,
}

struct Direction {
    /// A call is being made.
    is_busy: AtomicBool,
    /// Another one was made meanwhile: from then on nobody follows.
    is_mixed: AtomicBool,
    /// Nothing is found any more.
    is_over: AtomicBool,
    /// Of whoever makes a call while no other one is being made.
    follower: UnsafeCell<Follower>,
}

/// Once, as the library is loaded.
pub fn prepare(rules: Rules) {
    let _ = RULES.set(rules);
}

/// A socket came to be, in this way. Whether it is framed.
pub fn begin(socket: &Socket, birth: Birth) -> bool {
    let Some(rules) = RULES.get() else { return false };
    let (port, sent, received) = match birth {
        Birth::Connected => (socket.peer.port, Side::Request, Side::Answer),
        Birth::Accepted => (socket.local.port, Side::Answer, Side::Request),
        Birth::Pair | Birth::Found => return false,
    };
    let rule = rules.of(port);
    if rule.is_some_and(PortRule::is_none) {
        return false;
    }
    let Some(place) = place_of(socket.number) else {
        for is_sent in [true, false] {
            write(&stop_slot((socket.number, is_sent), 0, Reason::NoMemory));
        }
        return false;
    };
    let direction = |side| Direction {
        is_busy: AtomicBool::new(false),
        is_mixed: AtomicBool::new(false),
        is_over: AtomicBool::new(false),
        follower: UnsafeCell::new(match rule {
            Some(rule) => Follower::new(rule, side),
            None => Follower::guessing(side),
        }),
    };
    let made = Connection {
        sent: direction(sent),
        received: direction(received),
        shared: Shared::default(),
    };
    // SAFETY: a place in a block that is never unmapped, of a socket that nobody uses yet.
    unsafe { place.write(made) };
    true
}

/// A call is about to be made on a connection that is framed. `false`: in neither direction is
/// anything found any more.
#[inline(never)]
pub fn enter(socket: u32, way: Way) -> bool {
    let Some(connection) = connection(socket) else { return false };
    if connection.is_over() {
        return false;
    }
    let direction = connection.way(way);
    let is_second = direction.is_busy.swap(true, Ordering::AcqRel);
    if is_second && !direction.is_mixed.swap(true, Ordering::AcqRel) {
        write(&stop_slot((socket, way == Way::Sent), 0, Reason::AtOnce));
        direction.is_over.store(true, Ordering::Relaxed);
    }
    true
}

/// It is over, and has moved so many bytes: these.
///
/// # Safety
/// See [`moved`].
#[inline(never)]
pub unsafe fn end(socket: u32, way: Way, moved: ssize_t, bytes: Bytes) {
    // SAFETY: the caller's.
    unsafe { self::moved(socket, way, moved, bytes) };
    leave(socket, way);
}

/// It is over.
pub fn leave(socket: u32, way: Way) {
    if let Some(direction) = direction(socket, way) {
        direction.is_busy.store(false, Ordering::Release);
    }
}

/// It has moved so many bytes: these.
///
/// # Safety
/// They are the arguments of a call that has returned, and has moved so many bytes there; between
/// [`enter`] and [`leave`].
pub unsafe fn moved(socket: u32, way: Way, moved: ssize_t, bytes: Bytes) {
    let (Some(connection), Ok(moved @ 1..)) = (connection(socket), usize::try_from(moved)) else {
        return;
    };
    let direction = connection.way(way);
    if direction.is_mixed.load(Ordering::Acquire) {
        return;
    }
    errno::kept(|| {
        let mut noted = Noted { ends: Ends::new(socket, way == Way::Sent), socket, way };
        // SAFETY: of two calls at once the second has seen the first, and said so before it came
        // here. The bytes are the caller's.
        unsafe { follow(connection, direction, (moved, bytes), &mut noted) };
        noted.write();
    });
}

/// Follow the bytes of a call.
///
/// # Safety
/// See [`moved`]; and nobody else follows this direction.
unsafe fn follow(
    connection: &Connection,
    direction: &Direction,
    (mut moved, bytes): (usize, Bytes),
    noted: &mut Noted,
) {
    // SAFETY: the caller's. A buffer that the program was given bytes in, or gave to a call that
    // has read them, is there when the call returns.
    unsafe {
        let follower = &mut *direction.follower.get();
        let shared = &connection.shared;
        match bytes {
            Bytes::At(start) => {
                let bytes = std::slice::from_raw_parts(start, moved);
                follower.follow(bytes, shared, |found| noted.take(found));
            }
            Bytes::Pieces(first, count) => {
                for piece in std::slice::from_raw_parts(first, count) {
                    let here = piece.iov_len.min(moved);
                    moved -= here;
                    if here > 0 {
                        let bytes = std::slice::from_raw_parts(piece.iov_base.cast(), here);
                        follower.follow(bytes, shared, |found| noted.take(found));
                    }
                }
            }
            Bytes::Hidden => follower.unseen(moved as u64, |found| noted.take(found)),
        }
        direction.is_over.store(follower.is_over(), Ordering::Relaxed);
    }
}

/// What was found in a call, on its way to the log.
struct Noted {
    ends: Ends,
    socket: u32,
    way: Way,
}

impl Noted {
    #[inline(always)]
    fn take(&mut self, found: Found) {
        match found {
            Found::End(offset, class) => {
                if !self.ends.push(offset, class) {
                    self.write();
                    self.ends.push(offset, class);
                }
            }
            rare => self.take_rare(rare),
        }
    }

    #[cold]
    fn take_rare(&mut self, found: Found) {
        match found {
            Found::End(..) => {}
            Found::Guess(guess) => write(&guess_slot(self.socket, guess)),
            Found::Stop(offset, reason) => {
                self.write();
                write(&stop_slot((self.socket, self.way == Way::Sent), offset, reason));
            }
        }
    }

    #[inline(never)]
    fn write(&mut self) {
        if !self.ends.is_empty() {
            write(&self.ends.slot());
        }
        self.ends = Ends::new(self.socket, self.way == Way::Sent);
    }
}

#[inline(never)]
fn write<const WORDS: usize>(slot: &[u64; WORDS]) {
    // Where there is no room, the next call finds none either, and ends the recording.
    let _ = log::write(slot);
}

impl Connection {
    /// Whether nothing is found in either direction any more.
    fn is_over(&self) -> bool {
        let is_over = |way: &Direction| way.is_over.load(Ordering::Relaxed);
        is_over(&self.sent) && is_over(&self.received) || self.shared.has_no_rule()
    }

    fn way(&self, way: Way) -> &Direction {
        match way {
            Way::Sent => &self.sent,
            Way::Received => &self.received,
        }
    }
}

fn direction(socket: u32, way: Way) -> Option<&'static Direction> {
    connection(socket).map(|connection| connection.way(way))
}

/// The connection of a socket that is framed.
fn connection(socket: u32) -> Option<&'static Connection> {
    let block = PLACES.get(socket as usize / BLOCK)?.load(Ordering::Acquire);
    if block.is_null() {
        return None;
    }
    // SAFETY: a block is never unmapped; a socket is said to be framed when its place was written.
    Some(unsafe { &*block.add(socket as usize % BLOCK) })
}

/// Where the connection of a new socket is to be.
fn place_of(socket: u32) -> Option<*mut Connection> {
    let place = PLACES.get(socket as usize / BLOCK)?;
    let mut block = place.load(Ordering::Acquire);
    if block.is_null() {
        let mapped = map_block()?;
        let taken = place.compare_exchange(null_mut(), mapped, Ordering::AcqRel, Ordering::Acquire);
        block = match taken {
            Ok(_) => mapped,
            Err(others) => {
                // SAFETY: ours, which nobody has seen.
                unsafe { libc::munmap(mapped.cast(), BLOCK * size_of::<Connection>()) };
                others
            }
        };
    }
    // SAFETY: within the block.
    Some(unsafe { block.add(socket as usize % BLOCK) })
}

fn map_block() -> Option<*mut Connection> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let bytes = BLOCK * size_of::<Connection>();
    // SAFETY: fresh memory.
    let block = unsafe { libc::mmap(null_mut(), bytes, access, how, -1, 0) };
    (block != libc::MAP_FAILED).then_some(block.cast())
}
