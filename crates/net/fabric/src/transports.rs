//! The transports, each in a file or folder of its own.

#[cfg(feature = "mpi")]
pub(crate) mod mpi;
#[cfg(not(feature = "mpi"))]
#[path = "transports/mpi/absent.rs"]
pub(crate) mod mpi;
pub(crate) mod rings;
pub(crate) mod shm;
pub(crate) mod sockets;
pub(crate) mod tcp;
pub(crate) mod thread;
pub(crate) mod udp;
