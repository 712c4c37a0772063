//! The allocator that gets what is not paged: the next one in the loader's order, which is the
//! program's own where it has one in a library. What the engine's threads ask for, the C library's
//! code in them too, never goes there then ([`allocator`]): it is taken from a [`pool`].

use crate::{allocator, next, own, pool};
use libc::{c_int, c_void, size_t};
use std::ptr::null_mut;

/// Whether this call must not reach the program's allocator.
#[inline(always)]
fn stays() -> bool {
    allocator::is_behind() && own::inside()
}

/// # Safety
/// As for `malloc(3)`.
#[inline(always)]
pub unsafe fn malloc(bytes: size_t) -> *mut c_void {
    // SAFETY: the caller's own argument.
    if stays() { pool::allocate(bytes, 1) } else { unsafe { next::malloc(bytes) } }
}

/// # Safety
/// As for `calloc(3)`.
#[inline(always)]
pub unsafe fn calloc(count: size_t, bytes: size_t) -> *mut c_void {
    if !stays() {
        // SAFETY: the caller's own arguments.
        return unsafe { next::calloc(count, bytes) };
    }
    let Some(bytes) = count.checked_mul(bytes) else { return null_mut() };
    let block = pool::allocate(bytes, 1);
    if !block.is_null() {
        // SAFETY: a new block of so many bytes.
        unsafe { block.cast::<u8>().write_bytes(0, bytes) };
    }
    block
}

/// # Safety
/// As for `free(3)`.
#[inline(always)]
pub unsafe fn free(block: *mut c_void) {
    // SAFETY: the caller's own argument.
    unsafe {
        if pool::has(block) {
            pool::free(block);
        } else if !stays() {
            next::free(block);
        }
        // Otherwise it is the program's, whose lists this thread must not touch: it stays.
    }
}

/// # Safety
/// As for `realloc(3)`.
#[inline(always)]
pub unsafe fn realloc(block: *mut c_void, bytes: size_t) -> *mut c_void {
    // SAFETY: the caller's own arguments.
    unsafe {
        if pool::has(block) || stays() { moved(block, bytes) } else { next::realloc(block, bytes) }
    }
}

/// # Safety
/// As for `realloc(3)`.
unsafe fn moved(block: *mut c_void, bytes: size_t) -> *mut c_void {
    // SAFETY: the caller's own arguments; a block is copied in its length, or the new one's.
    unsafe {
        let new = if bytes == 0 && !block.is_null() { null_mut() } else { malloc(bytes) };
        if !new.is_null() && !block.is_null() {
            let held = malloc_usable_size(block).min(bytes);
            new.cast::<u8>().copy_from_nonoverlapping(block.cast(), held);
        }
        if !new.is_null() || bytes == 0 {
            free(block);
        }
        new
    }
}

/// # Safety
/// As for `memalign(3)`.
#[inline(always)]
pub unsafe fn memalign(alignment: size_t, bytes: size_t) -> *mut c_void {
    if stays() && alignment.is_power_of_two() {
        return pool::allocate(bytes, alignment);
    }
    // SAFETY: the caller's own arguments.
    unsafe { next::memalign(alignment, bytes) }
}

/// # Safety
/// As for `aligned_alloc(3)`.
#[inline(always)]
pub unsafe fn aligned_alloc(alignment: size_t, bytes: size_t) -> *mut c_void {
    if stays() && alignment.is_power_of_two() {
        return pool::allocate(bytes, alignment);
    }
    // SAFETY: the caller's own arguments.
    unsafe { next::aligned_alloc(alignment, bytes) }
}

/// # Safety
/// As for `posix_memalign(3)`.
#[inline(always)]
pub unsafe fn posix_memalign(result: *mut *mut c_void, alignment: size_t, bytes: size_t) -> c_int {
    if !stays() || !alignment.is_power_of_two() {
        // SAFETY: the caller's own arguments.
        return unsafe { next::posix_memalign(result, alignment, bytes) };
    }
    let block = pool::allocate(bytes, alignment);
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller gives room for the result.
    unsafe { *result = block };
    0
}

/// # Safety
/// As for `malloc_usable_size(3)`.
#[inline(always)]
pub unsafe fn malloc_usable_size(block: *mut c_void) -> size_t {
    // SAFETY: the caller's own argument.
    unsafe { if pool::has(block) { pool::size(block) } else { next::malloc_usable_size(block) } }
}
