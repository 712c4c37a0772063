//! The models on several nodes in one thread, with delays and forced rollbacks, against the
//! sequential run.

use super::pucks;
use super::warpnet::benchmark;
use crate::watched::run;
use models::pucks::Scenario as Pool;
use models::{
    Diary, DiaryOptions, GeneratorOptions, Network, Phold, PholdOptions, Ping, PingOptions, Pucks,
    PucksOptions, Slooow, SlooowOptions, Undoing, Warpnet, WarpnetOptions,
};
use models::{Scenario, Stb88, Stb88Options, TheatreOptions};
use timewarp::simulated::{self, Simulation};
use timewarp::{Cancellation, Dealing, Model, Options, Outcome, Throttle};

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

/// Objects that move once in so many turns.
fn restless(nodes: u16, seed: u64, move_every: u64) -> Simulation {
    let options = Options { migration: true, ..Options::default() };
    Simulation { move_every, ..Simulation::new(nodes, seed, options) }
}

#[test]
fn objects_that_move_change_nothing() {
    let moved = |outcome: Outcome| {
        let moved = outcome.total().migrations;
        assert!(moved > 0, "nothing moved, so nothing was tested");
    };
    let phold = |undo, seed| {
        let options = PholdOptions {
            objects: 30,
            start: 2,
            remote: 0.5,
            seed,
            undo,
            state: 50,
            work_steps: 3,
            ..Default::default()
        };
        Phold::new(&options).unwrap()
    };
    let every = Undoing::Snapshots { every: 5 };
    let undos = [Undoing::Auto, Undoing::Copy, Undoing::Records, every];
    for (seed, undo) in (1..20).zip(undos.iter().cycle()) {
        moved(compare(&phold(*undo, seed), 20.0, restless(2 + seed as u16 % 3, seed, 10)));
    }
    for seed in 1..4 {
        moved(compare(
            &Ping::new(&PingOptions { stop: 300.0 }).unwrap(),
            1e6,
            restless(2, seed, 30),
        ));
        let network = Network::generate(&GeneratorOptions { nodes: 40, seed }).unwrap();
        let options = WarpnetOptions { packets_per_node: 3, update_nodes: 10 };
        moved(compare(&Warpnet::new(network, &options).unwrap(), 1e6, restless(4, seed, 20)));
    }
    // A model that does not say how its states travel stays where it is.
    let diary = Diary::new(&DiaryOptions { days: 20, work_steps: 3, notes: 3 }).unwrap();
    assert_eq!(compare(&diary, 1e6, restless(2, 1, 10)).total().migrations, 0);
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
    let undos = [
        Undoing::Auto,
        Undoing::Copy,
        Undoing::Records,
        Undoing::Snapshots { every: 1 },
        Undoing::Snapshots { every: 5 },
    ];
    for (seed, undo) in (1..).zip(undos) {
        for remote in [0.1, 1.0] {
            let options = PholdOptions {
                objects: 30,
                start: 2,
                remote,
                seed,
                undo,
                work_steps: 3,
                state: 20,
                ..Default::default()
            };
            let simulation = Simulation { intervals_every: 20, ..round_robin(3, seed) };
            let total = compare(&Phold::new(&options).unwrap(), 40.0, simulation).total();
            assert!(total.undone > 0, "nothing was undone, so nothing was tested");
        }
    }
}

#[test]
fn warpnet_is_the_same_on_other_networks() {
    for seed in 1..4 {
        let network = Network::generate(&GeneratorOptions { nodes: 40, seed }).unwrap();
        let options = WarpnetOptions { packets_per_node: 3, update_nodes: 10 };
        let total =
            compare(&Warpnet::new(network, &options).unwrap(), 1e6, round_robin(4, seed)).total();
        assert!(total.undone > 0, "nothing was undone, so nothing was tested");
    }
}

