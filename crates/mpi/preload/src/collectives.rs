//! Collectives, as intervals with the bytes that this rank contributes, and calls that make or free
//! communicators.
//!
//! Neighbourhood collectives count what is sent to one neighbour: how many there are is not looked
//! up.

use crate::arguments::{Count, Counts, Handle, PLACES, Place};
use crate::invocation::Invocation;
use crate::point::{begun, of};
use crate::rank::Rank;
use crate::requests::Request;
use crate::stamped::Stamped;
use calls::entry::{BYTES_MAX, NO_PEER, flags};
use calls::list::{CLASSES, Class, NAMES, Operation, PLAIN};

/// A collective.
pub fn collective(call: &Invocation, stamped: &mut Stamped) {
    let blocks = CLASSES[call.operation] == Class::Collective;
    stamped.tracer.with(|rank| {
        describe(rank, call, stamped);
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

/// What a rank gives, by the arguments.
pub fn describe(rank: &mut Rank, call: &Invocation, stamped: &mut Stamped) {
    let root = PLACES[call.operation].root;
    stamped.place(rank, call);
    let root = if root.exists() { root.read(call) } else { NO_PEER };
    stamped.entry.peer = root.max(NO_PEER);
    stamped.entry.bytes = contributed(rank, call, stamped, root).min(BYTES_MAX);
}

/// Makes or frees a communicator.
pub fn communicator(call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    // SAFETY: the program passes a pointer to a communicator; the library reads it just so.
    let old = || unsafe { places.old.read(call, &library.layout, 0) };
    let freed = places.old.exists().then(old);
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
        rank.sends.forget();
        return rank.communicators.forget(handle);
    }
    if places.request.exists() {
        let makes = Some((places.newcomm.pointer(call), parent));
        stamped.entry.request = begin(rank, call, stamped, makes);
        return;
    }
    // SAFETY: the call succeeded and has written the new handle, or the null one for a process that
    // is not in it.
    let handle = unsafe { places.newcomm.read(call, &library.layout, 0) };
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
    let request = Request { number, peer: NO_PEER, tag: 0, makes, ..of(&stamped.entry, false) };
    rank.requests.add(begun(call, stamped), request);
    number
}

/// Bytes that this rank gives.
fn contributed(rank: &mut Rank, call: &Invocation, stamped: &Stamped, root: i32) -> u64 {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    let about = rank.communicators.about(stamped.entry.communicator);
    let is_root = !places.root.exists() || root == about.rank || root == library.layout.root;
    let one_gives = {
        use Operation::{
            Bcast, Bcast_init, Ibcast, Iscatter, Iscatterv, Scatter, Scatter_init, Scatterv,
            Scatterv_init,
        };
        matches!(
            PLAIN[call.operation],
            Bcast
                | Ibcast
                | Bcast_init
                | Scatter
                | Iscatter
                | Scatter_init
                | Scatterv
                | Iscatterv
                | Scatterv_init
        )
    };
    // Between groups everybody of one side gives to the other; whose side it is shows in the root,
    // which is then nobody.
    if one_gives && !is_root || root == library.layout.proc_null && places.root.exists() {
        return 0;
    }
    let in_place =
        places.sendbuf.exists() && places.sendbuf.address(call) == library.layout.in_place;
    let mut each =
        |count: Place<Count>, datatype: Place<Handle>| rank.bytes(call, count, datatype, library);
    let everybody = u64::from(about.peers);
    match places {
        _ if places.sendcounts.exists() && !in_place => several(rank, call, stamped, everybody),
        _ if places.sendcount.exists() && !in_place => {
            each(places.sendcount, places.sendtype)
                * if to_everybody(call.operation) { everybody } else { 1 }
        }
        _ if in_place && places.recvcount.exists() && places.recvtype.exists() => {
            each(places.recvcount, places.recvtype)
                * if to_everybody(call.operation) { everybody } else { 1 }
        }
        _ if places.recvcounts.exists() && places.datatype.exists() => {
            let count = sum(call, places.recvcounts, u64::from(about.members));
            rank.size_of(count, places.datatype.read(call, &library.layout), library)
        }
        _ if places.recvcount.exists() && places.datatype.exists() => {
            each(places.recvcount, places.datatype) * everybody
        }
        _ if places.count.exists() => each(places.count, places.datatype),
        _ => 0,
    }
}

/// Whether a send count is for each of the others.
fn to_everybody(operation: usize) -> bool {
    use Operation::{Alltoall, Alltoall_init, Ialltoall, Iscatter, Scatter, Scatter_init};
    matches!(
        PLAIN[operation],
        Alltoall | Ialltoall | Alltoall_init | Scatter | Iscatter | Scatter_init
    )
}

/// Counts that differ from one to the next: those of a neighbourhood are as many as nobody here
/// knows.
fn several(rank: &mut Rank, call: &Invocation, stamped: &Stamped, everybody: u64) -> u64 {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    if NAMES[call.operation].contains("neighbor") || NAMES[call.operation].starts_with("Neighbor") {
        return 0;
    }
    if !places.sendtypes.exists() {
        let count = sum(call, places.sendcounts, everybody);
        return rank.size_of(count, places.sendtype.read(call, &library.layout), library);
    }
    (0..everybody as usize)
        .map(|peer| {
            // SAFETY: the arrays have an element for each process of the communicator.
            let (count, datatype) = unsafe {
                let count = places.sendcounts.read(call, peer);
                (count, places.sendtypes.read(call, &library.layout, peer))
            };
            rank.size_of(count, datatype, library)
        })
        .sum()
}

fn sum(call: &Invocation, counts: Place<Counts>, of: u64) -> u64 {
    // SAFETY: the array has an element for each process of the communicator.
    let count = |peer| unsafe { counts.read(call, peer) };
    (0..of as usize).map(count).sum()
}
