//! Paged memory as a Rust slice: the safe way to it, for programs that choose what is paged.

use crate::{Hold, Memory, RmemError};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Types whose values may lie in new paged memory, which is all zero.
///
/// # Safety
/// All bytes zero must be a value of the type. References and `NonZero` numbers are not of that
/// kind.
pub unsafe trait Plain: Copy + 'static {}

macro_rules! plain {
    ($($name:ty)*) => {
        $(
            // SAFETY: zero is a value of every number, and `false` of `bool`.
            unsafe impl Plain for $name {}
        )*
    };
}

plain! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool }

// SAFETY: a row of values that may be zero.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// A fixed number of values in paged memory, zero at first; given back when it is dropped. It is
/// used as the slice that it derefs to.
///
/// Pages that the run has lost for ever end the thread that touches them by SIGBUS, as everywhere
/// in paged memory. A forked child does not have the values: it ends by SIGSEGV when it touches
/// them.
pub struct PagedArray<'a, T: Plain> {
    memory: &'a Memory,
    values: NonNull<T>,
    len: usize,
    owns: PhantomData<T>,
}

// SAFETY: it owns its values, as a `Box<[T]>` does, and every thread may use the memory that it is
// given back to.
unsafe impl<T: Plain + Send> Send for PagedArray<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Plain + Sync> Sync for PagedArray<'_, T> {}

impl Memory {
    /// `len` values, all zero, in paged memory.
    ///
    /// ```no_run
    /// use fourstamp_rmem::{Config, Memory};
    ///
    /// # fn main() -> Result<(), fourstamp_rmem::RmemError> {
    /// let memory = Memory::start(Config::on_disk(64 << 20, "/var/tmp"))?;
    /// let mut squares = memory.array::<f64>(1 << 30)?; // 8 GiB, of which 64 MiB are here
    /// for (index, square) in squares.iter_mut().enumerate() {
    ///     *square = (index * index) as f64;
    /// }
    /// assert_eq!(squares[1000], 1e6);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When there is no address space, or in a forked child.
    pub fn array<T: Plain>(&self, len: usize) -> Result<PagedArray<'_, T>, RmemError> {
        const {
            assert!(
                align_of::<T>() <= pager::PAGE_BYTES,
                "paged memory begins on a page, not on more"
            )
        };
        // What overflows is refused as what is too much.
        let bytes = len.saturating_mul(size_of::<T>()).min(isize::MAX as usize / 2);
        let values = NonNull::new(self.map(bytes)?).ok_or(RmemError::NoEngine)?.cast();
        Ok(PagedArray { memory: self, values, len, owns: PhantomData })
    }
}

impl<T: Plain> PagedArray<'_, T> {
    /// Keep some of the values resident while the guard lives: for system calls that fill or read
    /// them, where the kernel serves only faults of user mode ([`Memory::user_mode_only`]). What is
    /// more than half of the local memory is not held: go piece by piece.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn hold(&self, range: std::ops::Range<usize>) -> Hold<'_> {
        let part = &self[range];
        self.memory.hold(part.as_ptr() as usize, size_of_val(part))
    }

    fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }
}

impl<T: Plain> Deref for PagedArray<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: so many values are there, aligned and zero at first, as `Plain` allows; they are
        // this one's alone until it is dropped.
        unsafe { std::slice::from_raw_parts(self.values.as_ptr(), self.len) }
    }
}

impl<T: Plain> DerefMut for PagedArray<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.values.as_ptr(), self.len) }
    }
}

impl<T: Plain + std::fmt::Debug> std::fmt::Debug for PagedArray<'_, T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.deref().fmt(formatter)
    }
}

impl<T: Plain> Drop for PagedArray<'_, T> {
    fn drop(&mut self) {
        self.memory.unmap(self.values.as_ptr() as usize, self.bytes());
    }
}
