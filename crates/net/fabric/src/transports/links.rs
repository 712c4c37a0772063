//! A node's links: side by side, and found by the number of the peer that each leads to. Pure.

use crate::error::FabricError;
use crate::spec::NodeId;
use std::ops::{Deref, DerefMut};

/// Links to some of a fabric's nodes; a slice of them in most respects.
pub(crate) struct Links<L> {
    links: Vec<L>,
    /// Where a node's link is in `links`.
    places: Vec<Option<usize>>,
}

impl<L> Links<L> {
    /// In a fabric of so many nodes. `node`: whom a link leads to.
    pub fn new(nodes: u16, links: Vec<L>, node: impl Fn(&L) -> NodeId) -> Links<L> {
        let mut places = vec![None; usize::from(nodes)];
        for (place, link) in links.iter().enumerate() {
            places[usize::from(node(link))] = Some(place);
        }
        Links { links, places }
    }

    /// Where the link to a node is.
    #[inline]
    pub fn place(&self, node: NodeId) -> Result<usize, FabricError> {
        let place = self.places.get(usize::from(node)).copied().flatten();
        place.ok_or(FabricError::NoSuchNode { node, last: self.places.len() as NodeId - 1 })
    }

    /// Drop them all.
    pub fn clear(&mut self) {
        self.places.fill(None);
        self.links.clear();
    }
}

impl<L> Deref for Links<L> {
    type Target = [L];

    #[inline]
    fn deref(&self) -> &[L] {
        &self.links
    }
}

impl<L> DerefMut for Links<L> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [L] {
        &mut self.links
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_found_by_its_node_alone() {
        let links = Links::new(5, vec![3, 0], |node: &NodeId| *node);
        for (node, place) in [(3, 0), (0, 1)] {
            assert_eq!(links.place(node).unwrap(), place);
            assert_eq!(links[place], node);
        }
        for node in [1, 4, 5, NodeId::MAX] {
            let error = links.place(node).unwrap_err();
            assert!(matches!(error, FabricError::NoSuchNode { last: 4, .. }), "{error}");
        }
    }
}
