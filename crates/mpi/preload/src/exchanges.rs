//! Clocks of ranks on several machines: exchanges between one rank of each clock and rank 0, as MPI
//! is initialised and as it ends.
//!
//! All ranks take part in finding out which clocks there are, so this is left out where the
//! launcher's environment says that all ranks are on one machine. Afterwards one rank a clock
//! measures against rank 0, on a communicator of its own that the program's receives cannot see.
//! The exchange with the shortest round trip tells most; which that is, is found out when the run
//! is closed.

use crate::rank::{Rank, Tracer};
use calls::entry::encode_exchange;
use clock::{Exchange, Ticks};

/// Exchanges at a time.
const EXCHANGES: usize = 200;
const TAG: usize = 1;

/// Bring the clocks together. Every rank of the world must come here.
pub fn exchange(tracer: &Tracer) {
    let planted = std::env::var_os(mpi_facts::variables::PLANT).is_some();
    if !planted && is_one_machine(tracer.with(|rank| rank.size())) {
        return;
    }
    let domains = gather(tracer);
    let leaders = leaders(&domains);
    if leaders.len() < 2 {
        return;
    }
    let library = &tracer.library;
    let mut comm = 0usize;
    // SAFETY: all ranks make this call, and there is room for the handle.
    if unsafe { library.comm_dup(library.handles.world, &raw mut comm as usize) } != 0 {
        return;
    }
    let handle = library.layout.handle(comm);
    let own = tracer.with(|rank| rank.rank as usize);
    match own {
        0 => leaders[1..].iter().for_each(|leader| answer(tracer, handle, *leader)),
        _ if leaders.contains(&own) => ask(tracer, handle),
        _ => {}
    }
    // SAFETY: the communicator made above, which nothing uses any more.
    unsafe { library.comm_free(&raw mut comm as usize) };
}

/// Whether the launcher says that every rank runs here. It must say the same to all ranks, because
/// all or none go on.
fn is_one_machine(size: u32) -> bool {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok();
    ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"].iter().any(|name| number(name) == Some(size))
        || number("SLURM_STEP_NUM_NODES").or(number("SLURM_NNODES")) == Some(1)
        || size == 1
}

/// A number for the clock of each rank: equal where it is the same one.
fn gather(tracer: &Tracer) -> Vec<u64> {
    let (own, size) = tracer.with(|rank| (hash(&rank.sheet.domain), rank.size() as usize));
    let mut all = vec![own; size];
    let library = &tracer.library;
    let (from, to) = (&raw const own as usize, all.as_mut_ptr() as usize);
    // SAFETY: eight bytes from each rank, and room for those of all.
    unsafe {
        library.allgather(
            from,
            8,
            library.handles.byte,
            to,
            8,
            library.handles.byte,
            library.handles.world,
        )
    };
    all
}

/// The first rank of each clock.
fn leaders(domains: &[u64]) -> Vec<usize> {
    (0..domains.len()).filter(|rank| !domains[..*rank].contains(&domains[*rank])).collect()
}

fn hash(domain: &str) -> u64 {
    // FNV-1a: the same in every process.
    domain.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
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

fn ask(tracer: &Tracer, comm: usize) {
    let library = &tracer.library;
    for _ in 0..EXCHANGES {
        let mut stamps = [0u64; 2];
        let buffer = stamps.as_mut_ptr() as usize;
        let sent = tracer.clock.now();
        // SAFETY: sixteen bytes each way, to and from a rank that does the opposite.
        unsafe {
            library.send(buffer, 0, library.handles.byte, 0, TAG, comm);
            library.receive(
                buffer,
                16,
                library.handles.byte,
                0,
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
        tracer.with(|rank| write(rank, &exchange));
    }
}

fn write(rank: &mut Rank, exchange: &Exchange) {
    let written = rank.log.entry(&encode_exchange(0, exchange));
    rank.check(written);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rank_of_each_clock_leads() {
        assert_eq!(leaders(&[7, 7, 3, 7, 3, 9]), [0, 2, 5]);
        assert_eq!(leaders(&[7, 7]), [0]);
        assert_ne!(hash("a/tsc"), hash("b/tsc"));
    }
}
