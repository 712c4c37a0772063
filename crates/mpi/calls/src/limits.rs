//! How many files this process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Ask for as many as the system allows: closing has five open for each rank, and the usual limit
/// of 1024 is there for programs that use `select`. Where it cannot be had, opening a file fails
/// later and says so.
pub(crate) fn allow_many_files() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}
