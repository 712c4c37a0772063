//! The C library's streams (`printf`, `fgets`, `fdopen`): their calls are internal, and nobody else
//! sees what they move. Bytes are matched by counting, so a pipe or a Unix-domain connection on
//! which they moved some is not matched. The kernel counts the bytes of TCP connections
//! (`account`).

use crate::table::{self, Known};
use crate::{births, pipes};
use interpose::errno;
use libc::{FILE, c_int, size_t};
use std::mem::offset_of;
use streams::transport::Hiding;

/// The C library's streams use this descriptor, or are about to: that is said, if the kernel counts
/// none of its bytes.
pub fn give(descriptor: c_int) {
    if let Some((_, known)) = births::stream(descriptor).filter(|(_, known)| known.is_uncounted()) {
        give_known(descriptor, known);
    }
}

fn give_known(descriptor: c_int, known: Known) {
    if !known.is_hiding() {
        pipes::say(known, Hiding::Streams);
        table::set(descriptor, known.hiding());
    }
}

unsafe extern "C" {
    static stdin: *mut FILE;
    static stdout: *mut FILE;
    static stderr: *mut FILE;
    fn __fbufsize(stream: *mut FILE) -> size_t;
}

/// The beginning of the C library's `FILE`, which programs have compiled into them (`getc`), so
/// that it stays.
#[repr(C)]
struct Stream {
    flags: c_int,
    read: [usize; 3],
    write: [usize; 3],
    buffer: [usize; 2],
}

const _: () = assert!(offset_of!(Stream, buffer) == 56);

/// A traced call is made on a descriptor that a standard stream may use, too.
#[inline(always)]
pub fn notice(descriptor: c_int, known: Known) {
    if descriptor <= libc::STDERR_FILENO && !known.is_hiding() && is_stream_used(descriptor) {
        give_known(descriptor, known);
    }
}

/// The same of all three, as the process ends: what they hold is written later. A process that
/// makes no other calls begins to be traced by that.
pub fn notice_all() {
    let all = libc::STDIN_FILENO..=libc::STDERR_FILENO;
    all.filter(|descriptor| is_stream_used(*descriptor)).for_each(give);
}

/// Whether a standard stream has this descriptor and has moved bytes, or is about to.
fn is_stream_used(descriptor: c_int) -> bool {
    // SAFETY: the C library's own variables; a stream that a program puts there is one, too.
    unsafe {
        let (stream, reads) = match descriptor {
            libc::STDIN_FILENO => (stdin, true),
            libc::STDOUT_FILENO => (stdout, false),
            _ => (stderr, false),
        };
        let is_its = !stream.is_null() && errno::kept(|| libc::fileno(stream)) == descriptor;
        is_its && is_used(stream, reads)
    }
}

/// Whether a stream that is about to be closed has moved bytes, or is about to.
///
/// # Safety
/// It is the program's, and open.
pub unsafe fn was_used(stream: *mut FILE) -> bool {
    // SAFETY: the caller's.
    unsafe { is_used(stream, true) || is_used(stream, false) }
}

/// # Safety
/// The stream is one.
unsafe fn is_used(stream: *mut FILE, reads: bool) -> bool {
    const HAS_GIVEN_BUFFER: c_int = 1;
    const HAS_ENDED: c_int = 0x10 | 0x20;
    const IS_PUTTING: c_int = 0x800;
    // SAFETY: the caller's; words are read that the stream's own functions may write meanwhile.
    unsafe {
        let within = &*stream.cast::<Stream>();
        match within.flags & HAS_GIVEN_BUFFER != 0 {
            // The first call takes a buffer.
            false => __fbufsize(stream) > 0,
            // To be told which one, or to do without, may be all that was asked of it (`setvbuf`).
            true if reads => within.flags & HAS_ENDED != 0 || within.read[1] != within.buffer[0],
            true => within.flags & IS_PUTTING != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::ptr::null_mut;

    /// A stream that was only told how to buffer has moved nothing.
    #[test]
    fn a_stream_is_used_from_its_first_byte_on_however_it_is_buffered() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"abc").unwrap();
        let sink = tempfile::tempfile().unwrap();
        // SAFETY: streams of descriptors that stay open; the streams are never closed.
        unsafe {
            let given = Box::leak(Box::new([0; 1024])).as_mut_ptr();
            for (how, buffer, size) in [
                (libc::_IONBF, null_mut(), 0),
                (libc::_IOLBF, null_mut(), 0),
                (libc::_IOLBF, given, 1024),
            ] {
                let output = libc::fdopen(sink.as_raw_fd(), c"w".as_ptr());
                libc::setvbuf(output, buffer, how, size);
                assert!(!is_used(output, false));
                libc::fputs(c"x".as_ptr(), output);
                assert!(is_used(output, false));
            }
            let input = libc::fdopen(reader.as_raw_fd(), c"r".as_ptr());
            libc::setvbuf(input, null_mut(), libc::_IONBF, 0);
            assert!(!is_used(input, true));
            libc::fgetc(input);
            assert!(is_used(input, true));
        }
    }
}
