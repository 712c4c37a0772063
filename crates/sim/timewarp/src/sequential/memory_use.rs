//! Bytes of pending messages and of states, counted as a node counts them, so that the most there
//! ever were can be given to one as its budget.

use crate::{ObjectId, Placement};

/// Of all objects, and of each node's if a placement is given.
#[derive(Default)]
pub(super) struct MemoryUse {
    all: Peak,
    nodes: Option<(Placement, Vec<Peak>)>,
}

#[derive(Clone, Copy, Default)]
struct Peak {
    used: usize,
    most: usize,
}

impl MemoryUse {
    /// Count for each node that the placement would have, too.
    pub fn by_node(placement: &Placement) -> MemoryUse {
        let nodes = vec![Peak::default(); usize::from(placement.nodes())];
        MemoryUse { all: Peak::default(), nodes: Some((placement.clone(), nodes)) }
    }

    /// Count what an object has come to hold, and what it has let go.
    #[inline]
    pub fn charge(&mut self, object: ObjectId, more: usize, less: usize) {
        self.all.charge(more, less);
        if let Some((placement, nodes)) = &mut self.nodes {
            nodes[usize::from(placement.node_of(object))].charge(more, less);
        }
    }

    /// The most that there was at any time.
    pub fn peak(&self) -> usize {
        self.all.most
    }

    /// The most that each node would have had at any time.
    pub fn peaks(&self) -> Vec<usize> {
        let nodes = self.nodes.iter().flat_map(|(_, nodes)| nodes);
        nodes.map(|peak| peak.most).collect()
    }
}

impl Peak {
    #[inline]
    fn charge(&mut self, more: usize, less: usize) {
        self.used = self.used + more - less;
        self.most = self.most.max(self.used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bundle, Context, Dealing, Model};

    /// Four objects that do nothing.
    struct Idle;

    impl Model for Idle {
        type State = ();
        type Payload = ();
        type Undo = ();

        fn objects(&self) -> u32 {
            4
        }

        fn kind(&self, _: ObjectId) -> &'static str {
            "idle"
        }

        fn init(&self, _: ObjectId, _: &mut Context<'_, ()>) {}

        fn event(&self, (): &mut (), _: Bundle<'_, ()>, _: &mut Context<'_, ()>) {}
    }

    #[test]
    fn each_node_has_its_own_peak() {
        let placement = Placement::deal(&Idle, 2, Dealing::Blocks).unwrap();
        let mut memory = MemoryUse::by_node(&placement);
        memory.charge(ObjectId(0), 100, 0);
        memory.charge(ObjectId(3), 30, 0);
        memory.charge(ObjectId(1), 10, 90);
        memory.charge(ObjectId(2), 40, 20);
        assert_eq!((memory.peak(), memory.peaks()), (130, vec![100, 50]));
        assert_eq!(MemoryUse::default().peaks(), [0; 0]);
    }
}
