//! A program's memory on other machines.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod about;
mod arena;
mod array;
mod checksum;
mod config;
mod descriptors;
mod disk;
mod engine;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod link;
mod mailbox;
mod memory;
mod ours;
mod own_memory;
mod pagemap;
mod parts;
mod places;
mod rate;
mod run_queue;
mod secure;
mod server;
mod spin;
mod staging;
mod tied;
mod timeline;
mod uffd;
mod waits;
mod whence;
mod wire;

pub use about::ServerAbout;
pub use array::{PagedArray, Plain};
pub use checksum::checksum;
pub use config::{Config, Server, ServerRole};
pub use error::RmemError;
pub use link::{FetchTimes, Link, LinkError, Reply, StoreTimes};
pub use memory::{Hold, Memory};
pub use server::{PageServer, ServerError, ServerOptions, ServerSummary};
pub use tied::end_with_parent;
pub use uffd::{Abilities, kernel_abilities};
pub use wire::WireError;
pub use wire::answer::{PageEntry, Shortage};
pub use wire::fields::PageBytes;
