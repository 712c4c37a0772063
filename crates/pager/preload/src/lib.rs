//! The library that `fourstamp pager run` loads before a program (`LD_PRELOAD`): large allocations
//! and large anonymous mappings of an unmodified program come from paged memory ([`rmem::Memory`]),
//! everything else from the C library.
//!
//! - `malloc` and its family: from the threshold on, memory is paged (`heap`); with a threshold of
//!   0 all of it (`packed`).
//! - `mmap`, `munmap`, `mremap`, `madvise`: private anonymous memory that can be read and written
//!   is paged from the threshold on (`maps`), and so is what becomes accessible, by another `mmap`
//!   or by `mprotect`, of addresses that were reserved without access (`access`).
//! - `mlock`, `mlockall`: refused on paged memory, in one line (`refusals`).
//! - `read`, `write` and the like, `fread`, `fwrite`, `setvbuf`: pages are held while the kernel
//!   works on them, where it serves only faults of user mode (`transfers`, `vectors`, `streams`).
//! - `fork`: the child shares its parent's paged memory, as any other, where `--fork-budget` allows
//!   (`inherited`); otherwise it dies with one line when it touches it (`fork`).
//! - `pthread_create`: threads that the engine starts are known as its own, and nothing of theirs
//!   is paged (`own`).
//!
//! Without `FOURSTAMP_PAGER` in the environment every call passes straight through. With it nothing
//! is started before the first large allocation; if the engine cannot start then, the program ends
//! with exit code 2: it never runs unpaged without saying so. `exec` hands the environment on, so
//! the new program is paged too. A C interface is in `include/fourstamp_rmem.h`.
//!
//! The engine serves faults while it never waits for the program: small allocations, thread stacks,
//! the C library's own memory and all memory of the engine are never paged, so that no thread
//! faults while it holds a lock of the C library's allocator.
//!
//! # Limits
//! - A program that has a `malloc` of its own in its own file is refused (`allocator`); one in a
//!   library is not, where the kernel serves all faults.
//! - Many small allocations stay in local memory, as do memory taken by `brk`, fixed mappings
//!   outside of reserved addresses, shared, executable, locked and huge-page mappings, thread
//!   stacks, and mappings made by system calls that do not go through the C library.
//! - A process made by a bare `clone` or `fork` system call is not told of: in such a child paged
//!   memory is not there (it ends by `SIGSEGV`).
//! - Where the kernel serves only faults of user mode, a system call that is not listed above fails
//!   with `EFAULT` on pages that are away: `ioctl`, `io_uring`, asynchronous I/O, `vmsplice`,
//!   `process_vm_readv`, and structures such as `stat` buffers that lie in paged memory. A lock
//!   (`pthread_mutex_t`) in paged memory can end the program in the C library's own check. `readv`,
//!   `writev`, `recvmsg` and `sendmsg` may transfer less than asked for, as the standard allows.
//! - A paged program that ends by `_exit`, `exec` or a signal leaves the summary of the second
//!   before.

#![cfg_attr(test, allow(clippy::unwrap_used))]
// A test program must not be paged by the code under test: nothing is exported there.
#![cfg_attr(test, allow(dead_code))]

mod access;
mod allocator;
mod behind;
mod fork;
mod heap;
mod hold;
mod inherited;
mod interface;
mod life;
mod maps;
mod next;
mod ours;
mod own;
mod packed;
mod paged;
mod pool;
mod raw;
mod refusals;
mod say;
mod state;
mod streams;
mod table;
mod transfers;
mod vectors;
