//! From a spec to the ends of its nodes.

use crate::cube::Cube;
use crate::error::FabricError;
use crate::key::RunKey;
use crate::planted::Planted;
use crate::spec::{NodeId, Spec, Topology, TransportSpec};
use crate::transport::Transport;
use crate::transports::{mpi, shm, tcp, thread, udp};
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
    /// Where peers connect, for `tcp` and `udp`: bound before the others are told its address.
    pub listener: Option<TcpListener>,
    /// What stamps are taken with.
    pub clock: Clock,
}

/// The transports of the hosted nodes, in their order. Waits for the peers, with the spec's
/// deadline.
pub fn open(opening: Opening<'_>) -> Result<Vec<Box<dyn Transport>>, FabricError> {
    let Opening { spec, hosted, key, listener, clock } = opening;
    spec.check()?;
    let links: Vec<Box<dyn Transport>> = match &spec.transport {
        TransportSpec::Thread => boxed(thread::connect(spec, clock)?),
        TransportSpec::Shm { path } => {
            let ends: Result<Vec<_>, _> =
                hosted.iter().map(|me| shm::attach(*me, spec, path, clock)).collect();
            boxed(ends?)
        }
        TransportSpec::Tcp { peers } => {
            let ([me], Some(listener)) = (hosted, listener) else {
                let reason = "a process hosts one tcp node and listens for its peers".to_string();
                return Err(FabricError::BadSpec { reason });
            };
            boxed(vec![tcp::connect(*me, spec, peers, listener, key, clock)?])
        }
        TransportSpec::Udp { peers, options } => {
            let ([me], Some(listener)) = (hosted, listener) else {
                let reason = "a process hosts one udp node and listens for its peers".to_string();
                return Err(FabricError::BadSpec { reason });
            };
            let me = *me;
            vec![udp::connect(udp::Opening { me, spec, peers, options, listener, key, clock })?]
        }
        TransportSpec::Mpi => {
            let [me] = hosted else {
                let reason = "a process hosts one mpi node: the one of its rank".to_string();
                return Err(FabricError::BadSpec { reason });
            };
            vec![mpi::connect(*me, spec, clock)?]
        }
    };
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

fn boxed<T: Transport + 'static>(ends: Vec<T>) -> Vec<Box<dyn Transport>> {
    ends.into_iter().map(|end| Box::new(end) as Box<dyn Transport>).collect()
}
