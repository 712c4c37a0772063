//! What a descriptor is, found out when it is first used; and the entry of a socket that is used
//! from here on.

use crate::address::{self, Peer};
use crate::state::{self, Tracing};
use crate::table::{self, Known};
use crate::{frames, log, next, origin, pipes, stamps, unix_peer};
use libc::{c_int, socklen_t};
use std::ptr::null_mut;
use streams::entry::{Before, Birth, Caller, Socket};
use streams::transport::Transport;

/// The tracing of this process, if the descriptor is a stream (a socket, or a pipe where these are
/// looked at); looked at if need be. A process that has used none is not begun to be traced by
/// this.
#[inline(always)]
pub fn stream(descriptor: c_int) -> Option<(Tracing, Known)> {
    let known = table::get(descriptor);
    match known.is_stream() {
        true => match state::tracing_already() {
            Some(tracing) if known.is_of(tracing.generation) => Some((tracing, known)),
            _ => look(descriptor),
        },
        false if known.is_known() || !state::is_on() => None,
        false => look(descriptor),
    }
}

/// Look at a descriptor that is not known to this process.
#[cold]
fn look(descriptor: c_int) -> Option<(Tracing, Known)> {
    if state::is_inside() || state::is_off() {
        return None;
    }
    let found = state::inside(|| match option(descriptor, libc::SO_TYPE) {
        // One that is not connected may be the next time.
        Some(libc::SOCK_STREAM) => address::of(descriptor, libc::getpeername).map(Found::Socket),
        None if pipes::is_pipe(descriptor) => Some(Found::Pipe),
        kind => {
            if kind.is_some() || is_open(descriptor) {
                table::set(descriptor, Known::OTHER);
            }
            None
        }
    })?;
    let tracing = state::tracing()?;
    let made = [tracing.now(); 2];
    let known = state::inside(|| match found {
        Found::Socket(peer) => begin(descriptor, (Birth::Found, made), peer, &tracing),
        Found::Pipe => pipes::begin(descriptor, (Birth::Found, made), &tracing),
    })?;
    Some((tracing, known))
}

/// What was looked at.
enum Found {
    Socket(Peer),
    Pipe,
}

fn is_open(descriptor: c_int) -> bool {
    // SAFETY: takes no further argument.
    unsafe { next::fcntl(descriptor, libc::F_GETFD, null_mut()) >= 0 }
}

/// A socket came to be, or was found: its entry is written. `peer` is the end that it is connected
/// to. Not for sockets of other families.
pub fn begin(
    descriptor: c_int,
    (birth, made): (Birth, [u64; 2]),
    peer: Peer,
    tracing: &Tracing,
) -> Option<Known> {
    let other = || {
        table::set(descriptor, Known::OTHER);
        None
    };
    let Some(own) = address::of(descriptor, libc::getsockname) else { return other() };
    if !own.is_unix && !own.is_internet {
        return other();
    }
    if !own.is_unix && option(descriptor, libc::SO_PROTOCOL) != Some(libc::IPPROTO_TCP) {
        return other();
    }
    let Some(number) = state::next_number() else { return other() };
    let is_taken_over = birth == Birth::Found && !own.is_unix;
    let before = if is_taken_over { origin::of(descriptor, number) } else { None };
    // What lies unread had come by now.
    let made = if is_taken_over { [made[0], tracing.now()] } else { made };
    let inode = inode(descriptor);
    let peer_inode = if own.is_unix { unix_peer::of(inode) } else { 0 };
    let socket = Socket {
        number,
        birth,
        transport: if own.is_unix { Transport::Unix } else { Transport::Tcp },
        made,
        inode,
        peer_inode,
        caller: match own.is_unix && peer_inode == 0 {
            true => unix_peer::caller(descriptor, birth),
            false => Caller::UNKNOWN,
        },
        local: own.address,
        peer: peer.address,
    };
    if !log::write(&socket.slots()) || before.is_some_and(|before| !log::write(&before.slot())) {
        state::stop();
        return None;
    }
    let known =
        Known::stream(number, tracing.generation).with_non_blocking(is_non_blocking(descriptor));
    let is_left_alone = table::get(descriptor).is_left_alone();
    let known = if is_left_alone { known.left_alone() } else { known };
    let known = if own.is_unix { known.unix() } else { known };
    let known = if !own.is_unix && stamps::ask(descriptor) { known.with_stamps() } else { known };
    // Of which nothing has been moved, that is followed like one that was just made.
    let birth = before.filter(Before::is_nothing).map_or(birth, |before| before.birth());
    let known = known.with_framing(!own.is_unix && frames::begin(&socket, birth));
    table::set(descriptor, known);
    Some(known)
}

fn inode(descriptor: c_int) -> u64 {
    // SAFETY: all zeros is a value of this type, and it has room for what is asked.
    unsafe {
        let mut found: libc::stat = std::mem::zeroed();
        libc::fstat(descriptor, &raw mut found);
        found.st_ino
    }
}

fn is_non_blocking(descriptor: c_int) -> bool {
    // SAFETY: takes no further argument.
    unsafe { next::fcntl(descriptor, libc::F_GETFL, null_mut()) & libc::O_NONBLOCK != 0 }
}

/// An option of the socket; `None` where there is no socket.
pub fn option(socket: c_int, name: c_int) -> Option<c_int> {
    let (mut value, mut length) = (0 as c_int, size_of::<c_int>() as socklen_t);
    // SAFETY: room for an int and its length.
    let answer = unsafe {
        libc::getsockopt(socket, libc::SOL_SOCKET, name, (&raw mut value).cast(), &raw mut length)
    };
    (answer == 0).then_some(value)
}
