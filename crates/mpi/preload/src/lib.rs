//! The library that `fourstamp mpi trace` loads before an MPI program (`LD_PRELOAD`): it stands
//! between the program and its MPI library, and writes one log of calls a rank.
//!
//! One build serves Open MPI and MPICH, C and Fortran: there is no `mpi.h` here and nothing is
//! linked with MPI. Every function of [`calls::list`] is exported twice, as `MPI_X` and `PMPI_X`
//! (`exports`), because Fortran layers call the latter; both arrive in `dispatch`, which reads the
//! arguments by their place in a frame (`frame`), passes the call on to the library's own `PMPI_X`
//! (`library`) and logs it (`rank`). What differs between the libraries is in `layout`.
//!
//! The program is never changed: arguments, results, exit code and signals are its own. Whatever
//! goes wrong in here ends the tracing, with one line on standard error, and not the program.
//! Without `FOURSTAMP_MPI_RUN` in the environment every call passes straight through.
//!
//! Functions that the program's library lacks are hidden when the tracer is loaded (`newer`): a
//! name that can be found would change what a program believes to have.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod arguments;
mod collectives;
mod communicators;
mod company;
mod dispatch;
mod epochs;
mod exchanges;
mod exports;
mod facts;
mod frame;
mod given;
mod handles;
mod home;
mod invocation;
mod layers;
mod layout;
mod library;
mod life;
mod loaded;
mod log;
mod matched;
mod member;
mod mpi4py;
mod neighbours;
mod newer;
mod objects;
mod persistent;
mod point;
mod python;
mod rank;
mod requests;
mod sends;
mod sites;
mod stamped;
mod thread;
mod told;
mod trouble;
mod waits;
mod windows;
mod worlds;
