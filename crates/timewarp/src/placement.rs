//! Which node each object lives on.

use crate::{Model, RunError};
use serde::{Deserialize, Serialize};

/// How objects are dealt to nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dealing {
    /// In as many runs of neighbours as there are nodes, of equal length.
    Blocks,
    /// In turn.
    RoundRobin,
}

/// A node keeps one bit of an object's number for itself.
const OBJECTS_MAX: u32 = (1 << 31) - 1;

/// The node of every object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    nodes: u16,
    of: Vec<u16>,
}

impl Placement {
    /// Deal the model's objects to so many nodes.
    ///
    /// # Errors
    /// When there are no nodes, or more nodes than objects.
    pub fn deal<M: Model>(model: &M, nodes: u16, dealing: Dealing) -> Result<Placement, RunError> {
        let objects = model.objects();
        let refuse = |reason: String| Err(RunError::Options { reason });
        if nodes == 0 {
            return refuse("a run needs at least one node".into());
        }
        if objects < u32::from(nodes) {
            return refuse(format!(
                "{nodes} nodes for {objects} objects: every node needs at least one, so give at most {objects}"
            ));
        }
        if objects > OBJECTS_MAX {
            return refuse(format!("{objects} objects: a run has at most {OBJECTS_MAX}"));
        }
        let place = |object: u32| match dealing {
            Dealing::Blocks => (u64::from(object) * u64::from(nodes) / u64::from(objects)) as u16,
            Dealing::RoundRobin => (object % u32::from(nodes)) as u16,
        };
        Ok(Placement { nodes, of: (0..objects).map(place).collect() })
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u16 {
        self.nodes
    }

    /// The node of this object.
    #[inline]
    pub fn node_of(&self, object: crate::ObjectId) -> u16 {
        self.of[object.index()]
    }

    /// The objects of a node, in order.
    pub fn objects_of(&self, node: u16) -> impl Iterator<Item = crate::ObjectId> + '_ {
        (0u32..).zip(&self.of).filter(move |(_, of)| **of == node).map(|(object, _)| crate::ObjectId(object))
    }
}
