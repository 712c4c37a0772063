//! Probes, and messages that a probe has taken out of the queue.

use crate::arguments::{NONE, PLACES};
use crate::invocation::Invocation;
use crate::layout::{STATUS_WORDS, int_at};
use crate::point::{describe_receive, of, received};
use crate::stamped::Stamped;
use calls::entry::{Completion, NO_PEER, completion_flags, flags};

/// Looks for a message and leaves it there.
pub fn probe(call: &Invocation, stamped: &mut Stamped) {
    if look(call, stamped) {
        stamped.entry.flags &= !(flags::RECEIVES | flags::ANY_SOURCE | flags::ANY_TAG);
        stamped.tracer.with(|rank| rank.write(&stamped.entry));
    }
}

/// Takes the message that it finds: from then on it is received, by the number of a request.
pub fn matched_probe(call: &Invocation, stamped: &mut Stamped) {
    if !look(call, stamped) {
        return;
    }
    let library = &stamped.tracer.library;
    stamped.tracer.with(|rank| {
        if call.failed() {
            stamped.entry.flags &= !flags::RECEIVES;
        } else if stamped.entry.peer != NO_PEER {
            stamped.entry.request = rank.requests.number();
            // SAFETY: the call succeeded and found a message, so it has written its handle.
            let message = unsafe {
                library.layout.handle_at(call.frame.at(PLACES[call.operation].message), 0)
            };
            rank.messages.insert(message, u64::from(stamped.entry.request));
        }
        rank.write(&stamped.entry);
    });
}

/// Receives what a matched probe took.
pub fn matched_receive(call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    // SAFETY: the program passes a pointer to a message; the library reads it just so.
    let message = unsafe { library.layout.handle_at(call.frame.at(places.message), 0) };
    let number = stamped.tracer.with(|rank| {
        stamped.place(rank, call);
        stamped.entry.flags |= flags::MATCHED;
        if places.status != NONE {
            let written = rank.log.pending(&stamped.entry);
            rank.check(written);
        }
        rank.messages.get(message).map_or(0, |number| number as u32)
    });
    let mut own = [0usize; STATUS_WORDS];
    let status = match places.status {
        NONE => 0,
        place => call.status(place, own.as_mut_ptr() as usize, library.layout.status_ignore),
    };
    stamped.make(call);
    stamped.tracer.with(|rank| {
        if !call.failed() && number != 0 {
            rank.messages.remove(message);
            if places.status == NONE {
                stamped.entry.request = number;
                // SAFETY: the call succeeded, so its pointer to a request was good and is filled
                // in.
                let handle = unsafe { library.layout.handle_at(call.frame.at(places.request), 0) };
                rank.requests.add(handle, of(&stamped.entry, true));
            } else {
                // SAFETY: the call succeeded and has filled in its status.
                let status = unsafe { library.status(status, 0) };
                let flags = completion_flags::RECEIVED;
                let (source, tag, bytes) = (status.source, status.tag, status.bytes);
                rank.done.push(Completion { request: number, flags, source, tag, bytes });
            }
        }
        rank.write_done(&stamped.entry);
    });
}

/// Make a probe. Whether it is to be written down as a call of its own: polls that found nothing
/// are written here.
fn look(call: &Invocation, stamped: &mut Stamped) -> bool {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    let waits = places.flag == NONE;
    stamped.tracer.with(|rank| {
        describe_receive(rank, call, stamped);
        if waits {
            let posted = calls::entry::Call {
                flags: stamped.entry.flags & !flags::RECEIVES,
                ..stamped.entry
            };
            let written = rank.log.pending(&posted);
            rank.check(written);
        }
    });
    let mut own = [0usize; STATUS_WORDS];
    let status =
        call.status(places.status, own.as_mut_ptr() as usize, library.layout.status_ignore);
    stamped.make(call);
    if call.failed() {
        return true;
    }
    // SAFETY: the call succeeded and has set its flag.
    let found = waits || unsafe { int_at(call.frame.at(places.flag), 0) } != 0;
    match found {
        true => received(stamped, status),
        false => stamped.tracer.with(|rank| {
            stamped.entry.flags &= flags::MESSAGE;
            let written = rank.log.poll(&stamped.entry);
            rank.check(written);
        }),
    }
    found
}
