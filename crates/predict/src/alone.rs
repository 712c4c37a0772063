//! What messages take on an idle network.

use crate::path::{Path, Share};
use machine::{Happened, Machine, Network, Table, Tells, Time};

/// What they take, by how many links they cross and by their bytes.
pub struct Alone {
    /// Nothing else is ever on it.
    network: Network,
    /// When it is idle again.
    now: Time,
    known: Table<Parts>,
    last: Option<(u64, Parts)>,
}

#[derive(Clone, Copy)]
pub struct Parts {
    latency: Time,
    whole: Time,
}

impl Alone {
    pub fn new(machine: &Machine, nodes: u16) -> Alone {
        let lossless = machine.clone().with("network.loss", 0.0);
        Alone {
            network: Network::telling(Tells::Ahead, &lossless, nodes, 0),
            now: 0,
            known: Table::default(),
            last: None,
        }
    }

    pub fn of(&mut self, pair: (u16, u16), bytes: u64) -> Parts {
        const LINKS_BITS: u32 = 5;
        // Every link is like every other.
        let links = self.network.links_between(pair.0, pair.1);
        let key = bytes << LINKS_BITS | u64::from(links);
        if let Some((last, parts)) = self.last
            && last == key
        {
            return parts;
        }
        let parts = match self.known.get(&key) {
            Some(parts) => *parts,
            None => {
                let (latency, whole) = (self.takes(pair, 0), self.takes(pair, bytes));
                let parts = Parts { latency, whole };
                self.known.insert(key, parts);
                parts
            }
        };
        self.last = Some((key, parts));
        parts
    }

    pub fn latency(&mut self, pair: (u16, u16)) -> Time {
        self.of(pair, 0).latency
    }

    fn takes(&mut self, (from, to): (u16, u16), bytes: u64) -> Time {
        let begun = self.now;
        self.network.send(begun, from, to, bytes);
        let (mut arrived, mut last) = (begun, begun);
        let mut tell = |when: Time, happened| {
            last = last.max(when);
            if matches!(happened, Happened::Arrived(_)) {
                arrived = when;
            }
        };
        while self.network.play_next(&mut tell) {}
        self.now = last;
        arrived - begun
    }
}

impl Parts {
    /// The path of a message that took so long.
    pub fn split(self, path: &mut Path, took: Time) {
        let whole = self.whole.min(took);
        // Where the wire is shorter for longer messages, bytes may take less than nothing.
        let latency = self.latency.min(whole);
        path[Share::Latency] += latency;
        path[Share::Bandwidth] += whole - latency;
        path[Share::Contention] += took - whole;
        path.messages += 1;
    }
}
