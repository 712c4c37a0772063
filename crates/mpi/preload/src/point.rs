//! Sends and receives: blocking, immediate and persistent.

use crate::arguments::PLACES;
use crate::invocation::Invocation;
use crate::layout::{ANY_TAG, STATUS_WORDS, count};
use crate::rank::Rank;
use crate::requests::{Prepared, Request};
use crate::stamped::Stamped;
use calls::entry::{self, ANY_PEER, NO_PEER, flags};
use calls::list::{COUNT, Operation, PLAIN};

/// A blocking send.
#[inline(always)]
pub fn send(call: &Invocation, stamped: &mut Stamped) {
    stamped.tracer.with(|rank| {
        describe_send(rank, call, stamped);
        let written = rank.log.pending(&stamped.entry);
        rank.check(written);
    });
    stamped.make(call);
    stamped.tracer.with(|rank| {
        let written = rank.log.ended(&stamped.entry);
        rank.check(written);
    });
}

/// A send that goes on.
pub fn start_send(call: &Invocation, stamped: &mut Stamped) {
    stamped.tracer.with(|rank| describe_send(rank, call, stamped));
    stamped.make(call);
    stamped.tracer.with(|rank| begin(rank, call, stamped, false));
}

/// A blocking receive.
pub fn receive(call: &Invocation, stamped: &mut Stamped) {
    stamped.tracer.with(|rank| {
        describe_receive(rank, call, stamped);
        let written = rank.log.pending(&stamped.entry);
        rank.check(written);
    });
    let mut own = [0usize; STATUS_WORDS];
    let library = &stamped.tracer.library;
    let status = call.status(
        PLACES[call.operation].status,
        own.as_mut_ptr() as usize,
        library.layout.status_ignore,
    );
    stamped.make(call);
    if !call.failed() {
        received(stamped, status);
    }
    stamped.tracer.with(|rank| rank.write(&stamped.entry));
}

/// A receive that goes on.
pub fn start_receive(call: &Invocation, stamped: &mut Stamped) {
    stamped.tracer.with(|rank| describe_receive(rank, call, stamped));
    stamped.make(call);
    stamped.tracer.with(|rank| begin(rank, call, stamped, true));
}

/// A persistent request: nothing is posted before it is started.
pub fn prepare(call: &Invocation, stamped: &mut Stamped, sends: bool) {
    stamped.tracer.with(|rank| match sends {
        true => describe_send(rank, call, stamped),
        false => describe_receive(rank, call, stamped),
    });
    stamped.make(call);
    stamped.tracer.with(|rank| {
        let posted = stamped.entry;
        if !call.failed() {
            let prepared = Prepared {
                flags: posted.flags,
                peer: posted.peer,
                tag: posted.tag,
                bytes: posted.bytes,
                communicator: posted.communicator,
            };
            let place = PLACES[call.operation].request;
            // SAFETY: the call succeeded, so its pointer to a request was good and is filled in.
            let handle =
                unsafe { stamped.tracer.library.layout.handle_at(call.frame.at(place), 0) };
            rank.requests.prepare(handle, prepared);
        }
        stamped.entry.flags &= !(flags::SENDS | flags::RECEIVES);
        rank.write(&stamped.entry);
    });
}

/// Starts persistent requests, one or many.
pub fn start(call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let (many, place) = match places.requests {
        crate::arguments::NONE => (1, places.request),
        place => (usize::try_from(call.int(places.count)).unwrap_or(0), place),
    };
    stamped.tracer.with(|rank| stamped.place(rank, call));
    stamped.make(call);
    let layout = &stamped.tracer.library.layout;
    stamped.tracer.with(|rank| {
        let plain = stamped.entry;
        let mut written = 0;
        for number in 0..if call.failed() { 0 } else { many } {
            // SAFETY: the call succeeded, so there are that many requests; starting leaves their
            // handles as they are.
            let handle = unsafe { layout.handle_at(call.frame.at(place), number) };
            let Some(prepared) = rank.requests.prepared(handle) else { continue };
            let request = rank.requests.number();
            let posted = entry::Call {
                flags: prepared.flags | if written > 0 { flags::CONTINUED } else { 0 },
                request,
                peer: prepared.peer,
                tag: prepared.tag,
                bytes: prepared.bytes,
                communicator: prepared.communicator,
                ..plain
            };
            let receives = prepared.flags & flags::RECEIVES != 0;
            rank.requests.add(handle, of(&posted, receives));
            rank.write(&posted);
            written += 1;
        }
        if written == 0 {
            rank.write(&plain);
        }
    });
}

/// Both in one call: an entry for the send, and one for the receive.
pub fn send_receive(call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    let mut receive = stamped.tracer.with(|rank| {
        describe_receive(rank, call, stamped);
        let receive = stamped.entry;
        stamped.entry.flags = 0;
        describe_send(rank, call, stamped);
        let written = rank.log.pending(&stamped.entry);
        rank.check(written);
        receive
    });
    let mut own = [0usize; STATUS_WORDS];
    let status =
        call.status(places.status, own.as_mut_ptr() as usize, library.layout.status_ignore);
    stamped.make(call);
    let send = stamped.entry;
    receive.exit = send.exit;
    receive.flags |= flags::CONTINUED | send.flags & flags::FAILED;
    stamped.entry = receive;
    if !call.failed() {
        received(stamped, status);
    }
    stamped.tracer.with(|rank| {
        rank.write(&send);
        rank.write(&stamped.entry);
    });
}

