//! Comparing a simulated run with the sequential one, under options of every kind.

use timewarp::{
    AckAt, Cancellation, Kept, Limits, Model, Options, Outcome, Search, Throttle, sequential,
};

pub fn sequential_of<M: Model>(model: &M, cutoff: f64) -> (Outcome, Kept) {
    let mut kept = Kept::default();
    let limits = Limits { cutoff, ..Limits::default() };
    let outcome = sequential::run(model, &limits, &mut kept).unwrap();
    kept.sort();
    (outcome, kept)
}

pub fn assert_equal(
    what: &str,
    (ours, trace): &(Outcome, Kept),
    (right, right_trace): &(Outcome, Kept),
) {
    assert_eq!(trace.trace, right_trace.trace, "{what}: the committed trace");
    assert_eq!(trace.lines, right_trace.lines, "{what}: the printed lines");
    assert_eq!(ours.trace_digest, right.trace_digest, "{what}: the digest of the trace");
    assert_eq!(ours.state_digest, right.state_digest, "{what}: the final states");
    assert_eq!(ours.final_time, right.final_time, "{what}: the final time");
    let counts = |outcome: &Outcome| -> Vec<[u64; 4]> {
        let of =
            |c: &timewarp::Counters| [c.events, c.messages, c.committed_sends, c.committed_drops];
        outcome.objects.iter().map(|(_, counters)| of(counters)).collect()
    };
    assert_eq!(counts(ours), counts(right), "{what}: the counts of each object");
}

/// Options of every kind, by number.
pub fn options(seed: u64, cutoff: f64) -> Options {
    let pick = |of: u64, shift: u64| (seed >> shift) % of;
    Options {
        cutoff,
        cancellation: if pick(2, 0) == 0 { Cancellation::Lazy } else { Cancellation::Aggressive },
        gvt_events: [1, 8, 64, 8192][pick(4, 1) as usize],
        max_acks: [None, None, Some(1), Some(5)][pick(4, 3) as usize],
        max_neg_acks: [1, 100][pick(2, 5) as usize],
        search: [Search::All, Search::Plimit(2), Search::RecvqLimit(5), Search::All]
            [pick(4, 6) as usize],
        ack_at: [AckAt::Taken, AckAt::Arrival][pick(2, 16) as usize],
        penalty: [0, 0, 0, 2][pick(4, 8) as usize],
        reward: 1,
        throttle: [
            Throttle::Never,
            Throttle::Outputs { limit: 3 },
            Throttle::Allowance { tmult: 2.0, tadd: 5.0 },
            Throttle::GvtSteps { wsize: 2.0 },
            Throttle::States { limit: 4 },
            Throttle::Undone,
            Throttle::Window { window: 3.0 },
            Throttle::Adaptive,
        ][pick(8, 10) as usize],
        undo_check: pick(8, 13) == 0,
        ..Options::default()
    }
}

pub fn seeds() -> u64 {
    std::env::var("FOURSTAMP_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(400)
}
