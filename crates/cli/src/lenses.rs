//! The products whose runs reports understand: a line each.

use report::Lens;

/// All of them.
pub const LENSES: &[&dyn Lens] =
    &[&sim_lens::SimLens, &mpi_lens::MpiLens, &pager_lens::PagerLens, &sockets_lens::SocketsLens];
