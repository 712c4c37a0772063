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
    /// All to node 0, but for one to each other node: as bad as can be, for load management to put
    /// right.
    Heaped,
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
                "{nodes} nodes for {objects} objects: each node needs at least one object, so \
                give at most {objects} nodes"
            ));
        }
        if objects > OBJECTS_MAX {
            return refuse(format!("{objects} objects: a run has at most {OBJECTS_MAX}"));
        }
        let of = match dealing {
            Dealing::Blocks => blocks(model, objects, nodes),
            Dealing::Heaped => heaped(objects, nodes),
            Dealing::RoundRobin => {
                (0..objects).map(|object| (object % u32::from(nodes)) as u16).collect()
            }
        };
        Ok(Placement { nodes, of })
    }

    /// Put an object on a node; the number is taken modulo the number of nodes.
    ///
    /// # Errors
    /// When there is no such object.
    pub fn put(&mut self, object: u32, node: u32) -> Result<(), RunError> {
        let objects = self.of.len();
        let place = self.of.get_mut(object as usize).ok_or_else(|| RunError::Options {
            reason: format!("object {object} cannot be placed: there are {objects}, from 0"),
        })?;
        *place = (node % u32::from(self.nodes)) as u16;
        Ok(())
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
        (0u32..)
            .zip(&self.of)
            .filter(move |(_, of)| **of == node)
            .map(|(object, _)| crate::ObjectId(object))
    }
}

/// All on node 0 but for the last ones, one on each other node.
fn heaped(objects: u32, nodes: u16) -> Vec<u16> {
    let alone = u32::from(nodes) - 1;
    let node =
        |object: u32| (object + alone + 1).checked_sub(objects).map_or(0, |node| node as u16);
    (0..objects).map(node).collect()
}

/// Runs of equal length, in order of standing.
fn blocks<M: Model>(model: &M, objects: u32, nodes: u16) -> Vec<u16> {
    let mut order: Vec<u32> = (0..objects).collect();
    order.sort_by_key(|object| model.standing(crate::ObjectId(*object)));
    let mut of = vec![0; objects as usize];
    for (place, object) in (0u64..).zip(order) {
        of[object as usize] = (place * u64::from(nodes) / u64::from(objects)) as u16;
    }
    of
}
