//! Who is lost, who has been told, and whose messages that stops.

use super::route::next_node;
use crate::error::FabricError;
use crate::spec::NodeId;

/// What this node knows of lost nodes.
pub(super) struct Losses {
    /// By node: how it was lost.
    lost: Vec<Option<String>>,
    /// By lost node: the dimensions across which that has not been told.
    untold: Vec<u32>,
    /// The one that was lost first: others may have given up because of it.
    first: Option<NodeId>,
    reported: bool,
}

impl Losses {
    pub fn new(nodes: usize) -> Losses {
        Losses { lost: vec![None; nodes], untold: vec![0; nodes], first: None, reported: false }
    }

    pub fn any(&self) -> bool {
        self.first.is_some()
    }

    /// A neighbour is lost.
    pub fn see(&mut self, node: NodeId, reason: String) {
        let place = &mut self.lost[usize::from(node)];
        if place.is_none() {
            *place = Some(reason);
            self.untold[usize::from(node)] = u32::MAX;
            self.first.get_or_insert(node);
        }
    }

    /// A neighbour tells that a node is lost.
    pub fn hear(&mut self, node: NodeId, from: NodeId) {
        self.see(node, format!("node {from} passed on that it is gone"));
    }

    pub fn is_lost(&self, node: NodeId) -> bool {
        self.lost[usize::from(node)].is_some()
    }

    /// Of whom the neighbour across this dimension should be told next.
    pub fn to_tell(&self, dimension: usize) -> Option<NodeId> {
        self.untold
            .iter()
            .position(|untold| untold & (1 << dimension) != 0)
            .map(|node| node as NodeId)
    }

    /// The neighbour across this dimension has been told, or cannot be.
    pub fn told(&mut self, dimension: usize, lost: NodeId) {
        self.untold[usize::from(lost)] &= !(1 << dimension);
    }

    /// The error for whoever sends to `to`: it is lost, or a node on the way there is.
    pub fn on_the_way(&self, me: NodeId, to: NodeId) -> Option<FabricError> {
        if !self.any() {
            return None;
        }
        let mut here = me;
        while here != to {
            here = next_node(here, to);
            if let Some(reason) = &self.lost[usize::from(here)] {
                return Some(FabricError::PeerLost { node: here, reason: reason.clone() });
            }
        }
        None
    }

    /// Fail if a node is lost. `again`: also if that was said before.
    pub fn report(&mut self, again: bool) -> Result<(), FabricError> {
        let Some(node) = self.first.filter(|_| again || !self.reported) else { return Ok(()) };
        self.reported = true;
        let reason = self.lost[usize::from(node)].clone().unwrap_or_default();
        Err(FabricError::PeerLost { node, reason })
    }
}
