//! How the Time Warp engine is to work.

use super::Receive;
use super::quantity;
use clap::{Args, ValueEnum};
use std::time::Duration;
use timewarp::{Cancellation, Dealing, Options, Search, Throttle};

/// How the engine works. None of it changes results.
#[derive(Args, Clone)]
#[command(next_help_heading = "Engine (none of it changes results)")]
pub struct EngineArgs {
    /// When messages of undone events are cancelled
    #[arg(long, value_enum, default_value_t = Cancelling::Lazy)]
    pub cancellation: Cancelling,
    /// What messages, saved states and history may use on a node  [default: no bound]
    #[arg(long, value_name = "BYTES", value_parser = quantity::bytes)]
    pub memory: Option<usize>,
    /// Send no messages back when memory is short
    #[arg(long)]
    pub no_sendback: bool,
    /// Compute GVT at least this often
    #[arg(long, default_value = "10ms", value_name = "TIME", value_parser = quantity::duration)]
    pub gvt_interval: Duration,
    /// Compute GVT once so many events of a node wait for being committed
    #[arg(long, default_value_t = Options::default().gvt_events, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub gvt_events: u32,
    /// Unacknowledged messages that a node may have  [default: no bound; 20 with --plimit or --recvq-limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_acks: Option<u32>,
    /// The same for anti-messages
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_neg_acks: u32,
    /// Before an object runs, look at so many arrivals for one that is due no later  [default: all are taken first]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "recvq_limit")]
    pub plimit: Option<u32>,
    /// Before an object runs, sort so many arrivals and look at the first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub recvq_limit: Option<u32>,
    /// Added to an object's cancellations for each of its messages that is cancelled
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub penalty: u32,
    /// Taken off them each time the scheduler meets the object; it is passed over while they are above 0
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub reward: u32,
    /// Which objects may not run ahead: outputs:100, allowance:2,200, gvt-steps:20, states:20, undone, window:5, or 0 to 6
    #[arg(long, default_value = "never", value_name = "RULE", value_parser = throttle)]
    pub throttle: Throttle,
    /// How objects are dealt to nodes
    #[arg(long, value_enum, default_value_t = Placing::Blocks)]
    pub placement: Placing,
    /// Do, undo, compare and repeat every event: finds handlers that cannot be undone
    #[arg(long)]
    pub undo_check: bool,
    /// Cancel all that an object has sent in one sweep, as the engine of 1988 did: its unbounded sweep, for demonstration
    #[arg(long, hide = true)]
    pub zip_forward: bool,
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

/// How objects are dealt to nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Placing {
    /// Neighbours together
    Blocks,
    /// In turn
    RoundRobin,
}

/// Unacknowledged messages with a search of the receive queue: the queue would have no bound otherwise.
const ACKS_WITH_SEARCH: u32 = 20;

impl EngineArgs {
    /// As the engine takes it.
    pub fn options(&self, cutoff: f64) -> Options {
        let search = match (self.plimit, self.recvq_limit) {
            (Some(limit), _) => Search::Plimit(limit),
            (None, Some(limit)) => Search::RecvqLimit(limit),
            (None, None) => Search::All,
        };
        Options {
            cutoff,
            cancellation: match self.cancellation {
                Cancelling::Lazy => Cancellation::Lazy,
                Cancelling::Aggressive => Cancellation::Aggressive,
            },
            memory_bytes: self.memory,
            sendback: !self.no_sendback,
            gvt_events: self.gvt_events,
            max_acks: self.max_acks.or((search != Search::All).then_some(ACKS_WITH_SEARCH)),
            max_neg_acks: self.max_neg_acks,
            search,
            penalty: self.penalty,
            reward: self.reward,
            throttle: self.throttle,
            undo_check: self.undo_check || cfg!(debug_assertions),
            zip_forward: self.zip_forward,
        }
    }

    /// As the engine takes it.
    pub fn dealing(&self) -> Dealing {
        match self.placement {
            Placing::Blocks => Dealing::Blocks,
            Placing::RoundRobin => Dealing::RoundRobin,
        }
    }
}

/// A rule by its name or by its number in the Time Warp Operating System, with its parameters behind a colon.
fn throttle(text: &str) -> Result<Throttle, String> {
    const KNOWN: &str =
        "the rules are never, outputs:100, allowance:2,200, gvt-steps:20, states:20, undone, window:5";
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
        "2" | "allowance" => (Throttle::Allowance { tmult: real(0, 2.0)?, tadd: real(1, 200.0)? }, 2),
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
