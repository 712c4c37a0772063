//! What an argument is, and how it is passed.

/// An argument of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name in the standard.
    pub name: &'static str,
    /// How it is passed.
    pub passing: Passing,
    /// What it is.
    pub kind: Kind,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// By value.
    Value,
    /// As a pointer that the library reads through.
    In,
    /// As a pointer that it writes through.
    Out,
    /// As a pointer for both.
    InOut,
}

/// What an argument is, as far as the tracer must know to read it. Of an array, what its elements
/// are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The address of the program's data, or a constant in its place: never followed.
    Buffer,
    /// A C int: ranks, tags, flags.
    Int,
    /// A number of elements: a C int, and 64 bits in functions with large counts.
    Count,
    /// A handle of the library.
    Handle,
    /// What a call tells of a message. As an output it may be the constant that ignores it.
    Status,
    /// Anything else: nobody reads it.
    Opaque,
}

impl Argument {
    /// The argument of these words: its name, and before it how it is passed, if not by value.
    pub(super) const fn of(words: &[&'static str]) -> Argument {
        let (name, passing) = match words.len() {
            1 => (words[0], Passing::Value),
            _ if same(words[0], "in") => (words[1], Passing::In),
            _ if same(words[0], "out") => (words[1], Passing::Out),
            _ if same(words[0], "inout") => (words[1], Passing::InOut),
            _ => panic!("arguments are passed by value, in, out or inout"),
        };
        Argument { name, passing, kind: Kind::of(name) }
    }
}

impl Kind {
    /// What every argument of this name is.
    const fn of(name: &str) -> Kind {
        let mut at = 0;
        while at < NAMED.len() {
            let mut one = 0;
            while one < NAMED[at].1.len() {
                if same(NAMED[at].1[one], name) {
                    return NAMED[at].0;
                }
                one += 1;
            }
            at += 1;
        }
        Kind::Opaque
    }
}

/// The names of arguments that are read, by what they are. A name means the same in all functions.
const NAMED: &[(Kind, &[&str])] = &[
    (
        Kind::Buffer,
        &["buf", "buffer", "sendbuf", "recvbuf", "origin_addr", "result_addr", "inbuf", "outbuf"],
    ),
    (
        Kind::Int,
        &[
            "dest",
            "source",
            "tag",
            "sendtag",
            "recvtag",
            "root",
            "index",
            "array_of_indices",
            "outcount",
            "flag",
            "required",
            "partitions",
            "partition",
            "partition_low",
            "partition_high",
            "length",
            "rank",
            "target_rank",
            "assert",
            "lock_type",
        ],
    ),
    (
        Kind::Count,
        &[
            "count",
            "incount",
            "sendcount",
            "recvcount",
            "sendcounts",
            "recvcounts",
            "origin_count",
            "target_count",
            "result_count",
        ],
    ),
    (
        Kind::Handle,
        &[
            "comm",
            "newcomm",
            "old",
            "request",
            "array_of_requests",
            "message",
            "datatype",
            "sendtype",
            "recvtype",
            "sendtypes",
            "recvtypes",
            "origin_datatype",
            "target_datatype",
            "result_datatype",
            "win",
            "group",
            "session",
        ],
    ),
    (Kind::Status, &["status", "array_of_statuses"]),
];

/// Whether two names are the same, while compiling.
const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{Operation, SIGNATURES};

    #[test]
    fn a_request_is_passed_in_all_ways() {
        let passing = |operation: Operation| {
            let request = SIGNATURES[operation as usize].iter().find(|one| one.name == "request");
            request.unwrap().passing
        };
        assert_eq!(passing(Operation::Request_get_status), Passing::Value);
        assert_eq!(passing(Operation::Isend), Passing::Out);
        assert_eq!(passing(Operation::Wait), Passing::InOut);
    }

    #[test]
    fn a_name_is_one_kind() {
        let mut all: Vec<&str> =
            NAMED.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        all.sort_unstable();
        let many = all.len();
        all.dedup();
        assert_eq!(all.len(), many);
    }
}
