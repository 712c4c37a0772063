//! Memory that more than one thread or process can see, ready before the measuring begins.
//!
//! Two things stand on it: the shared-memory transport, and the record buffers, which must survive
//! the process that fills them. A [`Region`] is a block of words, zeroed, with every page already
//! present, so that its first use costs no page fault. A region with a name lives in the machine's
//! shared-memory file system until it is removed; whoever knows its path can map it, also after its
//! maker was killed.
//!
//! Whatever has a name has a lease as well ([`Claim`]), so that what a killed process left is told
//! from what is in use.
//!
//! Unsafe code is here so that `record` needs none: a region hands out atomic words.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod checked;
mod freed;
mod lease;
mod prefetch;
mod region;
mod scratch;
mod wait;
mod word;

pub use checked::Checked;
pub use freed::keep_freed;
pub use lease::{Claim, Lease, Unclaimed, leased_name, new_owner, owner_of};
pub use prefetch::prefetch_for_writing;
pub use region::{Region, RegionError, shared_folder};
pub use scratch::Scratch;
pub use wait::{wait_while, wake_all};
pub use word::Word;
