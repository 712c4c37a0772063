//! Frames: the engine's own page-sized places, where pages are on their way out and parity is made.

use crate::arena::map;
use crate::uffd::Uffd;
use pager::{Frame, PAGE_BYTES};
use std::io;

/// A row of frames, all empty at first. Empty means that the kernel keeps no memory for it, as
/// moving a page there needs.
pub struct Staging {
    base: usize,
    frames: u32,
}

impl Staging {
    /// So many frames, where `uffd` can move pages to and from.
    pub fn new(frames: u32, uffd: &Uffd) -> io::Result<Staging> {
        let bytes = frames as usize * PAGE_BYTES;
        let base = map(0, bytes, libc::PROT_READ | libc::PROT_WRITE, 0)?;
        let staging = Staging { base, frames };
        staging.advise(0, frames, libc::MADV_DONTFORK)?;
        // Fails where there are no huge pages, and is not needed there.
        let _ = staging.advise(0, frames, libc::MADV_NOHUGEPAGE);
        uffd.register(base, bytes)?;
        Ok(staging)
    }

    /// Where a frame is.
    pub fn address(&self, frame: Frame) -> usize {
        assert!(frame.0 < self.frames, "there is no frame {}", frame.0);
        self.base + frame.0 as usize * PAGE_BYTES
    }

    /// The bytes of a full frame.
    ///
    /// Reading an empty one would stop the engine for ever in a fault that only it can serve; so
    /// the pager asks for full ones only.
    pub fn bytes(&self, frame: Frame) -> &[u8; PAGE_BYTES] {
        // SAFETY: the frame lies within the range, is full, and is changed only through `&mut
        // self`.
        unsafe { &*(self.address(frame) as *const [u8; PAGE_BYTES]) }
    }

    /// The same, to be changed.
    pub fn bytes_mut(&mut self, frame: Frame) -> &mut [u8; PAGE_BYTES] {
        // SAFETY: the same, and nobody else has a reference while `self` is borrowed mutably.
        unsafe { &mut *(self.address(frame) as *mut [u8; PAGE_BYTES]) }
    }

    /// Make neighbouring frames empty.
    pub fn empty(&self, first: Frame, many: u32) -> io::Result<()> {
        self.advise(first.0, many, libc::MADV_DONTNEED)
    }

    /// `into` becomes `into` xor `from`.
    pub fn xor(&mut self, from: Frame, into: Frame) {
        assert_ne!(from, into, "a frame xor itself is nothing");
        // SAFETY: two different full frames do not overlap.
        let from = unsafe { &*(self.address(from) as *const [u8; PAGE_BYTES]) };
        xor(from, self.bytes_mut(into));
    }

    fn advise(&self, first: u32, many: u32, advice: libc::c_int) -> io::Result<()> {
        assert!(first + many <= self.frames, "there are no frames {first} to {}", first + many);
        let address = self.base + first as usize * PAGE_BYTES;
        // The system call is made directly: a library that stands in for `madvise` calls us.
        // SAFETY: the range is ours, and after MADV_DONTNEED nobody reads it before it is filled
        // again.
        let result = unsafe {
            libc::syscall(libc::SYS_madvise, address, many as usize * PAGE_BYTES, advice)
        };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // SAFETY: the range is ours, and with the owner all references to it are gone.
        unsafe { libc::syscall(libc::SYS_munmap, self.base, self.frames as usize * PAGE_BYTES) };
    }
}

/// `into` becomes `into` xor `from`.
pub fn xor(from: &[u8; PAGE_BYTES], into: &mut [u8; PAGE_BYTES]) {
    // By words of eight bytes, which the compiler makes wide instructions of.
    for (into, from) in into.chunks_exact_mut(8).zip(from.chunks_exact(8)) {
        for (into, from) in into.iter_mut().zip(from) {
            *into ^= from;
        }
    }
}
