//! What follows from the list: tables by number.

use super::{Argument, Class};
use crate::mpi_functions;

macro_rules! tables {
    ($(
        $number:literal $name:ident $(+ $large_number:literal $large:ident)?
        ($($($argument:ident)+),*): $class:ident;
    )*) => {
        /// A function by its number.
        #[allow(missing_docs, non_camel_case_types, reason = "their names in MPI")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Operation { $($name = $number, $($large = $large_number,)?)* }

        /// How many functions there are: their numbers are those below.
        pub const COUNT: usize =
            <[&str]>::len(&[$(stringify!($name), $(stringify!($large),)?)*]);

        // Each table is filled by number: one beyond `COUNT` does not compile, and none is given
        // twice, so all are there.
        /// Names of the functions, without `MPI_`, by number.
        pub const NAMES: &[&str] = &{
            let mut table = [""; COUNT];
            $(
                table[$number] = stringify!($name);
                $(table[$large_number] = stringify!($large);)?
            )*
            table
        };
        /// Their classes.
        pub const CLASSES: &[Class] = &{
            let mut table = [Class::Other; COUNT];
            $(
                table[$number] = Class::$class;
                $(table[$large_number] = Class::$class;)?
            )*
            table
        };
        /// Their arguments.
        pub const SIGNATURES: &[&[Argument]] = &{
            let mut table: [&[Argument]; COUNT] = [&[]; COUNT];
            $(
                table[$number] = &[$(Argument::of(&[$(stringify!($argument)),+])),*];
                $(table[$large_number] = table[$number];)?
            )*
            table
        };
        /// How many arguments each takes.
        pub const ARGUMENTS: &[usize] = &{
            let mut table = [0; COUNT];
            $(
                table[$number] = SIGNATURES[$number].len();
                $(table[$large_number] = SIGNATURES[$number].len();)?
            )*
            table
        };
        /// The function with counts of 32 bits: of most the function itself.
        pub const PLAIN: &[Operation] = &{
            let mut table = [Operation::Send; COUNT];
            $(
                table[$number] = Operation::$name;
                $(table[$large_number] = Operation::$name;)?
            )*
            table
        };
    };
}
mpi_functions!(tables);
