//! Pipes and FIFOs, where the command asks for them (`--pipes`): connections of one direction.
//!
//! The kernel counts none of a pipe's bytes, and the C library's streams move some by calls of its
//! own that nobody else sees. So it is asked again and again how much lies in the pipe, behind each
//! call and when an end is closed (`FIONREAD`): whoever closes the run sees by that whether
//! something else moved bytes there. What the streams move is noticed as well (`stdio`).

use crate::state::{self, Tracing};
use crate::table::{self, Known};
use crate::{log, next};
use interpose::errno;
use libc::c_int;
use std::ptr::null_mut;
use streams::entry::{Address, Birth, Caller, Socket, hides_slot, unread_slot};
use streams::transport::{Hiding, Look, Transport};

/// Whether pipes are looked at.
#[inline(always)]
pub fn is_on() -> bool {
    state::takes_pipes()
}

/// Whether pipes are looked at, and this is one.
pub fn is_pipe(descriptor: c_int) -> bool {
    is_on() && status(descriptor).is_some()
}

/// Of a pipe or a FIFO.
fn status(descriptor: c_int) -> Option<libc::stat> {
    // SAFETY: all zeros is a value of this type, and it has room for what is asked.
    unsafe {
        let mut found: libc::stat = std::mem::zeroed();
        let answer = libc::fstat(descriptor, &raw mut found);
        (answer == 0 && found.st_mode & libc::S_IFMT == libc::S_IFIFO).then_some(found)
    }
}

fn modes(descriptor: c_int) -> c_int {
    // SAFETY: takes no further argument.
    unsafe { next::fcntl(descriptor, libc::F_GETFL, null_mut()) }
}

/// Whether this end of a pipe is written.
pub fn is_written(descriptor: c_int) -> bool {
    modes(descriptor) & libc::O_ACCMODE == libc::O_WRONLY
}

/// The process has made both ends. Their entries are written at once, so that whoever inherits them
/// is known to count from the beginning, also where the process itself uses neither.
pub fn made(ends: [c_int; 2]) {
    if !is_on() || state::is_vforked_child() {
        return;
    }
    let Some(tracing) = state::tracing() else { return };
    for end in ends {
        state::inside(|| begin(end, (Birth::Pair, [tracing.now(); 2]), &tracing));
    }
}

/// The process has opened something by its path, which may be a FIFO. One that others have used
/// before shows by what lies in it.
pub fn opened(descriptor: c_int) {
    let is_fifo = || errno::kept(|| is_pipe(descriptor) && !is_anonymous(descriptor));
    if !is_on() || state::is_inside() || state::is_off() || !is_fifo() {
        return;
    }
    if let Some(tracing) = state::tracing() {
        state::inside(|| begin(descriptor, (Birth::Pair, [tracing.now(); 2]), &tracing));
    }
}

/// Whether it is a pipe without a name, which a path in `/proc` may lead to.
fn is_anonymous(descriptor: c_int) -> bool {
    const PIPES: u64 = 0x5049_5045;
    // SAFETY: all zeros is a value of this type, and it has room for what is asked.
    unsafe {
        let mut found: libc::statfs = std::mem::zeroed();
        libc::fstatfs(descriptor, &raw mut found) == 0 && found.f_type as u64 == PIPES
    }
}

/// An end came to be, or was found: its entry is written.
pub fn begin(
    descriptor: c_int,
    (birth, made): (Birth, [u64; 2]),
    tracing: &Tracing,
) -> Option<Known> {
    let other = || {
        table::set(descriptor, Known::OTHER);
        None
    };
    let Some(status) = status(descriptor) else { return other() };
    let Some(number) = state::next_number() else { return other() };
    let modes = modes(descriptor);
    let reads = modes & libc::O_ACCMODE == libc::O_RDONLY;
    let pipes = Address { host: status.st_dev.into(), port: 0 };
    let socket = Socket {
        number,
        birth,
        transport: if reads { Transport::PipeRead } else { Transport::PipeWrite },
        made,
        inode: status.st_ino,
        peer_inode: 0,
        caller: Caller::UNKNOWN,
        local: pipes,
        peer: pipes,
    };
    if !log::write(&socket.slots()) {
        state::stop();
        return None;
    }
    let known = Known::pipe(number, tracing.generation);
    let known = known.with_non_blocking(modes & libc::O_NONBLOCK != 0);
    table::set(descriptor, known);
    match hiding(modes) {
        Some(why) => {
            leave_alone(descriptor, known, why);
            None
        }
        None => Some(known),
    }
}

