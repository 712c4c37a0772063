//! Runs with hardly more memory than the sequential run needs: they end, with its result.

use crate::golden::benchmark;
use models::pucks::Scenario;
use models::{
    GeneratorOptions, Network, Phold, PholdOptions, Pucks, PucksOptions, Warpnet, WarpnetOptions,
};
use timewarp::simulated::{self, Simulation};
use timewarp::{Cancellation, Dealing, Limits, Model, Options, Placement, Unwatched, sequential};

/// More than the busiest node needs, in per cent.
const SPARE_PER_CENT: usize = 5;

/// Messages that were sent back, over all runs.
fn run_with_little_memory<M: Model>(model: &M, cutoff: f64, seeds: std::ops::Range<u64>) -> u64 {
    let limits = Limits { cutoff, ..Limits::default() };
    let right = sequential::run(model, &limits, &mut Unwatched).unwrap();
    let mut sent_back = 0;
    for seed in seeds {
        let nodes = 1 + (seed % 4) as u16;
        let placement = Placement::deal(model, nodes, Dealing::Blocks).unwrap();
        let need =
            sequential::needs(model, &limits, &placement).unwrap().into_iter().max().unwrap();
        let budget = need + need * SPARE_PER_CENT / 100;
        let cancellation =
            if seed % 2 == 0 { Cancellation::Lazy } else { Cancellation::Aggressive };
        let options = Options {
            cutoff,
            cancellation,
            memory_bytes: Some(budget),
            undo_check: false,
            ..Options::default()
        };
        let simulation = Simulation { rollback_every: 0, ..Simulation::new(nodes, seed, options) };
        let (outcome, _) = simulated::run(model, &simulation).unwrap_or_else(|error| {
            panic!("seed {seed}, {nodes} nodes, {budget} bytes each: {error}")
        });
        assert_eq!(outcome.trace_digest, right.trace_digest, "seed {seed}, {nodes} nodes");
        assert_eq!(outcome.state_digest, right.state_digest, "seed {seed}, {nodes} nodes");
        sent_back += outcome.total().returns_sent;
    }
    sent_back
}

#[test]
fn phold_ends_with_five_per_cent_more_than_it_needs() {
    let options = PholdOptions { objects: 200, start: 4, remote: 1.0, ..PholdOptions::default() };
    let sent_back = run_with_little_memory(&Phold::new(&options).unwrap(), 5.0, 0..40);
    assert!(sent_back > 0, "no message was ever sent back");
}

#[test]
fn warpnet_ends_with_five_per_cent_more_than_it_needs() {
    let network =
        Network::generate(&GeneratorOptions { nodes: 60, ..GeneratorOptions::default() }).unwrap();
    let options = WarpnetOptions { packets_per_node: 4, ..WarpnetOptions::default() };
    let sent_back = run_with_little_memory(&Warpnet::new(network, &options).unwrap(), 400.0, 0..24);
    assert!(sent_back > 0, "no message was ever sent back");
}

#[test]
fn pucks_end_with_five_per_cent_more_than_they_need() {
    let options = PucksOptions { rows: 4, columns: 4, pucks: 40, ..PucksOptions::default() };
    let model = Pucks::new(Scenario::generate(&options).unwrap());
    let sent_back = run_with_little_memory(&model, 20.0, 0..24);
    assert!(sent_back > 0, "no message was ever sent back");
}

/// The benchmark on four nodes, with a budget so small that what it sends back is counted in
/// hundreds of thousands; the original once sent back 252,680. In development builds it takes
/// minutes: `cargo xtask soak` runs it.
#[test]
#[ignore = "minutes: cargo xtask soak"]
fn the_pucks_benchmark_sends_hundreds_of_thousands_back() {
    let Some(model) = benchmark() else { return };
    let limits = Limits::default();
    let right = sequential::run(&model, &limits, &mut Unwatched).unwrap();
    let placement = Placement::deal(&model, 4, Dealing::RoundRobin).unwrap();
    let need = sequential::needs(&model, &limits, &placement).unwrap().into_iter().max().unwrap();
    let mut sent_back = 0;
    for (seed, cancellation) in [(1, Cancellation::Lazy), (2, Cancellation::Aggressive)] {
        let memory_bytes = Some(need + need / 100);
        let options =
            Options { memory_bytes, cancellation, undo_check: false, ..Options::default() };
        let simulation = Simulation {
            dealing: Dealing::RoundRobin,
            rollback_every: 0,
            ..Simulation::new(4, seed, options)
        };
        let (outcome, _) = simulated::run(&model, &simulation).unwrap();
        assert_eq!(
            (outcome.trace_digest, outcome.state_digest),
            (right.trace_digest, right.state_digest)
        );
        println!(
            "seed {seed}, {memory_bytes:?} bytes a node: {} sent back",
            outcome.total().returns_sent
        );
        sent_back += outcome.total().returns_sent;
    }
    assert!(sent_back > 200_000, "{sent_back} messages were sent back");
}
