//! An allocator that ends the program in its own words when there is no memory.
//!
//! What the standard library does then is to abort, with a message of its own; and few of the
//! places that allocate could do anything better than end. So the program says once, here, how it
//! ends.

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, and what to do when it has nothing left.
pub struct Checked {
    /// Told how many bytes were asked for. Must not allocate.
    exhausted: fn(usize) -> !,
}

impl Checked {
    /// For `#[global_allocator]`.
    pub const fn new(exhausted: fn(usize) -> !) -> Checked {
        Checked { exhausted }
    }

    #[inline]
    fn check(&self, memory: *mut u8, bytes: usize) -> *mut u8 {
        if memory.is_null() {
            (self.exhausted)(bytes)
        }
        memory
    }
}

// SAFETY: every call goes to the system's allocator as it came, and what that returns goes back
// unchanged.
unsafe impl GlobalAlloc for Checked {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`, which is the same here.
        self.check(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory came from `System` with this layout, because all of ours does.
        unsafe { System.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        self.check(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as in `dealloc`, and the caller keeps the contract of `realloc`.
        self.check(unsafe { System.realloc(memory, layout, bytes) }, bytes)
    }
}
