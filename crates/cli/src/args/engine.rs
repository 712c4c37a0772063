//! How the Time Warp engine is to work.

use super::Receive;
use super::quantity;
use clap::{Args, ValueEnum};
use std::time::Duration;
use timewarp::{Balance, Cancellation, Dealing, Options, Search, Throttle, Timing};
use warp::Job;

/// How the engine works. None of it changes results.
#[derive(Args, Clone)]
#[command(next_help_heading = "Engine (none of it changes results)")]
pub struct EngineArgs {
    /// When messages of undone events are cancelled  [default: lazy]
    #[arg(long, value_enum)]
    pub cancellation: Option<Cancelling>,
    /// What messages, saved states and history may use on a node  [default: no bound]
    #[arg(long, value_name = "BYTES", value_parser = quantity::bytes)]
    pub memory: Option<usize>,
    /// Send no messages back when memory is short
    #[arg(long)]
    pub no_sendback: bool,
    /// Compute GVT at least this often  [default: 10ms; slooow 3s]
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub gvt_interval: Option<Duration>,
    /// Compute GVT once so many events of a node wait for being committed [default: 512; slooow: by
    /// time alone]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub gvt_events: Option<u32>,
    /// Events that fossil collection looks at before other work has its turn  [default: 32]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub collection_step: Option<u32>,
    /// Unacknowledged messages that a node may have [default: no bound; 20 with --plimit or
    /// --recvq-limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_acks: Option<u32>,
    /// The same for anti-messages  [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_neg_acks: Option<u32>,
    /// Before an object runs, look at so many arrivals for one that is due no later [default: all
    /// are taken first]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "recvq_limit")]
    pub plimit: Option<u32>,
    /// Before an object runs, sort so many arrivals and look at the first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub recvq_limit: Option<u32>,
    /// Added to an object's cancellations for each of its messages that is cancelled  [default: 0]
    #[arg(long, value_name = "N")]
    pub penalty: Option<u32>,
    /// Taken off them each time the scheduler meets the object; it is passed over while they are
    /// above 0 [default: 0]
    #[arg(long, value_name = "N")]
    pub reward: Option<u32>,
    /// Which objects may not run ahead: outputs:100, allowance:2,200, gvt-steps:20, states:20,
    /// undone, window:5, or 0 to 6 [default: never]
    #[arg(long, value_name = "RULE", value_parser = throttle)]
    pub throttle: Option<Throttle>,
    /// How objects are dealt to nodes  [default: blocks]
    #[arg(long, value_enum)]
    pub placement: Option<Placing>,
    /// Balance load: move objects from busy nodes to idle ones while the run goes on
    #[arg(long)]
    pub balance: bool,
    /// Look at the load this often
    #[arg(long, default_value = "4s", value_name = "TIME", value_parser = quantity::duration, requires = "balance")]
    pub balance_interval: Duration,
    /// Looks that only measure
    #[arg(long, default_value_t = 3, value_name = "N", requires = "balance")]
    pub balance_idle: u32,
    /// Leave two nodes alone whose utilisations differ by no more than this, per cent
    #[arg(long, default_value_t = 10, value_name = "PERCENT", requires = "balance")]
    pub balance_threshold: u32,
    /// Objects that move at once where one alone makes little difference
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), requires = "balance")]
    pub balance_batch: u32,
    /// Do, undo, compare and repeat every event: finds handlers that cannot be undone
    #[arg(long)]
    pub undo_check: bool,
    /// Cancel all that an object has sent in one sweep, as the engine of 1988 did: its unbounded
    /// sweep, for demonstration
    #[arg(long, hide = true)]
    pub zip_forward: bool,
    /// Time the work of every object: by the processor time of its thread, or by the wall clock
    #[arg(long, value_enum, value_name = "MODE")]
    pub timing: Option<TimingMode>,
    /// Make every event take so many times as long, by waiting in a loop (needs timing: process
    /// unless it is given)
    #[arg(long, value_name = "FACTOR")]
    pub stretch: Option<f64>,
    /// Find the chain of events that had to follow one another, and how long it took (needs timing:
    /// process unless it is given)
    #[arg(long)]
    pub critical_path: bool,
    /// How a node without work waits: polling occupies its core
    #[arg(long, value_enum, default_value_t = Receive::Blocking)]
    pub wait: Receive,
}

