//! Exchanges in which all ranks take part in each round.

use super::Plan;

impl Plan {
    /// Everybody to the rank 1, 2, 4, ... after it.
    pub(super) fn dissemination(&mut self) {
        self.distances(|_| 0);
    }

    /// The same with all that a rank has so far, for an allgather.
    pub(super) fn bruck_gather(&mut self, block: u64) {
        let ranks = self.ranks;
        self.distances(|distance| block * u64::from(distance.min(ranks - distance)));
    }

    /// The same with the blocks whose distance has this bit, for an exchange of all with all.
    pub(super) fn bruck(&mut self, block: u64) {
        let ranks = self.ranks;
        self.distances(|distance| {
            block * (1..ranks).filter(|other| other & distance != 0).count() as u64
        });
    }

    fn distances(&mut self, bytes: impl Fn(u16) -> u64) {
        let mut distance = 1;
        while distance < self.ranks {
            for rank in 0..self.ranks {
                let to = self.after(rank, distance);
                self.hop(rank, to, bytes(distance));
            }
            self.round += 1;
            distance *= 2;
        }
    }

    /// Everybody to its neighbour, until all has gone around.
    pub(super) fn ring(&mut self, block: u64) {
        for _ in 1..self.ranks {
            for rank in 0..self.ranks {
                let to = self.after(rank, 1);
                self.hop(rank, to, block);
            }
            self.round += 1;
        }
    }

    /// Everybody to everybody, one after the other.
    pub(super) fn pairwise(&mut self, block: u64) {
        for distance in 1..self.ranks {
            for rank in 0..self.ranks {
                let to = self.after(rank, distance);
                self.hop(rank, to, block);
            }
            self.round += 1;
        }
    }

    /// Everybody to everybody, without waiting in between.
    pub(super) fn at_once(&mut self, block: u64) {
        self.pairwise(block);
        let first = self.round - u32::from(self.ranks - 1);
        self.hops.iter_mut().for_each(|hop| hop.round = hop.round.min(first));
        self.round = first + 1;
    }

    /// Whole vectors between ranks that differ in one bit.
    pub(super) fn doubling(&mut self, bytes: u64) {
        self.folded(bytes, |plan| {
            let mut mask = 1;
            while mask < plan.power() {
                plan.bit(mask, bytes);
                mask *= 2;
            }
        });
    }

    /// Halves of vectors between ranks that differ in one bit, the highest first.
    pub(super) fn halving(&mut self, bytes: u64) {
        self.folded(bytes, |plan| plan.halves(bytes));
    }

    /// A reduction by halving, and what came of it by doubling.
    pub(super) fn rabenseifner(&mut self, bytes: u64) {
        self.folded(bytes, |plan| {
            plan.halves(bytes);
            let mut mask = 1;
            while mask < plan.power() {
                let part = bytes * u64::from(mask) / u64::from(plan.power());
                plan.bit(mask, part);
                mask *= 2;
            }
        });
    }

    fn halves(&mut self, bytes: u64) {
        let mut mask = self.power() / 2;
        let mut part = bytes / 2;
        while mask > 0 {
            self.bit(mask, part);
            (mask, part) = (mask / 2, part / 2);
        }
    }

    /// Ranks beyond a power of two hand theirs to a neighbour, and have the result from it.
    fn folded(&mut self, bytes: u64, among: impl FnOnce(&mut Plan)) {
        let rest = self.ranks - self.power();
        let fold = |plan: &mut Plan, back: bool| {
            for pair in 0..rest {
                let (out, stays) = (2 * pair, 2 * pair + 1);
                let (from, to) = if back { (stays, out) } else { (out, stays) };
                plan.hop(from, to, bytes);
            }
            plan.round += u32::from(rest > 0);
        };
        fold(self, false);
        among(self);
        fold(self, true);
    }

    /// Each of the folded ranks with the one whose number differs in this bit.
    fn bit(&mut self, mask: u16, bytes: u64) {
        let rest = self.ranks - self.power();
        let unfolded = |rank: u16| if rank < rest { 2 * rank + 1 } else { rank + rest };
        for rank in 0..self.power() {
            self.hop(unfolded(rank), unfolded(rank ^ mask), bytes);
        }
        self.round += 1;
    }
}