/// Giving a request up or back.
pub fn request(call: &Invocation, stamped: &mut Stamped) {
    let pointer = call.frame.at(PLACES[call.operation].request);
    // SAFETY: the program passes a pointer to a request; the library reads it just so.
    let handle = unsafe { stamped.tracer.library.layout.handle_at(pointer, 0) };
    let frees = call.operation == Operation::Request_free as usize;
    stamped.tracer.with(|rank| stamped.place(rank, call));
    stamped.make(call);
    stamped.tracer.with(|rank| {
        let request = if frees && !call.failed() {
            rank.requests.take(handle)
        } else {
            rank.requests.peek(handle)
        };
        if frees && !call.failed() {
            rank.requests.forget_prepared(handle);
            stamped.entry.flags |= flags::FREED;
        }
        stamped.entry.request = request.map_or(0, |request| request.number);
        rank.write(&stamped.entry);
    });
}

/// What a request in the log is remembered as.
pub fn of(posted: &entry::Call, receives: bool) -> Request {
    let &entry::Call { request: number, peer, tag, communicator, .. } = posted;
    Request { number, receives, peer, tag, communicator, makes: None }
}

/// A request has begun: number it, remember its handle and write it down.
fn begin(rank: &mut Rank, call: &Invocation, stamped: &mut Stamped, receives: bool) {
    if !call.failed() {
        stamped.entry.request = rank.requests.number();
        let place = PLACES[call.operation].request;
        // SAFETY: the call succeeded, so its pointer to a request was good and is filled in.
        let handle = unsafe { stamped.tracer.library.layout.handle_at(call.frame.at(place), 0) };
        rank.requests.add(handle, of(&stamped.entry, receives));
    }
    rank.write(&stamped.entry);
}

#[inline(always)]
fn describe_send(rank: &mut Rank, call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    stamped.place(rank, call);
    let dest = call.int(places.dest);
    stamped.entry.flags |= flags::SENDS | IS_SYNCHRONOUS[call.operation];
    stamped.entry.peer = if library.is_nobody(dest) { NO_PEER } else { dest };
    stamped.entry.tag = call.int(places.tag);
    stamped.entry.bytes = match places.sendcount {
        crate::arguments::NONE => rank.bytes(&call.frame, call.operation, library),
        place => rank.size_of(
            count(call.operation, call.frame.at(place)),
            call.frame.at(places.sendtype),
            library,
        ),
    };
}

/// What is posted for a receive, by its arguments: its bytes are the room that there is.
#[inline(always)]
pub fn describe_receive(rank: &mut Rank, call: &Invocation, stamped: &mut Stamped) {
    use crate::arguments::NONE;
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    stamped.place(rank, call);
    let tag = if places.recvtag != NONE { places.recvtag } else { places.tag };
    posted_from(stamped, call.int(places.source), call.int(tag));
    stamped.entry.bytes = match (places.recvcount, places.count) {
        (NONE, NONE) => 0,
        (NONE, _) => rank.bytes(&call.frame, call.operation, library),
        (place, _) => rank.size_of(
            count(call.operation, call.frame.at(place)),
            call.frame.at(places.recvtype),
            library,
        ),
    };
}

#[inline(always)]
fn posted_from(stamped: &mut Stamped, source: i32, tag: i32) {
    let entry = &mut stamped.entry;
    entry.flags |= flags::RECEIVES;
    entry.peer = source;
    entry.tag = tag;
    if stamped.tracer.library.is_nobody(source) {
        entry.peer = NO_PEER;
    } else if source == stamped.tracer.library.layout.any_source {
        entry.peer = ANY_PEER;
        entry.flags |= flags::ANY_SOURCE;
    }
    if tag == ANY_TAG {
        entry.tag = entry::ANY_TAG;
        entry.flags |= flags::ANY_TAG;
    }
}

/// The message of a call that has received one, by its status.
#[inline(always)]
pub fn received(stamped: &mut Stamped, status: usize) {
    // SAFETY: the call succeeded and has filled in its status, the program's or our own.
    let status = unsafe { stamped.tracer.library.status(status, 0) };
    let nobody = stamped.tracer.library.is_nobody(status.source);
    stamped.entry.peer = if nobody { NO_PEER } else { status.source };
    stamped.entry.tag = status.tag;
    stamped.entry.bytes = status.bytes.min((1 << 40) - 1);
}

/// `SYNCHRONOUS` for the functions that are so.
static IS_SYNCHRONOUS: [u16; COUNT] = {
    use Operation::{Issend, Ssend, Ssend_init};
    let mut synchronous = [0; COUNT];
    let mut operation = 0;
    while operation < COUNT {
        if matches!(PLAIN[operation], Ssend | Issend | Ssend_init) {
            synchronous[operation] = flags::SYNCHRONOUS;
        }
        operation += 1;
    }
    synchronous
};

#[cfg(test)]
mod tests {
    use super::*;
    use calls::list::NAMES;

    #[test]
    fn synchronous_sends_are_those_whose_names_say_so() {
        for (operation, name) in NAMES.iter().enumerate() {
            let says = name.starts_with("Ss") || name.starts_with("Iss");
            assert_eq!(IS_SYNCHRONOUS[operation] != 0, says, "{name}");
        }
    }
}
