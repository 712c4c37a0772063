//! Whether the library says what a send and a receive in one request (`MPI_Isendrecv`) received.
//!
//! MPICH does not (4.0.2, 5.0.2): the status of such a request is what an earlier request has left
//! in its memory, or nothing. Which of the two a status is does not show in it, so the library is
//! tried once, as the program initialises it.

use crate::layout::STATUS_WORDS;
use crate::library::{Library, symbol};

/// Bytes and tag of the message that it is tried with: nothing else is likely to have both.
const BYTES: usize = 77;
const TAG: usize = 12_321;

type Isendrecv = unsafe extern "C" fn(
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    *mut usize,
) -> i32;

/// Whether it does, by a message of this process to itself, on a communicator that the program
/// cannot receive from. A library without such requests says nothing wrong.
pub fn of_both(library: &Library) -> bool {
    let Some(found) = symbol("PMPI_Isendrecv") else { return true };
    // SAFETY: the address was found under this function's name, and it takes these arguments.
    let begin: Isendrecv = unsafe { core::mem::transmute(found) };
    let mut comm = 0usize;
    // SAFETY: nothing else happens on the communicator of this process alone as MPI is
    // initialised, and there is room for the handle.
    if unsafe { library.comm_dup(library.handles.itself, &raw mut comm as usize) } != 0 {
        return false;
    }
    let told = tried(library, begin, library.layout.handle(comm));
    // SAFETY: the communicator that was just made, on which nothing is under way.
    unsafe { library.comm_free(&raw mut comm as usize) };
    told
}

fn tried(library: &Library, begin: Isendrecv, comm: usize) -> bool {
    let (out, mut into) = ([0u8; BYTES], [0u8; BYTES]);
    let (from, to, byte) =
        (out.as_ptr() as usize, into.as_mut_ptr() as usize, library.handles.byte);
    let (mut request, mut flag, mut status) = (0usize, 0i32, [0usize; STATUS_WORDS]);
    // SAFETY: as many bytes on both sides as are named, which stay until the request has ended.
    let failed =
        unsafe { begin(from, BYTES, byte, 0, TAG, to, BYTES, byte, 0, TAG, comm, &mut request) };
    if failed != 0 {
        return false;
    }
    let status = status.as_mut_ptr() as usize;
    while flag == 0 {
        let (request, flag) = (&raw mut request as usize, &raw mut flag as usize);
        // SAFETY: the request that was just begun, and room for the answers.
        if unsafe { library.test(request, flag, status) } != 0 {
            return false;
        }
    }
    // SAFETY: the library has filled it in, as far as it does.
    let said = unsafe { library.status(status, 0) };
    (said.source, said.tag, said.bytes) == (0, TAG as i32, BYTES as u64)
}
