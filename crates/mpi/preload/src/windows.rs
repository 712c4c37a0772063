//! Windows of one-sided communication, as far as all their ranks take part: made, fenced and freed.
//!
//! For these a window is a communicator of its own, so that its calls are told apart from the
//! collectives of the communicator that it was made over.

use crate::arguments::PLACES;
use crate::invocation::Invocation;
use crate::rank::Rank;
use crate::stamped::Stamped;
use calls::entry::{NO_PEER, flags};

/// Any of them.
pub fn window(call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let layout = &stamped.tracer.library.layout;
    // SAFETY: the program passes a pointer to a window; the library reads it just so.
    let window = || unsafe { places.window.read(call, layout, 0) };
    let used = match (places.comm.exists(), places.win.exists()) {
        (true, _) => None,
        (_, true) => Some(places.win.read(call, layout)),
        _ => Some(window()),
    };
    // A window that is only used is passed by value. One that is to be freed is forgotten before
    // the call: once the library has the handle, another thread may be given it.
    let freed = used.filter(|_| places.window.exists());
    let forgotten = stamped.tracer.with(|rank| {
        stamped.place(rank, call);
        stamped.entry.peer = NO_PEER;
        if let Some(handle) = used {
            stamped.entry.flags |= flags::MESSAGE;
            stamped.entry.communicator = rank.windows.get(handle).unwrap_or(0) as u32;
        }
        let written = rank.log.pending(&stamped.entry);
        rank.check(written);
        freed.and_then(|handle| Some((handle, rank.windows.remove(handle)?)))
    });
    stamped.make(call);
    stamped.tracer.with(|rank| {
        match (used, forgotten) {
            (None, _) if !call.failed() => made(rank, call, stamped, window()),
            (_, Some((handle, number))) if call.failed() => rank.windows.insert(handle, number),
            _ => {}
        }
        rank.write(&stamped.entry);
    });
}

fn made(rank: &mut Rank, call: &Invocation, stamped: &Stamped, window: usize) {
    let library = &stamped.tracer.library;
    let comm = PLACES[call.operation].comm.read(call, &library.layout);
    let parent = stamped.entry.communicator;
    let (number, entry) = rank.communicators.over(comm, parent, library);
    rank.windows.insert(window, u64::from(number));
    let written = rank.log.entry(&entry);
    rank.check(written);
}
