//! What stands for the transport `mpi` in a build without it: one line that says how to get it.

use crate::error::FabricError;
use crate::open::Opening;
use crate::transport::Transport;
use std::convert::Infallible;
use std::time::Duration;

mod row;

pub use row::MPI;

/// This process's part in an MPI job. There is none in this build.
pub struct MpiProcess(Infallible);

impl MpiProcess {
    /// Say how to get a build that can.
    ///
    /// # Errors
    /// Always.
    pub fn begin() -> Result<MpiProcess, FabricError> {
        Err(absent())
    }

    /// This process's number.
    pub fn rank(&self) -> u16 {
        match self.0 {}
    }

    /// Processes of the job.
    pub fn ranks(&self) -> u16 {
        match self.0 {}
    }

    /// What rank 0 gives, at every rank.
    pub fn share(&self, _words: &[u8]) -> Vec<u8> {
        match self.0 {}
    }

    /// Wait for all ranks.
    pub fn meet(&self) {
        match self.0 {}
    }

    /// Wait for all ranks for a while.
    pub fn meet_within(&self, _patience: Duration) -> bool {
        match self.0 {}
    }

    /// End the whole job.
    pub fn abort(self, _code: i32) -> ! {
        match self.0 {}
    }
}

/// The MPI library that this program was built with: none.
pub fn mpi_library() -> Option<String> {
    None
}

fn open(_opening: Opening<'_>) -> Result<Vec<Box<dyn Transport>>, FabricError> {
    Err(absent())
}

fn absent() -> FabricError {
    let reason = "this fourstamp was built without the transport mpi; get it with `cargo build \
    --release --features mpi` \
         (needs mpicc and libclang), or use tcp";
    FabricError::BadSpec { reason: reason.into() }
}
