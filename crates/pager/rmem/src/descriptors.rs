//! Descriptors of the engine's own.
//!
//! A program may close what it has not opened (daemons do, by `closefrom` or in a loop), and
//! without the userfaultfd the kernel would give it zeros for pages that are away. So the engine's
//! threads have a table of their own: the program can neither close what is in it nor meet its
//! numbers. Both tables have the mailbox's bell.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

/// Give this thread, and those that it will start, a table of their own: the standard streams
/// (nothing to be read or written but errors) and the bell.
///
/// # Errors
/// When the kernel refuses: `close_range(2)` came with Linux 5.9, and a filter of system calls may
/// forbid it.
pub fn own_table(bell: BorrowedFd<'_>) -> io::Result<()> {
    let bell = bell.as_raw_fd();
    close_range(3, bell - 1, libc::CLOSE_RANGE_UNSHARE)?;
    close_range(bell + 1, RawFd::MAX, libc::CLOSE_RANGE_UNSHARE)?;
    // Whoever reads what the program writes must see when the program has closed it.
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    for stream in [libc::STDIN_FILENO, libc::STDOUT_FILENO] {
        // SAFETY: in a table that only this thread has, nobody uses the standard streams.
        if unsafe { libc::dup2(nothing.as_raw_fd(), stream) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

fn close_range(first: RawFd, last: RawFd, flags: libc::c_uint) -> io::Result<()> {
    if first > last {
        return Ok(());
    }
    // SAFETY: what is closed is closed in a table of this thread's own, in which it has opened
    // nothing yet.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
