//! The exported functions: `MPI_X` and `PMPI_X` for every line of the list.
//!
//! On x86-64 each is a trampoline that lays its arguments out as one row of words
//! ([`crate::frame::Frame`]): the six of the registers, the return address, which says where the
//! call comes from, and those of the caller's stack, which lie there already. Elsewhere the row is
//! copied together, and the place of the call is not known.

use crate::dispatch::dispatch;
use calls::mpi_functions;

#[cfg(target_arch = "x86_64")]
macro_rules! export {
    ($prefix:literal $number:literal $name:ident($($argument:ident),*)) => {
        const _: () = {
            #[unsafe(naked)]
            #[unsafe(export_name = concat!($prefix, stringify!($name)))]
            unsafe extern "C" fn entry() {
                // The call leaves the stack 8 bytes off a multiple of 16; six words keep it so, and
                // the seventh sets it right.
                core::arch::naked_asm!(
                    "push r9",
                    "push r8",
                    "push rcx",
                    "push rdx",
                    "push rsi",
                    "push rdi",
                    "mov rdi, rsp",
                    "mov esi, {operation}",
                    "sub rsp, 8",
                    "call {dispatch}",
                    "add rsp, 56",
                    "ret",
                    operation = const $number,
                    dispatch = sym dispatch,
                )
            }
        };
    };
}

#[cfg(not(target_arch = "x86_64"))]
macro_rules! export {
    ($prefix:literal $number:literal $name:ident($($argument:ident),*)) => {
        const _: () = {
            #[unsafe(export_name = concat!($prefix, stringify!($name)))]
            unsafe extern "C" fn entry($($argument: usize),*) -> usize {
                let mut frame = crate::frame::row(&[$($argument),*]);
                dispatch(frame.as_mut_ptr(), $number)
            }
        };
    };
}

macro_rules! exports {
    ($($number:literal $name:ident $(+ $large_number:literal $large:ident)?
        ($($argument:ident),*): $class:ident;)*) => {$(
        export!("MPI_" $number $name($($argument),*));
        export!("PMPI_" $number $name($($argument),*));
    )*};
}

mpi_functions!(exports);

/// The way in for the functions with large counts, which are exported by a library of their own.
///
/// # Safety
/// `frame` must be a row of the arguments of function `operation`, as a trampoline lays it out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_mpitrace_dispatch(frame: *mut usize, operation: usize) -> usize {
    // SAFETY: the caller promises what `dispatch` asks for.
    unsafe { dispatch(frame, operation) }
}
