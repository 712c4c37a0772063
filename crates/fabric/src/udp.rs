//! Transport `udp`: datagrams that may be lost, doubled and overtaken, made reliable here, as Myrinet's driver did.

pub(crate) mod counters;
pub(crate) mod datagram;
mod faults;
mod incoming;
pub(crate) mod options;
mod outgoing;
pub(crate) mod pair;
#[cfg(test)]
mod simulation;
mod timing;
