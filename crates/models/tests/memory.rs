//! Runs with hardly more memory than the sequential run needs: they end, with its result.

#![allow(clippy::unwrap_used)] // everything here is a test, also what is not marked as one

use models::{GeneratorOptions, Network, Phold, PholdOptions, Warpnet, WarpnetOptions};
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
        let need = sequential::needs(model, &limits, &placement).unwrap().into_iter().max().unwrap();
        let budget = need + need * SPARE_PER_CENT / 100;
        let cancellation = if seed % 2 == 0 { Cancellation::Lazy } else { Cancellation::Aggressive };
        let options = Options {
            cutoff,
            cancellation,
            memory_bytes: Some(budget),
            undo_check: false,
            ..Options::default()
        };
        let simulation = Simulation { rollback_every: 0, ..Simulation::new(nodes, seed, options) };
        let (outcome, _) = simulated::run(model, &simulation)
            .unwrap_or_else(|error| panic!("seed {seed}, {nodes} nodes, {budget} bytes each: {error}"));
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
    let network = Network::generate(&GeneratorOptions { nodes: 60, ..GeneratorOptions::default() }).unwrap();
    let options = WarpnetOptions { packets_per_node: 4, ..WarpnetOptions::default() };
    let sent_back = run_with_little_memory(&Warpnet::new(network, &options).unwrap(), 400.0, 0..24);
    assert!(sent_back > 0, "no message was ever sent back");
}
