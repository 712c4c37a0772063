//! What the transports over sockets share: how nodes meet, and what the kernel's receive stamps
//! say.

use crate::error::FabricError;
use crate::spec::{NodeId, Spec};
use crate::transports::Places;
use crate::transports::shm::Segment;

pub(crate) mod arrive;
pub(crate) mod mesh;
pub(crate) mod observer;
pub(crate) mod offered;
pub(crate) mod stamp;

/// Nodes meet where they listen: the row's `prepare`.
pub(crate) fn tell_addresses(
    spec: &mut Spec,
    places: Places,
) -> Result<Option<Segment>, FabricError> {
    spec.transport.peers = places.addresses;
    Ok(None)
}

/// How a connection has failed.
pub(crate) enum Failure {
    Lost(String),
    Garbage(String),
}

impl Failure {
    pub fn error(&self, node: NodeId) -> FabricError {
        match self {
            Failure::Lost(reason) => FabricError::PeerLost { node, reason: reason.clone() },
            Failure::Garbage(what) => FabricError::Garbage { node, what: what.clone() },
        }
    }
}
