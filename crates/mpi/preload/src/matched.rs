//! Probes, and messages that a probe has taken out of the queue.

use crate::arguments::PLACES;
use crate::invocation::Invocation;
use crate::layout::STATUS_WORDS;
use crate::point::{begun, describe_receive, of, received};
use crate::requests::Request;
use crate::stamped::Stamped;
use crate::waits::completion;
use calls::entry::{NO_PEER, flags};

/// Looks for a message and leaves it there.
pub fn probe(call: &Invocation, stamped: &mut Stamped) {
    if look(call, stamped) {
        stamped.entry.flags &= !flags::RECEIVES;
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
            let message = unsafe { PLACES[call.operation].message.read(call, &library.layout, 0) };
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
    let message = unsafe { places.message.read(call, &library.layout, 0) };
    let goes_on = places.request.exists();
    let number = stamped.tracer.with(|rank| {
        stamped.place(rank, call);
        stamped.entry.flags |= flags::MATCHED;
        if !goes_on {
            let written = rank.log.pending(&stamped.entry);
            rank.check(written);
        }
        // Before the call: once the library has the handle, another thread may be given it.
        rank.messages.remove(message).map_or(0, |number| number as u32)
    });
    let mut own = [0usize; STATUS_WORDS];
    let status = match goes_on {
        true => 0,
        false => places.status.observed(call, &mut own, &library.layout),
    };
    stamped.make(call);
    let took = if goes_on { !call.failed() } else { stamped.took(call) };
    stamped.tracer.with(|rank| {
        match (number, took) {
            (0, _) => {}
            (_, false) => rank.messages.insert(message, u64::from(number)),
            (_, true) if goes_on => {
                stamped.entry.request = number;
                rank.requests.add(begun(call, stamped), of(&stamped.entry, true));
            }
            (_, true) => {
                let request = Request { number, ..of(&stamped.entry, true) };
                let class = if call.failed() { library.layout.errors.truncate } else { 0 };
                rank.done.extend(completion(library, &request, status, 0, class));
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
    let waits = !places.flag.exists();
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
    let status = places.status.observed(call, &mut own, &library.layout);
    stamped.make(call);
    if call.failed() {
        return true;
    }
    // SAFETY: the call succeeded and has set its flag.
    let found = waits || unsafe { places.flag.read(call, 0) } != 0;
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
