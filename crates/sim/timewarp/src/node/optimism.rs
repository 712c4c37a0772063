//! How many events a node may run before GVT is known again, by how many of them were in vain.
//!
//! A node runs for milliseconds while another waits for a core, and most of that is undone when the
//! other goes on. So while any node lacks a core, undoing more than is committed halves the bound,
//! and a bound under which little is undone grows until it is none. Undoing less, up to a half,
//! costs less than more rounds of GVT would where each waits for nodes that have no core.
//!
//! Where each has its core there is no bound. What is undone there was late on its way, and who
//! stopped for GVT would idle, over a long wire for several times its length.
//!
//! A node that commits nothing at all while it undoes may have a whirl: messages that never come
//! true go round from node to node, without delay and as fast as what cancels them comes after.
//! Whatever the rule of the throttle, it then runs nothing that lies beyond GVT, while cancelling
//! goes on, until it commits again.

/// A node that has undone less than this learns nothing yet.
const LEAST: u64 = 32;
/// Who has undone so many and committed none may have a whirl.
const WHIRL: u64 = 128;
/// Fewest events: even an event a node and GVT is progress.
const FEWEST: u32 = 8;
/// What would be more is no bound.
const MOST: u32 = 1 << 16;

/// The bound of one node.
#[derive(Debug)]
pub(super) struct Optimism {
    /// Events from one GVT to the next; `u32::MAX`: any number. 0: only what lies at GVT.
    events: u32,
    /// Committed and undone since something was learnt.
    committed: u64,
    undone: u64,
    /// Undone since something was committed.
    in_vain: u64,
    /// Whether it has held since the last GVT.
    held: bool,
    adapts: bool,
}

impl Optimism {
    /// `adapts`: otherwise only a whirl calls for a bound.
    pub fn new(adapts: bool) -> Optimism {
        Optimism { events: u32::MAX, committed: 0, undone: 0, in_vain: 0, held: false, adapts }
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

    /// GVT is known, and whether any node lacks a core. Since the last time so many events were
    /// run, and so many committed and undone.
    pub fn learn(&mut self, crowded: bool, run: u32, committed: u64, undone: u64) {
        let held = std::mem::take(&mut self.held);
        if committed == 0 {
            self.in_vain += undone;
        } else {
            self.in_vain = 0;
            let most = if self.adapts { FEWEST } else { u32::MAX };
            self.events = if self.events == 0 { most } else { self.events };
        }
        if self.in_vain >= WHIRL {
            self.events = 0;
        } else if self.adapts && crowded {
            self.adapt(held, run, committed, undone);
        } else if self.events != 0 {
            (self.events, self.committed, self.undone) = (u32::MAX, 0, 0);
        }
    }

    fn adapt(&mut self, held: bool, run: u32, committed: u64, undone: u64) {
        self.committed += committed;
        self.undone += undone;
        if self.undone <= self.committed {
            (self.committed, self.undone) = (0, 0);
        } else if self.undone >= LEAST {
            let from = if self.events == u32::MAX { run.min(MOST) } else { self.events };
            self.events = (from / 2).max(FEWEST);
            (self.committed, self.undone) = (0, 0);
            return;
        }
        if held && undone < committed / 4 {
            let more = self.events.saturating_add(self.events / 4 + 1);
            self.events = if more > MOST { u32::MAX } else { more };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CROWDED: bool = true;
    const CALM: bool = false;

    #[test]
    fn work_in_vain_bounds_and_work_that_comes_true_frees() {
        let mut optimism = Optimism::new(true);
        optimism.learn(CROWDED, 1000, 900, 30);
        assert_eq!(optimism.bound(), u32::MAX, "some undone is the price of running ahead");
        optimism.learn(CROWDED, 1000, 100, 900);
        assert_eq!(optimism.bound(), 500);
        (0..20).for_each(|_| optimism.learn(CROWDED, 500, 10, 400));
        assert_eq!(optimism.bound(), FEWEST);
        optimism.learn(CROWDED, 8, 8, 0);
        assert_eq!(optimism.bound(), FEWEST, "it did not hold anything up");
        assert!(optimism.hold() && !optimism.hold());
        optimism.learn(CROWDED, 8, 8, 0);
        assert_eq!(optimism.bound(), 11);
        for _ in 0..60 {
            optimism.hold();
            optimism.learn(CROWDED, 8, 800, 1);
        }
        assert_eq!(optimism.bound(), u32::MAX);
    }

    #[test]
    fn a_little_at_a_time_is_learnt_from_as_well() {
        let mut optimism = Optimism::new(true);
        (0..15).for_each(|_| optimism.learn(CROWDED, 20, 1, 2));
        assert_eq!(optimism.bound(), u32::MAX, "too little to say");
        optimism.learn(CROWDED, 20, 1, 2);
        assert_eq!(optimism.bound(), 10);
        (0..100).for_each(|_| optimism.learn(CROWDED, 20, 2, 2));
        assert_eq!(optimism.bound(), 10, "half of it comes true");
    }

    #[test]
    fn who_undoes_and_commits_nothing_runs_nothing_ahead() {
        for (adapts, then) in [(true, FEWEST), (false, u32::MAX)] {
            let mut optimism = Optimism::new(adapts);
            (0..100).for_each(|_| optimism.learn(CROWDED, 8, 1, WHIRL));
            assert_eq!(optimism.bound(), then, "something comes true");
            (0..WHIRL - 1).for_each(|_| optimism.learn(CROWDED, 8, 0, 1));
            assert_ne!(optimism.bound(), 0);
            optimism.learn(CROWDED, 8, 0, 1);
            assert_eq!(optimism.bound(), 0);
            optimism.learn(CROWDED, 0, 1, 0);
            assert_eq!(optimism.bound(), then);
        }
    }

    #[test]
    fn without_being_asked_for_work_in_vain_bounds_nothing() {
        let mut optimism = Optimism::new(false);
        (0..100).for_each(|_| optimism.learn(CROWDED, 1000, 1, 900));
        assert_eq!(optimism.bound(), u32::MAX);
    }

    #[test]
    fn with_a_core_for_each_node_work_in_vain_bounds_nothing() {
        let mut optimism = Optimism::new(true);
        (0..100).for_each(|_| optimism.learn(CALM, 1000, 1, 900));
        assert_eq!(optimism.bound(), u32::MAX);
        optimism.learn(CROWDED, 1000, 1, 900);
        assert_eq!(optimism.bound(), 500, "somebody lacks one now");
        optimism.learn(CALM, 500, 1, 400);
        assert_eq!(optimism.bound(), u32::MAX, "and has it back");
        (0..WHIRL).for_each(|_| optimism.learn(CALM, 8, 0, 1));
        assert_eq!(optimism.bound(), 0, "a whirl is held in any case");
        optimism.learn(CALM, 0, 1, 0);
        optimism.learn(CALM, 8, 8, 0);
        assert_eq!(optimism.bound(), u32::MAX);
    }
}
