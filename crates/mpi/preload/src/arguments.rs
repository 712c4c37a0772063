//! Where each function has the arguments that the tracer reads, worked out from their names in the
//! list while compiling.

use crate::frame::place;
use calls::list::COUNT;
use calls::mpi_functions;

/// A function without such an argument.
pub const NONE: usize = usize::MAX;

macro_rules! places {
    ($($field:ident = $($name:literal)|+;)*) => {
        /// Places in the frame; [`NONE`] where the function has no such argument.
        #[derive(Clone, Copy)]
        #[allow(missing_docs)]
        pub struct Places { $(pub $field: usize),* }

        impl Places {
            const fn of(arguments: &[&str]) -> Places {
                Places { $($field: find(arguments, &[$($name),+])),* }
            }
        }
    };
}

places! {
    count = "count" | "incount";
    datatype = "datatype";
    dest = "dest";
    source = "source";
    tag = "tag" | "sendtag";
    recvtag = "recvtag";
    comm = "comm";
    newcomm = "newcomm";
    old = "old";
    request = "request";
    requests = "array_of_requests";
    status = "status";
    statuses = "array_of_statuses";
    index = "index";
    indices = "array_of_indices";
    outcount = "outcount";
    flag = "flag";
    required = "required";
    message = "message";
    root = "root";
    sendbuf = "sendbuf";
    sendcount = "sendcount";
    sendcounts = "sendcounts";
    sendtype = "sendtype";
    sendtypes = "sendtypes";
    recvcount = "recvcount";
    recvcounts = "recvcounts";
    recvtype = "recvtype";
}

macro_rules! tables {
    ($($number:literal $name:ident $(+ $large_number:literal $large:ident)?
        ($($argument:ident),*): $class:ident;)*) => {
        /// By operation.
        pub static PLACES: &[Places] = &{
            let mut table = [Places::of(&[]); COUNT];
            $(
                table[$number] = Places::of(&[$(stringify!($argument)),*]);
                $(table[$large_number] = table[$number];)?
            )*
            table
        };
    };
}
mpi_functions!(tables);

const fn find(arguments: &[&str], names: &[&str]) -> usize {
    let mut number = 0;
    while number < arguments.len() {
        let mut name = 0;
        while name < names.len() {
            if same(arguments[number].as_bytes(), names[name].as_bytes()) {
                return place(number);
            }
            name += 1;
        }
        number += 1;
    }
    NONE
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::list::{CLASSES, Class, NAMES, Operation};

    #[test]
    fn places_skip_the_return_address() {
        let recv = PLACES[Operation::Recv as usize];
        assert_eq!((recv.count, recv.source, recv.comm, recv.status), (1, 3, 5, 7));
        assert_eq!(recv.dest, NONE);
        let sendrecv = PLACES[Operation::Sendrecv as usize];
        assert_eq!((sendrecv.tag, sendrecv.recvtag, sendrecv.status), (4, 10, 12));
    }

    #[test]
    fn every_function_has_the_arguments_that_its_class_reads() {
        for (operation, places) in PLACES.iter().enumerate() {
            let needed: &[usize] = match CLASSES[operation] {
                Class::Send => {
                    &[places.count, places.datatype, places.dest, places.tag, places.comm]
                }
                Class::StartSend | Class::PrepareSend => {
                    &[places.dest, places.tag, places.comm, places.request]
                }
                Class::Receive => &[places.source, places.tag, places.comm, places.status],
                Class::StartReceive | Class::PrepareReceive => {
                    &[places.source, places.tag, places.comm, places.request]
                }
                Class::SendReceive => {
                    &[places.dest, places.source, places.tag, places.recvtag, places.status]
                }
                Class::Probe => &[places.source, places.tag, places.comm, places.status],
                Class::MatchedProbe => &[places.source, places.message, places.status],
                Class::MatchedReceive => &[places.count, places.message],
                Class::Inspect => &[places.request, places.flag, places.status],
                Class::Collective => &[places.comm],
                Class::StartCollective => &[places.comm, places.request],
                Class::Wait | Class::Test => {
                    &[places.request.min(places.requests), places.status.min(places.statuses)]
                }
                _ => &[],
            };
            assert!(needed.iter().all(|place| *place != NONE), "{}", NAMES[operation]);
        }
    }
}
