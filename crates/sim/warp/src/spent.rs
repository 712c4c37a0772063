//! Where a node's wall time goes: what its driver does, one thing at a time.

use serde::{Deserialize, Serialize};

/// What a driver does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Engine,
    Packing,
    Looking,
    Waiting,
    Sharing,
}

/// Times, ns. Together they are all of the node's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// In the engine: events, rollbacks, collection, its queues, GVT.
    pub engine_ns: u64,
    /// Packing what leaves the engine, and handing it over.
    pub packing_ns: u64,
    /// Looking for messages, and taking them, while there is work.
    pub looking_ns: u64,
    /// How often.
    pub looks: u64,
    /// With nothing to do.
    pub waiting_ns: u64,
    /// While other nodes had the thread that it shares with them.
    pub sharing_ns: u64,
    /// Ready to run and without a core, within any of these; `None` where the kernel does not say.
    pub without_core_ns: Option<u64>,
}

/// Ticks by what went on in them.
#[derive(Debug)]
pub(crate) struct Laps {
    last: u64,
    ticks: [u64; 5],
    laps: [u64; 5],
}

impl Laps {
    pub(crate) fn new(now: u64) -> Laps {
        Laps { last: now, ticks: [0; 5], laps: [0; 5] }
    }

    /// All since the lap before was spent with this.
    #[inline]
    pub(crate) fn lap(&mut self, doing: Doing, now: u64) {
        self.ticks[doing as usize] += now.wrapping_sub(self.last);
        self.laps[doing as usize] += 1;
        self.last = now;
    }

    /// The times so far.
    pub(crate) fn spent(&self, ns: impl Fn(u64) -> u64) -> Spent {
        let [engine_ns, packing_ns, looking_ns, waiting_ns, sharing_ns] = self.ticks.map(ns);
        let looks = self.laps[Doing::Looking as usize];
        let without_core_ns = None;
        Spent { engine_ns, packing_ns, looking_ns, looks, waiting_ns, sharing_ns, without_core_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_are_all_of_the_time() {
        let mut laps = Laps::new(100);
        laps.lap(Doing::Engine, 160);
        laps.lap(Doing::Packing, 170);
        laps.lap(Doing::Waiting, 200);
        laps.lap(Doing::Engine, 205);
        laps.lap(Doing::Looking, 215);
        laps.lap(Doing::Sharing, 310);
        let spent = laps.spent(|ticks| ticks * 2);
        assert_eq!((spent.engine_ns, spent.packing_ns), (130, 20));
        assert_eq!((spent.looks, spent.waiting_ns, spent.sharing_ns), (1, 60, 190));
        assert_eq!(spent.looking_ns, 20);
    }
}