/// When messages of undone events are cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Cancelling {
    /// When the event, run again, has not sent them again
    Lazy,
    /// At once
    Aggressive,
}

/// How the work of objects is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimingMode {
    /// Not: nothing is read
    None,
    /// Processor time of the thread: a system call twice an event
    Process,
    /// Wall clock, interruptions included
    Wall,
}

/// How objects are dealt to nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Placing {
    /// Neighbours together
    Blocks,
    /// In turn
    RoundRobin,
    /// All on node 0 but for one on each other: a bad placement, for --balance to put right
    Heaped,
}

/// Unacknowledged messages with a search of the receive queue: the queue would have no bound
/// otherwise.
const ACKS_WITH_SEARCH: u32 = 20;

impl EngineArgs {
    /// The options that are given, by name.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            (self.cancellation.is_some(), "cancellation"),
            (self.memory.is_some(), "memory"),
            (self.gvt_interval.is_some(), "gvt-interval"),
            (self.max_acks.is_some(), "max-acks"),
            (self.max_neg_acks.is_some(), "max-neg-acks"),
            (self.plimit.is_some(), "plimit"),
            (self.recvq_limit.is_some(), "recvq-limit"),
            (self.penalty.is_some(), "penalty"),
            (self.reward.is_some(), "reward"),
            (self.throttle.is_some(), "throttle"),
            (self.placement.is_some(), "placement"),
            (self.timing.is_some(), "timing"),
            (self.stretch.is_some(), "stretch"),
            (self.balance, "balance"),
        ];
        all.into_iter().filter(|(given, _)| *given).map(|(_, name)| name).collect()
    }

    /// Put what is given over what is there.
    pub fn settle(&self, job: &mut Job) {
        self.settle_engine(&mut job.engine);
        if let Some(interval) = self.gvt_interval {
            job.gvt_interval_us = interval.as_micros() as u64;
        }
        match self.placement {
            Some(Placing::Blocks) => job.dealing = Dealing::Blocks,
            Some(Placing::RoundRobin) => job.dealing = Dealing::RoundRobin,
            Some(Placing::Heaped) => job.dealing = Dealing::Heaped,
            None => {}
        }
    }

    fn settle_engine(&self, engine: &mut Options) {
        match self.cancellation {
            Some(Cancelling::Lazy) => engine.cancellation = Cancellation::Lazy,
            Some(Cancelling::Aggressive) => engine.cancellation = Cancellation::Aggressive,
            None => {}
        }
        engine.search = match (self.plimit, self.recvq_limit) {
            (Some(limit), _) => Search::Plimit(limit),
            (None, Some(limit)) => Search::RecvqLimit(limit),
            (None, None) => engine.search,
        };
        let usual_acks = (engine.search != Search::All).then_some(ACKS_WITH_SEARCH);
        engine.max_acks = self.max_acks.or(engine.max_acks).or(usual_acks);
        engine.memory_bytes = self.memory.or(engine.memory_bytes);
        engine.sendback &= !self.no_sendback;
        engine.undo_check |= self.undo_check;
        engine.zip_forward |= self.zip_forward;
        let put = |given: Option<u32>, option: &mut u32| *option = given.unwrap_or(*option);
        put(self.gvt_events, &mut engine.gvt_events);
        put(self.collection_step, &mut engine.collection_step);
        put(self.max_neg_acks, &mut engine.max_neg_acks);
        put(self.penalty, &mut engine.penalty);
        put(self.reward, &mut engine.reward);
        engine.throttle = self.throttle.unwrap_or(engine.throttle);
        self.settle_timing(engine);
    }

    /// What the command line calls for, and what the file said where it does not.
    fn settle_timing(&self, engine: &mut Options) {
        engine.stretch = self.stretch.unwrap_or(engine.stretch);
        engine.causes |= self.critical_path;
        if self.balance {
            engine.balance = Some(self.balancing());
        }
        engine.timing = match self.timing {
            Some(TimingMode::None) => Timing::None,
            Some(TimingMode::Process) => Timing::Process,
            Some(TimingMode::Wall) => Timing::Wall,
            None if engine.timing != Timing::None => engine.timing,
            None if engine.balance.is_some() => Timing::Wall,
            None if engine.stretch > 1.0 || engine.causes => Timing::Process,
            None => Timing::None,
        };
    }

    fn balancing(&self) -> Balance {
        Balance {
            interval_ms: self.balance_interval.as_millis() as u64,
            idle_cycles: self.balance_idle,
            threshold_percent: self.balance_threshold,
            batch_max: self.balance_batch,
            ..Balance::default()
        }
    }
}

