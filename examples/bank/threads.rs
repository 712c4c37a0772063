//! The bank as a part of a program: in order, on three threads, and on three nodes that are kept
//! from agreeing by delays and forced rollbacks. All three give the same.
//!
//!     cargo run --release --package fourstamp-examples --example bank_threads -- 20000

#![forbid(unsafe_code)]

mod model;

use fourstamp::timewarp::simulated::{self, Simulation};
use fourstamp::timewarp::{Dealing, Kept, Limits, Options, sequential};
use fourstamp::warp::{self, RunOptions};
use model::{Bank, DESKS, GAP_MIN, SERVICE_MIN, WALK_MIN};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let end_min = std::env::args().nth(1).map_or(Ok(20_000.0), |end| end.parse())?;
    let bank = Bank { branches: 6, seed: 1 };

    let mut kept = Kept::default();
    let limits = Limits { cutoff: end_min, ..Limits::default() };
    let in_order = sequential::run(&bank, &limits, &mut kept)?;
    kept.lines.iter().for_each(|(_, _, line)| println!("{line}"));
    println!("theory: {:.2} min", stay_min());

    // Dealt in turn, so that every customer goes from node to node.
    let dealing = Dealing::RoundRobin;
    let threads = warp::run(&bank, &RunOptions { dealing, ..RunOptions::new(3, end_min) })?;

    let options = Options { cutoff: end_min, ..Options::default() };
    let simulation = Simulation { dealing, ..Simulation::new(3, 1, options) };
    let (delayed, delayed_lines) = simulated::run(&bank, &simulation)?;

    for (how, outcome) in
        [("in order", &in_order), ("on threads", &threads.outcome), ("delayed", &delayed)]
    {
        let total = outcome.total();
        println!(
            "{how:<11}{} events, trace {:016x}, {} more events undone in {} rollbacks",
            total.events, outcome.trace_digest, total.undone, total.rollbacks
        );
    }
    let digests =
        |outcome: &fourstamp::timewarp::Outcome| (outcome.trace_digest, outcome.state_digest);
    let same_events =
        digests(&threads.outcome) == digests(&in_order) && digests(&delayed) == digests(&in_order);
    let same_lines = delayed_lines.lines == kept.lines
        && threads.lines.iter().map(|line| &line.text).eq(kept.lines.iter().map(|(.., line)| line));
    if same_events && same_lines { Ok(()) } else { Err("the runs differ".into()) }
}

/// How long customers stay on average, by theory (a tandem of M/M/1 queues): 1 / (1/1.25 - 1/2) min
/// at each desk, plus the walks.
fn stay_min() -> f64 {
    f64::from(DESKS) / (1.0 / SERVICE_MIN - 1.0 / GAP_MIN) + f64::from(DESKS + 1) * WALK_MIN
}
