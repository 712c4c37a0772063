//! Sends and receives, blocking and immediate.

use crate::arguments::PLACES;
use crate::frame::RETURN_ADDRESS;
use crate::invocation::Invocation;
use crate::layout::{ANY_TAG, STATUS_WORDS};
use crate::log::Pending;
use crate::python;
use crate::rank::{Rank, Tracer};
use crate::requests::{Half, Request};
use crate::stamped::Stamped;
use crate::thread::Thread;
use calls::entry::{self, ANY_PEER, BYTES_MAX, NO_PEER, flags};
use calls::list::{COUNT, Operation, PLAIN};

/// A blocking send. Most are like one that was made before: then no more is done here than to take
/// the stamps and to write them down.
#[inline(always)]
pub fn send(call: &Invocation, tracer: &'static Tracer, thread: &Thread) {
    // To ask Python where it is may take a while, which is no time in MPI.
    let line = python::site(call.frame.at(RETURN_ADDRESS), tracer);
    let (enter, thread) = (tracer.clock.now().0, thread.number(tracer));
    let mut rank = tracer.turn();
    let site = if line == 0 { rank.site(&call.frame) } else { line };
    let made = Made { site, thread, enter };
    let pending = match rank.sends.find(call, site, thread) {
        Some(pending) if rank.log.begun_again(pending, enter) => pending,
        _ => begin_send(&mut rank, call, sent(call, tracer, &made)),
    };
    drop(rank);
    call.call();
    let exit = tracer.clock.now().0;
    let mut rank = tracer.turn();
    if call.failed() || !rank.log.left(pending, enter, exit) {
        end_send(&mut rank, call, sent(call, tracer, &made), exit);
    }
}

/// Where and when a send was made.
struct Made {
    site: u32,
    thread: u8,
    enter: u64,
}

fn sent(call: &Invocation, tracer: &'static Tracer, made: &Made) -> Stamped {
    let Made { site, thread, enter } = *made;
    let operation = call.operation as u16;
    let entry = entry::Call { operation, site, thread, enter, ..entry::Call::default() };
    Stamped { tracer, entry }
}

#[inline(never)]
fn begin_send(rank: &mut Rank, call: &Invocation, mut stamped: Stamped) -> Pending {
    describe_send(rank, call, &mut stamped);
    let pending = rank.begin(&stamped.entry);
    rank.sends.remember(call, stamped.entry.site, stamped.entry.thread, pending);
    pending
}

/// Write down one that failed, or whose place another thread's call has taken.
#[cold]
fn end_send(rank: &mut Rank, call: &Invocation, mut stamped: Stamped, exit: u64) {
    describe_send(rank, call, &mut stamped);
    stamped.entry.exit = exit;
    if call.failed() {
        stamped.entry.flags |= flags::FAILED;
    }
    rank.write(&stamped.entry);
}

/// A send that goes on.
pub fn start_send(call: &Invocation, stamped: &mut Stamped) {
    stamped.tracer.with(|rank| describe_send(rank, call, stamped));
    stamped.make(call);
    stamped.tracer.with(|rank| begin(rank, call, stamped, false));
}

/// A blocking receive.
pub fn receive(call: &Invocation, tracer: &'static Tracer, thread: &Thread) {
    let mut stamped = Stamped::enter(call, tracer, thread);
    let mut rank = tracer.turn();
    describe_receive(&mut rank, call, &mut stamped);
    rank.begin(&stamped.entry);
    drop(rank);
    let mut own = [0usize; STATUS_WORDS];
    let status = PLACES[call.operation].status.observed(call, &mut own, &tracer.library.layout);
    stamped.make(call);
    if stamped.took(call) {
        received(&mut stamped, status);
    }
    tracer.turn().write(&stamped.entry);
}

/// A receive that goes on.
pub fn start_receive(call: &Invocation, stamped: &mut Stamped) {
    stamped.tracer.with(|rank| describe_receive(rank, call, stamped));
    stamped.make(call);
    stamped.tracer.with(|rank| begin(rank, call, stamped, true));
}

