//! What a program may do with threads.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A level of thread support, by its number, which is the same in Open MPI and MPICH.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ThreadLevel(pub i32);

impl ThreadLevel {
    /// What `MPI_Init` asks for.
    pub const SINGLE: ThreadLevel = ThreadLevel(0);
    /// Threads may call at the same time.
    pub const MULTIPLE: ThreadLevel = ThreadLevel(3);
}

impl fmt::Display for ThreadLevel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => out.write_str("MPI_THREAD_SINGLE"),
            1 => out.write_str("MPI_THREAD_FUNNELED"),
            2 => out.write_str("MPI_THREAD_SERIALIZED"),
            3 => out.write_str("MPI_THREAD_MULTIPLE"),
            other => write!(out, "thread level {other}"),
        }
    }
}
