//! Which interval from one copy of a state to the next is cheapest.
//!
//! With a copy before one event in k, an event costs δs / k for copies, and a rollback runs k / 2
//! events again, of δc each. The sum is least at k = √(2 · δs / δc · E / R), with E events executed
//! for R rollbacks (R. Rönngren, R. Ayani, Adaptive checkpointing in Time Warp, PADS 1994;
//! J. Fleischmann, P. A. Wilsey, Comparative analysis of periodic state saving techniques in Time
//! Warp simulators, PADS 1995).

/// The longest interval: what lies between two copies stays in memory when it is committed.
pub(super) const INTERVAL_MAX: u32 = 32;
/// A shorter copy is not worth leaving out: the engine itself takes as long for an event.
const COPY_NS_MIN: f64 = 250.0;
/// Nor is one that takes less of copy and event together.
const SHARE_MIN: f64 = 0.25;
/// Where copies are left out already, this much of both is enough.
const STAY: f64 = 0.5;
/// An interval that is less than so many times as good as another is not worth a change.
const CHANGE_MIN: f64 = 1.5;

/// What was measured of a kind of objects.
pub(super) struct Measured {
    /// A copy of a state.
    pub copy_ns: f64,
    /// An event section.
    pub event_ns: f64,
    /// Events executed for one rollback.
    pub events_per_rollback: f64,
}

/// Events from one copy to the next, where it is `now` so many.
pub(super) fn interval(now: u32, measured: &Measured) -> u32 {
    let Measured { copy_ns, events_per_rollback, .. } = *measured;
    let event_ns = measured.event_ns.max(1.0);
    let enough = if now > 1 { STAY } else { 1.0 };
    if copy_ns < COPY_NS_MIN * enough || copy_ns < SHARE_MIN * enough * (copy_ns + event_ns) {
        return 1;
    }
    let best = (2.0 * copy_ns / event_ns * events_per_rollback).sqrt();
    let best = best.clamp(1.0, f64::from(INTERVAL_MAX));
    let change = best / f64::from(now.max(1));
    if change < CHANGE_MIN && change > 1.0 / CHANGE_MIN { now } else { best.round() as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(now: u32, copy_ns: f64, event_ns: f64, events_per_rollback: f64) -> u32 {
        interval(now, &Measured { copy_ns, event_ns, events_per_rollback })
    }

    #[test]
    fn large_states_of_short_events_are_copied_seldom() {
        assert_eq!(chosen(1, 2000.0, 100.0, 10.0), 20);
        assert_eq!(chosen(1, 2000.0, 1000.0, 4.0), 4);
        assert_eq!(chosen(1, 20_000.0, 50.0, 1000.0), INTERVAL_MAX);
        assert_eq!(chosen(1, 2000.0, 0.0, 1e9), INTERVAL_MAX);
    }

    #[test]
    fn small_states_and_long_events_have_a_copy_each() {
        assert_eq!(chosen(1, 40.0, 30.0, 1e6), 1, "the copy is short");
        assert_eq!(chosen(1, 2000.0, 10_000.0, 1e6), 1, "the event is long");
        assert_eq!(chosen(1, 2000.0, 2000.0, 1.0), 1, "every second event is undone");
    }

    #[test]
    fn what_hovers_about_a_limit_changes_nothing() {
        assert_eq!((chosen(1, 240.0, 100.0, 50.0), chosen(9, 240.0, 100.0, 50.0)), (1, 15));
        assert_eq!((chosen(1, 300.0, 1000.0, 50.0), chosen(5, 300.0, 1000.0, 50.0)), (1, 5));
        assert_eq!((chosen(9, 120.0, 100.0, 50.0), chosen(5, 200.0, 2000.0, 50.0)), (1, 1));
        for now in [14, 20, 29] {
            assert_eq!(chosen(now, 2000.0, 100.0, 10.0), now);
        }
        assert_eq!([13, 31].map(|now| chosen(now, 2000.0, 100.0, 10.0)), [20, 20]);
    }

    /// The formula against the cost that it is the minimum of.
    #[test]
    fn no_other_interval_is_cheaper() {
        let cost = |every: u32, copy: f64, event: f64, per_rollback: f64| {
            copy / f64::from(every) + f64::from(every) / 2.0 * event / per_rollback
        };
        for (copy, event, per_rollback) in
            [(1000.0, 100.0, 5.0), (3000.0, 400.0, 20.0), (900.0, 900.0, 8.0)]
        {
            let chosen = chosen(1, copy, event, per_rollback);
            let of = |every| cost(every, copy, event, per_rollback);
            let best = (1..=INTERVAL_MAX).min_by(|a, b| of(*a).total_cmp(&of(*b))).unwrap();
            assert!(chosen.abs_diff(best) <= 1, "{chosen} and not {best}");
        }
    }
}
