//! What a fabric is made of: how many nodes, over what, arranged how.

use crate::plant::Plant;
use crate::transports::{self, MACHINE, TransportKind};
use machine::Machine;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::PathBuf;

/// A node's number, from 0.
pub type NodeId = u16;

/// The fabric of one launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// Nodes in all.
    pub nodes: u16,
    /// What carries the messages.
    pub transport: TransportSpec,
    /// Who is linked with whom.
    pub topology: Topology,
    /// How a node waits for a message.
    pub wait: Waiting,
    /// A peer that makes no sign of life for so long is lost, in ms.
    pub peer_timeout_ms: u64,
    /// How much a path holds; `None`: what suits the transport.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_room: Option<PathRoom>,
    /// Delays planted in it, to test what analyses find.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plant: Option<Plant>,
}

/// How much a path from one node to another holds: what is sent and not yet taken. With little room
/// the bounds of a transport are met soon. Datagrams have a window of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathRoom {
    /// Messages.
    pub messages: u32,
    /// Bytes, those that go before each payload included.
    pub bytes: u32,
}

/// What carries the messages, with what a node needs to find the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransportSpec {
    /// Which one.
    #[serde(rename = "name", with = "by_name")]
    pub kind: &'static TransportKind,
    /// What [`TransportKind::settings`] makes of its options; null: what is usual.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub settings: Value,
    /// Where each node listens to be met, by node number: [`crate::prepare`] fills it in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<SocketAddr>,
    /// The file that the nodes share: [`crate::prepare`] fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

/// Who is linked with whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name")]
pub enum Topology {
    /// Every node with every other.
    Mesh,
    /// Nodes whose numbers differ in one bit; messages are forwarded store-and-forward, lowest
    /// differing dimension first (e-cube), in packets of at most this many bytes.
    Hypercube {
        /// Largest payload of a packet, bytes.
        packet_bytes: u32,
    },
}

/// How a node waits for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waiting {
    /// Look without pause: fastest, and occupies a core.
    Polling,
    /// Look for a moment, then sleep until woken.
    Blocking,
}

impl TransportSpec {
    /// This transport with its usual settings.
    pub fn of(kind: &'static TransportKind) -> TransportSpec {
        TransportSpec { kind, settings: Value::Null, peers: Vec::new(), file: None }
    }

    /// Whether time is simulated.
    pub fn is_simulated(&self) -> bool {
        self.kind.clock.is_some()
    }

    /// The simulated machine.
    pub fn simulated(machine: &Machine) -> TransportSpec {
        let settings = transports::machine::settings::of(machine);
        TransportSpec { settings, ..TransportSpec::of(&MACHINE) }
    }

    /// The same simulated machine with other chances.
    pub fn seeded(mut self, seed: u64) -> TransportSpec {
        transports::machine::settings::seed(&mut self.settings, seed);
        self
    }

    /// The name that commands and reports use.
    pub fn name(&self) -> &'static str {
        self.kind.name
    }
}

/// A row of the table, by its name.
mod by_name {
    use crate::transports::TransportKind;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(
        kind: &'static TransportKind,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.name)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<&'static TransportKind, D::Error> {
        let name = String::deserialize(from)?;
        TransportKind::named(&name).ok_or_else(|| {
            D::Error::custom(format!(
                "this version has no transport '{name}'; install the same Fourstamp everywhere"
            ))
        })
    }
}

impl PathRoom {
    fn is_usable(self) -> bool {
        (4..=1 << 16).contains(&self.messages) && (4 << 10..=64 << 20).contains(&self.bytes)
    }
}

impl Topology {
    /// Whether two different nodes have a link of their own.
    pub fn linked(self, a: NodeId, b: NodeId) -> bool {
        match self {
            Topology::Mesh => a != b,
            Topology::Hypercube { .. } => (a ^ b).is_power_of_two(),
        }
    }

    /// The name that commands and reports use.
    pub fn name(self) -> &'static str {
        match self {
            Topology::Mesh => "mesh",
            Topology::Hypercube { .. } => "hypercube",
        }
    }
}

impl Spec {
    /// How nodes are linked, as commands and reports call it.
    pub fn topology_name(&self) -> &'static str {
        let machine = crate::machine_of(self);
        machine.map_or(self.topology.name(), |machine| machine.topology.word())
    }

    /// Check what no transport could carry out.
    pub fn check(&self) -> Result<(), crate::FabricError> {
        let refuse = |reason: String| Err(crate::FabricError::BadSpec { reason });
        if let Some(Err(reason)) = self.plant.as_ref().map(Plant::check) {
            return refuse(reason);
        }
        if self.path_room.is_some_and(|room| !room.is_usable()) {
            return refuse("a path must hold 4 to 65536 messages and 4 KiB to 64 MiB".into());
        }
        match self.topology {
            _ if self.nodes == 0 => refuse("a fabric needs at least one node".into()),
            Topology::Hypercube { .. } if !self.nodes.is_power_of_two() => refuse(format!(
                "a hypercube has 1, 2, 4, 8, ... nodes, not {}; choose such a number, or the mesh",
                self.nodes
            )),
            Topology::Hypercube { packet_bytes: 0 } => {
                refuse("a packet must hold at least one byte".into())
            }
            _ => (self.transport.kind.check)(self),
        }
    }
}
