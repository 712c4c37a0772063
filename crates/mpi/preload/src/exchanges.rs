//! Clocks of ranks on several machines: exchanges between one rank of each clock and one that the
//! others are measured against, as MPI is initialised and as it ends.
//!
//! Each such rank measures on a communicator of ours that the program's receives cannot see. The
//! exchange with the shortest round trip tells most; which that is, is found out when the run is
//! closed.

use crate::library::Library;
use crate::member::Member;
use crate::rank::{self, Rank, Tracer};
use calls::entry::encode_exchange;
use clock::{Exchange, Ticks};
use std::sync::OnceLock;

/// Exchanges at a time.
const EXCHANGES: usize = 200;
const TAG: usize = 1;

/// What this rank does whenever clocks are brought together.
static PART: OnceLock<Part> = OnceLock::new();

/// A rank that leads: it speaks for its clock.
struct Part {
    tracer: &'static Tracer,
    /// The communicator of the exchanges.
    comm: usize,
    /// The leaders; the others are measured against the first.
    leaders: Vec<usize>,
    own: usize,
}

/// Bring clocks together for the first time: `clocks` has a number for that of each rank, 0 where a
/// rank keeps no log. Every rank of the world must come here.
pub fn begin(library: &Library, member: &Member<'_>, clocks: &[u64]) {
    let leaders = leaders(clocks);
    if leaders.len() < 2 {
        return;
    }
    let mut comm = 0usize;
    // SAFETY: all ranks make this call, and there is room for the handle. It is never freed,
    // because ranks may stop to log: the library does it as MPI ends.
    if unsafe { library.comm_dup(library.handles.world, &raw mut comm as usize) } != 0 {
        return;
    }
    let own = member.number as usize;
    if let Some(logging) = member.logging.as_ref().filter(|_| leaders.contains(&own)) {
        let comm = library.layout.handle(comm);
        let _ = PART.set(Part { tracer: logging.tracer, comm, leaders, own });
        again();
    }
}

/// Bring them together again. A leader comes here even if it has stopped to log, because another
/// waits for it.
pub fn again() {
    let Some(part) = PART.get() else { return };
    match part.own == part.leaders[0] {
        true => part.leaders[1..].iter().for_each(|leader| answer(part.tracer, part.comm, *leader)),
        false => ask(part.tracer, part.comm, part.leaders[0]),
    }
}

/// The first rank of each clock.
fn leaders(clocks: &[u64]) -> Vec<usize> {
    (0..clocks.len())
        .filter(|rank| clocks[*rank] != 0 && !clocks[..*rank].contains(&clocks[*rank]))
        .collect()
}

fn answer(tracer: &Tracer, comm: usize, leader: usize) {
    let library = &tracer.library;
    let mut stamps = [0u64; 2];
    for _ in 0..EXCHANGES {
        let buffer = stamps.as_mut_ptr() as usize;
        // SAFETY: sixteen bytes each way, to and from a rank that does the opposite.
        unsafe {
            library.receive(
                buffer,
                0,
                library.handles.byte,
                leader,
                TAG,
                comm,
                library.layout.status_ignore,
            )
        };
        stamps = [tracer.clock.now().0, 0];
        stamps[1] = tracer.clock.now().0;
        // SAFETY: the same.
        unsafe { library.send(buffer, 16, library.handles.byte, leader, TAG, comm) };
    }
}

fn ask(tracer: &Tracer, comm: usize, reference: usize) {
    let library = &tracer.library;
    for _ in 0..EXCHANGES {
        let mut stamps = [0u64; 2];
        let buffer = stamps.as_mut_ptr() as usize;
        let sent = tracer.clock.now();
        // SAFETY: sixteen bytes each way, to and from a rank that does the opposite.
        unsafe {
            library.send(buffer, 0, library.handles.byte, reference, TAG, comm);
            library.receive(
                buffer,
                16,
                library.handles.byte,
                reference,
                TAG,
                comm,
                library.layout.status_ignore,
            );
        }
        let received = tracer.clock.now();
        let exchange = Exchange {
            local_sent: sent,
            remote_received: Ticks(stamps[0]),
            remote_sent: Ticks(stamps[1]),
            local_received: received,
        };
        if rank::tracer().is_some() {
            tracer.with(|rank| write(rank, reference, &exchange));
        }
    }
}

fn write(rank: &mut Rank, reference: usize, exchange: &Exchange) {
    let written = rank.log.entry(&encode_exchange(reference as u32, exchange));
    rank.check(written);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rank_of_each_clock_leads() {
        assert_eq!(leaders(&[7, 7, 3, 7, 3, 9]), [0, 2, 5]);
        assert_eq!(leaders(&[7, 7]), [0]);
        assert_eq!(leaders(&[0, 7, 0, 7, 3]), [1, 4], "who keeps no log has no part");
    }
}
