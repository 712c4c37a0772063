//! Network namespaces on this machine with a link of a given rate between them, for studies of how
//! a network tells.

pub mod link;
pub mod namespaces;
