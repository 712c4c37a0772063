//! Chunks of the log's file that are mapped, filled, written out and emptied again and again
//! (`streams::window`).
//!
//! A place in a window is an address: of the next slot, or of the window's end. No slot lies at a
//! window's beginning, so a place tells its window.

use crate::space;
use libc::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use streams::entry::{CHUNK_BYTES, SLOT_BYTES};
use streams::window::{Role, place_of};

/// The place, if so many bytes fit there.
#[inline(always)]
pub fn room_in(place: usize, bytes: usize) -> Option<usize> {
    let within = place & (CHUNK_BYTES - 1);
    (within != 0 && within + bytes <= CHUNK_BYTES).then_some(place)
}

fn start_of(place: usize) -> usize {
    (place - 1) & !(CHUNK_BYTES - 1)
}

/// The first word of the window that begins there.
///
/// # Safety
/// It is mapped.
unsafe fn role(start: usize) -> &'static AtomicU64 {
    // SAFETY: the caller's; windows are aligned.
    unsafe { &*(start as *const AtomicU64) }
}

/// Map a chunk, aligned to its size, as a window for the slots of another one. Its first place.
pub fn map(file: c_int, chunk: u32, fills: u32) -> Option<usize> {
    // SAFETY: plain system calls. The mapping goes into space that was reserved for it.
    let start = unsafe {
        if !space::take(file, place_of(chunk), CHUNK_BYTES) {
            return None;
        }
        let space = libc::mmap(
            null_mut(),
            2 * CHUNK_BYTES,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        );
        if space == libc::MAP_FAILED {
            return None;
        }
        let start = (space as usize).next_multiple_of(CHUNK_BYTES);
        let (before, after) = (start - space as usize, start + CHUNK_BYTES);
        if before > 0 {
            libc::munmap(space, before);
        }
        libc::munmap(after as *mut c_void, CHUNK_BYTES - before);
        let window = libc::mmap(
            start as *mut c_void,
            CHUNK_BYTES,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_POPULATE,
            file,
            place_of(chunk) as i64,
        );
        if window == libc::MAP_FAILED {
            return None;
        }
        start
    };
    // SAFETY: it was just mapped.
    unsafe { role(start) }.store(Role::Fills(fills).word(), Ordering::Release);
    Some(start + SLOT_BYTES)
}

/// Write the slots up to this place to their chunk, and empty the window for those of another one.
/// Its first place; `None`: they cannot be written, and stay where they are.
///
/// # Safety
/// The window is the caller's alone, and all slots before the place have been filled.
pub unsafe fn empty(file: c_int, place: usize, fills: u32) -> Option<usize> {
    let start = start_of(place);
    let first = start + SLOT_BYTES;
    // SAFETY: the caller's; so many bytes lie behind the first place.
    unsafe {
        let role = role(start);
        let Role::Fills(chunk) = Role::of(role.load(Ordering::Relaxed)) else { return None };
        let slots = std::slice::from_raw_parts(first as *const u8, place - first);
        if !space::put(file, place_of(chunk) + SLOT_BYTES as u64, slots) {
            return None;
        }
        role.store(Role::Written.word(), Ordering::SeqCst);
        // Whatever ends the process: what was emptied has been written.
        fence(Ordering::SeqCst);
        std::ptr::write_bytes(first as *mut u8, 0, place - first);
        fence(Ordering::SeqCst);
        role.store(Role::Fills(fills).word(), Ordering::SeqCst);
    }
    Some(first)
}

/// Unmap the window in which the place is.
pub fn unmap(place: usize) {
    // SAFETY: a window that nobody fills any more.
    unsafe { libc::munmap(start_of(place) as *mut c_void, CHUNK_BYTES) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Seek, SeekFrom};
    use std::os::fd::AsRawFd;

    fn words(file: &mut File, chunk: u32, count: usize) -> Vec<u64> {
        let mut bytes = vec![0; count * 8];
        file.seek(SeekFrom::Start(place_of(chunk))).unwrap();
        file.read_exact(&mut bytes).unwrap();
        bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
    }

    fn fill(place: usize, word: u64) -> usize {
        // SAFETY: a place in a window that this test has mapped.
        unsafe { (place as *mut u64).write(word) };
        place + SLOT_BYTES
    }

    #[test]
    fn slots_go_to_the_chunk_that_was_set_apart_and_count_once() {
        let mut file = tempfile::tempfile().unwrap();
        let window = map(file.as_raw_fd(), 0, 1).unwrap();
        let place = fill(fill(window, 7), 8);
        assert_eq!(words(&mut file, 0, 9), [Role::Fills(1).word(), 0, 0, 0, 7, 0, 0, 0, 8]);
        // SAFETY: the window is this test's, and filled up to there.
        assert_eq!(unsafe { empty(file.as_raw_fd(), place, 2) }, Some(window));
        assert_eq!(words(&mut file, 1, 9), [0, 0, 0, 0, 7, 0, 0, 0, 8]);
        assert_eq!(words(&mut file, 0, 9), [Role::Fills(2).word(), 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(
            (room_in(window, CHUNK_BYTES - SLOT_BYTES), room_in(window, CHUNK_BYTES)),
            (Some(window), None)
        );
        unmap(window);
    }

    #[test]
    fn slots_that_cannot_be_written_stay() {
        let mut file = tempfile::tempfile().unwrap();
        let window = map(file.as_raw_fd(), 0, 1).unwrap();
        let place = fill(window, 7);
        let full = File::options().write(true).open("/dev/full").unwrap();
        // SAFETY: as above.
        assert_eq!(unsafe { empty(full.as_raw_fd(), place, 2) }, None);
        assert_eq!(words(&mut file, 0, 5), [Role::Fills(1).word(), 0, 0, 0, 7]);
        unmap(place);
    }
}
