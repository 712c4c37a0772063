//! The optimistic engine against the sequential one, over many seeds, options and models that are
//! made to be difficult.

use crate::equal::{assert_equal, options, seeds, sequential_of};
use crate::models::{Chatter, Churn, Greeters};
use timewarp::{
    Dealing, History, Limits, Options, Placement, RunError, Search, sequential,
    simulated::{self, Simulation},
};

#[test]
fn any_options_give_the_sequential_result() {
    for history in [History::Auto, History::Copy, History::Records, History::Snapshots { every: 3 }]
    {
        let model = Churn { objects: 7, seed: 3, history };
        let right = sequential_of(&model, 40.0);
        assert!(right.0.total().events > 100, "too little happens: {:?}", right.0.total());
        for seed in 0..seeds() {
            let mut simulation =
                Simulation::new(1 + (seed % 4) as u16, seed, options(seed * 7919, 40.0));
            if simulation.options.max_acks.is_some() || simulation.options.search != Search::All {
                // Each forced rollback sends anti-messages; so few at a time leave or are taken
                // that more would pile up.
                simulation.rollback_every = 1000;
            }
            simulation.intervals_every = [7, 40][(seed % 2) as usize];
            simulation.dealing = if seed % 3 == 0 { Dealing::RoundRobin } else { Dealing::Blocks };
            let ours = simulated::run(&model, &simulation)
                .unwrap_or_else(|error| panic!("seed {seed}, {simulation:?}: {error}"));
            assert_equal(&format!("{history:?}, seed {seed}, {simulation:?}"), &ours, &right);
        }
    }
}

#[test]
fn two_that_talk_never_roll_back() {
    let model = Chatter;
    let right = sequential_of(&model, 500.0);
    for seed in 0..20 {
        let mut simulation =
            Simulation::new(2, seed, Options { cutoff: 500.0, ..Options::default() });
        simulation.rollback_every = 0;
        let ours = simulated::run(&model, &simulation).unwrap();
        assert_equal(&format!("seed {seed}"), &ours, &right);
        let total = ours.0.total();
        assert_eq!((total.rollbacks, total.anti_sent, total.started), (0, 0, total.events));
    }
}

#[test]
fn an_init_section_may_send_to_objects_that_are_made_later() {
    let model = Greeters { objects: 5 };
    let right = sequential_of(&model, 10.0);
    assert_eq!(right.0.total().messages, 25);
    for nodes in [1, 2, 5] {
        let options = Options { cutoff: 10.0, ..Options::default() };
        let ours = simulated::run(&model, &Simulation::new(nodes, 1, options)).unwrap();
        assert_equal(&format!("{nodes} nodes"), &ours, &right);
    }
}

#[test]
fn a_run_ends_with_little_more_memory_than_the_sequential_one() {
    for history in [History::Auto, History::Copy, History::Records] {
        let model = Churn { objects: 12, seed: 5, history };
        let right = sequential_of(&model, 60.0);
        let limits = Limits { cutoff: 60.0, ..Limits::default() };
        let mut sent_back = 0;
        for seed in 0..seeds() / 4 {
            let nodes = 1 + (seed % 4) as u16;
            let placement = Placement::deal(&model, nodes, Dealing::Blocks).unwrap();
            let need =
                sequential::needs(&model, &limits, &placement).unwrap().into_iter().max().unwrap();
            // An event's own traces must fit as well: they are a few per cent of what any model of
            // use needs.
            let budget = need * 105 / 100 + 1024;
            let options = Options { memory_bytes: Some(budget), ..options(seed * 31, 60.0) };
            let mut simulation = Simulation::new(nodes, seed, options);
            simulation.rollback_every = 1000;
            simulation.intervals_every = 10;
            match simulated::run(&model, &simulation) {
                Ok(ours) => {
                    assert_equal(&format!("seed {seed}"), &ours, &right);
                    sent_back += ours.0.total().returns_sent;
                }
                Err(error) => panic!("seed {seed}, budget {budget}, {simulation:?}: {error}"),
            }
        }
        assert!(sent_back > 0, "no message was ever sent back");
    }
}

#[test]
fn too_small_a_budget_is_an_error_that_names_it() {
    let model = Churn { objects: 12, seed: 5, history: History::Copy };
    let options = Options { memory_bytes: Some(600), cutoff: 60.0, ..Options::default() };
    let error = simulated::run(&model, &Simulation::new(2, 1, options)).unwrap_err();
    assert!(matches!(error, RunError::Memory { budget: 600, .. }), "{error}");
    assert!(error.to_string().contains("--memory"), "{error}");
}
