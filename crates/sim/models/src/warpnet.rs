//! Warpnet: a packet-switched network in which every node keeps a private, possibly stale picture
//! of how busy every line is.
//!
//! Packets hop along the path that the node they are at thinks quickest. A node whose picture says
//! that the previous node chose badly sends it part of that picture. Each network node is an object
//! with a state of some kilobytes; an event costs one or two searches over the whole network;
//! messages have three very different sizes. A run ends by itself when every packet has arrived.
//!
//! [`Network`] is the map, read from two tables ([`Network::read`]) or drawn from a seed
//! ([`Network::generate`]); `model.rs` has the objects, `node.rs` what a network node does,
//! `path.rs` its search, `update.rs` what pictures tell each other.
//!
//! Source: the model of that name in TWOS 2.7.

mod csv;
mod generator;
mod model;
mod network;
mod node;
mod packet;
mod path;
mod payload;
mod recipe;
mod state;
mod update;

pub use crate::table::Table;
pub use generator::GeneratorOptions;
pub use model::{Warpnet, WarpnetOptions, WarpnetState};
pub use network::{LineRow, Network, NodeRow};
pub use packet::NetworkPacket;
pub use payload::{UpdateBody, WarpnetPayload};
pub use recipe::{NetworkSource, WarpnetSpec};
pub use state::{Counts, NodeState};

pub(crate) use node::Outgoing;

/// What a command line calls it.
pub const NAME: &str = "warpnet";

/// The file of a network's nodes.
pub const NODES_FILE: &str = "warpnet_nodes.csv";

/// The file of a network's lines.
pub const LINES_FILE: &str = "warpnet_lines.csv";

/// Selector of a message that makes a node create a packet.
pub const CREATE: i32 = 0;
/// Selector of a packet.
pub const PACKET: i32 = 1;
/// Selector of an update.
pub const UPDATE: i32 = 2;
