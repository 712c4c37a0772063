//! `malloc` and its family. Small blocks are the C library's. A large block is a paged range of its
//! own, so it starts on a page: `free` looks no further for pointers that do not. With
//! `--threshold 0` blocks of every size are [`packed`].

use crate::state::{Owner, PAGE, engine, is_child, is_large, owner, packs};
use crate::table::Kind;
use crate::{allocator, behind, own, packed, paged, raw, say};
use interpose::errno;
use libc::{c_int, c_void, size_t};
use rmem::Memory;
use std::ptr::null_mut;

/// Whose block a pointer is.
#[inline(always)]
fn owner_of(pointer: *mut c_void) -> Owner {
    let may_be_paged = (pointer as usize).is_multiple_of(PAGE) || packs();
    if may_be_paged { owner(pointer as usize, 1) } else { Owner::Others }
}

/// A paged block when the size is large enough and this call is to be paged; `None` sends the
/// caller to the C library.
#[inline(always)]
fn large(bytes: size_t, alignment: size_t, zeroed: bool) -> Option<*mut c_void> {
    if is_large(bytes) { large_of(bytes, alignment, zeroed) } else { None }
}

#[cold]
fn large_of(bytes: size_t, alignment: size_t, zeroed: bool) -> Option<*mut c_void> {
    // The C library has its own answer to alignments that are none.
    if !alignment.is_power_of_two() || own::inside() || is_child() {
        return None;
    }
    if packs() {
        return packed::is_wanted(bytes).then(|| packed::allocate(bytes, alignment, zeroed));
    }
    let memory = engine()?;
    Some(or_no_memory(errno::kept(|| paged::allocate(memory, bytes, alignment, Kind::Block))))
}

fn or_no_memory(block: Option<*mut u8>) -> *mut c_void {
    block.map_or_else(
        || {
            errno::set(libc::ENOMEM);
            null_mut()
        },
        |block| block.cast(),
    )
}

/// # Safety
/// As for `malloc(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn malloc(bytes: size_t) -> *mut c_void {
    // SAFETY: the caller's own arguments.
    large(bytes, 1, false).unwrap_or_else(|| unsafe { behind::malloc(bytes) })
}

/// # Safety
/// As for `calloc(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn calloc(count: size_t, bytes: size_t) -> *mut c_void {
    let paged = count.checked_mul(bytes).and_then(|bytes| large(bytes, 1, true));
    // SAFETY: the caller's own arguments.
    paged.unwrap_or_else(|| unsafe { behind::calloc(count, bytes) })
}

/// # Safety
/// As for `free(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn free(pointer: *mut c_void) {
    if packed::has(pointer) {
        // SAFETY: the caller's own argument, and such a block.
        return unsafe { packed::free(pointer) };
    }
    match owner_of(pointer) {
        // SAFETY: the caller's own arguments.
        Owner::Others => unsafe { behind::free(pointer) },
        Owner::Engine(memory) => match block_of(pointer) {
            Some(bytes) => errno::kept(|| paged::release(memory, (pointer as usize, bytes))),
            // SAFETY: the caller's own argument.
            None => unsafe { behind::free(pointer) },
        },
        // The parent's: not there in this process.
        Owner::Parent => {}
        // SAFETY: the caller's own argument.
        Owner::Inherited => unsafe { free_inherited(pointer) },
    }
}

/// A block that a forked child has from its parent; or one of the C library's, in addresses that
/// such a block has left.
///
/// # Safety
/// As for `free(3)`.
unsafe fn free_inherited(pointer: *mut c_void) {
    let part = paged::block(pointer as usize).map(|bytes| (pointer as usize, bytes));
    // SAFETY: the caller gives up the whole block, which leaves the list first.
    unsafe {
        match part {
            Some(part) => {
                paged::table().cut(part);
                errno::kept(|| raw::munmap(part.0, part.1));
            }
            None => behind::free(pointer),
        }
    }
}

/// Bytes of a paged block; `None` for one that the program's own allocator has made of memory that
/// it mapped. Ends the program, as the C library does, when the pointer is neither.
fn block_of(pointer: *mut c_void) -> Option<usize> {
    let bytes = paged::block(pointer as usize);
    if bytes.is_none() && !allocator::is_behind() {
        say::say(format_args!(
            "the program freed or resized {pointer:p}, where no allocation begins; this is a bug \
            in the program"
        ));
        std::process::abort()
    }
    bytes
}

/// # Safety
/// As for `realloc(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn realloc(pointer: *mut c_void, bytes: size_t) -> *mut c_void {
    if packed::has(pointer) {
        // SAFETY: the caller's own arguments, and such a block.
        return unsafe { of_the_packed(pointer, bytes) };
    }
    match owner_of(pointer) {
        // SAFETY: the caller's own arguments.
        Owner::Others => unsafe { of_the_library(pointer, bytes) },
        // SAFETY: a paged block that the caller owns.
        Owner::Engine(memory) => unsafe { of_the_engine(memory, pointer, bytes) },
        Owner::Parent => crate::fork::touched(pointer as usize),
        // SAFETY: the caller's own arguments.
        Owner::Inherited => unsafe { of_the_child(pointer, bytes) },
    }
}

/// A packed block. A forked child that has it has no allocator for it: it becomes the C library's.
///
/// # Safety
/// As for `realloc(3)`.
unsafe fn of_the_packed(pointer: *mut c_void, bytes: size_t) -> *mut c_void {
    // SAFETY: the caller's own arguments; zero bytes free the block, as the GNU C library does.
    unsafe {
        if is_child() {
            return into_the_library(pointer, packed::size(pointer), bytes);
        }
        if bytes == 0 {
            packed::free(pointer);
            return null_mut();
        }
        packed::resize(pointer, bytes)
    }
}

