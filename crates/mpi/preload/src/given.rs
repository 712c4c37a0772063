//! Requests that the program gives up (`MPI_Cancel`) or gives back (`MPI_Request_free`).
//!
//! How one that is given back ended, no later call tells. So the library is asked before: one that
//! was complete ends here, with its message or truly cancelled. One that was to be given up and is
//! still under way may take a message or not, and that nobody will know.

use crate::arguments::PLACES;
use crate::invocation::Invocation;
use crate::layout::STATUS_WORDS;
use crate::stamped::Stamped;
use crate::waits::completion;
use calls::entry::{Completion, completion_flags, flags};
use calls::list::Operation;

/// Either.
pub fn request(call: &Invocation, stamped: &mut Stamped) {
    let library = &stamped.tracer.library;
    // SAFETY: the program passes a pointer to a request; the library reads it just so.
    let handle = unsafe { PLACES[call.operation].request.read(call, &library.layout, 0) };
    let frees = call.operation == Operation::Request_free as usize;
    stamped.tracer.with(|rank| stamped.place(rank, call));
    match frees {
        true => free(call, stamped, handle),
        false => cancel(call, stamped, handle),
    }
}

fn cancel(call: &Invocation, stamped: &mut Stamped, handle: usize) {
    stamped.make(call);
    stamped.tracer.with(|rank| {
        stamped.entry.request = rank.requests.peek(handle).map_or(0, |request| request.number);
        if !call.failed() {
            rank.requests.cancel(handle);
        }
        rank.write(&stamped.entry);
    });
}

fn free(call: &Invocation, stamped: &mut Stamped, handle: usize) {
    let ended = ended(handle, stamped);
    // Before the call: once the library has the handle, another thread may be given it.
    let given_up = stamped.tracer.with(|rank| rank.requests.give_up(handle));
    stamped.entry.request = given_up.request.map_or(0, |request| request.number);
    stamped.make(call);
    stamped.tracer.with(|rank| {
        if call.failed() {
            rank.requests.restore(handle, given_up);
            return rank.write(&stamped.entry);
        }
        rank.requests.forget(given_up);
        match ended.is_empty() {
            true => stamped.entry.flags |= flags::FREED,
            // It is among the completions, under its own number.
            false => stamped.entry.request = 0,
        }
        rank.done.extend(ended);
        rank.write_done(&stamped.entry);
    });
}

/// How a request ended that is about to be given back; nothing while it is under way.
fn ended(handle: usize, stamped: &Stamped) -> Vec<Completion> {
    let library = &stamped.tracer.library;
    let Some(request) = stamped.tracer.with(|rank| rank.requests.peek(handle)) else {
        return Vec::new();
    };
    let (mut flag, mut own) = (0i32, [0usize; STATUS_WORDS]);
    // SAFETY: the program holds this request, and there is room for an answer; asking leaves the
    // request as it is.
    let failed = unsafe {
        let (flag, status) = (&raw mut flag as usize, own.as_mut_ptr() as usize);
        library.request_status(handle, flag, status)
    };
    if failed == 0 && flag != 0 {
        return completion(library, &request, own.as_ptr() as usize, 0, 0).collect();
    }
    let unknown = |number| Completion {
        request: number,
        flags: completion_flags::UNKNOWN,
        ..Completion::default()
    };
    let numbers = std::iter::once(request.number).chain(request.also.map(|half| half.number));
    if request.cancelled { numbers.map(unknown).collect() } else { Vec::new() }
}
