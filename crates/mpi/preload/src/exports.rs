//! The exported functions: `MPI_X` and `PMPI_X` for every line of the list.
//!
//! On x86-64 each is a trampoline that lays its arguments out as one row of words
//! ([`crate::frame::Frame`]): the six of the registers, the return address, which says where the
//! call comes from, and those of the caller's stack, which lie there already. Elsewhere the row is
//! copied together, and the place of the call is not known.
//!
//! What not every library has must not be seen where the library lacks it (`newer`). For that each
//! function has a resolver beside it, which says where it is, or that it is not.

use crate::dispatch::dispatch;
use crate::library::resolve;
use calls::list::COUNT;
use calls::mpi_functions;

/// The resolvers of a function's two names, with the names.
pub type Resolvers = [(&'static str, unsafe extern "C" fn()); 2];

#[cfg(target_arch = "x86_64")]
macro_rules! trampoline {
    ($number:literal) => {
        // The call leaves the stack 8 bytes off a multiple of 16; six words keep it so, and the
        // seventh sets it right.
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
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! export {
    ($prefix:literal $number:literal $name:ident) => {{
        #[unsafe(naked)]
        #[unsafe(export_name = concat!($prefix, stringify!($name)))]
        unsafe extern "C" fn exported() {
            trampoline!($number)
        }

        // The same for the resolver: where the exported one is, others may decide.
        #[unsafe(naked)]
        unsafe extern "C" fn own() {
            trampoline!($number)
        }

        #[unsafe(naked)]
        unsafe extern "C" fn resolver() {
            core::arch::naked_asm!(
                "mov edi, {operation}",
                "lea rsi, [rip + {own}]",
                "jmp {resolve}",
                operation = const $number,
                own = sym own,
                resolve = sym resolve,
            )
        }

        (concat!($prefix, stringify!($name)), resolver as unsafe extern "C" fn())
    }};
}

#[cfg(not(target_arch = "x86_64"))]
macro_rules! export {
    ($prefix:literal $number:literal $name:ident) => {{
        type Word = usize;

        // As many as the longest takes: what a shorter one was not given is not looked at.
        #[allow(clippy::too_many_arguments, reason = "they are MPI's")]
        #[unsafe(export_name = concat!($prefix, stringify!($name)))]
        unsafe extern "C" fn entry(
            a: Word,
            b: Word,
            c: Word,
            d: Word,
            e: Word,
            f: Word,
            g: Word,
            h: Word,
            i: Word,
            j: Word,
            k: Word,
            l: Word,
            m: Word,
        ) -> Word {
            let mut frame = crate::frame::row(&[a, b, c, d, e, f, g, h, i, j, k, l, m]);
            // SAFETY: the row that was just made.
            unsafe { dispatch(frame.as_mut_ptr(), $number) }
        }

        unsafe extern "C" fn resolver() -> Word {
            resolve($number, entry as Word)
        }

        // SAFETY: whoever calls it as what it is takes its result.
        let resolver = unsafe {
            core::mem::transmute::<unsafe extern "C" fn() -> Word, unsafe extern "C" fn()>(resolver)
        };
        (concat!($prefix, stringify!($name)), resolver)
    }};
}

macro_rules! exports {
    ($($number:literal $name:ident $(+ $large_number:literal $large:ident)?
        ($($($argument:ident)+),*): $class:ident;)*) => {
        /// By operation.
        pub static RESOLVERS: [Resolvers; COUNT] = {
            unsafe extern "C" fn none() {}
            let mut table: [Resolvers; COUNT] = [[("", none), ("", none)]; COUNT];
            $(
                table[$number] =
                    [export!("MPI_" $number $name), export!("PMPI_" $number $name)];
                $(table[$large_number] = [
                    export!("MPI_" $large_number $large),
                    export!("PMPI_" $large_number $large),
                ];)?
            )*
            table
        };
    };
}

mpi_functions!(exports);
