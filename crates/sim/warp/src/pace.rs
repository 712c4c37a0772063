//! When a driver does what: in ticks of its node's clock, so that looking at the time costs nothing
//! worth mentioning.

use crate::Costs;
use crate::crowd::Core;
use crate::object_clock::ns_per_tick;
use std::time::Duration;
use timewarp::VirtualTime;

/// How a node is driven. None of it changes results.
#[derive(Clone, Copy, Debug)]
pub struct DriveOptions {
    /// Most steps between two looks at arrivals: 1 where the engine itself searches what has
    /// arrived.
    pub steps_max: u32,
    /// GVT is computed this often, at least.
    pub gvt_interval: Duration,
    /// From one look at the load to the next, if it is balanced.
    pub balance_interval: Option<Duration>,
    /// Simtime of GVT from which on it is computed every second instead.
    pub gvt_change: Option<f64>,
    /// Shortest time between two looks for messages while there is work: long where looking is a
    /// system call.
    pub poll: Duration,
    /// How long a message may wait for others to travel with.
    pub flush: Duration,
    /// How long a peer may say nothing, or take nothing.
    pub peer_timeout: Duration,
    /// Whether a node that looks for messages offers its core between two looks: where nodes are
    /// more than cores, what it waits for is done by one that has none.
    pub yields: bool,
    /// What is known of the node's core.
    pub core: Core,
    /// What steps cost, where time is simulated.
    pub costs: Option<Costs>,
}

/// How long a call of the engine may take: messages wait meanwhile.
const CALL: Duration = Duration::from_micros(8);
/// Most steps of a call.
const STEPS_MAX: u32 = 32;
/// How long a node looks for messages without sleeping before it has GVT computed, and then sleeps.
const SPIN: Duration = Duration::from_micros(40);
/// How long it goes on looking where it offers its core between two looks: others use that time.
pub(crate) const LINGER: Duration = Duration::from_millis(1);
/// Longest sleep.
pub(crate) const NAP: Duration = Duration::from_millis(2);
/// Longest sleep of a thread that several nodes share: what comes wakes only one of them.
pub(crate) const SHARED_NAP: Duration = Duration::from_micros(200);
/// How often the meter and the peers are looked at.
const LOOK: Duration = Duration::from_millis(10);
/// From one GVT to the next after the change that a run can be given.
const GVT_LATER: Duration = Duration::from_secs(1);
/// How soon GVT is asked for again when asking has not moved it.
const ASK_AGAIN: Duration = Duration::from_millis(1);

/// The times of one node, in its ticks.
pub(crate) struct Pace {
    pub poll: u64,
    pub flush: u64,
    gvt: u64,
    gvt_later: u64,
    gvt_change: f64,
    pub balance: u64,
    pub spin: u64,
    /// How long it goes on looking with its core offered between two looks; 0: it offers nothing.
    pub linger: u64,
    pub look: u64,
    pub ask_again: u64,
    pub peer_timeout: u64,
    /// What steps cost, where time is simulated.
    pub costs: Option<Costs>,
    call: u64,
    /// Steps of the next call: as many as fit into its time.
    steps: u32,
    steps_max: u32,
}

impl Pace {
    pub fn new(options: &DriveOptions, fabric: &fabric::Node) -> Pace {
        let ns_per_tick = ns_per_tick(fabric);
        let ticks = |time: Duration| (time.as_nanos() as f64 / ns_per_tick) as u64;
        // Not all nodes give up at once: who is not node 0 hears from others through it.
        let patience =
            if fabric.id() == 0 { options.peer_timeout } else { options.peer_timeout * 5 / 4 };
        let often = options
            .balance_interval
            .map_or(options.gvt_interval, |time| time.min(options.gvt_interval));
        Pace {
            poll: ticks(options.poll),
            flush: ticks(options.flush),
            gvt: ticks(options.gvt_interval),
            balance: options.balance_interval.map_or(u64::MAX, ticks),
            gvt_later: ticks(GVT_LATER),
            gvt_change: options.gvt_change.unwrap_or(f64::INFINITY),
            spin: ticks(SPIN),
            linger: if options.yields { ticks(LINGER) } else { 0 },
            look: ticks(LOOK.min(often.max(Duration::from_micros(100)))),
            ask_again: ticks(ASK_AGAIN),
            peer_timeout: ticks(patience),
            costs: options.costs,
            call: ticks(CALL),
            steps: 1,
            steps_max: options.steps_max.min(STEPS_MAX),
        }
    }

    /// Steps of the next call of the engine.
    #[inline]
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// From one GVT to the next, once it is so far.
    #[inline]
    pub fn gvt(&self, gvt: VirtualTime) -> u64 {
        if gvt.simtime() >= self.gvt_change { self.gvt_later } else { self.gvt }
    }

    /// A whole call took so long.
    #[inline]
    pub fn took(&mut self, ticks: u64) {
        if ticks > self.call {
            self.steps = (self.steps / 2).max(1);
        } else if ticks < self.call / 4 && self.steps < self.steps_max {
            self.steps = (self.steps * 2).min(self.steps_max);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_as_many_steps_as_fit_into_its_time() {
        let mut pace = Pace {
            poll: 0,
            flush: 0,
            gvt: 7,
            gvt_later: 9,
            gvt_change: 5.0,
            balance: 0,
            spin: 0,
            linger: 0,
            look: 0,
            ask_again: 0,
            peer_timeout: 0,
            costs: None,
            call: 1000,
            steps: 1,
            steps_max: 32,
        };
        (0..10).for_each(|_| pace.took(10));
        assert_eq!(pace.steps(), 32);
        pace.took(1001);
        assert_eq!(pace.steps(), 16);
        pace.took(500);
        assert_eq!(pace.steps(), 16);
        (0..10).for_each(|_| pace.took(50_000));
        assert_eq!(pace.steps(), 1);
        assert_eq!([4.9, 5.0].map(|gvt| pace.gvt(VirtualTime::at(gvt))), [7, 9]);
    }
}
