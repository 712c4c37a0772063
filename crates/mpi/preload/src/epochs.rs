//! One-sided communication within a window: the calls that open and close its epochs, those that
//! wait in one, and those that move data. Each names its window, and the rank or the group that it
//! is for.

use crate::arguments::PLACES;
use crate::invocation::Invocation;
use crate::library::Library;
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
    stamped.entry.bytes =
        if stamped.entry.peer == NO_PEER { 0 } else { moved(rank, call, library) };
}

/// Bytes that are moved. The target's count and type say it: those of the origin say nothing where
/// it only fetches (`MPI_NO_OP`).
fn moved(rank: &mut Rank, call: &Invocation, library: &Library) -> u64 {
    let places = &PLACES[call.operation];
    match places {
        _ if places.target_datatype.exists() => {
            rank.bytes(call, places.target_count, places.target_datatype, library)
        }
        _ if places.datatype.exists() => {
            rank.size_of(1, places.datatype.read(call, &library.layout), library)
        }
        _ => 0,
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
