//! The models on several nodes in one thread, with delays and forced rollbacks, against the sequential run.

use super::warpnet::benchmark;
use crate::watched::run;
use models::{
    Diary, DiaryOptions, GeneratorOptions, Network, Phold, PholdOptions, Ping, PingOptions, Undoing, Warpnet,
    WarpnetOptions,
};
use timewarp::simulated::{self, Simulation};
use timewarp::{Dealing, Model, Options, Outcome};

/// Runs both, and compares digests, counts, trace and lines.
fn compare<M: Model>(model: &M, cutoff: f64, simulation: Simulation) -> Outcome {
    let expected = run(model, Some(cutoff));
    let options = Options { cutoff, ..simulation.options };
    let simulation = Simulation { options, ..simulation };
    let (outcome, kept) = simulated::run(model, &simulation).unwrap();
    assert_eq!(outcome.trace_digest, expected.outcome.trace_digest, "seed {}", simulation.seed);
    assert_eq!(outcome.state_digest, expected.outcome.state_digest, "seed {}", simulation.seed);
    assert_eq!(kept.trace, expected.kept.trace, "seed {}", simulation.seed);
    assert_eq!(kept.lines, expected.kept.lines, "seed {}", simulation.seed);
    outcome
}

fn round_robin(nodes: u16, seed: u64) -> Simulation {
    Simulation { dealing: Dealing::RoundRobin, ..Simulation::new(nodes, seed, Options::default()) }
}

#[test]
fn ping_is_never_undone_unless_forced() {
    let ping = Ping::new(&PingOptions { stop: 500.0 }).unwrap();
    for nodes in [1, 2] {
        let unforced = Simulation { rollback_every: 0, ..round_robin(nodes, 1) };
        let total = compare(&ping, 1e6, unforced).total();
        assert_eq!((total.anti_sent, total.annihilated, total.rollbacks), (0, 0, 0));
        assert_eq!((total.started, total.completed, total.events), (501, 501, 501));
        compare(&ping, 1e6, round_robin(nodes, 1));
    }
}

#[test]
fn phold_is_the_same_with_every_kind_of_undo() {
    let undos =
        [Undoing::Copy, Undoing::Records, Undoing::Snapshots { every: 1 }, Undoing::Snapshots { every: 5 }];
    for (seed, undo) in (1..).zip(undos) {
        for remote in [0.1, 1.0] {
            let options = PholdOptions {
                objects: 30,
                start: 2,
                remote,
                seed,
                undo,
                work_steps: 3,
                ..Default::default()
            };
            let total = compare(&Phold::new(&options).unwrap(), 40.0, round_robin(3, seed)).total();
            assert!(total.undone > 0, "nothing was undone, so nothing was tested");
        }
    }
}

#[test]
fn warpnet_is_the_same_on_other_networks() {
    for seed in 1..4 {
        let network = Network::generate(&GeneratorOptions { nodes: 40, seed }).unwrap();
        let options = WarpnetOptions { packets_per_node: 3, update_nodes: 10 };
        let total = compare(&Warpnet::new(network, &options).unwrap(), 1e6, round_robin(4, seed)).total();
        assert!(total.undone > 0, "nothing was undone, so nothing was tested");
    }
}

#[test]
fn the_warpnet_benchmark_is_the_same() {
    let Some(model) = benchmark() else { return };
    compare(&model, 250.0, Simulation::new(3, 5, Options::default()));
}

#[test]
fn the_diary_is_the_same_with_and_without_the_sweep() {
    let model = Diary::new(&DiaryOptions { days: 20, work_steps: 3, notes: 3 }).unwrap();
    for (seed, zip_forward) in [(1, false), (2, true), (3, false), (4, true)] {
        let options = Options { zip_forward, ..Options::default() };
        for nodes in [2, 3] {
            // The call comes late, as behind a caller's long work.
            let late = Simulation { delay_max: 400, ..Simulation::new(nodes, seed, options.clone()) };
            let total = compare(&model, 1e6, late).total();
            assert!(total.anti_sent > 0, "nothing was cancelled, so nothing was tested");
        }
    }
}
