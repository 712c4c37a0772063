//! Nodes that share a thread, as all do where this process may use one core only.

use crate::threads::{Faulty, agrees, job, run};
use models::{Phold, PholdOptions};
use timewarp::{Cancellation, Options, Throttle};

/// With one core for whatever it starts.
fn on_one_core<T: Send>(test: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let pinned = scope.spawn(|| {
            fabric::keep_on(rustix::thread::sched_getcpu()).unwrap();
            test()
        });
        pinned.join().unwrap()
    })
}

fn phold(objects: u32) -> Phold {
    Phold::new(&PholdOptions { objects, start: 2, remote: 0.5, ..PholdOptions::default() }).unwrap()
}

#[test]
fn any_number_on_one_thread_gives_the_sequential_result() {
    let base = Options { cutoff: 20.0, gvt_events: 500, undo_check: false, ..Options::default() };
    let variants = [
        base.clone(),
        Options { cancellation: Cancellation::Aggressive, gvt_events: 20, ..base.clone() },
        Options { throttle: Throttle::Never, max_acks: Some(4), ..base.clone() },
        Options { memory_bytes: Some(1 << 20), ..base },
    ];
    on_one_core(|| {
        for engine in variants {
            for nodes in [2, 9, 70] {
                agrees(&phold(96), &job(engine.clone()), nodes);
            }
        }
    });
}

/// So few rounds of GVT, and so little undone, come of turns of microseconds: threads of their own
/// on one core undo most of what they do.
#[test]
fn none_gets_far_ahead_of_the_others() {
    let engine = Options { cutoff: 300.0, throttle: Throttle::Never, ..Options::default() };
    let total = on_one_core(|| run(&phold(256), &job(engine), 8).unwrap().outcome.total());
    let came_true = total.events as f64 / total.started as f64;
    assert!(came_true > 0.7, "{came_true}: {total:?}");
}

#[test]
fn one_that_fails_ends_the_others_and_says_why() {
    let error = on_one_core(|| run(&Faulty, &job(Options::default()), 3).unwrap_err());
    assert!(error.to_string().contains("object 5 failed at virtual time 40"), "{error}");
}
