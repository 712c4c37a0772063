//! Objects that move between nodes, at random and often: the result is the sequential one.

use crate::equal::{assert_equal, options, seeds, sequential_of};
use crate::models::Churn;
use timewarp::{
    Balance, Cancellation, Choice, Dealing, History, Migration, Options, Placement, Search, Split,
    Timing, sequential,
    simulated::{self, Simulation},
};

/// A simulation in which objects move once in so many turns.
fn restless(nodes: u16, seed: u64, options: Options, every: u64) -> Simulation {
    let options = Options { migration: true, ..options };
    let slow = options.max_acks.is_some() || options.search != Search::All;
    // So few messages at a time leave, or are taken, that the traces of many rollbacks would pile
    // up.
    let (rollback_every, move_every) = if slow { (1000, every * 20) } else { (20, every) };
    let (steps_max, delay_max) =
        ([1, 8][(seed / 3 % 2) as usize], [40, 5][(seed / 6 % 2) as usize]);
    Simulation {
        move_every,
        rollback_every,
        steps_max,
        delay_max,
        ..Simulation::new(nodes, seed, options)
    }
}

#[test]
fn objects_that_move_give_the_sequential_result() {
    let (mut moved, mut resent, mut passed_on) = (0, 0, 0);
    for history in [History::Auto, History::Copy, History::Records, History::Snapshots { every: 3 }]
    {
        let model = Churn { objects: 7, seed: 3, history };
        let right = sequential_of(&model, 40.0);
        for seed in 0..seeds() {
            let every = [5, 15, 60][(seed % 3) as usize];
            let mut simulation =
                restless(2 + (seed % 3) as u16, seed, options(seed * 7919, 40.0), every);
            simulation.intervals_every = 20;
            simulation.dealing = if seed % 5 == 0 { Dealing::RoundRobin } else { Dealing::Blocks };
            let ours = simulated::run(&model, &simulation).unwrap_or_else(|error| {
                panic!("{history:?}, seed {seed}, {simulation:?}: {error}")
            });
            assert_equal(&format!("{history:?}, seed {seed}, {simulation:?}"), &ours, &right);
            let total = ours.0.total();
            moved += total.migrations;
            resent += total.resent_states;
            passed_on += ours.0.nodes.iter().map(|(_, node)| node.passed_on).sum::<u64>();
        }
    }
    println!("{moved} moves, {resent} states sent again, {passed_on} messages passed on");
    assert!(moved > seeds() && resent > 0 && passed_on > moved, "{moved}, {resent}, {passed_on}");
}

#[test]
fn objects_that_move_while_messages_are_sent_back_give_the_sequential_result() {
    let (mut sent_back, mut moved) = (0, 0);
    for cancellation in [Cancellation::Lazy, Cancellation::Aggressive] {
        let model = Churn { objects: 12, seed: 5, history: History::Copy };
        let right = sequential_of(&model, 60.0);
        let limits = timewarp::Limits { cutoff: 60.0, ..timewarp::Limits::default() };
        for seed in 0..seeds() / 2 {
            let nodes = 2 + (seed % 3) as u16;
            let placement = Placement::deal(&model, 1, Dealing::Blocks).unwrap();
            // All objects may meet on one node.
            let need = sequential::needs(&model, &limits, &placement).unwrap()[0];
            let options = Options {
                memory_bytes: Some(need * 12 / 10),
                cancellation,
                ..options(seed * 31, 60.0)
            };
            let mut simulation = restless(nodes, seed, options, 40);
            simulation.rollback_every = 1000;
            let ours = simulated::run(&model, &simulation)
                .unwrap_or_else(|error| panic!("seed {seed}, {simulation:?}: {error}"));
            assert_equal(&format!("seed {seed}, {simulation:?}"), &ours, &right);
            sent_back += ours.0.total().returns_sent;
            moved += ours.0.total().migrations;
        }
    }
    println!("{moved} moves, {sent_back} messages sent back");
    assert!(sent_back > 0 && moved > 0, "{sent_back}, {moved}");
}

#[test]
fn load_is_balanced_and_the_result_is_the_same() {
    let model = Churn { objects: 12, seed: 5, history: History::Copy };
    let right = sequential_of(&model, 100.0);
    let mut moved = 0;
    for seed in 0..seeds() / 4 {
        let balance = Balance {
            idle_cycles: 1,
            threshold_percent: 2,
            ratio: (seed % 5 == 0).then_some(1.5),
            choice: [Choice::BestFit, Choice::NextBestFit][(seed % 2) as usize],
            split: [Split::NearFuture, Split::Minimal, Split::None, Split::LimitMessages]
                [(seed / 2 % 4) as usize],
            under_way_max: 2,
            batch_max: 1 + (seed % 3) as u32,
            ..Balance::default()
        };
        let options =
            Options { balance: Some(balance), timing: Timing::Wall, ..options(seed * 131, 100.0) };
        // Without a bound a receive queue that is searched a little at a time would grow for ever.
        let max_acks = options.max_acks.or((options.search != Search::All).then_some(5));
        let options = Options { max_acks, ..options };
        let mut simulation = Simulation {
            balance_every: 60,
            ..Simulation::new(2 + (seed % 3) as u16, seed, options)
        };
        simulation.dealing = Dealing::Heaped;
        simulation.rollback_every = 1000;
        let ours = simulated::run(&model, &simulation)
            .unwrap_or_else(|error| panic!("seed {seed}, {simulation:?}: {error}"));
        assert_equal(&format!("seed {seed}, {simulation:?}"), &ours, &right);
        let outcome = ours.0;
        assert_eq!(outcome.migrations.len() as u64, outcome.total().migrations, "seed {seed}");
        let idle = |row: &&Migration| row.cycle <= 1 || row.from == row.to;
        assert_eq!(outcome.migrations.iter().find(idle), None, "seed {seed}");
        moved += outcome.migrations.len() as u64;
    }
    assert!(moved > seeds() / 4, "{moved} moves");
}

#[test]
fn wrong_numbers_are_refused() {
    let balance = Balance { interval_ms: 0, ..Balance::default() };
    let options = Options { balance: Some(balance), timing: Timing::Wall, ..Options::default() };
    let model = Churn { objects: 7, seed: 3, history: History::Copy };
    let error = simulated::run(&model, &Simulation::new(2, 1, options)).unwrap_err();
    assert!(error.to_string().contains("at least 1ms"), "{error}");
}
