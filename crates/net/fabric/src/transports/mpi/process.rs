//! This process as a rank of an MPI job: begun once, ended once.

use super::library::{self, Library, MpiFamily};
use super::raw::{Refused, World};
use crate::error::FabricError;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static PLACE: OnceLock<Place> = OnceLock::new();
static OVER: AtomicBool = AtomicBool::new(false);

/// Which rank this process is, and of which library's job.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub library: &'static Library,
    pub rank: u16,
    pub ranks: u16,
}

/// This process's part in an MPI job, from MPI_Init to MPI_Finalize. Make and drop it on the main
/// thread; in between one thread at a time may use MPI.
pub struct MpiProcess {
    world: Option<World>,
    place: Place,
}

impl MpiProcess {
    /// Take part in the job that the launcher (mpirun, srun) has started this process for; alone,
    /// in one of one rank.
    ///
    /// # Errors
    /// When no MPI library can be used, or MPI has begun already, allows no second thread, or has
    /// too many ranks.
    pub fn begin() -> Result<MpiProcess, FabricError> {
        let refuse = |reason: String| Err(FabricError::BadSpec { reason });
        let library = library::load(None)?;
        if library.constants.family == MpiFamily::OpenMpi && library::srun_without_mpi() {
            // It would end the process, with a page of its own words.
            return refuse(format!(
                "srun did not tell its processes how {} finds the other ranks: use srun \
                --mpi=pmix (srun --mpi=list names what this Slurm has), or give --transport tcp",
                library.name()
            ));
        }
        let world = match World::begin(library) {
            Ok(world) => world,
            Err(refused) => return refuse(said(&refused, library)),
        };
        let (rank, ranks) = (world.rank(), world.size());
        let (Ok(rank), Ok(ranks)) = (u16::try_from(rank), u16::try_from(ranks)) else {
            return refuse(format!("{ranks} ranks are too many: the limit is {}", u16::MAX));
        };
        let place = Place { library, rank, ranks };
        PLACE.get_or_init(|| place);
        Ok(MpiProcess { world: Some(world), place })
    }

    /// The MPI library, as it calls itself: `Open MPI v4.1.4`.
    pub fn library(&self) -> &str {
        self.place.library.name()
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
        let Some(world) = &self.world else { return Vec::new() };
        let mut len = (words.len() as u64).to_le_bytes();
        world.broadcast(&mut len);
        let mut shared = words.to_vec();
        shared.resize(u64::from_le_bytes(len) as usize, 0);
        world.broadcast(&mut shared);
        shared
    }

    /// Wait for all ranks.
    pub fn meet(&self) {
        if let Some(world) = &self.world {
            world.barrier();
        }
    }

    /// Wait for all ranks, for so long at most. `false`: somebody has not come, and ending in good
    /// order would hang.
    pub fn meet_within(&self, patience: Duration) -> bool {
        self.world.as_ref().is_some_and(|world| world.meet(Instant::now() + patience))
    }

    /// End the whole job with this exit code, without waiting for ranks that may be stuck. The
    /// launcher says so too.
    pub fn abort(mut self, code: i32) -> ! {
        OVER.store(true, Ordering::Release);
        if let Some(world) = self.world.take() {
            world.abort(code);
        }
        std::process::abort()
    }
}

impl Drop for MpiProcess {
    fn drop(&mut self) {
        // First, so that nobody calls MPI while it ends.
        OVER.store(true, Ordering::Release);
        if let Some(world) = self.world.take() {
            world.end();
        }
    }
}

fn said(refused: &Refused, library: &Library) -> String {
    match refused {
        Refused::Begun => {
            "MPI was already started in this process, and can be started only once".into()
        }
        Refused::Failed(code) => {
            format!("{} cannot begin: {}", library.name(), library.error_text(*code))
        }
        Refused::TurnsUnsupported => format!(
            "{} does not support threads that take turns (MPI_THREAD_SERIALIZED); use a build of \
            it that does",
            library.name()
        ),
    }
}

/// Which rank this process is, while MPI may be used.
pub(super) fn place() -> Option<Place> {
    PLACE.get().copied().filter(|_| !is_over())
}

/// Whether MPI has ended: no handle may be touched any more.
pub(super) fn is_over() -> bool {
    OVER.load(Ordering::Acquire)
}
