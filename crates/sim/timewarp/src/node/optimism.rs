//! How many events a node may run before GVT is known again, by how many of them were in vain.
//!
//! With a core for each node GVT comes every few hundred events and nobody gets far ahead. A node
//! that shares its core runs for milliseconds while others cannot, and most of that is undone when
//! they go on. So undoing more than is committed halves the bound, and a bound under which little
//! is undone grows until it is none. Undoing less, up to a half, costs less than more rounds of GVT
//! would where each waits for nodes that have no core.

/// A node that has undone less than this since the last GVT learns nothing.
const LEAST: u64 = 32;
/// Fewest events: even an event a node and GVT is progress.
const FEWEST: u32 = 8;
/// What would be more is no bound.
const MOST: u32 = 1 << 16;

/// The bound of one node.
#[derive(Debug)]
pub(super) struct Optimism {
    /// Events from one GVT to the next; `u32::MAX`: any number.
    events: u32,
    /// Whether it has held since the last GVT.
    held: bool,
    adapts: bool,
}

impl Optimism {
    /// `adapts`: otherwise there never is a bound.
    pub fn new(adapts: bool) -> Optimism {
        Optimism { events: u32::MAX, held: false, adapts }
    }

    /// Events that may be run from one GVT to the next.
    #[inline]
    pub fn bound(&self) -> u32 {
        self.events
    }

    /// The bound is reached. `true`: for the first time since the last GVT.
    pub fn hold(&mut self) -> bool {
        !std::mem::replace(&mut self.held, true)
    }

    /// GVT is known. Since the last time so many events were run, and so many committed and undone.
    pub fn learn(&mut self, run: u32, committed: u64, undone: u64) {
        let held = std::mem::take(&mut self.held);
        if !self.adapts {
            return;
        }
        if undone >= LEAST && undone > committed {
            let from = if self.events == u32::MAX { run.min(MOST) } else { self.events };
            self.events = (from / 2).max(FEWEST);
        } else if held && undone < committed / 4 {
            let more = self.events.saturating_add(self.events / 4 + 1);
            self.events = if more > MOST { u32::MAX } else { more };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_in_vain_bounds_and_work_that_comes_true_frees() {
        let mut optimism = Optimism::new(true);
        optimism.learn(1000, 900, 30);
        assert_eq!(optimism.bound(), u32::MAX, "some undone is the price of running ahead");
        optimism.learn(1000, 100, 900);
        assert_eq!(optimism.bound(), 500);
        (0..20).for_each(|_| optimism.learn(500, 10, 400));
        assert_eq!(optimism.bound(), FEWEST);
        optimism.learn(8, 8, 0);
        assert_eq!(optimism.bound(), FEWEST, "it did not hold anything up");
        assert!(optimism.hold() && !optimism.hold());
        optimism.learn(8, 8, 0);
        assert_eq!(optimism.bound(), 11);
        for _ in 0..60 {
            optimism.hold();
            optimism.learn(8, 800, 1);
        }
        assert_eq!(optimism.bound(), u32::MAX);
    }

    #[test]
    fn without_being_asked_for_there_is_no_bound() {
        let mut optimism = Optimism::new(false);
        optimism.learn(1000, 1, 900);
        assert_eq!(optimism.bound(), u32::MAX);
    }
}