/// A rule by its name or by its number in the Time Warp Operating System, with its parameters
/// behind a colon.
fn throttle(text: &str) -> Result<Throttle, String> {
    const KNOWN: &str = "the rules are never, outputs:100, allowance:2,200, gvt-steps:20, \
    states:20, undone, window:5";
    let (name, values) = text.split_once(':').unwrap_or((text, ""));
    let numbers: Result<Vec<f64>, _> =
        values.split(',').filter(|value| !value.is_empty()).map(str::parse::<f64>).collect();
    let numbers = numbers.map_err(|_| format!("'{values}' are no numbers: {KNOWN}"))?;
    let real = |at: usize, usual: f64| match numbers.get(at).copied().unwrap_or(usual) {
        number if number.is_finite() && number >= 0.0 => Ok(number),
        number => Err(format!("{number} is below 0: {KNOWN}")),
    };
    let whole = |at: usize, usual: f64| real(at, usual).map(|number| number as u32);
    let (rule, takes) = match name {
        "0" | "never" => (Throttle::Never, 0),
        "1" | "outputs" => (Throttle::Outputs { limit: whole(0, 100.0)? }, 1),
        "2" | "allowance" => {
            (Throttle::Allowance { tmult: real(0, 2.0)?, tadd: real(1, 200.0)? }, 2)
        }
        "3" | "gvt-steps" => (Throttle::GvtSteps { wsize: real(0, 20.0)? }, 1),
        "4" | "states" => (Throttle::States { limit: whole(0, 20.0)? }, 1),
        "5" | "undone" => (Throttle::Undone, 0),
        "6" | "window" if !numbers.is_empty() => (Throttle::Window { window: real(0, 0.0)? }, 1),
        "6" | "window" => return Err("a window needs its width in simtime, as window:5".into()),
        _ => return Err(format!("there is no rule '{name}': {KNOWN}")),
    };
    if numbers.len() > takes {
        return Err(format!("'{name}' takes {takes} numbers: {KNOWN}"));
    }
    Ok(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_by_name_and_number() {
        assert_eq!(throttle("0"), Ok(Throttle::Never));
        assert_eq!(throttle("1"), throttle("outputs:100"));
        assert_eq!(throttle("allowance:3"), Ok(Throttle::Allowance { tmult: 3.0, tadd: 200.0 }));
        assert_eq!(throttle("2:2.5,7"), Ok(Throttle::Allowance { tmult: 2.5, tadd: 7.0 }));
        assert_eq!(throttle("window:0.5"), Ok(Throttle::Window { window: 0.5 }));
        for wrong in ["7", "window", "states:1,2", "outputs:-1", "outputs:x", "fast"] {
            assert!(throttle(wrong).is_err(), "{wrong}");
        }
    }
}
