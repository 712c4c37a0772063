//! Runs that must come to an end.

use crate::equal::{assert_equal, options, seeds, sequential_of};
use crate::models::Whirl;
use timewarp::simulated::{self, Simulation};
use timewarp::{Dealing, Options};

/// What goes round without delay in a future that never comes true is caught. Turns go round as
/// well, so that no chance helps.
#[test]
fn a_whirl_that_never_comes_true_is_caught() {
    let mut whirled = 0;
    for ring in [2, 3, 4] {
        for steps_max in [1, 2, 4, 8, 32, 1000] {
            for delay_max in [0, 3] {
                for dealing in [Dealing::Blocks, Dealing::RoundRobin] {
                    let simulation = Simulation {
                        steps_max,
                        delay_max,
                        dealing,
                        ..in_turn(2, Options::default())
                    };
                    whirled += whirled_in(ring, &simulation);
                }
            }
        }
    }
    assert!(whirled > 1000, "only {whirled} events were in vain: the test tests nothing");
    // 21,815; where cancelling waits for GVT as running does, 34,642.
    assert!(whirled < 28_000, "{whirled} events were in vain: is cancelling held back?");
}

#[test]
fn options_do_not_let_a_whirl_go() {
    let mut whirled = 0;
    for seed in 0..seeds() {
        let options = options(seed * 7919, f64::INFINITY);
        let (steps_max, delay_max) = ([1, 4, 32][seed as usize % 3], seed / 3 % 4);
        let nodes = 2 + (seed % 2) as u16;
        let simulation = Simulation { steps_max, delay_max, ..in_turn(nodes, options) };
        whirled += whirled_in(2 + (seed % 5) as u32, &simulation);
    }
    assert!(whirled > 1000, "only {whirled} events were in vain: the test tests nothing");
}

/// A node that may run nothing ahead tells parts of objects that have moved away what they begin
/// with: GVT waits for that.
#[test]
fn whirls_of_objects_that_move_are_caught() {
    let (mut whirled, mut moved) = (0, 0);
    for seed in 0..2 * seeds() {
        let options = Options { migration: true, ..Options::default() };
        let simulation = Simulation {
            seed,
            in_turn: seed % 2 == 0,
            steps_max: [1, 4, 32][seed as usize % 3],
            delay_max: seed / 3 % 4,
            move_every: [5, 20, 100][(seed / 12 % 3) as usize],
            rollback_every: [0, 10][(seed / 36 % 2) as usize],
            ..in_turn(2 + (seed % 2) as u16, options)
        };
        let model = Whirl { ring: 2 + (seed % 5) as u32, rounds: 10 };
        let right = sequential_of(&model, f64::INFINITY);
        let ours = simulated::run(&model, &simulation)
            .unwrap_or_else(|error| panic!("{simulation:?}: {error}"));
        assert_equal(&format!("{simulation:?}"), &ours, &right);
        let total = ours.0.total();
        whirled += total.started - total.events;
        moved += total.migrations;
    }
    println!("{whirled} events in vain, {moved} moves");
    assert!(whirled > 1000 && moved > seeds(), "{whirled}, {moved}: the test tests nothing");
}

fn in_turn(nodes: u16, options: Options) -> Simulation {
    Simulation { in_turn: true, rollback_every: 0, ..Simulation::new(nodes, 1, options) }
}

/// Events in vain; the result has been compared.
fn whirled_in(ring: u32, simulation: &Simulation) -> u64 {
    let model = Whirl { ring, rounds: 10 };
    let right = sequential_of(&model, f64::INFINITY);
    let ours = simulated::run(&model, simulation)
        .unwrap_or_else(|error| panic!("{simulation:?}, a ring of {ring}: {error}"));
    assert_equal(&format!("{simulation:?}, a ring of {ring}"), &ours, &right);
    let total = ours.0.total();
    total.started - total.events
}
