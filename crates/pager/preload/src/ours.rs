//! What this library itself allocates, the engine's code in it too, comes from the C library,
//! wherever it is called from: never from memory that it pages.

use crate::next::{__libc_calloc, __libc_free, __libc_malloc, __libc_memalign};
use std::alloc::{GlobalAlloc, Layout};

struct OfTheLibrary;

#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: OfTheLibrary = OfTheLibrary;

/// What the C library's `malloc` aligns to.
const USUAL: usize = 16;

// SAFETY: the C library's own allocator.
unsafe impl GlobalAlloc for OfTheLibrary {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size, and a power of two.
        unsafe {
            match layout.align() {
                ..=USUAL => __libc_malloc(layout.size()).cast(),
                alignment => __libc_memalign(alignment, layout.size()).cast(),
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= USUAL {
            // SAFETY: any size.
            return unsafe { __libc_calloc(1, layout.size()).cast() };
        }
        // SAFETY: a new block is cleared in its whole length.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                block.write_bytes(0, layout.size());
            }
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: a block from above.
        unsafe { __libc_free(block.cast()) };
    }
}
