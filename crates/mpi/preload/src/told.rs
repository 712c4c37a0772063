//! Whether the library says what a send and a receive in one request (`MPI_Isendrecv`) received.
//!
//! MPICH does not (4.0.2, 5.0.2): the status of such a request is what an earlier request has left
//! in its memory, or nothing. Which of the two a status is does not show in it, so the library is
//! tried once, as the program initialises it.

use crate::layout::STATUS_WORDS;
use crate::library::{self, Library};

/// Bytes and tag of the message that it is tried with: nothing else is likely to have both.
const BYTES: usize = 77;
const TAG: usize = 12_321;
/// How often it is asked whether that message has come, which needs nobody else: once, as a rule.
const LOOKS: usize = 1_000_000;

/// Whether it does, by a message of this process to itself, on a communicator that the program
/// cannot receive from. A library without such requests says nothing wrong.
pub fn of_both(library: &Library) -> bool {
    if !library::has("Isendrecv") {
        return true;
    }
    let mut comm = 0usize;
    // SAFETY: nothing else happens on the communicator of this process alone as MPI is
    // initialised, and there is room for the handle.
    if unsafe { library.comm_dup(library.handles.itself, &raw mut comm as usize) } != 0 {
        return false;
    }
    let told = tried(library, library.layout.handle(comm));
    // SAFETY: the communicator that was just made; what is under way there goes on.
    unsafe { library.comm_free(&raw mut comm as usize) };
    told
}

fn tried(library: &Library, comm: usize) -> bool {
    // Never freed: should the message not come, the library may write there at any time.
    let bytes = Box::leak(Box::new([[0u8; BYTES]; 2]));
    let (from, to) = (bytes[0].as_ptr() as usize, bytes[1].as_mut_ptr() as usize);
    let (byte, mut request) = (library.handles.byte, 0usize);
    let place = &raw mut request as usize;
    // SAFETY: as many bytes on both sides as are named, and room for the request.
    let failed = unsafe {
        library.isendrecv(from, BYTES, byte, 0, TAG, to, BYTES, byte, 0, TAG, comm, place)
    };
    let mut status = [0usize; STATUS_WORDS];
    if failed != Some(0) || !has_ended(library, place, status.as_mut_ptr() as usize) {
        return false;
    }
    // SAFETY: the library has filled it in, as far as it does.
    let said = unsafe { library.status(status.as_ptr() as usize, 0) };
    (said.source, said.tag, said.bytes) == (0, TAG as i32, BYTES as u64)
}

/// Whether the request at `request` ends, with its status at `status`.
fn has_ended(library: &Library, request: usize, status: usize) -> bool {
    let mut flag = 0i32;
    for _ in 0..LOOKS {
        // SAFETY: a request under way, and room for the answers.
        let failed = unsafe { library.test(request, &raw mut flag as usize, status) };
        if failed != 0 || flag != 0 {
            return failed == 0;
        }
    }
    false
}
