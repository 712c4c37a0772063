//! Bytes of the log's file, and its space before it is mapped: a store into a mapped page for which
//! the disk has no room, or which lies behind the file's end, ends the process with SIGBUS.
//!
//! Where the file system cannot allocate (NFS before 4.2, some of FUSE), zeros are written ahead:
//! what has no room is an error of the write.

use interpose::{errno, limit};
use libc::{c_int, c_long};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that are written at once.
const PIECE: usize = 4096;

static ZEROS: [u8; PIECE] = [0; PIECE];
/// The file system cannot allocate.
static MUST_WRITE: AtomicBool = AtomicBool::new(false);

/// Have so many bytes of the file from there on, of which nobody has written any. `false`: there is
/// no room, or the file may not be so long.
pub fn take(file: c_int, offset: u64, bytes: usize) -> bool {
    if !limit::allows_file_of(offset.saturating_add(bytes as u64)) {
        return false;
    }
    if !MUST_WRITE.load(Ordering::Relaxed) {
        // SAFETY: a plain system call.
        if unsafe { libc::fallocate(file, 0, offset as i64, bytes as i64) } == 0 {
            return true;
        }
        if !matches!(errno::get(), libc::EOPNOTSUPP | libc::ENOSYS) {
            return false;
        }
        MUST_WRITE.store(true, Ordering::Relaxed);
    }
    (0..bytes).step_by(PIECE).all(|at| zeros(file, offset + at as u64, PIECE.min(bytes - at)))
}

/// Write these bytes there. `false`: there is no room, or the file may not be so long.
pub fn put(file: c_int, offset: u64, bytes: &[u8]) -> bool {
    limit::allows_file_of(offset.saturating_add(bytes.len() as u64)) && write(file, offset, bytes)
}

/// Write so many zeros there.
fn zeros(file: c_int, offset: u64, bytes: usize) -> bool {
    write(file, offset, &ZEROS[..bytes])
}

fn write(file: c_int, offset: u64, bytes: &[u8]) -> bool {
    let mut done = 0;
    while done < bytes.len() {
        let rest = &bytes[done..];
        let (from, left, to) = (rest.as_ptr(), rest.len(), offset as i64 + done as i64);
        // SAFETY: so many bytes are there. The plain system call: a thread may be cancelled in the
        // C library's function.
        let wrote: c_long = unsafe { libc::syscall(libc::SYS_pwrite64, file, from, left, to) };
        match usize::try_from(wrote) {
            Ok(wrote @ 1..) => done += wrote,
            _ if errno::get() == libc::EINTR => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::fd::AsRawFd;

    #[test]
    fn zeros_are_as_good_as_space_that_was_allocated() {
        let mut file = tempfile::tempfile().unwrap();
        assert!((0..3).all(|at| zeros(file.as_raw_fd(), 5000 + at * PIECE as u64, PIECE)));
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, vec![0; 5000 + 3 * PIECE]);
    }

    #[test]
    fn what_cannot_be_written_is_no_space() {
        let file = std::fs::File::open("/dev/null").unwrap();
        assert!(!zeros(file.as_raw_fd(), 0, PIECE), "it is open for reading");
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        assert!(!zeros(full.as_raw_fd(), 0, PIECE), "it is full");
    }
}
