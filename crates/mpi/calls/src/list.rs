//! THE list of MPI functions: one line each. The tracer makes its exports from it, and reads the
//! arguments of a call by it; logs name a function by the number in it.
//!
//! A line holds the number, the name, for some the same function with large counts (`+`), the
//! arguments by their names in the standard, each with how it is passed ([`Passing`]), and what the
//! function does ([`Class`]). Nothing before a name is an argument by value; `in`, `out` and
//! `inout` are pointers through which the library reads, writes, or both. What a name stands for is
//! written once, in `signature`. A test holds all of it against the installed `mpi.h`.
//!
//! **A number is for good**: logs that exist use it. A new function takes the next one that is
//! free, wherever its line stands. The compiler refuses a number that is used twice or left out;
//! `tests/jobs/functions.rs` refuses other numbers than released versions used.
//!
//! The lines are in several files, one a family, which hand them on from one to the next.

mod class;
mod collectives;
mod files;
mod groups;
mod messages;
mod one_sided;
mod other;
mod persistent;
mod signature;
mod tables;

pub use class::Class;
pub use signature::{Argument, Kind, Passing};
pub use tables::{ARGUMENTS, CLASSES, COUNT, NAMES, Operation, PLAIN, SIGNATURES};

/// Hands the list to a macro.
#[macro_export]
macro_rules! mpi_functions {
    ($with:path) => {
        $crate::mpi_messages! { $with, }
    };
}

/// Whether the counts among the arguments of function `number` are 64 bits wide.
#[inline(always)]
pub const fn is_large(number: usize) -> bool {
    use Operation::{Precv_init, Psend_init};
    PLAIN[number] as usize != number
        || number == Psend_init as usize
        || number == Precv_init as usize
}

/// The number of the function `MPI_name`.
pub fn number(name: &str) -> Option<usize> {
    NAMES.iter().position(|known| *known == name)
}