/// Both in one call: an entry for the send, and one for the receive.
pub fn send_receive(call: &Invocation, stamped: &mut Stamped) {
    let (mut receive, layout) = (both(call, stamped), &stamped.tracer.library.layout);
    let mut own = [0usize; STATUS_WORDS];
    let status = PLACES[call.operation].status.observed(call, &mut own, layout);
    stamped.make(call);
    let took = stamped.took(call);
    let mut send = stamped.entry;
    send.flags &= !flags::TRUNCATED;
    receive.exit = send.exit;
    receive.flags |= flags::CONTINUED | stamped.entry.flags & (flags::FAILED | flags::TRUNCATED);
    stamped.entry = receive;
    if took {
        received(stamped, status);
    }
    stamped.tracer.with(|rank| {
        rank.write(&send);
        rank.write(&stamped.entry);
    });
}

/// Begins both, with one request: two in the log, which end together.
pub fn start_send_receive(call: &Invocation, stamped: &mut Stamped) {
    let mut receive = both(call, stamped);
    stamped.make(call);
    let mut send = stamped.entry;
    receive.exit = send.exit;
    receive.flags |= flags::CONTINUED | send.flags & flags::FAILED;
    stamped.tracer.with(|rank| {
        if !call.failed() {
            (send.request, receive.request) = (rank.requests.number(), rank.requests.number());
            let half = Half { number: receive.request, peer: receive.peer, tag: receive.tag };
            let request = Request { also: Some(half), ..of(&send, false) };
            rank.requests.add(begun(call, stamped), request);
        }
        rank.write(&send);
        rank.write(&receive);
    });
}

/// The entry of the receive of a call that does both; that of its send is the call's, and pending.
fn both(call: &Invocation, stamped: &mut Stamped) -> entry::Call {
    stamped.tracer.with(|rank| {
        describe_receive(rank, call, stamped);
        let receive = stamped.entry;
        stamped.entry.flags = 0;
        describe_send(rank, call, stamped);
        let written = rank.log.pending(&stamped.entry);
        rank.check(written);
        receive
    })
}

/// What a request in the log is remembered as.
pub fn of(posted: &entry::Call, receives: bool) -> Request {
    let &entry::Call { request: number, peer, tag, communicator, .. } = posted;
    Request { number, receives, peer, tag, communicator, also: None, cancelled: false, makes: None }
}

/// The handle of the request that a call has begun.
pub fn begun(call: &Invocation, stamped: &Stamped) -> usize {
    let request = PLACES[call.operation].request;
    // SAFETY: the call succeeded, so its pointer to a request was good and is filled in.
    unsafe { request.read(call, &stamped.tracer.library.layout, 0) }
}

/// A request has begun: number it, remember its handle and write it down.
fn begin(rank: &mut Rank, call: &Invocation, stamped: &mut Stamped, receives: bool) {
    if !call.failed() {
        stamped.entry.request = rank.requests.number();
        rank.requests.add(begun(call, stamped), of(&stamped.entry, receives));
    }
    rank.write(&stamped.entry);
}

/// What is sent, by the arguments.
#[inline(always)]
pub fn describe_send(rank: &mut Rank, call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.function()];
    let library = &stamped.tracer.library;
    stamped.place(rank, call);
    let dest = places.dest.read(call);
    stamped.entry.flags |= flags::SENDS | IS_SYNCHRONOUS[call.function()];
    stamped.entry.peer = if library.is_nobody(dest) { NO_PEER } else { dest };
    stamped.entry.tag = places.tag.read(call);
    stamped.entry.bytes = match places.sendcount.exists() {
        true => rank.bytes(call, places.sendcount, places.sendtype, library),
        false => rank.bytes(call, places.count, places.datatype, library),
    };
}

/// What is posted for a receive, by its arguments: its bytes are the room that there is.
#[inline(always)]
pub fn describe_receive(rank: &mut Rank, call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.function()];
    let library = &stamped.tracer.library;
    stamped.place(rank, call);
    let tag = if places.recvtag.exists() { places.recvtag } else { places.tag };
    posted_from(stamped, places.source.read(call), tag.read(call));
    stamped.entry.bytes = match (places.recvcount.exists(), places.count.exists()) {
        (true, _) => rank.bytes(call, places.recvcount, places.recvtype, library),
        (_, true) => rank.bytes(call, places.count, places.datatype, library),
        _ => 0,
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
    // SAFETY: the call took its message and has filled in its status, the program's or our own.
    let status = unsafe { stamped.tracer.library.status(status, 0) };
    let nobody = stamped.tracer.library.is_nobody(status.source);
    stamped.entry.peer = if nobody { NO_PEER } else { status.source };
    stamped.entry.tag = status.tag;
    stamped.entry.bytes = status.bytes.min(BYTES_MAX);
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
