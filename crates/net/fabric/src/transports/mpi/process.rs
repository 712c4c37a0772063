//! This process as a rank of an MPI job: begun once, ended once.

use crate::error::FabricError;
use ::mpi::environment::Universe;
use ::mpi::traits::{Communicator, Root};
use ::mpi::{Threading, ffi};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static PLACE: OnceLock<Place> = OnceLock::new();
static OVER: AtomicBool = AtomicBool::new(false);

/// Which rank this process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub rank: u16,
    pub ranks: u16,
}

/// This process's part in an MPI job, from MPI_Init to MPI_Finalize. Make and drop it on the main
/// thread; in between one thread at a time may use MPI.
pub struct MpiProcess {
    universe: Option<Universe>,
    place: Place,
}

impl MpiProcess {
    /// Take part in the job that the launcher (mpirun, srun) has started this process for; alone,
    /// in one of one rank.
    ///
    /// # Errors
    /// When MPI has begun already, allows no second thread, or has too many ranks.
    pub fn begin() -> Result<MpiProcess, FabricError> {
        let refuse = |reason: String| Err(FabricError::BadSpec { reason });
        let Some((universe, threading)) = ::mpi::initialize_with_threading(Threading::Serialized)
        else {
            return refuse(
                "MPI was already started in this process, and can be started only once".into(),
            );
        };
        if threading < Threading::Serialized {
            return refuse(format!(
                "{} does not support threads that take turns (MPI_THREAD_SERIALIZED); use a build \
                of it that does",
                mpi_library().unwrap_or_default()
            ));
        }
        let world = universe.world();
        let (Ok(rank), Ok(ranks)) = (u16::try_from(world.rank()), u16::try_from(world.size()))
        else {
            return refuse(format!(
                "{} ranks are too many: the limit is {}",
                world.size(),
                u16::MAX
            ));
        };
        let place = Place { rank, ranks };
        PLACE.get_or_init(|| place);
        Ok(MpiProcess { universe: Some(universe), place })
    }

    /// This process's number.
    pub fn rank(&self) -> u16 {
        self.place.rank
    }

    /// Processes of the job.
    pub fn ranks(&self) -> u16 {
        self.place.ranks
    }

    /// What rank 0 gives, at every rank. All must call it; it waits for them.
    pub fn share(&self, words: &[u8]) -> Vec<u8> {
        let Some(universe) = &self.universe else { return Vec::new() };
        let world = universe.world();
        let root = world.process_at_rank(0);
        let mut len = words.len() as u64;
        root.broadcast_into(&mut len);
        let mut shared = words.to_vec();
        shared.resize(len as usize, 0);
        root.broadcast_into(&mut shared[..]);
        shared
    }

    /// Wait for all ranks.
    pub fn meet(&self) {
        use ::mpi::traits::CommunicatorCollectives;
        if let Some(universe) = &self.universe {
            universe.world().barrier();
        }
    }

    /// Wait for all ranks, for so long at most. `false`: somebody has not come, and ending in good
    /// order would hang.
    pub fn meet_within(&self, patience: Duration) -> bool {
        super::raw::meet(Instant::now() + patience)
    }

    /// End the whole job with this exit code, without waiting for ranks that may be stuck. The
    /// launcher says so too.
    pub fn abort(mut self, code: i32) -> ! {
        OVER.store(true, Ordering::Release);
        std::mem::forget(self.universe.take());
        // SAFETY: MPI has begun and not ended.
        unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, code) };
        std::process::abort()
    }
}

impl Drop for MpiProcess {
    fn drop(&mut self) {
        // First, so that nobody calls MPI while it ends.
        OVER.store(true, Ordering::Release);
        drop(self.universe.take());
    }
}

/// The MPI library that this program was built with, as it calls itself.
pub fn mpi_library() -> Option<String> {
    let (mut text, mut len) = (vec![0u8; ffi::MPI_MAX_LIBRARY_VERSION_STRING as usize + 1], 0);
    // SAFETY: allowed at any time; the text has the room that the library asks for.
    let told = unsafe { ffi::MPI_Get_library_version(text.as_mut_ptr().cast(), &raw mut len) } == 0;
    text.truncate(usize::try_from(len).unwrap_or(0));
    let text = String::from_utf8_lossy(&text).into_owned();
    told.then(|| short(&text))
}

/// Name and version alone, of lines about packages and dates: `Open MPI v4.1.4`, `MPICH Version:
/// 4.0.2`.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let name = line.split(',').next().unwrap_or_default();
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Which rank this process is, while MPI may be used.
pub(super) fn place() -> Option<Place> {
    PLACE.get().copied().filter(|_| !is_over())
}

/// Whether MPI has ended: no handle may be touched any more.
pub(super) fn is_over() -> bool {
    OVER.load(Ordering::Acquire)
}
