//! The calls in which a thread waits until there is something to read. The last one before a read
//! tells what the thread did while the bytes lay there.

use crate::{next, state, thread};
use libc::{
    c_int, c_void, epoll_event, fd_set, nfds_t, pollfd, sigset_t, size_t, timespec, timeval,
};

/// How many descriptors an epoll watches, which its calls do not say.
const UNTOLD: u64 = 0;

/// Make a call that waits for so many descriptors, and note when, if it found something.
#[inline(always)]
fn waited(files: u64, call: impl FnOnce() -> c_int) -> c_int {
    let Some(tracing) = state::tracing_already().filter(|_| !state::is_inside()) else {
        return call();
    };
    let enter = tracing.now();
    let ready = call();
    if ready > 0 {
        let exit = tracing.now();
        thread::with(|own| {
            own.wait.set([enter, exit, files]);
            own.has_logged_wait.set(false);
        });
    }
    ready
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn poll(files: *mut pollfd, count: nfds_t, ms: c_int) -> c_int {
    // SAFETY: the program's own arguments.
    waited(count, || unsafe { next::poll(files, count, ms) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn __poll_chk(
    files: *mut pollfd,
    count: nfds_t,
    ms: c_int,
    room: size_t,
) -> c_int {
    // SAFETY: the program's own arguments.
    waited(count, || unsafe { next::__poll_chk(files, count, ms, room) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn ppoll(
    files: *mut pollfd,
    count: nfds_t,
    limit: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the program's own arguments.
    waited(count, || unsafe { next::ppoll(files, count, limit, mask) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn __ppoll_chk(
    files: *mut pollfd,
    count: nfds_t,
    limit: *const timespec,
    mask: *const sigset_t,
    room: size_t,
) -> c_int {
    // SAFETY: the program's own arguments.
    waited(count, || unsafe { next::__ppoll_chk(files, count, limit, mask, room) })
}

/// How many of the first descriptors are in a set.
///
/// # Safety
/// It is null, or a set with room for them.
unsafe fn in_set(count: c_int, set: *const fd_set) -> u64 {
    let is_in = |at: &c_int| {
        // SAFETY: the caller's.
        unsafe { *set.cast::<u8>().add(*at as usize / 8) >> (at % 8) & 1 == 1 }
    };
    if set.is_null() { 0 } else { (0..count).filter(is_in).count() as u64 }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn select(
    count: c_int,
    read: *mut fd_set,
    write: *mut fd_set,
    except: *mut fd_set,
    limit: *mut timeval,
) -> c_int {
    // SAFETY: the program's own arguments.
    waited(unsafe { in_set(count, read) }, || unsafe {
        next::select(count, read, write, except, limit)
    })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn pselect(
    count: c_int,
    read: *mut fd_set,
    write: *mut fd_set,
    except: *mut fd_set,
    limit: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the program's own arguments.
    waited(unsafe { in_set(count, read) }, || unsafe {
        next::pselect(count, read, write, except, limit, mask)
    })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn epoll_wait(
    epoll: c_int,
    events: *mut epoll_event,
    count: c_int,
    ms: c_int,
) -> c_int {
    // SAFETY: the program's own arguments.
    waited(UNTOLD, || unsafe { next::epoll_wait(epoll, events, count, ms) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn epoll_pwait(
    epoll: c_int,
    events: *mut epoll_event,
    count: c_int,
    ms: c_int,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the program's own arguments.
    waited(UNTOLD, || unsafe { next::epoll_pwait(epoll, events, count, ms, mask) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn epoll_pwait2(
    epoll: c_int,
    events: *mut epoll_event,
    count: c_int,
    limit: *const timespec,
    mask: *const c_void,
) -> c_int {
    // SAFETY: the program's own arguments.
    waited(UNTOLD, || unsafe { next::epoll_pwait2(epoll, events, count, limit, mask) })
}
