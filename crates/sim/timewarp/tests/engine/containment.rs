//! Handlers that misbehave: harmless when undone, one clear error when not.

use crate::models::Clumsy;
use timewarp::simulated::{self, Simulation};
use timewarp::{
    Fault, History, Kept, Limits, Model, ObjectId, Options, RunError, VirtualTime, sequential,
};

fn run_sequentially<M: Model>(model: &M) -> Result<timewarp::Outcome, RunError> {
    sequential::run(model, &Limits::default(), &mut Kept::default())
}

#[test]
fn what_goes_wrong_on_input_that_never_comes_true_harms_nobody() {
    timewarp::hush_handlers();
    for history in [History::Auto, History::Copy, History::Records, History::Snapshots { every: 4 }]
    {
        let model = Clumsy { history, truly: false };
        let right = run_sequentially(&model).unwrap();
        let mut failed = 0;
        for seed in 0..200 {
            let mut simulation = Simulation::new(3, seed, Options::default());
            simulation.intervals_every = 10;
            let (outcome, _) =
                simulated::run(&model, &simulation).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            assert_eq!(outcome.trace_digest, right.trace_digest, "seed {seed}");
            assert_eq!(outcome.state_digest, right.state_digest, "seed {seed}");
            let total = outcome.total();
            failed += total.started - total.completed;
        }
        assert!(failed > 100, "only {failed} events went wrong: the test tests nothing");
    }
}

#[test]
fn what_goes_wrong_truly_is_reported_by_object_and_time() {
    timewarp::hush_handlers();
    let model = Clumsy { history: History::Copy, truly: true };
    let right = run_sequentially(&model).unwrap_err();
    let expected = RunError::Model {
        object: ObjectId(0),
        name: "reader".into(),
        time: VirtualTime::at(200.0),
        fault: Fault::Panicked { message: "the book lacks page 200".into() },
    };
    assert_eq!(right, expected);
    for seed in 0..50 {
        assert_eq!(
            simulated::run(&model, &Simulation::new(3, seed, Options::default())).unwrap_err(),
            expected
        );
    }
}

#[test]
fn a_handler_that_is_no_function_of_its_input_is_found_out() {
    let error =
        simulated::run(&crate::models::Forgetful, &Simulation::new(1, 1, checked())).unwrap_err();
    let RunError::Model { fault, .. } = error else { panic!("{error}") };
    assert_eq!(fault, Fault::NotRepeatable { what: "the state" });
}

fn checked() -> Options {
    Options { undo_check: true, ..Options::default() }
}

#[test]
fn every_broken_rule_has_its_error() {
    let fault_of = |rule| match run_sequentially(&crate::models::Offender { rule }).unwrap_err() {
        RunError::Model { fault, .. } => fault,
        other => panic!("{other}"),
    };
    let now = VirtualTime::at(1.0);
    let receiver = ObjectId(0);
    assert_eq!(fault_of(0), Fault::SendIntoPast { receiver, receive: VirtualTime::at(0.5), now });
    assert_eq!(fault_of(1), Fault::SendIntoPast { receiver, receive: now, now });
    assert_eq!(fault_of(2), Fault::UnknownReceiver { receiver: ObjectId(7), objects: 1 });
    assert_eq!(fault_of(3), Fault::SendBeyondEnd { receiver, receive: VirtualTime::INVALID });
    assert!(matches!(fault_of(4), Fault::PayloadTooLong { .. }));
    assert!(matches!(fault_of(5), Fault::Runaway { what: "sends", .. }));
    assert!(matches!(fault_of(6), Fault::Runaway { what: "steps", .. }));
    assert_eq!(fault_of(7), Fault::Failed { reason: "it did not like the message".into() });
}
