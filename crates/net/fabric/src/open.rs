//! From a spec to the ends of its nodes.

use crate::cube::Cube;
use crate::error::FabricError;
use crate::key::RunKey;
use crate::planted::Planted;
use crate::spec::{NodeId, Spec, Topology};
use crate::transport::Transport;
use crate::transports::Places;
use crate::transports::shm::Segment;
use clock::Clock;
use std::net::TcpListener;

/// What this process has and hosts.
pub struct Opening<'a> {
    /// The fabric.
    pub spec: &'a Spec,
    /// The nodes that live in this process: all of them for `thread`, else usually one.
    pub hosted: &'a [NodeId],
    /// What peers prove that they know.
    pub key: &'a RunKey,
    /// Where peers connect, where the transport wants that: bound before the others are told its
    /// address.
    pub listener: Option<TcpListener>,
    /// What stamps are taken with.
    pub clock: Clock,
}

/// Fill in where the nodes find each other, and make what they share. That must live until all
/// nodes have opened their ends.
pub fn prepare(spec: &mut Spec, places: Places) -> Result<Option<Segment>, FabricError> {
    (spec.transport.kind.prepare)(spec, places)
}

/// The transports of the hosted nodes, in their order. Waits for the peers, with the spec's
/// deadline.
pub fn open(opening: Opening<'_>) -> Result<Vec<Box<dyn Transport>>, FabricError> {
    let Opening { spec, hosted, clock, .. } = opening;
    spec.check()?;
    let links = (spec.transport.kind.open)(opening)?;
    let routed = |(link, me): (Box<dyn Transport>, &NodeId)| -> Box<dyn Transport> {
        match spec.topology {
            Topology::Mesh => link,
            Topology::Hypercube { .. } => Box::new(Cube::new(link, *me, spec)),
        }
    };
    let planted = |(link, me): (Box<dyn Transport>, &NodeId)| -> Box<dyn Transport> {
        match &spec.plant {
            None => link,
            Some(plant) => Box::new(Planted::new(link, *me, spec.nodes, plant.clone(), clock)),
        }
    };
    let links = links.into_iter().zip(hosted).map(routed);
    Ok(links.zip(hosted).map(planted).collect())
}

impl Opening<'_> {
    /// The one node that this process hosts, and where its peers connect.
    pub(crate) fn one_that_listens(&mut self) -> Result<(NodeId, TcpListener), FabricError> {
        let ([me], Some(listener)) = (self.hosted, self.listener.take()) else {
            let name = self.spec.transport.name();
            let reason = format!(
                "with {name}, a process must host exactly one node, which listens for its peers"
            );
            return Err(FabricError::BadSpec { reason });
        };
        let (nodes, addresses) = (self.spec.nodes, self.spec.transport.peers.len());
        if addresses != usize::from(nodes) || *me >= nodes {
            let reason = format!(
                "node {me} of {nodes} was given {addresses} addresses; give one for each node"
            );
            return Err(FabricError::BadSpec { reason });
        }
        Ok((*me, listener))
    }
}

/// As `open` wants them.
pub(crate) fn boxed<T: Transport + 'static>(
    ends: impl IntoIterator<Item = T>,
) -> Vec<Box<dyn Transport>> {
    ends.into_iter().map(|end| Box::new(end) as Box<dyn Transport>).collect()
}
