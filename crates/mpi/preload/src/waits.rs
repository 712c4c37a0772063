//! The wait and test families: which requests a call has completed, and with what.
//!
//! The handles are copied before the call, because completing a request overwrites its handle.
//! Where the program ignores statuses the call gets some of ours: only they tell where a message
//! came from.
//!
//! A handle may be another request's as soon as the library has completed the one that it stood
//! for: another thread begins one, and may even complete it, before this call has returned. So
//! where threads call at the same time a call holds its requests, and gives back those that it did
//! not complete.

use crate::arguments::{Ints, PLACES, Place};
use crate::invocation::Invocation;
use crate::layout::{STATUS_WORDS, UNDEFINED};
use crate::library::Library;
use crate::rank::Rank;
use crate::requests::{Half, Request};
use crate::stamped::Stamped;
use calls::entry::{Call, Completion, NO_PEER, completion_flags, flags};
use calls::list::{CLASSES, Class};

/// Requests of a call that need no memory of their own.
const FEW: usize = 64;

/// The requests of a call, as they were before it.
struct Asked<'a> {
    handles: &'a [usize],
    /// What they stood for, where another thread's requests may have their handles meanwhile.
    held: Option<Vec<Option<Request>>>,
    /// Where it writes statuses.
    statuses: usize,
}

impl Asked<'_> {
    /// Request `index`, which is complete.
    #[inline(always)]
    fn take(&mut self, rank: &mut Rank, index: usize) -> Option<Request> {
        let handle = *self.handles.get(index)?;
        match &mut self.held {
            Some(held) => held[index].take(),
            None => rank.requests.take(handle),
        }
    }

    /// What is held and was not completed.
    fn give_back(self, rank: &mut Rank) {
        let Some(held) = self.held else { return };
        // Where one handle stands for several, the oldest is to be the first again.
        for (handle, request) in self.handles.iter().zip(held).rev() {
            request.into_iter().for_each(|request| rank.requests.put_back(*handle, request));
        }
    }
}

/// Any of them.
pub fn complete(call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let many = if places.requests.exists() { places.count.read(call) as usize } else { 1 };
    if many <= FEW {
        let (mut handles, mut own) = ([0; FEW], [0usize; FEW * STATUS_WORDS]);
        observe(call, stamped, &mut handles[..many], &mut own);
    } else {
        observe(call, stamped, &mut vec![0; many], &mut vec![0; many * STATUS_WORDS]);
    }
}

/// A look at requests: none is completed.
pub fn inspect(call: &Invocation, stamped: &mut Stamped) {
    stamped.tracer.with(|rank| stamped.place(rank, call));
    stamped.make(call);
    stamped.tracer.with(|rank| {
        let written = match call.failed() {
            true => rank.log.call(&stamped.entry),
            false => rank.log.poll(&stamped.entry),
        };
        rank.check(written);
    });
}

