//! Collectives, as intervals with the bytes that this rank contributes, and calls that make or free
//! communicators.
//!
//! Neighbourhood collectives count what is sent to one neighbour: how many there are is not looked
//! up.

use crate::arguments::{NONE, PLACES};
use crate::invocation::Invocation;
use crate::layout::{count, count_at};
use crate::rank::Rank;
use crate::requests::Request;
use crate::stamped::Stamped;
use calls::entry::{NO_PEER, flags};
use calls::list::{CLASSES, Class, NAMES, Operation, PLAIN};

/// A collective.
pub fn collective(call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let blocks = CLASSES[call.operation] == Class::Collective;
    stamped.tracer.with(|rank| {
        stamped.place(rank, call);
        let root = if places.root == NONE { NO_PEER } else { call.int(places.root) };
        stamped.entry.peer = root.max(NO_PEER);
        stamped.entry.bytes = contributed(rank, call, stamped, root).min((1 << 40) - 1);
        if blocks {
            let written = rank.log.pending(&stamped.entry);
            rank.check(written);
        }
    });
    stamped.make(call);
    stamped.tracer.with(|rank| {
        if !blocks && !call.failed() {
            stamped.entry.request = begin(rank, call, stamped, None);
        }
        rank.write(&stamped.entry);
    });
}

/// Makes or frees a communicator.
pub fn communicator(call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    let freed = match places.old {
        NONE => None,
        // SAFETY: the program passes a pointer to a communicator; the library reads it just so.
        place => Some(unsafe { library.layout.handle_at(call.frame.at(place), 0) }),
    };
    stamped.tracer.with(|rank| {
        stamped.place(rank, call);
        stamped.entry.peer = NO_PEER;
        if let Some(handle) = freed {
            stamped.entry.flags |= flags::MESSAGE;
            stamped.entry.communicator = rank.communicator(handle, library);
        }
        let written = rank.log.pending(&stamped.entry);
        rank.check(written);
    });
    stamped.make(call);
    stamped.tracer.with(|rank| {
        if !call.failed() {
            made_or_freed(rank, call, stamped, freed);
        }
        rank.write(&stamped.entry);
    });
}

fn made_or_freed(rank: &mut Rank, call: &Invocation, stamped: &mut Stamped, freed: Option<usize>) {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    let parent = stamped.entry.communicator;
    if let Some(handle) = freed {
        return rank.communicators.forget(handle);
    }
    let newcomm = call.frame.at(places.newcomm);
    if places.request != NONE {
        stamped.entry.request = begin(rank, call, stamped, Some((newcomm, parent)));
        return;
    }
    // SAFETY: the call succeeded and has written the new handle, or the null one for a process that
    // is not in it.
    let handle = unsafe { library.layout.handle_at(newcomm, 0) };
    if handle != library.handles.comm_null {
        rank.new_communicator(handle, parent, library);
    }
}

/// Remember the request of a call that goes on.
fn begin(
    rank: &mut Rank,
    call: &Invocation,
    stamped: &Stamped,
    makes: Option<(usize, u32)>,
) -> u32 {
    let number = rank.requests.number();
    let place = PLACES[call.operation].request;
    // SAFETY: the call succeeded, so its pointer to a request was good and is filled in.
    let handle = unsafe { stamped.tracer.library.layout.handle_at(call.frame.at(place), 0) };
    let communicator = stamped.entry.communicator;
    rank.requests.add(
        handle,
        Request { number, receives: false, peer: NO_PEER, tag: 0, communicator, makes },
    );
    number
}

/// Bytes that this rank gives.
fn contributed(rank: &mut Rank, call: &Invocation, stamped: &Stamped, root: i32) -> u64 {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    let about = rank.communicators.about(stamped.entry.communicator);
    let is_root = places.root == NONE || root == about.rank || root == library.layout.root;
    let one_gives = {
        use Operation::{Bcast, Ibcast, Iscatter, Iscatterv, Scatter, Scatterv};
        matches!(PLAIN[call.operation], Bcast | Ibcast | Scatter | Iscatter | Scatterv | Iscatterv)
    };
    // Between groups everybody of one side gives to the other; whose side it is shows in the root,
    // which is then nobody.
    if one_gives && !is_root || root == library.layout.proc_null && places.root != NONE {
        return 0;
    }
    let in_place =
        places.sendbuf != NONE && call.frame.at(places.sendbuf) == library.layout.in_place;
    let mut each = |place: usize, datatype: usize| {
        rank.size_of(count(call.operation, call.frame.at(place)), call.frame.at(datatype), library)
    };
    let everybody = u64::from(about.peers);
    match places {
        _ if places.sendcounts != NONE && !in_place => several(rank, call, stamped, everybody),
        _ if places.sendcount != NONE && !in_place => {
            each(places.sendcount, places.sendtype)
                * if to_everybody(call.operation) { everybody } else { 1 }
        }
        _ if in_place && places.recvcount != NONE && places.recvtype != NONE => {
            each(places.recvcount, places.recvtype)
                * if to_everybody(call.operation) { everybody } else { 1 }
        }
        _ if places.recvcounts != NONE && places.datatype != NONE => sum(
            call,
            places.recvcounts,
            everybody,
        )
        .saturating_mul(rank.size_of(1, call.frame.at(places.datatype), library)),
        _ if places.recvcount != NONE && places.datatype != NONE => {
            each(places.recvcount, places.datatype) * everybody
        }
        _ if places.count != NONE => each(places.count, places.datatype),
        _ => 0,
    }
}

/// Whether a send count is for each of the others.
fn to_everybody(operation: usize) -> bool {
    use Operation::{Alltoall, Ialltoall, Iscatter, Scatter};
    matches!(PLAIN[operation], Alltoall | Ialltoall | Scatter | Iscatter)
}

/// Counts that differ from one to the next: those of a neighbourhood are as many as nobody here
/// knows.
fn several(rank: &mut Rank, call: &Invocation, stamped: &Stamped, everybody: u64) -> u64 {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    if NAMES[call.operation].contains("neighbor") || NAMES[call.operation].starts_with("Neighbor") {
        return 0;
    }
    if places.sendtypes == NONE {
        return sum(call, places.sendcounts, everybody).saturating_mul(rank.size_of(
            1,
            call.frame.at(places.sendtype),
            library,
        ));
    }
    (0..everybody as usize)
        .map(|peer| {
            // SAFETY: the arrays have an element for each process of the communicator.
            let (count, datatype) = unsafe {
                let count = count_at(call.operation, call.frame.at(places.sendcounts), peer);
                (count, library.layout.handle_at(call.frame.at(places.sendtypes), peer))
            };
            rank.size_of(count, datatype, library)
        })
        .sum()
}

fn sum(call: &Invocation, counts: usize, of: u64) -> u64 {
    // SAFETY: the array has an element for each process of the communicator.
    let count = |peer| unsafe { count_at(call.operation, call.frame.at(counts), peer) };
    (0..of as usize).map(count).sum()
}
