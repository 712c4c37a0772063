//! What to measure, and for how long.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A workload with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Who sends what.
    pub workload: Workload,
    /// Payload of a message, bytes.
    pub size_bytes: usize,
    /// When to end.
    pub length: Length,
    /// Messages (or round trips) before the first that counts.
    pub warm_up: u64,
    /// Seed of every random choice.
    pub seed: u64,
    /// What a node that serves does with each message before it answers or takes the next, ns of
    /// its processor.
    #[serde(default)]
    pub receiver_work_ns: u64,
}

/// Who sends what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name")]
pub enum Workload {
    /// Round trips of node 0 with each of the others in turn.
    Pingpong,
    /// One way: the first half of the nodes sends, each to its partner in the second half; or all
    /// to all.
    Stream {
        /// Messages a second and sender, at intended times; `None`: as fast as possible.
        rate_per_s: Option<f64>,
        /// Messages handed over in one call.
        batch: u16,
        /// Every node sends to every other, chosen at random, and receives.
        all: bool,
    },
    /// Some messages, then nothing for a while.
    Burst {
        /// Messages of a burst.
        messages: u32,
        /// Pause after it, µs.
        gap_us: u64,
        /// Of these, handed over in one call.
        #[serde(default = "one")]
        batch: u16,
    },
    /// Node 0 sends to 1 and to 2; 1 forwards to 2; 2 answers 0.
    Relay,
    /// Ping-pong over sizes up to `largest_bytes` in random order.
    Sweep {
        /// Largest size, bytes.
        largest_bytes: usize,
        /// Visits to each size.
        repeats: u32,
        /// Visits made one by one after that, where the fit of knees is least sure.
        refine: u32,
        /// Every multiple of so many bytes, instead of powers of two; `None`: those.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        every_bytes: Option<usize>,
    },
}

fn one() -> u16 {
    1
}

/// When to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Length {
    /// After so many messages of each sender, round trips, or (sweep) round trips a visit.
    Count(u64),
    /// After so many milliseconds.
    DurationMs(u64),
}

/// A plan that cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {remedy}")]
pub struct PlanError {
    what: String,
    remedy: &'static str,
}

impl Workload {
    /// The name that commands and reports use.
    pub fn name(&self) -> &'static str {
        match self {
            Workload::Pingpong => "pingpong",
            Workload::Stream { .. } => "stream",
            Workload::Burst { .. } => "burst",
            Workload::Relay => "relay",
            Workload::Sweep { .. } => "sweep",
        }
    }

    fn nodes_min(&self) -> u16 {
        if *self == Workload::Relay { 3 } else { 2 }
    }
}

impl Plan {
    /// Check the plan against the number of nodes.
    pub fn check(&self, nodes: u16) -> Result<(), PlanError> {
        let refuse = |what: String, remedy| Err(PlanError { what, remedy });
        let least = self.workload.nodes_min();
        match &self.workload {
            workload if nodes < least => refuse(
                format!("{} needs {least} nodes, not {nodes}", workload.name()),
                "raise --nodes",
            ),
            Workload::Relay if nodes > 3 => {
                refuse(format!("relay has 3 nodes, not {nodes}"), "give --nodes 3")
            }
            Workload::Stream { all: false, .. } if !nodes.is_multiple_of(2) => refuse(
                format!("{nodes} nodes cannot stream in pairs"),
                "give an even number, or --all",
            ),
            Workload::Stream { rate_per_s: Some(rate), .. }
                if !(rate.is_finite() && *rate > 0.0) =>
            {
                refuse(format!("--rate {rate}: it must be above 0"), "give messages a second")
            }
            Workload::Stream { batch: 0, .. } => {
                refuse("a batch of 0 messages sends nothing".into(), "give 1 or more")
            }
            Workload::Burst { messages: 0, .. } => {
                refuse("a burst of 0 messages".into(), "give 1 or more")
            }
            Workload::Burst { messages, batch, .. }
                if *batch == 0 || u32::from(*batch) > *messages =>
            {
                refuse(
                    format!("a batch of {batch} in a burst of {messages}"),
                    "give 1 message to as many as a burst has",
                )
            }
            Workload::Stream { all: true, .. } if self.receiver_work_ns > 0 => refuse(
                "nodes that all send have no receiving task of their own".into(),
                "leave out --all or --receiver-work",
            ),
            Workload::Sweep { repeats: 0, .. } => {
                refuse("0 visits to each size".into(), "give 1 or more")
            }
            Workload::Sweep { largest_bytes, every_bytes: Some(step), .. }
                if *step == 0 || step > largest_bytes =>
            {
                refuse(
                    format!("every {step} bytes up to {largest_bytes}"),
                    "give at least 1 byte and at most the largest size",
                )
            }
            Workload::Sweep { .. } if matches!(self.length, Length::DurationMs(_)) => {
                refuse("a sweep counts round trips".into(), "give --count instead of --duration")
            }
            _ if matches!(self.length, Length::Count(0) | Length::DurationMs(0)) => {
                refuse("a run of length 0 measures nothing".into(), "raise --count or --duration")
            }
            _ => Ok(()),
        }
    }

