//! Binomial trees, and what goes from rank to rank.

use super::Plan;

impl Plan {
    /// From the root down a binomial tree. `bytes` of an edge, by how many ranks are below it.
    pub(super) fn spread(&mut self, bytes: impl Fn(u64) -> u64) {
        let mut mask = self.ranks.next_power_of_two() / 2;
        while mask > 0 {
            self.level(mask, |plan, parent, child, below| plan.hop(parent, child, bytes(below)));
            mask /= 2;
        }
    }

    /// Up the same tree.
    pub(super) fn gather_up(&mut self, bytes: impl Fn(u64) -> u64) {
        let mut mask = 1;
        while mask < self.ranks {
            self.level(mask, |plan, parent, child, below| plan.hop(child, parent, bytes(below)));
            mask *= 2;
        }
    }

    fn level(&mut self, mask: u16, mut edge: impl FnMut(&mut Plan, u16, u16, u64)) {
        for parent in (0..self.ranks).step_by(2 * usize::from(mask)) {
            let child = parent + mask;
            if child < self.ranks {
                let below = u64::from(mask.min(self.ranks - child));
                let (parent, child) = (self.rank_at(parent), self.rank_at(child));
                edge(self, parent, child, below);
            }
        }
        self.round += 1;
    }

    /// Each rank waits for the one before it.
    pub(super) fn up_the_ranks(&mut self, bytes: u64) {
        for rank in 1..self.ranks {
            self.hop(rank - 1, rank, bytes);
            self.round += 1;
        }
    }
}
