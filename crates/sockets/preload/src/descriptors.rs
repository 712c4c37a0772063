//! The calls that copy and close descriptors, or give a number to something new.

use crate::table::{self, Known};
use crate::{account, log, next, pipes, state, stdio};
use libc::{FILE, c_char, c_int, c_long, c_uint, c_ulong, c_void, mode_t};
use streams::entry::{close_slot, noticed};

/// The descriptor is about to be closed.
fn closing(descriptor: c_int) {
    let known = table::get(descriptor);
    if known.is_blank() || state::is_vforked_child() {
        return;
    }
    if let Some(tracing) = state::tracing_already()
        && known.is_stream()
        && known.is_of(tracing.generation)
    {
        account::note(descriptor, known, &tracing);
        if !log::write(&close_slot(known.number(), tracing.now())) {
            state::stop();
        }
    }
    table::forget(descriptor);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn close(file: c_int) -> c_int {
    if log::is_ours(file) && !state::is_inside() {
        // A program that closes whatever may be open does not know of ours.
        interpose::errno::set(libc::EBADF);
        return -1;
    }
    // Before: another thread may get the number at once.
    closing(file);
    // SAFETY: the program's own argument.
    unsafe { next::close(file) }
}

/// Close all from one to another but our own.
fn close_all<T: Ord + From<i8>>(
    first: c_uint,
    last: c_uint,
    close: impl Fn(c_uint, c_uint) -> T,
) -> T {
    if !state::is_vforked_child() {
        table::forget_range(first as usize, last as usize);
    }
    match log::file().and_then(|file| c_uint::try_from(file).ok()) {
        Some(own) if (first..=last).contains(&own) => {
            let before = if own > first { close(first, own - 1) } else { 0.into() };
            let after = if own < last { close(own + 1, last) } else { 0.into() };
            before.min(after)
        }
        _ => close(first, last),
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    // SAFETY: the program's own arguments.
    close_range_by(first, last, flags, |first, last| unsafe {
        next::close_range(first, last, flags)
    })
}

/// By the C library, or by a system call of the program's own.
fn close_range_by<T: Ord + From<i8>>(
    first: c_uint,
    last: c_uint,
    flags: c_int,
    close: impl Fn(c_uint, c_uint) -> T,
) -> T {
    const UNSHARE_OR_ON_EXEC: c_int = 6;
    match flags & UNSHARE_OR_ON_EXEC != 0 || first > last {
        true => close(first, last),
        false => close_all(first, last, close),
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn closefrom(first: c_int) {
    // SAFETY: closes all but our own.
    close_all(first.max(0) as c_uint, c_uint::MAX, |first, last| unsafe {
        next::close_range(first, last, 0)
    });
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn fclose(stream: *mut FILE) -> c_int {
    if !stream.is_null() {
        // SAFETY: the program's own stream.
        let file = interpose::errno::kept(|| unsafe { libc::fileno(stream) });
        // SAFETY: as above.
        if may_hide(file) && unsafe { stdio::was_used(stream) } {
            stdio::give(file);
        }
        closing(file);
    }
    // SAFETY: as above.
    unsafe { next::fclose(stream) }
}

/// Whether it may be something of which streams hide bytes. A file that is opened and closed by
/// streams alone is not looked at for that.
fn may_hide(file: c_int) -> bool {
    let is_standard = (libc::STDIN_FILENO..=libc::STDERR_FILENO).contains(&file);
    file >= 0 && (is_standard || pipes::is_on() || table::get(file).is_uncounted())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn fdopen(file: c_int, mode: *const c_char) -> *mut FILE {
    let known = table::get(file);
    if known.is_stream() && !known.is_uncounted() {
        log::notice(noticed::STREAMS);
    } else if !state::is_vforked_child() {
        stdio::give(file);
    }
    // SAFETY: the program's own arguments.
    unsafe { next::fdopen(file, mode) }
}

/// A descriptor is about to get this number, which may be ours: the program does not know of it.
fn made_way(to: c_int) {
    if log::is_ours(to) && !state::is_vforked_child() {
        interpose::errno::kept(log::move_on);
    }
}

/// A copy of a descriptor has been made.
fn copied(from: c_int, to: c_int) -> c_int {
    if to >= 0 && !state::is_vforked_child() {
        table::set(to, table::get(from));
    }
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn dup(file: c_int) -> c_int {
    // SAFETY: the program's own argument.
    copied(file, unsafe { next::dup(file) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn dup2(file: c_int, to: c_int) -> c_int {
    made_way(to);
    // SAFETY: the program's own arguments.
    copied(file, unsafe { next::dup2(file, to) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn dup3(file: c_int, to: c_int, flags: c_int) -> c_int {
    made_way(to);
    // SAFETY: the program's own arguments.
    copied(file, unsafe { next::dup3(file, to, flags) })
}

fn controlled(file: c_int, command: c_int, argument: *mut c_void, answer: c_int) -> c_int {
    match command {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => copied(file, answer),
        libc::F_SETFL if answer >= 0 => {
            non_blocking(file, argument as c_int & libc::O_NONBLOCK != 0);
            pipes::set_modes(file, table::get(file), argument as c_int);
            answer
        }
        _ => answer,
    }
}

fn non_blocking(file: c_int, is_so: bool) {
    let known: Known = table::get(file);
    if known.is_stream() {
        table::set(file, known.with_non_blocking(is_so));
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn fcntl(file: c_int, command: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: the program's own arguments; one that it did not give is not read.
    controlled(file, command, argument, unsafe { next::fcntl(file, command, argument) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn fcntl64(file: c_int, command: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: as for `fcntl`.
    controlled(file, command, argument, unsafe { next::fcntl64(file, command, argument) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn ioctl(file: c_int, request: c_long, argument: *mut c_void) -> c_int {
    // SAFETY: the program's own arguments.
    let answer = unsafe { next::ioctl(file, request, argument) };
    if answer == 0 && request == libc::FIONBIO as c_long {
        // SAFETY: the kernel has read it.
        non_blocking(file, unsafe { argument.cast::<c_int>().read_unaligned() } != 0);
    }
    answer
}

/// Something new has this number.
fn opened(file: c_int) -> c_int {
    if file >= 0 && !state::is_vforked_child() {
        table::forget(file);
    }
    file
}

/// Something that has a path, and may be a FIFO.
fn opened_by_path(file: c_int) -> c_int {
    if file >= 0 && !state::is_vforked_child() {
        table::forget(file);
        if pipes::is_on() {
            pipes::opened(file);
        }
    }
    file
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: the program's own arguments; one that it did not give is not read.
    opened_by_path(unsafe { next::open(path, flags, mode) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: as for `open`.
    opened_by_path(unsafe { next::open64(path, flags, mode) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn openat(
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mode: mode_t,
) -> c_int {
    // SAFETY: as for `open`.
    opened_by_path(unsafe { next::openat(folder, path, flags, mode) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn openat64(
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mode: mode_t,
) -> c_int {
    // SAFETY: as for `open`.
    opened_by_path(unsafe { next::openat64(folder, path, flags, mode) })
}

/// Both ends of a pipe are new.
fn piped(ends: *mut c_int, answer: c_int) -> c_int {
    if answer == 0 {
        // SAFETY: the kernel has written both.
        let both = unsafe { [*ends, *ends.add(1)] };
        both.into_iter().for_each(|end| {
            opened(end);
        });
        pipes::made(both);
    }
    answer
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn pipe(ends: *mut c_int) -> c_int {
    // SAFETY: the program's own argument.
    piped(ends, unsafe { next::pipe(ends) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn pipe2(ends: *mut c_int, flags: c_int) -> c_int {
    // SAFETY: the program's own arguments.
    piped(ends, unsafe { next::pipe2(ends, flags) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn epoll_create(size: c_int) -> c_int {
    // SAFETY: the program's own argument.
    opened(unsafe { next::epoll_create(size) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn epoll_create1(flags: c_int) -> c_int {
    // SAFETY: the program's own argument.
    opened(unsafe { next::epoll_create1(flags) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn eventfd(count: c_uint, flags: c_int) -> c_int {
    // SAFETY: the program's own arguments.
    opened(unsafe { next::eventfd(count, flags) })
}

/// The process is about to become another program: it has made all its calls.
fn becoming() {
    if !state::is_vforked_child() {
        interpose::errno::kept(account::note_uncounted);
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn execv(path: *const c_char, words: *const *const c_char) -> c_int {
    becoming();
    // SAFETY: the program's own arguments.
    unsafe { next::execv(path, words) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn execve(
    path: *const c_char,
    words: *const *const c_char,
    variables: *const *const c_char,
) -> c_int {
    becoming();
    // SAFETY: the program's own arguments.
    unsafe { next::execve(path, words, variables) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn execvp(file: *const c_char, words: *const *const c_char) -> c_int {
    becoming();
    // SAFETY: the program's own arguments.
    unsafe { next::execvp(file, words) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn execvpe(
    file: *const c_char,
    words: *const *const c_char,
    variables: *const *const c_char,
) -> c_int {
    becoming();
    // SAFETY: the program's own arguments.
    unsafe { next::execvpe(file, words, variables) }
}

/// The process is about to restrict its own system calls. Ours may not be among those that it
/// leaves itself, and end it: from here on it makes its own and no others.
#[cold]
fn restricting() {
    if state::tracing_already().is_some() && !state::is_vforked_child() {
        log::notice(noticed::RESTRICTED);
        state::stop();
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn prctl(
    option: c_int,
    two: c_ulong,
    three: c_ulong,
    four: c_ulong,
    five: c_ulong,
) -> c_int {
    if option == libc::PR_SET_SECCOMP {
        restricting();
    }
    // SAFETY: the program's own arguments; those that it did not give are not read.
    unsafe { next::prctl(option, two, three, four, five) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
#[allow(clippy::too_many_arguments, reason = "it is the C library's")]
unsafe extern "C-unwind" fn syscall(
    number: c_long,
    one: c_long,
    two: c_long,
    three: c_long,
    four: c_long,
    five: c_long,
    six: c_long,
) -> c_long {
    match number {
        libc::SYS_io_uring_setup => log::notice(noticed::IO_URING),
        libc::SYS_seccomp => restricting(),
        libc::SYS_close_range => {
            let range = (one as c_uint, two as c_uint, three as c_int);
            // SAFETY: the program's own arguments, in two parts.
            return close_range_by(range.0, range.1, range.2, |first, last| unsafe {
                next::syscall(number, first.into(), last.into(), three, 0, 0, 0)
            });
        }
        _ => {}
    }
    // SAFETY: the program's own arguments; those that it did not give are not read.
    unsafe { next::syscall(number, one, two, three, four, five, six) }
}