    /// Messages or round trips that a leading node has to do, or milliseconds.
    pub fn counted(&self) -> u64 {
        match self.length {
            Length::Count(count) => self.visits() * count,
            Length::DurationMs(ms) => ms,
        }
    }

    /// How much progress the nodes of a process can show at most, as [`crate::Meter::done`] counts
    /// it; 0 if that is not known, or if none of them leads: who only serves gets on when another
    /// does, and is not late when nothing comes.
    pub fn goal(&self, hosted: &[u16], nodes: u16) -> u64 {
        let leads = hosted.iter().any(|node| self.leads(*node, nodes));
        match self.length {
            Length::Count(_) if leads => self.counted() + self.visits() * self.warm_up(),
            _ => 0,
        }
    }

    /// The longest time in which a node does nothing on purpose.
    pub fn longest_pause(&self) -> Duration {
        match self.workload {
            Workload::Stream { rate_per_s: Some(rate), .. } => {
                Duration::try_from_secs_f64(1.0 / rate).unwrap_or(Duration::MAX)
            }
            Workload::Burst { gap_us, .. } => Duration::from_micros(gap_us),
            _ => Duration::ZERO,
        }
    }

    /// A stream of all to all begins at once.
    fn warm_up(&self) -> u64 {
        if matches!(self.workload, Workload::Stream { all: true, .. }) { 0 } else { self.warm_up }
    }

    /// Of a sweep at most, to all sizes; other workloads are one.
    fn visits(&self) -> u64 {
        match self.workload {
            Workload::Sweep { largest_bytes, repeats, refine, every_bytes } => {
                let sizes = sizes(largest_bytes, every_bytes).len() as u64;
                (sizes + u64::from(refine)) * u64::from(repeats)
            }
            _ => 1,
        }
    }

    /// The largest message that it sends, bytes.
    pub fn largest_bytes(&self) -> usize {
        match self.workload {
            Workload::Sweep { largest_bytes, .. } => self.size_bytes.max(largest_bytes),
            _ => self.size_bytes,
        }
    }

    /// Whether a node with this number originates messages, for progress.
    pub fn leads(&self, node: u16, nodes: u16) -> bool {
        match self.workload {
            Workload::Stream { all: true, .. } => true,
            Workload::Stream { .. } | Workload::Burst { .. } => node < nodes / 2,
            _ => node == 0,
        }
    }
}

/// The sizes that a sweep visits whatever it finds.
pub(crate) fn sizes(largest: usize, every: Option<usize>) -> Vec<usize> {
    match every {
        Some(step) => (step..=largest).step_by(step.max(1)).collect(),
        None => grid(largest),
    }
}

