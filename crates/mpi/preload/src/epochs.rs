//! One-sided communication within a window: the calls that open and close its epochs, those that
//! wait in one, and those that move data. Each names its window, and the rank or the group that it
//! is for.

use crate::arguments::PLACES;
use crate::invocation::Invocation;
use crate::point::{begun, of};
use crate::rank::Rank;
use crate::requests::Request;
use crate::stamped::Stamped;
use calls::entry::{NO_PEER, flags};

/// Any of them.
pub fn one_sided(call: &Invocation, stamped: &mut Stamped) {
    stamped.tracer.with(|rank| {
        describe(rank, call, stamped);
        let written = rank.log.pending(&stamped.entry);
        rank.check(written);
    });
    stamped.make(call);
    let places = &PLACES[call.operation];
    let in_vain = stamped.was_in_vain(call);
    stamped.tracer.with(|rank| {
        if in_vain {
            let written = rank.log.poll(&stamped.entry);
            return rank.check(written);
        }
        if places.request.exists() && !call.failed() {
            begin(rank, call, stamped);
        }
        // The library has taken the group, so it is one.
        if places.group.exists() && !call.failed() {
            stamped.entry.tag = group(rank, call, stamped);
        }
        rank.write(&stamped.entry);
    });
}

fn describe(rank: &mut Rank, call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    stamped.place(rank, call);
    stamped.entry.flags |= flags::MESSAGE;
    let window = places.win.read(call, &library.layout);
    stamped.entry.communicator = rank.windows.get(window).unwrap_or(0) as u32;
    let target = if places.target.exists() { places.target.read(call) } else { NO_PEER };
    stamped.entry.peer = if library.is_nobody(target) { NO_PEER } else { target.max(NO_PEER) };
    if places.lock_type.exists() && places.lock_type.read(call) == library.layout.lock_exclusive {
        stamped.entry.flags |= flags::EXCLUSIVE;
    }
    if places.datatype.exists() {
        let count = if places.count.exists() { places.count.read(call) } else { 1 };
        let datatype = places.datatype.read(call, &library.layout);
        stamped.entry.bytes = rank.size_of(count, datatype, library);
    }
}

/// The number of the group that an epoch was opened for.
fn group(rank: &mut Rank, call: &Invocation, stamped: &Stamped) -> i32 {
    let library = &stamped.tracer.library;
    let group = PLACES[call.operation].group.read(call, &library.layout);
    let (number, entry) = rank.communicators.window_group(group, library);
    if let Some(entry) = entry {
        let written = rank.log.entry(&entry);
        rank.check(written);
    }
    number as i32
}

/// What the call has begun is waited for in another.
fn begin(rank: &mut Rank, call: &Invocation, stamped: &mut Stamped) {
    stamped.entry.request = rank.requests.number();
    let request = Request { peer: NO_PEER, tag: 0, ..of(&stamped.entry, false) };
    rank.requests.add(begun(call, stamped), request);
}
