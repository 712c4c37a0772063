//! Asking for memory before it is needed.

/// Begin to fetch the first cache line of a value for writing, so that a store (or load) that comes
/// soon does not wait for it. Does nothing where the processor has no such instruction.
#[inline(always)]
pub fn prefetch_for_writing<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: a prefetch reads and writes nothing and never faults; the address is that of a
        // live value anyway.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(std::ptr::from_ref(value).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
