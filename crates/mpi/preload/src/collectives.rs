//! Collectives, as intervals with the bytes that this rank contributes, and calls that make or free
//! communicators.
//!
//! Neighbourhood collectives count what is sent to one neighbour: how many there are is not looked
//! up.

use crate::arguments::{Count, Counts, Handle, Handles, PLACES, Place, Places};
use crate::communicators::About;
use crate::invocation::Invocation;
use crate::layout::Layout;
use crate::point::{begun, of};
use crate::rank::Rank;
use crate::requests::Request;
use crate::stamped::Stamped;
use calls::dependence::Dependence;
use calls::entry::{BYTES_MAX, NO_PEER, flags};
use calls::list::{CLASSES, Class, Operation, PLAIN};
use std::ops::Range;

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
    let forgotten = stamped.tracer.with(|rank| {
        stamped.place(rank, call);
        stamped.entry.peer = NO_PEER;
        let mut forgotten = None;
        if let Some(handle) = freed {
            stamped.entry.flags |= flags::MESSAGE;
            stamped.entry.communicator = rank.communicator(handle, library);
            // Before the call: once the library has the handle, another thread may be given it.
            rank.sends.forget();
            forgotten = rank.communicators.forget(handle).map(|number| (handle, number));
        }
        let written = rank.log.pending(&stamped.entry);
        rank.check(written);
        forgotten
    });
    stamped.make(call);
    stamped.tracer.with(|rank| {
        match (freed, forgotten) {
            (None, _) if !call.failed() => made(rank, call, stamped),
            (_, Some((handle, number))) if call.failed() => {
                rank.communicators.restore(handle, number);
            }
            _ => {}
        }
        rank.write(&stamped.entry);
    });
}

fn made(rank: &mut Rank, call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let library = &stamped.tracer.library;
    let parent = stamped.entry.communicator;
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
    let dependence = Dependence::of(call.operation as u16);
    if places.root.exists() && !gives(dependence, root, about, &library.layout) {
        return 0;
    }
    let in_place =
        places.sendbuf.exists() && places.sendbuf.address(call) == library.layout.in_place;
    let mut each =
        |count: Place<Count>, datatype: Place<Handle>| rank.bytes(call, count, datatype, library);
    let everybody = u64::from(about.peers);
    let all = if to_everybody(call.operation) { everybody } else { 1 };
    match places {
        // How many neighbours there are nobody here knows.
        _ if places.sendcounts.exists() && dependence == Dependence::Neighbours => 0,
        _ if places.sendcounts.exists() && !in_place => {
            several(rank, call, stamped, SENT, 0..everybody as usize)
        }
        _ if places.sendcount.exists() && !in_place => {
            each(places.sendcount, places.sendtype) * all
        }
        // In place, what is given is as much as is received, from everybody or from itself.
        _ if in_place && places.recvcount.exists() && places.recvtype.exists() => {
            each(places.recvcount, places.recvtype) * all
        }
        _ if in_place && places.recvcounts.exists() && !places.datatype.exists() => {
            let (own, members) = (about.rank.max(0) as usize, about.members as usize);
            let is_all = places.sendcounts.exists();
            let from = if is_all { 0..members } else { own..members.min(own + 1) };
            several(rank, call, stamped, RECEIVED, from)
        }
        _ if places.recvcounts.exists() && places.datatype.exists() => {
            let counts = 0..about.members as usize;
            // SAFETY: the array has an element for each process of the group.
            let count = counts.map(|at| unsafe { places.recvcounts.read(call, at) }).sum();
            rank.size_of(count, places.datatype.read(call, &library.layout), library)
        }
        _ if places.recvcount.exists() && places.datatype.exists() => {
            each(places.recvcount, places.datatype) * everybody
        }
        _ if places.count.exists() => each(places.count, places.datatype),
        _ => 0,
    }
}

/// Whether this rank gives anything to a collective with a root: the arguments of who gives nothing
/// say nothing, and an array of them may not be there.
fn gives(dependence: Dependence, root: i32, about: About, layout: &Layout) -> bool {
    match (about.is_between, dependence == Dependence::Root) {
        (false, false) => true,
        (false, true) => root == about.rank,
        // Between groups the root calls itself MPI_ROOT, those beside it have MPI_PROC_NULL, and
        // only those of the other group name it, by its rank there.
        (true, false) => root >= 0,
        (true, true) => root == layout.root,
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

/// Where counts are that differ from one process to the next, and their type or types.
type Differing = fn(&Places) -> (Place<Counts>, Place<Handle>, Place<Handles>);

const SENT: Differing = |places| (places.sendcounts, places.sendtype, places.sendtypes);
const RECEIVED: Differing = |places| (places.recvcounts, places.recvtype, places.recvtypes);

/// Bytes of such counts.
fn several(
    rank: &mut Rank,
    call: &Invocation,
    stamped: &Stamped,
    which: Differing,
    of: Range<usize>,
) -> u64 {
    let (counts, datatype, datatypes) = which(&PLACES[call.operation]);
    let library = &stamped.tracer.library;
    of.map(|at| {
        // SAFETY: the arrays have an element for each process of the communicator.
        let (count, datatype) = unsafe {
            let datatype = match datatypes.exists() {
                true => datatypes.read(call, &library.layout, at),
                false => datatype.read(call, &library.layout),
            };
            (counts.read(call, at), datatype)
        };
        rank.size_of(count, datatype, library)
    })
    .sum()
}
