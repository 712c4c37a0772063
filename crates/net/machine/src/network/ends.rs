//! The receiving ends of nodes, and what is lost on the way there.

use crate::{Machine, Time};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// What handles packets at each node, one at a time.
pub(super) struct Ends {
    pub handler: Time,
    /// What each packet takes of the node's processor.
    pub interrupt: Time,
    /// Until when each is busy.
    busy_until: Vec<Time>,
}

impl Ends {
    pub fn new(machine: &Machine, nodes: u16) -> Ends {
        Ends {
            handler: machine.time("network.handler"),
            interrupt: machine.time("processor.interrupt"),
            busy_until: vec![0; usize::from(nodes)],
        }
    }

    /// A packet has come; when it has been handled.
    pub fn handle(&mut self, now: Time, node: u16) -> Time {
        let busy = &mut self.busy_until[usize::from(node)];
        *busy = now.max(*busy) + self.handler;
        *busy
    }
}

/// Which packets are lost.
pub(super) struct Losses {
    pub share: f64,
    /// Until a lost one is sent again.
    pub resend: Time,
    random: Pcg64Mcg,
}

impl Losses {
    pub fn new(machine: &Machine, seed: u64) -> Losses {
        Losses {
            share: machine.value("network.loss"),
            resend: machine.time("network.resend"),
            random: Pcg64Mcg::seed_from_u64(seed),
        }
    }

    /// Whether the next one is.
    pub fn next(&mut self) -> bool {
        self.share > 0.0 && self.random.random::<f64>() < self.share
    }
}
