//! Slooow's counts, by its formula.

use crate::watched::run;
use models::{Slooow, SlooowOptions};

#[test]
fn counts_are_those_of_the_formula() {
    for (objects, stop) in [(1u32, 0u32), (1, 9), (1, 10), (2, 25), (3, 100), (7, 41)] {
        let model = Slooow::new(&SlooowOptions { objects, stop, work_steps: 2 }).unwrap();
        let outcome = run(&model, None).outcome;
        let (n, t) = (u64::from(objects), u64::from(stop));
        let total = outcome.total();
        assert_eq!(
            (total.events, total.messages),
            (n * (t + 1), n * (t + 1 + t / 10)),
            "{objects}, {stop}"
        );
        assert_eq!(total.committed_sends, n * (t + t / 10));
        assert_eq!(outcome.final_time, f64::from(stop));
        for (object, counters) in &outcome.objects {
            assert_eq!(
                (counters.events, counters.messages),
                (t + 1, t + 1 + t / 10),
                "slow_{object}"
            );
        }
    }
}

#[test]
fn a_cutoff_drops_what_would_go_beyond_it() {
    let model = Slooow::new(&SlooowOptions { objects: 3, stop: 100, work_steps: 0 }).unwrap();
    let total = run(&model, Some(19.0)).outcome.total();
    // At 19 each sends one to itself and, as its 20th event, one to its neighbour.
    assert_eq!((total.events, total.committed_drops), (3 * 20, 3 * 2));
}