/// A block that a forked child has from its parent becomes the C library's.
///
/// # Safety
/// As for `realloc(3)`.
unsafe fn of_the_child(pointer: *mut c_void, bytes: size_t) -> *mut c_void {
    let Some(held) = paged::block(pointer as usize) else {
        // SAFETY: the caller's own arguments.
        return unsafe { behind::realloc(pointer, bytes) };
    };
    // SAFETY: a whole block of the caller's, copied into a new one.
    unsafe { into_the_library(pointer, held, bytes) }
}

/// A block of the C library's: it becomes paged when it grows large.
///
/// # Safety
/// `pointer` must be null or such a block.
#[inline(always)]
unsafe fn of_the_library(pointer: *mut c_void, bytes: size_t) -> *mut c_void {
    // Zero bytes free the block: the C library's own business.
    let large = if bytes == 0 { None } else { large(bytes, 1, false) };
    let Some(block) = large else {
        // SAFETY: the caller's own arguments.
        return unsafe { behind::realloc(pointer, bytes) };
    };
    if !pointer.is_null() && !block.is_null() {
        // SAFETY: a block of the C library's, and a new one of at least `bytes`.
        unsafe {
            let kept = behind::malloc_usable_size(pointer).min(bytes);
            std::ptr::copy_nonoverlapping(pointer.cast::<u8>(), block.cast(), kept);
            behind::free(pointer);
        }
    }
    block
}

/// A paged block: it becomes the C library's when it is small at the end.
///
/// # Safety
/// `pointer` must be a block that the caller owns.
unsafe fn of_the_engine(memory: &Memory, pointer: *mut c_void, bytes: size_t) -> *mut c_void {
    let Some(held) = block_of(pointer) else {
        // SAFETY: the caller's own arguments.
        return unsafe { of_the_library(pointer, bytes) };
    };
    if is_large(bytes) {
        let new = paged::whole_pages(bytes);
        return or_no_memory(errno::kept(|| {
            new.and_then(|new| {
                paged::resize(memory, (pointer as usize, held), new, true, Kind::Block)
            })
        }));
    }
    // SAFETY: a whole block of the caller's, copied into a new one.
    unsafe { into_the_library(pointer, held, bytes) }
}

/// Zero bytes free the block, as the GNU C library does.
///
/// # Safety
/// `pointer` must be a block of `held` bytes that the caller owns.
unsafe fn into_the_library(pointer: *mut c_void, held: usize, bytes: size_t) -> *mut c_void {
    // SAFETY: copied from a whole block into a new one.
    unsafe {
        let small = if bytes == 0 { null_mut() } else { behind::malloc(bytes) };
        if !small.is_null() {
            std::ptr::copy_nonoverlapping(pointer.cast::<u8>(), small.cast(), bytes.min(held));
        }
        if bytes == 0 || !small.is_null() {
            free(pointer);
        }
        small
    }
}

/// # Safety
/// As for `reallocarray(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn reallocarray(
    pointer: *mut c_void,
    count: size_t,
    bytes: size_t,
) -> *mut c_void {
    match count.checked_mul(bytes) {
        // SAFETY: the caller's own arguments.
        Some(bytes) => unsafe { realloc(pointer, bytes) },
        None => or_no_memory(None),
    }
}

/// # Safety
/// As for `memalign(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memalign(alignment: size_t, bytes: size_t) -> *mut c_void {
    // SAFETY: the caller's own arguments.
    large(bytes, alignment, false).unwrap_or_else(|| unsafe { behind::memalign(alignment, bytes) })
}

/// # Safety
/// As for `aligned_alloc(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn aligned_alloc(alignment: size_t, bytes: size_t) -> *mut c_void {
    // SAFETY: the caller's own arguments.
    large(bytes, alignment, false)
        .unwrap_or_else(|| unsafe { behind::aligned_alloc(alignment, bytes) })
}

/// # Safety
/// As for `posix_memalign(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn posix_memalign(
    result: *mut *mut c_void,
    alignment: size_t,
    bytes: size_t,
) -> c_int {
    let paged = if alignment.is_multiple_of(size_of::<*mut c_void>()) {
        large(bytes, alignment, false)
    } else {
        None
    };
    let Some(block) = paged else {
        // SAFETY: the caller's own arguments.
        return unsafe { behind::posix_memalign(result, alignment, bytes) };
    };
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller gives room for the result.
    unsafe { *result = block };
    0
}

/// # Safety
/// As for `valloc(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn valloc(bytes: size_t) -> *mut c_void {
    // SAFETY: the caller's own arguments.
    unsafe { memalign(PAGE, bytes) }
}

/// # Safety
/// As for `pvalloc(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pvalloc(bytes: size_t) -> *mut c_void {
    match paged::whole_pages(bytes) {
        // SAFETY: the caller's own arguments.
        Some(bytes) => unsafe { memalign(PAGE, bytes) },
        None => or_no_memory(None),
    }
}

/// # Safety
/// As for `malloc_usable_size(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn malloc_usable_size(pointer: *mut c_void) -> size_t {
    if packed::has(pointer) {
        // SAFETY: such a block.
        return unsafe { packed::size(pointer) };
    }
    match owner_of(pointer) {
        // SAFETY: the caller's own arguments.
        Owner::Others => unsafe { behind::malloc_usable_size(pointer) },
        Owner::Parent => paged::block(pointer as usize).unwrap_or(0),
        Owner::Engine(_) | Owner::Inherited => paged::block(pointer as usize)
            // SAFETY: the caller's own argument.
            .unwrap_or_else(|| unsafe { behind::malloc_usable_size(pointer) }),
    }
}
