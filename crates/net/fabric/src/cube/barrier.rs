//! The closing barrier: no node leaves while another may still need it to forward.
//!
//! Dimension exchange: in round *d* a node tells its neighbour across dimension *d* and waits until
//! that one has told it. After the last round it knows, through the others, that every node has
//! begun the barrier; and a node begins it only when all messages for it have come. Source:
//! Johnsson, "Communication efficient basic linear algebra computations on hypercube
//! architectures", 1987 (dimension exchange as the pattern of all-to-all reduction).

/// How far this node is.
#[derive(Default)]
pub(super) struct Barrier {
    /// The round that goes on: the dimension across which we exchange.
    round: usize,
    told: bool,
    /// Dimensions across which we have been told.
    heard: u32,
}

impl Barrier {
    /// The neighbour across this dimension is in its round of it.
    pub fn hear(&mut self, dimension: usize) {
        self.heard |= 1 << dimension;
    }

    /// The dimension across which we have to tell now, if any.
    pub fn to_tell(&self, dimensions: usize) -> Option<usize> {
        (self.round < dimensions && !self.told).then_some(self.round)
    }

    /// We have told.
    pub fn tell(&mut self) {
        self.told = true;
    }

    /// Go on to the next round if this one is over. `true`: it was.
    pub fn advance(&mut self) -> bool {
        let over = self.told && self.heard & (1 << self.round) != 0;
        if over {
            self.round += 1;
            self.told = false;
        }
        over
    }

    pub fn is_over(&self, dimensions: usize) -> bool {
        self.round >= dimensions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// In whatever order nodes take their steps, none is through before the last has begun.
        #[test]
        fn nobody_is_through_before_all_have_begun(
            dimensions in 1usize..4, steps in prop::collection::vec(any::<u16>(), 1..3000),
        ) {
            let nodes = 1 << dimensions;
            let mut barriers: Vec<Barrier> = (0..nodes).map(|_| Barrier::default()).collect();
            let late = nodes - 1;
            let (half, mut late_has_begun) = (steps.len() / 2, false);
            for (number, step) in steps.iter().enumerate() {
                let me = usize::from(*step) % nodes;
                if me == late && number < half {
                    continue;
                }
                late_has_begun |= me == late;
                if let Some(dimension) = barriers[me].to_tell(dimensions) {
                    barriers[me].tell();
                    barriers[me ^ 1 << dimension].hear(dimension);
                }
                barriers[me].advance();
                prop_assert!(
                    late_has_begun || barriers.iter().all(|barrier| !barrier.is_over(dimensions))
                );
            }
            for me in (0..nodes).cycle().take(nodes * dimensions * 4) {
                if let Some(dimension) = barriers[me].to_tell(dimensions) {
                    barriers[me].tell();
                    barriers[me ^ 1 << dimension].hear(dimension);
                }
                barriers[me].advance();
            }
            prop_assert!(barriers.iter().all(|barrier| barrier.is_over(dimensions)));
        }
    }
}
