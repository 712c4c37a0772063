//! The library that `fourstamp trace` loads before a program (`LD_PRELOAD`): it sees the calls that
//! the program makes on its stream sockets, and logs them.
//!
//! - `sends`, `receives`: what moves bytes. A receive on TCP is made as `recvmsg`, whose control
//!   data holds the kernel's stamp (`stamps`).
//! - `connections`, `descriptors`: what makes, copies and closes sockets. `table` knows what each
//!   descriptor is; one that it does not know is looked at when it is first used (`births`), and
//!   what it has carried before is asked of the kernel (`origin`), and again when the process is
//!   done with it (`account`).
//! - `frames`: follows the bytes of connections whose protocol the user has named, and logs where
//!   their messages end.
//! - `log`: where calls are written down, a mapped file that outlives the process, whose `space` is
//!   taken beforehand; `state` begins it when the process first uses a socket, or before it gives
//!   up its `privileges`.
//! - `pipes`: where the command asks for them, pipes are streams like sockets; what lies in them is
//!   asked again and again, because the C library moves bytes there by calls of its own.
//! - `unseen`: looks for connections and io_uring of which no call told, among all descriptors
//!   (`listing`).
//!
//! Without `FOURSTAMP_TRACE_RUN` in the environment every call passes straight through. What a call
//! returns, `errno` and what it leaves in the program's memory are those of the call that the
//! program made.
//!
//! On the way of a call that sends or receives nothing is allocated and no lock is taken; a call
//! that is made in a signal handler, in the middle of another one, is logged like every other.
//!
//! # Limits
//! - Not seen: calls that do not go through the C library (static programs, Go, io_uring), and
//!   those that the C library makes itself (`fdopen` and `fprintf` on a socket). Where it can be
//!   noticed that a program does so, the log says it.
//! - Datagram sockets are counted, and not traced.
//! - A child that is made by `vfork` is its parent until it calls `exec`.

#![cfg_attr(test, allow(clippy::unwrap_used))]
// A test program must not be traced by the code under test: nothing is exported there.
#![cfg_attr(test, allow(dead_code))]

mod account;
mod address;
mod begun;
mod births;
mod connections;
mod descriptors;
mod frames;
mod listing;
mod log;
mod next;
mod number;
mod origin;
mod pipes;
mod privileges;
mod receives;
mod sends;
mod space;
mod stamps;
mod state;
mod stdio;
mod table;
mod thread;
mod unix_peer;
mod unseen;
mod waits;
mod window;