#[inline(always)]
fn observe(call: &Invocation, stamped: &mut Stamped, handles: &mut [usize], own: &mut [usize]) {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    let requests = if places.requests.exists() { places.requests } else { places.request };
    for (number, handle) in handles.iter_mut().enumerate() {
        // SAFETY: the program passes a pointer to this many requests; the library reads them just
        // so.
        *handle = unsafe { requests.read(call, &library.layout, number) };
    }
    let waits = CLASSES[call.operation] == Class::Wait;
    let among_threads = stamped.tracer.has_threads();
    let held = stamped.tracer.with(|rank| {
        stamped.place(rank, call);
        if waits {
            let pending = waiting_for(rank, handles, &stamped.entry);
            let written = rank.log.pending(&pending);
            rank.check(written);
        }
        among_threads.then(|| handles.iter().map(|handle| rank.requests.take(*handle)).collect())
    });
    let statuses = places.status.observed(call, own, &library.layout);
    stamped.make(call);
    let mut requests = Asked { handles, held, statuses };
    stamped.tracer.with(|rank| {
        collect(rank, call, library, &mut requests);
        requests.give_back(rank);
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
fn collect(rank: &mut Rank, call: &Invocation, library: &Library, requests: &mut Asked<'_>) {
    let places = &PLACES[call.operation];
    if call.failed() {
        return collect_failed(rank, call, library, requests);
    }
    // SAFETY: the call succeeded and has set its flag.
    let happened = !places.flag.exists() || unsafe { places.flag.read(call, 0) } != 0;
    if !happened {
        return;
    }
    if places.outcount.exists() || places.index.exists() {
        return chosen(rank, call, library, requests);
    }
    (0..requests.handles.len()).for_each(|at| done(rank, library, requests, (at, at), 0));
}

/// Those that the call names by their index.
fn chosen(rank: &mut Rank, call: &Invocation, library: &Library, requests: &mut Asked<'_>) {
    let (places, asked) = (&PLACES[call.operation], requests.handles.len());
    let mut one = |index: i32, at: usize| {
        debug_assert!(index >= 0 || index == UNDEFINED);
        // Nothing active is UNDEFINED, which is negative.
        if let Ok(index) = usize::try_from(index) {
            done(rank, library, requests, (index, at), 0);
        }
    };
    if !places.outcount.exists() {
        // SAFETY: the call has filled in what it returns in this place.
        return one(unsafe { places.index.read(call, 0) }, 0);
    }
    // SAFETY: the same, and as many indices as it says.
    let many = unsafe { places.outcount.read(call, 0) };
    for at in 0..usize::try_from(many).unwrap_or(0).min(asked) {
        // SAFETY: the same.
        one(unsafe { places.indices.read(call, at) }, at);
    }
}

/// Request `index` of the call is complete, with `error`, and its status is status `at`.
#[inline(always)]
fn done(
    rank: &mut Rank,
    library: &Library,
    requests: &mut Asked<'_>,
    (index, at): (usize, usize),
    error: i32,
) {
    let Some(request) = requests.take(rank, index) else { return };
    if let Some((newcomm, parent)) = request.makes.filter(|_| error == 0) {
        // SAFETY: MPI_Comm_idup has written the handle now that its request is complete; the
        // program must keep its place until then.
        let handle = unsafe { library.layout.handle_at(newcomm, 0) };
        rank.new_communicator(handle, parent, library);
    }
    rank.done.extend(completion(library, &request, requests.statuses, at, error));
}

/// What a request that ended leaves in the log, by its status: status `at` of `statuses`. `error`
/// is the class of the error that it ended with.
#[inline(always)]
pub fn completion(
    library: &Library,
    request: &Request,
    statuses: usize,
    at: usize,
    error: i32,
) -> impl Iterator<Item = Completion> + use<> {
    let is_told = request.also.is_none() || library.tells_of_both;
    // SAFETY: the library has filled in the status of a request that it completed.
    let status = is_told.then(|| unsafe { library.status(statuses, at) });
    let truncated = error == library.layout.errors.truncate;
    let cut = if truncated { completion_flags::TRUNCATED } else { 0 };
    let ended = |number: u32, receives: bool| {
        let mut completion = Completion { request: number, ..Completion::default() };
        if error != 0 && !truncated {
            completion.flags = completion_flags::FAILED;
        } else if status.is_some_and(|status| status.cancelled) {
            completion.flags = completion_flags::CANCELLED;
        } else if let Some(status) = status.filter(|_| receives) {
            completion.flags = completion_flags::RECEIVED | cut;
            (completion.source, completion.tag, completion.bytes) =
                (status.source, status.tag, status.bytes);
        }
        completion
    };
    let also = request.also.map(|half| match is_told || error != 0 && !truncated {
        true => ended(half.number, true),
        false => untold(half, cut),
    });
    std::iter::once(ended(request.number, request.receives)).chain(also)
}

/// The receive of a send and a receive in one, where its status says nothing: what was posted says
/// what came, but not how large it was. A receive from any source, or with any tag, stays untold.
#[cold]
fn untold(half: Half, cut: u32) -> Completion {
    let known = Completion {
        request: half.number,
        flags: completion_flags::RECEIVED | cut,
        source: half.peer,
        tag: half.tag,
        ..Completion::default()
    };
    match half {
        Half { peer: NO_PEER, .. } => known,
        Half { peer: 0.., tag: 0.., .. } => {
            Completion { flags: known.flags | completion_flags::UNSIZED, ..known }
        }
        _ => Completion { request: half.number, ..Completion::default() },
    }
}

/// After an error: which requests ended all the same, and with what.
#[cold]
fn collect_failed(rank: &mut Rank, call: &Invocation, library: &Library, requests: &mut Asked<'_>) {
    let places = &PLACES[call.operation];
    let class = library.error_class(call.code());
    let one = !places.requests.exists() || places.index.exists();
    if class != library.layout.errors.in_status {
        // It speaks of one request, or of the call as such.
        let at = match (one, places.index.exists()) {
            (false, _) => None,
            (true, false) => Some(0),
            // SAFETY: the call names the request that ended with this error, or none.
            (true, true) => usize::try_from(unsafe { places.index.read(call, 0) }).ok(),
        };
        return at.into_iter().for_each(|at| {
            ended_badly(rank, call, library, requests, (at, 0), class);
        });
    }
    // SAFETY: the call says that it has filled in this many statuses, and indices.
    let output = |place: Place<Ints>, at| unsafe { place.read(call, at) };
    let chosen = places.outcount.exists();
    let several = if chosen { output(places.outcount, 0) as usize } else { requests.handles.len() };
    for at in 0..several.min(requests.handles.len()) {
        let index = if chosen { output(places.indices, at) } else { at as i32 };
        // SAFETY: the same, of statuses.
        let error = unsafe { library.status(requests.statuses, at) }.error;
        let error = if error == 0 { 0 } else { library.error_class(error) };
        if let Ok(index) = usize::try_from(index) {
            ended_badly(rank, call, library, requests, (index, at), error);
        }
    }
}

/// A request of a call that failed: it is done if its handle is gone, or stays for ever.
fn ended_badly(
    rank: &mut Rank,
    call: &Invocation,
    library: &Library,
    requests: &mut Asked<'_>,
    (index, at): (usize, usize),
    error: i32,
) {
    let places = &PLACES[call.operation];
    let Some(handle) = requests.handles.get(index) else { return };
    let place = if places.requests.exists() { places.requests } else { places.request };
    // SAFETY: the program passed a pointer to this many requests.
    let now = unsafe { place.read(call, &library.layout, index) };
    let gone = now == library.handles.request_null || rank.requests.is_prepared(*handle);
    if gone && error != library.layout.errors.pending {
        done(rank, library, requests, (index, at), error);
    }
}