/// Powers of two and the sizes half-way between them, up to the largest.
fn grid(largest: usize) -> Vec<usize> {
    let powers =
        (0..usize::BITS).map(|power| 1usize << power).take_while(|bytes| *bytes <= largest);
    let mut sizes: Vec<usize> = powers.flat_map(|bytes| [bytes, bytes + bytes / 2]).collect();
    sizes.extend([0, largest]);
    sizes.retain(|bytes| *bytes <= largest);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_holds_both_ends_once() {
        assert_eq!(grid(10), [0, 1, 2, 3, 4, 6, 8, 10]);
        assert_eq!(grid(0), [0]);
        assert_eq!(sizes(17, Some(4)), [4, 8, 12, 16]);
        assert_eq!(sizes(10, None), grid(10));
    }

    fn plan(workload: Workload) -> Plan {
        Plan {
            workload,
            size_bytes: 8,
            length: Length::Count(10),
            warm_up: 0,
            seed: 1,
            receiver_work_ns: 0,
        }
    }

    fn sweep(largest_bytes: usize, repeats: u32, refine: u32, every: Option<usize>) -> Workload {
        Workload::Sweep { largest_bytes, repeats, refine, every_bytes: every }
    }

    #[test]
    fn batches_fit_their_bursts() {
        let burst = |batch| plan(Workload::Burst { messages: 5, gap_us: 10, batch }).check(2);
        assert_eq!((burst(1), burst(5)), (Ok(()), Ok(())));
        assert!(burst(0).is_err() && burst(6).is_err());
        let all = Workload::Stream { rate_per_s: None, batch: 1, all: true };
        assert!(Plan { receiver_work_ns: 1, ..plan(all) }.check(2).is_err());
    }

    #[test]
    fn every_size_is_a_goal_of_its_own() {
        let every = plan(sweep(40_000, 1, 0, Some(4)));
        assert_eq!(every.check(2), Ok(()));
        assert_eq!(every.counted(), 10_000 * 10);
        for wrong in [0, 11] {
            let said = plan(sweep(10, 1, 0, Some(wrong))).check(2).expect_err("no size");
            assert!(said.to_string().contains("at most the largest size"), "{said}");
        }
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_a_remedy() {
        let relay = plan(Workload::Relay).check(2).expect_err("too few").to_string();
        assert_eq!(relay, "relay needs 3 nodes, not 2; raise --nodes");
        let stream = Workload::Stream { rate_per_s: Some(f64::NAN), batch: 1, all: false };
        assert!(plan(stream).check(2).is_err());
        let empty = Plan { length: Length::Count(0), ..plan(Workload::Pingpong) };
        assert!(empty.check(2).is_err());
        let timed = Plan { length: Length::DurationMs(5), ..plan(sweep(10, 1, 0, None)) };
        assert!(timed.check(2).expect_err("counts").to_string().contains("--count"));
    }

    /// A node that only answers has no goal: nobody may take it for one that hangs, however long
    /// the run is.
    #[test]
    fn only_who_leads_has_a_goal() {
        let pingpong = Plan { warm_up: 3, ..plan(Workload::Pingpong) };
        assert_eq!(
            [pingpong.goal(&[0], 2), pingpong.goal(&[1], 2), pingpong.goal(&[0, 1], 2)],
            [13, 0, 13]
        );
        let stream = plan(Workload::Stream { rate_per_s: Some(0.01), batch: 1, all: false });
        assert_eq!([stream.goal(&[1], 4), stream.goal(&[2], 4)], [10, 0]);
        assert_eq!(stream.longest_pause(), Duration::from_secs(100));
        let sweep = plan(sweep(2, 2, 1, None));
        assert_eq!([sweep.goal(&[0], 2), sweep.goal(&[1], 2)], [(3 + 1) * 2 * 10, 0]);
        let timed = Plan { length: Length::DurationMs(5), ..pingpong };
        assert_eq!(timed.goal(&[0], 2), 0);
    }

    #[test]
    fn ordinary_plans_pass() {
        assert_eq!(plan(Workload::Pingpong).check(2), Ok(()));
        assert_eq!(plan(Workload::Relay).check(3), Ok(()));
        assert_eq!(
            plan(Workload::Stream { rate_per_s: None, batch: 1, all: true }).check(3),
            Ok(())
        );
    }
}
