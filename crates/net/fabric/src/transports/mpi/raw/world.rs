//! The calls that a process makes for itself: beginning, ending, and what all ranks do together.

use super::{Request, check, wait};
use crate::transports::mpi::library::Library;
use std::ffi::c_int;
use std::time::Instant;

/// The communicator of all ranks, from MPI_Init to MPI_Finalize.
pub(in super::super) struct World {
    library: &'static Library,
}

/// Why MPI cannot begin here.
pub(in super::super) enum Refused {
    Begun,
    Failed(c_int),
    TurnsUnsupported,
}

impl World {
    /// MPI_Init, for threads that take turns.
    pub fn begin(library: &'static Library) -> Result<World, Refused> {
        let (functions, wanted) = (&library.functions, library.constants.thread_serialized);
        let (mut begun, mut provided) = (0, 0);
        // SAFETY: allowed at any time; room for an int.
        unsafe { (functions.initialized)(&raw mut begun) };
        if begun != 0 {
            return Err(Refused::Begun);
        }
        let none = std::ptr::null_mut();
        // SAFETY: the first call of the process; no arguments of `main` are a legal choice.
        match unsafe { (functions.init_thread)(none, none.cast(), wanted, &raw mut provided) } {
            0 if provided >= wanted => Ok(World { library }),
            0 => Err(Refused::TurnsUnsupported),
            code => Err(Refused::Failed(code)),
        }
    }

    pub fn rank(&self) -> c_int {
        let mut rank = 0;
        let library = self.library;
        // SAFETY: MPI has begun and not ended, as long as there is a World; room for an int.
        unsafe { (library.functions.comm_rank)(library.constants.world, &raw mut rank) };
        rank
    }

    pub fn size(&self) -> c_int {
        let mut size = 0;
        let library = self.library;
        // SAFETY: as for `rank`.
        unsafe { (library.functions.comm_size)(library.constants.world, &raw mut size) };
        size
    }

    /// What rank 0 has in these bytes, at every rank. Errors end the job, as is MPI's habit.
    pub fn broadcast(&self, bytes: &mut [u8]) {
        let (functions, constants) = (&self.library.functions, &self.library.constants);
        let (start, len) = (bytes.as_mut_ptr().cast(), bytes.len() as c_int);
        // SAFETY: MPI has begun and not ended; the bytes are ours until it returns.
        unsafe { (functions.bcast)(start, len, constants.byte, 0, constants.world) };
    }

    pub fn barrier(&self) {
        // SAFETY: MPI has begun and not ended.
        unsafe { (self.library.functions.barrier)(self.library.constants.world) };
    }

    /// Whether all ranks of the job come here before the deadline.
    pub fn meet(&self, deadline: Instant) -> bool {
        let (library, mut request) = (self.library, Request::null(self.library));
        // SAFETY: MPI has begun and not ended.
        let code =
            unsafe { (library.functions.ibarrier)(library.constants.world, request.place()) };
        let doing = "waiting for all ranks";
        check(library, code, doing).is_ok() && wait(request, deadline, doing).is_ok()
    }

    pub fn abort(&self, code: c_int) {
        // SAFETY: MPI has begun and not ended.
        unsafe { (self.library.functions.abort)(self.library.constants.world, code) };
    }

    /// MPI_Finalize.
    pub fn end(self) {
        // All at once: MPICH over UCX's tcp waits for ever in there for a rank that is through
        // already. This is no cure: it has been enough for two ranks, and is not for four.
        self.barrier();
        // SAFETY: MPI has begun and not ended, and nobody calls it any more: World is given away.
        unsafe { (self.library.functions.finalize)() };
    }
}
