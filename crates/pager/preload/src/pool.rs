//! Memory for what the engine's threads, and the C library in them, ask for in a program that has
//! an allocator of its own. It is told by its address, whoever gives it back: the C library frees
//! in one thread what it has allocated in another.
//!
//! There is little of it. A block has a size that is a power of two, which stands before it, and
//! serves again for that size.

use crate::raw;
use libc::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Addresses, of which only what is used takes memory.
const BYTES: usize = 1 << 30;
/// Before a block: its size. Blocks lie on multiples of this.
const HEAD: usize = 16;
/// The smallest block, with its head, is 32 bytes.
const LEAST: u32 = 5;
const CLASSES: usize = 30;

/// Where it begins, once it does.
static BASE: AtomicUsize = AtomicUsize::new(0);
static POOL: Mutex<Pool> = Mutex::new(Pool { used: 0, free: [0; CLASSES] });

struct Pool {
    used: usize,
    /// By size, the first free block; in it stands the next one.
    free: [usize; CLASSES],
}

/// Whether a block is one of these.
#[inline(always)]
pub fn has(block: *const c_void) -> bool {
    let base = BASE.load(Ordering::Acquire);
    base != 0 && (block as usize).wrapping_sub(base) < BYTES
}

/// A new block, which lies on a multiple of `alignment`, a power of two; null where there is none.
/// Its contents are anything.
pub fn allocate(bytes: usize, alignment: usize) -> *mut c_void {
    // What lies on more than usual is cut out of more; its head is before it all the same.
    let spare = if alignment > HEAD { alignment } else { 0 };
    let Some(whole) = bytes.checked_add(HEAD + spare) else { return null_mut() };
    let class = whole.next_power_of_two().trailing_zeros().max(LEAST);
    let Some(start) = lock().take(class) else { return null_mut() };
    let block = (start + HEAD).next_multiple_of(alignment.max(HEAD));
    // SAFETY: 16 bytes before the block, within it.
    unsafe { ((block - HEAD) as *mut [usize; 2]).write([start, class as usize]) };
    block as *mut c_void
}

/// Give a block back.
///
/// # Safety
/// It must be one, and must not be used any more.
pub unsafe fn free(block: *mut c_void) {
    // SAFETY: the caller says so.
    let [start, class] = unsafe { head(block) };
    let mut pool = lock();
    // SAFETY: nobody uses the block any more.
    unsafe { (start as *mut usize).write(pool.free[class]) };
    pool.free[class] = start;
}

/// How many bytes a block has.
///
/// # Safety
/// It must be one.
pub unsafe fn size(block: *const c_void) -> usize {
    // SAFETY: the caller says so.
    let [start, class] = unsafe { head(block) };
    start + (1 << class) - block as usize
}

/// # Safety
/// It must be a block.
unsafe fn head(block: *const c_void) -> [usize; 2] {
    // SAFETY: `allocate` wrote it there.
    unsafe { (block.byte_sub(HEAD) as *const [usize; 2]).read() }
}

fn lock() -> std::sync::MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    fn take(&mut self, class: u32) -> Option<usize> {
        let free = self.free.get_mut(class as usize)?;
        if *free != 0 {
            let start = *free;
            // SAFETY: a free block has the next one in its first word.
            *free = unsafe { (start as *const usize).read() };
            return Some(start);
        }
        let (base, bytes) = (begin()?, 1 << class);
        let start = base + self.used;
        self.used = self.used.checked_add(bytes).filter(|used| *used <= BYTES)?;
        Some(start)
    }
}

/// Where it begins; under the lock.
fn begin() -> Option<usize> {
    let base = BASE.load(Ordering::Relaxed);
    if base != 0 {
        return Some(base);
    }
    let (access, flags) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
    );
    // SAFETY: a new mapping, where the kernel chooses.
    let base = unsafe { raw::mmap(null_mut(), BYTES, access, flags, -1, 0) };
    if base == libc::MAP_FAILED {
        return None;
    }
    BASE.store(base as usize, Ordering::Release);
    Some(base as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_apart_aligned_known_and_used_again() {
        let sizes = [(0, 1), (1, 8), (16, 16), (17, 64), (5000, 4096), (100_000, 16)];
        let blocks: Vec<(usize, usize)> = sizes
            .into_iter()
            .map(|(bytes, alignment)| {
                let block = allocate(bytes, alignment);
                assert!(has(block) && (block as usize).is_multiple_of(alignment.max(HEAD)));
                // SAFETY: a block, and its bytes.
                unsafe {
                    assert!(size(block) >= bytes);
                    block.cast::<u8>().write_bytes(bytes as u8, bytes);
                }
                (block as usize, bytes)
            })
            .collect();
        for (at, bytes) in &blocks {
            // SAFETY: written above.
            let held = unsafe { std::slice::from_raw_parts(*at as *const u8, *bytes) };
            assert!(held.iter().all(|byte| *byte == *bytes as u8), "{bytes}");
        }
        let (first, _) = blocks[2];
        // SAFETY: not used any more.
        unsafe { free(first as *mut c_void) };
        assert_eq!(allocate(16, 16) as usize, first);
        assert!(allocate(BYTES, 1).is_null() && allocate(usize::MAX, 1).is_null());
        assert!(!has(&raw const first as *const c_void) && !has(null_mut()));
    }
}
