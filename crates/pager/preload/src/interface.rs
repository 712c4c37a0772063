//! The C interface: `include/fourstamp_rmem.h` says what each function does.

use crate::state::{PAGE, engine, is_child, running};
use crate::table::Kind;
use crate::{heap, paged};
use interpose::errno;
use libc::{c_int, c_void, size_t};
use std::ptr::null_mut;

/// What a program can ask about its paged memory. Fields are only ever added at the end; the caller
/// says how much it knows.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// 1 when an engine runs in this process.
    pub active: u32,
    /// 1 when the kernel serves only faults of user mode.
    pub user_mode_only: u32,
    /// Paged ranges.
    pub ranges: u64,
    /// Their bytes.
    pub paged_bytes: u64,
}

/// Memory of any size, zeroed and on a page boundary: paged, or ordinary in a program that is not
/// paged. Null with `errno` when there is none.
#[unsafe(no_mangle)]
pub extern "C" fn fourstamp_rmem_alloc(bytes: size_t) -> *mut c_void {
    if let Some(memory) = engine() {
        let block = errno::kept(|| paged::allocate(memory, bytes, PAGE, Kind::Block));
        return block.map_or_else(no_memory, |block| block.cast());
    }
    let Some(whole) = paged::whole_pages(bytes.max(1)) else { return no_memory() };
    // SAFETY: a new block, cleared in its whole length.
    unsafe {
        let block = heap::memalign(PAGE, whole);
        if !block.is_null() {
            std::ptr::write_bytes(block.cast::<u8>(), 0, whole);
        }
        block
    }
}

fn no_memory() -> *mut c_void {
    errno::set(libc::ENOMEM);
    null_mut()
}

/// Give it back; `free` does the same.
///
/// # Safety
/// `pointer` must come from [`fourstamp_rmem_alloc`], and must not be used any more. Null does
/// nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_rmem_free(pointer: *mut c_void) {
    // SAFETY: the caller says so.
    unsafe { heap::free(pointer) };
}

/// Write the first `bytes` bytes of the status; returns 0, or -1 with `errno` when there is no room
/// to write to.
///
/// # Safety
/// `status` must be null or have room for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_rmem_status(status: *mut Status, bytes: size_t) -> c_int {
    if status.is_null() {
        errno::set(libc::EINVAL);
        return -1;
    }
    let now = status_now();
    // SAFETY: the caller has so much room, and the status is at least so long. What it knows and we
    // do not becomes zero.
    unsafe {
        std::ptr::write_bytes(status.cast::<u8>(), 0, bytes);
        std::ptr::copy_nonoverlapping(
            (&raw const now).cast::<u8>(),
            status.cast(),
            bytes.min(size_of::<Status>()),
        );
    }
    0
}

fn status_now() -> Status {
    let Some(memory) = running().filter(|_| !is_child()) else { return Status::default() };
    let (ranges, bytes) = paged::extent();
    Status {
        active: 1,
        user_mode_only: u32::from(memory.user_mode_only()),
        ranges: ranges as u64,
        paged_bytes: bytes as u64,
    }
}
