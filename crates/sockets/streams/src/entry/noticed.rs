//! What a process did that cannot be seen: bits of a word of the head.

/// It has set up io_uring, whose transfers make no calls.
pub const IO_URING: u64 = 1;
/// It gave a connection to the C library's streams (`fdopen`), whose calls are internal.
pub const STREAMS: u64 = 2;
/// It sent or awaited urgent data.
pub const URGENT: u64 = 4;
/// A child of it could not open a log of its own.
pub const LOST_CHILD: u64 = 8;
/// It listens on a TCP port without having called `listen`.
pub const LISTENS_UNSEEN: u64 = 16;
/// It restricted its own system calls (seccomp), so recording stopped before.
pub const RESTRICTED: u64 = 32;
/// A child of it is not traced: the run has as many processes as it can have.
pub const CROWDED: u64 = 64;
