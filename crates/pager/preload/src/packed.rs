//! Small allocations in paged memory (`--threshold 0`): mimalloc packs them, and gets its memory by
//! this library's own `mmap`, as any other program's allocator would.
//!
//! The engine's threads allocate from the C library and never come here, so they wait for no lock
//! that a faulting thread has. A program with little memory stays with the C library altogether:
//! packing begins when it has [`MUCH`], which is looked at each time that it has asked for so much.

use crate::{allocator, own, state};
use interpose::errno;
use libc::{c_long, c_void, size_t};
use libmimalloc_sys as mi;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What a program has of the C library before the engine is started for it: small programs, shells
/// among them, which fork, do not connect to servers.
const MUCH: usize = 4 << 20;
/// `mi_option_arena_reserve` of `mimalloc.h`, which the crate does not name.
const ARENA_RESERVE: mi::mi_option_t = 23;
/// Memory that the allocator takes at once: what is known of each page of it takes local memory.
const TAKEN_KIB: c_long = 64 << 10;

/// Whether small allocations are to be packed.
static WANTED: AtomicBool = AtomicBool::new(false);
/// Whether some have been.
static BEGUN: AtomicBool = AtomicBool::new(false);
/// What it has asked for, given back or not: how much it has is looked at now and then.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// To be called when the process begins, whether blocks are to be packed or not: the allocator's
/// own constructor may come later, and what that maps is not to be paged, nor a reason to start the
/// engine.
pub fn begin(wanted: bool) {
    let _own = own::Own::begin();
    // SAFETY: what its own constructor does as well; and a number that is looked at when memory is
    // taken.
    unsafe {
        mi::mi_thread_init();
        mi::mi_option_set(ARENA_RESERVE, TAKEN_KIB);
    }
    WANTED.store(wanted, Ordering::Relaxed);
}

/// Whether an allocation of so many bytes is to be packed.
pub fn is_wanted(bytes: size_t) -> bool {
    if !WANTED.load(Ordering::Relaxed) {
        return false;
    }
    if BEGUN.load(Ordering::Relaxed) {
        return true;
    }
    let before = ASKED.fetch_add(bytes, Ordering::Relaxed);
    let is_time = before / MUCH != before.saturating_add(bytes) / MUCH;
    let begins = is_time && (bytes >= MUCH || held() >= MUCH) && state::engine().is_some();
    if begins {
        BEGUN.store(true, Ordering::Relaxed);
    }
    begins
}

/// What the C library has given out, in all threads; with another allocator behind, all memory that
/// no file is behind.
fn held() -> usize {
    if allocator::is_behind() {
        return anonymous();
    }
    // SAFETY: asks for numbers, and takes locks that this thread does not have.
    let info = unsafe { libc::mallinfo() };
    let bytes = |bytes: libc::c_int| usize::try_from(bytes).unwrap_or(usize::MAX);
    bytes(info.uordblks).saturating_add(bytes(info.hblkhd))
}

/// Resident memory that no file is behind.
fn anonymous() -> usize {
    let _own = own::Own::begin();
    let read = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let mut pages = read.split(' ').skip(1).map_while(|pages| pages.parse::<usize>().ok());
    let (all, of_files) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    all.saturating_sub(of_files) * state::PAGE
}

/// A new block, zeroed if so wanted; null when there is no memory.
pub fn allocate(bytes: size_t, alignment: size_t, zeroed: bool) -> *mut c_void {
    // What `malloc` aligns to, small blocks too.
    let alignment = alignment.max(16);
    // SAFETY: any size, and a power of two.
    let block = errno::kept(|| unsafe {
        match zeroed {
            true => mi::mi_zalloc_aligned(bytes, alignment),
            false => mi::mi_malloc_aligned(bytes, alignment),
        }
    });
    if block.is_null() {
        errno::set(libc::ENOMEM);
    }
    block
}

/// Whether a pointer is such a block. A forked child that got no memory has none: what its parent
/// packed is only an address there.
#[inline(always)]
pub fn has(pointer: *const c_void) -> bool {
    BEGUN.load(Ordering::Relaxed) && is_packed(pointer)
}

fn is_packed(pointer: *const c_void) -> bool {
    let may_be = !own::inside() && (!state::is_child() || state::is_heir());
    // SAFETY: looks the address up.
    may_be && unsafe { mi::mi_is_in_heap_region(pointer) }
}

/// Bytes of a block.
///
/// # Safety
/// It must be one.
pub unsafe fn size(block: *const c_void) -> size_t {
    // SAFETY: the caller says so.
    unsafe { mi::mi_usable_size(block) }
}

/// Give a block back. In a forked child that has it nothing happens.
///
/// # Safety
/// It must be a block, and must not be used any more.
pub unsafe fn free(block: *mut c_void) {
    if !state::is_child() {
        // SAFETY: the caller says so.
        errno::kept(|| unsafe { mi::mi_free(block) });
    }
}

/// Change the size of a block.
///
/// # Safety
/// As for `realloc(3)`, of a block, in the process that has it.
pub unsafe fn resize(block: *mut c_void, bytes: size_t) -> *mut c_void {
    // SAFETY: the caller's own arguments.
    let resized = errno::kept(|| unsafe { mi::mi_realloc_aligned(block, bytes, 16) });
    if resized.is_null() {
        errno::set(libc::ENOMEM);
    }
    resized
}
