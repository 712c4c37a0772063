//! The wait and test families: which requests a call has completed, and with what.
//!
//! The handles are copied before the call, because completing a request overwrites its handle.
//! Where the program ignores statuses the call gets some of ours: only they tell where a message
//! came from.

use crate::arguments::{NONE, PLACES};
use crate::invocation::Invocation;
use crate::layout::{STATUS_WORDS, UNDEFINED, int_at};
use crate::library::Library;
use crate::rank::Rank;
use crate::requests::Request;
use crate::stamped::Stamped;
use calls::entry::{Call, Completion, completion_flags, flags};
use calls::list::{CLASSES, Class};

/// Requests of a call that need no memory of their own.
const FEW: usize = 64;

/// The requests of a call, as they were before it.
struct Asked<'a> {
    handles: &'a [usize],
    /// Where the call reads and writes them.
    pointer: usize,
    /// Where it writes statuses; 0 for nowhere.
    statuses: usize,
}

/// Any of them.
pub fn complete(call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let (pointer, many) = match places.requests {
        NONE => (call.frame.at(places.request), 1),
        place => (call.frame.at(place), usize::try_from(call.int(places.count)).unwrap_or(0)),
    };
    if many <= FEW {
        let (mut handles, mut own) = ([0; FEW], [0usize; FEW * STATUS_WORDS]);
        observe(call, stamped, pointer, &mut handles[..many], &mut own);
    } else {
        observe(call, stamped, pointer, &mut vec![0; many], &mut vec![0; many * STATUS_WORDS]);
    }
}

/// A look at a request. Its handle is an argument by value, and no request is completed.
pub fn inspect(call: &Invocation, stamped: &mut Stamped) {
    stamped.tracer.with(|rank| stamped.place(rank, call));
    stamped.make(call);
    stamped.tracer.with(|rank| {
        let written = match call.failed() {
            true => rank.log.ended(&stamped.entry),
            false => rank.log.poll(&stamped.entry),
        };
        rank.check(written);
    });
}

#[inline(always)]
fn observe(
    call: &Invocation,
    stamped: &mut Stamped,
    pointer: usize,
    handles: &mut [usize],
    own: &mut [usize],
) {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    for (number, handle) in handles.iter_mut().enumerate() {
        // SAFETY: the program passes a pointer to this many requests; the library reads them just
        // so.
        *handle = unsafe { library.layout.handle_at(pointer, number) };
    }
    let waits = CLASSES[call.operation] == Class::Wait;
    stamped.tracer.with(|rank| {
        stamped.place(rank, call);
        if waits {
            let pending = waiting_for(rank, handles, &stamped.entry);
            let written = rank.log.pending(&pending);
            rank.check(written);
        }
    });
    let place = if places.statuses == NONE { places.status } else { places.statuses };
    let statuses = call.status(place, own.as_mut_ptr() as usize, library.layout.status_ignore);
    stamped.make(call);
    let requests = Asked { handles, pointer, statuses };
    stamped.tracer.with(|rank| {
        collect(rank, call, library, &requests);
        if rank.done.is_empty() && !waits && !call.failed() {
            let written = rank.log.poll(&stamped.entry);
            rank.check(written);
        } else {
            rank.write_done(&stamped.entry);
        }
    });
}

/// The entry of a wait while it lasts says whom it waits for: the first of its requests that is
/// under way.
fn waiting_for(rank: &Rank, handles: &[usize], entry: &Call) -> Call {
    match handles.iter().find_map(|handle| rank.requests.peek(*handle)) {
        Some(Request { peer, tag, communicator, .. }) => {
            Call { flags: entry.flags | flags::MESSAGE, peer, tag, communicator, ..*entry }
        }
        None => *entry,
    }
}

/// Put what the call has completed into `done`.
#[inline(always)]
fn collect(rank: &mut Rank, call: &Invocation, library: &Library, requests: &Asked<'_>) {
    let places = &PLACES[call.operation];
    if call.failed() {
        return collect_failed(rank, library, requests);
    }
    // SAFETY: the call succeeded and has filled in what it returns in these places.
    let output = |place: usize, index: usize| unsafe { int_at(call.frame.at(place), index) };
    let happened = places.flag == NONE || output(places.flag, 0) != 0;
    if !happened {
        return;
    }
    if places.outcount != NONE {
        // Nothing active is UNDEFINED, which is negative.
        for at in 0..usize::try_from(output(places.outcount, 0)).unwrap_or(0) {
            let index = output(places.indices, at);
            done(rank, library, requests, index, at, false);
        }
    } else if places.index != NONE {
        done(rank, library, requests, output(places.index, 0), 0, false);
    } else {
        (0..requests.handles.len())
            .for_each(|at| done(rank, library, requests, at as i32, at, false));
    }
}

/// Request `index` of the call is complete, and its status is status `at`.
#[inline(always)]
fn done(
    rank: &mut Rank,
    library: &Library,
    requests: &Asked<'_>,
    index: i32,
    at: usize,
    failed: bool,
) {
    debug_assert!(index >= 0 || index == UNDEFINED);
    let Some(handle) = usize::try_from(index).ok().and_then(|index| requests.handles.get(index))
    else {
        return;
    };
    let Some(request) = rank.requests.take(*handle) else { return };
    // SAFETY: the library has filled in the status of a request that it completed.
    let status = unsafe { library.status(requests.statuses, at) };
    let mut completion = Completion { request: request.number, ..Completion::default() };
    if failed {
        completion.flags = completion_flags::FAILED;
    } else if status.cancelled {
        completion.flags = completion_flags::CANCELLED;
    } else if request.receives {
        completion.flags = completion_flags::RECEIVED;
        (completion.source, completion.tag, completion.bytes) =
            (status.source, status.tag, status.bytes);
    }
    if let Some((newcomm, parent)) = request.makes.filter(|_| !failed) {
        // SAFETY: MPI_Comm_idup has written the handle now that its request is complete; the
        // program must keep its place until then.
        let handle = unsafe { library.layout.handle_at(newcomm, 0) };
        rank.new_communicator(handle, parent, library);
    }
    rank.done.push(completion);
}

/// After an error only those requests are complete whose handles are gone.
#[cold]
fn collect_failed(rank: &mut Rank, library: &Library, requests: &Asked<'_>) {
    for at in 0..requests.handles.len() {
        // SAFETY: the program passed a pointer to this many requests.
        let now = unsafe { library.layout.handle_at(requests.pointer, at) };
        if now == library.handles.request_null {
            done(rank, library, requests, at as i32, at, true);
        }
    }
}
