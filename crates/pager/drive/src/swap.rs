//! The kernel's own swap with as much memory as paging would give a program: a swap file, and a
//! cgroup that limits memory. Takes root.

mod cgroup;
mod file;

pub use cgroup::{Cgroup, lacking};
pub use file::SwapFile;