#[test]
fn the_warpnet_benchmark_is_the_same() {
    let Some(model) = benchmark() else { return };
    compare(&model, 250.0, Simulation::new(3, 5, Options::default()));
}

#[test]
fn the_stb88_benchmark_is_the_same() {
    let Some(model) = super::stb88::benchmark() else { return };
    let told = super::stb88::Told::new(model);
    for (nodes, seed) in [(1, 1), (3, 5), (4, 2)] {
        compare(&told, 3_000.0, Simulation::new(nodes, seed, Options::default()));
    }
}

#[test]
fn battles_drawn_are_the_same_under_many_options() {
    let base = Options::default();
    let many = [
        base.clone(),
        Options { cancellation: Cancellation::Aggressive, ..base.clone() },
        Options { penalty: 2, reward: 1, max_acks: Some(2), ..base.clone() },
        Options { throttle: Throttle::States { limit: 5 }, gvt_events: 20, ..base },
    ];
    let mut undone = 0;
    for (seed, options) in (1..).zip(many) {
        let theatre = TheatreOptions { corps: 2, blue_divisions: 4, red_divisions: 5, seed };
        let model =
            Stb88::new(Scenario::generate(&theatre).unwrap(), &Stb88Options { watch: true });
        let simulation = Simulation::new(2 + seed as u16 % 3, seed, options);
        let simulation = Simulation { dealing: Dealing::RoundRobin, ..simulation };
        undone += compare(&model, 12_000.0, simulation).total().undone;
    }
    assert!(undone > 0, "nothing was undone, so nothing was tested");
}

#[test]
fn the_diary_is_the_same_with_and_without_the_sweep() {
    let model = Diary::new(&DiaryOptions { days: 20, work_steps: 3, notes: 3 }).unwrap();
    for (seed, zip_forward) in [(1, false), (2, true), (3, false), (4, true)] {
        let options = Options { zip_forward, ..Options::default() };
        for nodes in [2, 3] {
            // The call comes late, as behind a caller's long work.
            let late =
                Simulation { delay_max: 400, ..Simulation::new(nodes, seed, options.clone()) };
            let total = compare(&model, 1e6, late).total();
            assert!(total.anti_sent > 0, "nothing was cancelled, so nothing was tested");
        }
    }
}

#[test]
fn slooow_is_the_same_in_steps_and_in_one_sweep() {
    let model = Slooow::new(&SlooowOptions { objects: 4, stop: 200, work_steps: 3 }).unwrap();
    for (seed, collection_step) in (1..).zip([1, 32, 1_000_000]) {
        let options = Options { collection_step, ..Options::default() };
        let total = compare(&model, 1e6, Simulation::new(4, seed, options)).total();
        assert_eq!((total.events, total.messages), (4 * 201, 4 * (201 + 20)));
        assert!(total.undone > 0, "nothing was undone, so nothing was tested");
    }
}

#[test]
fn pucks_are_the_same_on_other_tables() {
    for seed in 1..7 {
        let options =
            PucksOptions { rows: 3, columns: 4, pucks: 30, seed, ..PucksOptions::default() };
        let model = Pucks::new(Pool::generate(&options).unwrap());
        let mut simulation = round_robin(1 + (seed % 4) as u16, seed);
        // Checking what undoing gives takes an event many times as long.
        simulation.options.undo_check &= seed < 3;
        if seed % 2 == 0 {
            simulation.options.cancellation = Cancellation::Aggressive;
        }
        let total = compare(&model, if seed < 3 { 2.0 } else { 20.0 }, simulation).total();
        assert!(total.undone > 0, "nothing was undone, so nothing was tested");
    }
}

#[test]
fn the_pucks_benchmark_is_the_same() {
    let Some(model) = pucks::benchmark() else { return };
    // Undoing is checked on the smaller tables: it takes an event many times as long.
    let options = Options { undo_check: false, ..Options::default() };
    for nodes in 2..5 {
        compare(&model, 40.0, Simulation::new(nodes, 7, options.clone()));
    }
}
