//! Bytes that MPI may read or write after a call has returned.

use std::ffi::c_void;
use std::ptr::NonNull;

/// Bytes allocated on their own, at a fixed place.
pub(in super::super) struct Buffer {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a buffer owns its bytes like a Box does; the pointer is shared with MPI only.
unsafe impl Send for Buffer {}

impl Buffer {
    pub fn new(len: usize) -> Buffer {
        let start = NonNull::from(Box::leak(vec![0u8; len].into_boxed_slice())).cast();
        Buffer { start, len }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes. No operation may be under way on them.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: allocated with this length, initialised, and by contract not being written by
        // MPI.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The bytes, to be written. No operation may be under way on them.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`; the exclusive borrow makes it the only slice.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    #[inline]
    pub fn pointer(&self) -> *mut c_void {
        self.start.as_ptr().cast()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let slice = std::ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.len);
        // SAFETY: made from a Box of just this slice; whoever leaves a buffer to MPI forgets it
        // instead.
        drop(unsafe { Box::from_raw(slice) });
    }
}
