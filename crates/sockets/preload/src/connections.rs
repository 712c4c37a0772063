//! The calls that make connections.

use crate::address::{self, Peer};
use crate::births;
use crate::state::{self, Tracing};
use crate::table::{self, Known};
use crate::{log, next, stamps};
use interpose::errno;
use libc::{c_int, c_void, sockaddr, socklen_t};
use streams::entry::Birth;

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
    // SAFETY: the program's own arguments.
    let made = unsafe { next::socket(domain, kind, protocol) };
    if made >= 0 {
        table::forget(made);
        let is_internet = matches!(domain, libc::AF_INET | libc::AF_INET6);
        if is_internet && kind & 0xf == libc::SOCK_DGRAM {
            log::count_datagram_socket();
        }
    }
    made
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn socketpair(
    domain: c_int,
    kind: c_int,
    protocol: c_int,
    ends: *mut c_int,
) -> c_int {
    // Their entries are written at once, so that whoever inherits them is known to count from the
    // beginning, also where the process itself uses neither.
    let is_ours = !state::is_vforked_child();
    let is_traced = is_ours && kind & 0xf == libc::SOCK_STREAM;
    let tracing = if is_traced { state::tracing() } else { None };
    let enter = tracing.map(|tracing| tracing.now());
    // SAFETY: the program's own arguments.
    let answer = unsafe { next::socketpair(domain, kind, protocol, ends) };
    if answer == 0 && is_ours {
        // SAFETY: the kernel has written both.
        for end in unsafe { [*ends, *ends.add(1)] } {
            table::forget(end);
            if let (Some(tracing), Some(enter)) = (tracing, enter) {
                begin(end, (Birth::Pair, [enter, tracing.now()]), None, &tracing);
            }
        }
    }
    answer
}

/// A socket came to be. Its peer is asked for where the call does not say it.
fn begin(socket: c_int, how: (Birth, [u64; 2]), peer: Option<Peer>, tracing: &Tracing) {
    state::inside(|| {
        if let Some(peer) = peer.or_else(|| address::of(socket, libc::getpeername)) {
            births::begin(socket, how, peer, tracing);
        }
    });
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn listen(socket: c_int, backlog: c_int) -> c_int {
    if state::tracing().is_some() {
        // Sockets that are accepted have the option from the beginning, and what came before they
        // were accepted has stamps.
        state::inside(|| stamps::ask(socket));
        if table::get(socket).is_blank() {
            table::set(socket, Known::ACCOUNTED);
        }
    }
    // SAFETY: the program's own arguments.
    unsafe { next::listen(socket, backlog) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn connect(
    socket: c_int,
    to: *const sockaddr,
    length: socklen_t,
) -> c_int {
    let kind = || errno::kept(|| births::option(socket, libc::SO_TYPE));
    let is_traced = !state::is_off() && kind() == Some(libc::SOCK_STREAM);
    let tracing = if is_traced { state::tracing() } else { None };
    let Some(tracing) = tracing else {
        // SAFETY: the program's own arguments.
        return unsafe { next::connect(socket, to, length) };
    };
    // Bytes of the peer may be there before the call returns, and have stamps.
    state::inside(|| stamps::ask(socket));
    let enter = tracing.now();
    // SAFETY: as above.
    let answer = unsafe { next::connect(socket, to, length) };
    let exit = tracing.now();
    let is_begun = answer == 0 || matches!(errno::get(), libc::EINPROGRESS | libc::EINTR);
    if is_begun {
        // Also where an earlier attempt has failed: the next one has another address of its own.
        // SAFETY: the kernel has read the address.
        let peer = unsafe { address::peer_of(to, length) };
        begin(socket, (Birth::Connected, [enter, exit]), Some(peer), &tracing);
    }
    answer
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn accept(
    socket: c_int,
    from: *mut sockaddr,
    length: *mut socklen_t,
) -> c_int {
    // SAFETY: the program's own arguments.
    accepted(socket, || unsafe { next::accept(socket, from, length) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn accept4(
    socket: c_int,
    from: *mut sockaddr,
    length: *mut socklen_t,
    flags: c_int,
) -> c_int {
    // SAFETY: the program's own arguments.
    accepted(socket, || unsafe { next::accept4(socket, from, length, flags) })
}

fn accepted(listener: c_int, call: impl FnOnce() -> c_int) -> c_int {
    let Some(tracing) = state::tracing() else { return call() };
    let enter = tracing.now();
    let made = call();
    if made >= 0 {
        table::forget(made);
        if table::get(listener).is_left_alone() {
            table::set(made, table::get(made).left_alone());
        }
        begin(made, (Birth::Accepted, [enter, tracing.now()]), None, &tracing);
    }
    made
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn setsockopt(
    socket: c_int,
    level: c_int,
    name: c_int,
    value: *const c_void,
    length: socklen_t,
) -> c_int {
    // SAFETY: the program's own arguments.
    let answer = unsafe { next::setsockopt(socket, level, name, value, length) };
    if answer == 0 && stamps::is_programs_own(level, name) {
        table::set(socket, table::get(socket).left_alone());
    }
    answer
}

/// Turn our stamps off: the program receives in a way in which they cannot be kept from it.
pub fn leave_alone(socket: c_int) {
    let known: Known = table::get(socket);
    table::set(socket, known.left_alone());
    let none: c_int = 0;
    // SAFETY: the option takes an int.
    errno::kept(|| unsafe {
        let (value, length) = ((&raw const none).cast(), size_of::<c_int>() as u32);
        next::setsockopt(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPING, value, length);
    });
}