fn hiding(modes: c_int) -> Option<Hiding> {
    if modes & libc::O_DIRECT != 0 {
        return Some(Hiding::Packets);
    }
    (modes & libc::O_ACCMODE == libc::O_RDWR).then_some(Hiding::BothWays)
}

/// Its bytes are none that can be counted.
fn leave_alone(descriptor: c_int, known: Known, why: Hiding) {
    say(known, why);
    table::set(descriptor, Known::OTHER);
}

/// The program has set these modes of an end (`F_SETFL`).
pub fn set_modes(descriptor: c_int, known: Known, modes: c_int) {
    // A child that has not begun a log must not write into its parent's.
    let is_ours = || state::tracing_already().is_some_and(|here| known.is_of(here.generation));
    if known.is_pipe() && modes & libc::O_DIRECT != 0 && is_ours() {
        leave_alone(descriptor, known, Hiding::Packets);
    }
}

/// Say why not all of its bytes are seen.
pub fn say(known: Known, why: Hiding) {
    if !log::write(&hides_slot(known.number(), why)) {
        state::stop();
    }
}

/// What lay there when a call had returned at `exit`, as the word of its entry.
#[inline(never)]
pub fn look_behind(descriptor: c_int, exit: u64, tracing: &Tracing) -> Option<u64> {
    let unread = errno::kept(|| unread(descriptor))?;
    Look { from: exit, until: tracing.now(), unread }.word()
}

/// What lies there as the process is done with an end.
pub fn note(descriptor: c_int, known: Known, tracing: &Tracing) {
    let from = tracing.now();
    let Some(unread) = errno::kept(|| unread(descriptor)) else { return };
    let look = Look { from, until: tracing.now(), unread };
    if !log::write(&unread_slot(known.number(), look)) {
        state::stop();
    }
}

fn unread(descriptor: c_int) -> Option<u32> {
    let mut bytes: c_int = 0;
    // SAFETY: room for the int that is asked.
    let answer = unsafe { next::ioctl(descriptor, libc::FIONREAD as _, (&raw mut bytes).cast()) };
    if answer == 0 { u32::try_from(bytes).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::fd::AsRawFd;

    #[test]
    fn a_pipe_has_two_ends_that_modes_tell_apart_and_says_what_lies_in_it() {
        next::look_all_up();
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        let ends = [reader.as_raw_fd(), writer.as_raw_fd()];
        assert_eq!(ends.map(is_written), [false, true]);
        assert!(ends.iter().all(|end| is_anonymous(*end) && status(*end).is_some()));
        assert_eq!(ends.map(|end| status(end).map(|of| of.st_ino)).windows(2).count(), 1);
        writer.write_all(&[1; 300]).unwrap();
        assert_eq!(ends.map(unread), [Some(300); 2]);
        reader.read_exact(&mut [0; 100]).unwrap();
        assert_eq!(ends.map(unread), [Some(200); 2]);
    }

    #[test]
    fn what_is_no_pipe_is_none() {
        let file = tempfile::tempfile().unwrap();
        assert!(status(file.as_raw_fd()).is_none() && !is_anonymous(file.as_raw_fd()));
        assert!(!is_pipe(0), "nobody asks for pipes");
    }

    #[test]
    fn packets_and_ends_that_do_both_are_not_counted() {
        assert_eq!(hiding(libc::O_WRONLY | libc::O_NONBLOCK), None);
        assert_eq!(hiding(libc::O_RDONLY), None);
        assert_eq!(hiding(libc::O_WRONLY | libc::O_DIRECT), Some(Hiding::Packets));
        assert_eq!(hiding(libc::O_RDWR), Some(Hiding::BothWays));
    }
}
