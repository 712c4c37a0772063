//! Models against simulated clocks: the true moment lies within the stated bound.

use crate::machine::{Machine, RAW_AT_START_NS, off_ns};
use fourstamp_clock::{Anchor, Calibration, Model, ModelError, Ticks};
use proptest::prelude::*;

const SECOND_NS: f64 = 1e9;

/// Where in the run, as a share; how wide the bracket in ns; where in it the system's clocks are
/// read.
type Reading = (f64, f64, f64, f64);

fn reading() -> impl Strategy<Value = Reading> {
    (0.05..0.95f64, 20.0..5_000.0f64, 0.0..1.0f64, 0.0..1.0f64)
}

/// Anchors at the start and the end of a run and at the readings between.
fn anchors(
    machine: &Machine,
    run_ns: f64,
    ends: (Reading, Reading),
    between: &[Reading],
) -> Vec<Anchor> {
    let (first, last) = ((0.0, ends.0.1, ends.0.2, ends.0.3), (1.0, ends.1.1, ends.1.2, ends.1.3));
    let all = std::iter::once(&first).chain(between).chain(std::iter::once(&last));
    all.map(|&(share, width_ns, raw, real)| machine.anchor(share * run_ns, width_ns, raw, real))
        .collect()
}

fn machine() -> impl Strategy<Value = Machine> {
    (any::<u64>(), 0.3..6.0f64).prop_map(|(counter, rate)| Machine::new(counter, rate))
}

/// At `share` of the run, both ways onto the timeline hold the true moment within their bounds.
fn assert_within_bounds(model: &Model, machine: &Machine, true_ns: f64) {
    let ticks = machine.ticks(true_ns);
    let (off, bound) = (off_ns(model.timeline(ticks), true_ns), model.error_ns(ticks));
    assert!(
        off <= bound + machine.slack_ns(),
        "ticks at {true_ns}: off by {off} ns, bound {bound} ns; {model:?}"
    );
    let real = machine.realtime_ns(true_ns);
    let (off, bound) =
        (off_ns(model.realtime_to_timeline(real), true_ns), model.realtime_error_ns(real));
    assert!(
        off <= bound + machine.slack_ns(),
        "realtime at {true_ns}: off by {off} ns, bound {bound} ns; {model:?}"
    );
}

proptest! {
    #[test]
    fn a_steady_clock_lies_within_its_bound_inside_the_run_and_outside(
        machine in machine(),
        realtime_ppm in -400.0..400.0f64,
        run_ns in 1e6..86_400e9f64,
        ends in (reading(), reading()),
        between in prop::collection::vec(reading(), 0..8),
        probes in prop::collection::vec(-0.5..1.5f64, 20),
    ) {
        let machine = Machine { realtime_ppm, ..machine };
        let anchors = anchors(&machine, run_ns, ends, &between);
        let model = Model::fit(&anchors, RAW_AT_START_NS).unwrap();
        prop_assert_eq!(
            model.segments().len(),
            1,
            "no anchor of a steady clock contradicts the line"
        );
        prop_assert!(!model.realtime_stepped());
        for probe in probes {
            assert_within_bounds(&model, &machine, probe * run_ns);
        }
    }

    #[test]
    fn the_bound_is_no_wider_than_the_widest_end(
        machine in machine(),
        ends in (reading(), reading()),
        between in prop::collection::vec(reading(), 0..8),
    ) {
        let model =
            Model::fit(&anchors(&machine, SECOND_NS, ends, &between), RAW_AT_START_NS).unwrap();
        let widest_ns = ends.0.1.max(ends.1.1) / 2.0 + 2.0 / machine.ticks_per_ns + 2.0;
        prop_assert!(
            model.max_error_ns() <= widest_ns * 2.0,
            "{} > {widest_ns} x 2",
            model.max_error_ns()
        );
        if between.is_empty() {
            prop_assert!(model.max_error_ns() <= widest_ns + 1.0);
        }
    }

    #[test]
    fn a_counter_that_stopped_is_seen_and_bounded(
        machine in machine(),
        stopped_in in any::<prop::sample::Index>(),
        stopped_at in 0.01..0.89f64,
        stopped_ns in 1e5..1e8f64,
        seconds in 3..20u32,
        probes in prop::collection::vec(0.0..1.0f64, 20),
    ) {
        let run_ns = seconds as f64 * SECOND_NS;
        // Between two anchors: while its counter stands still a machine takes none.
        let stopped_from_ns = (stopped_in.index(seconds as usize) as f64 + stopped_at) * SECOND_NS;
        let machine = Machine { stopped: Some((stopped_from_ns, stopped_ns)), ..machine };
        let anchors: Vec<Anchor> = (0..=seconds)
            .map(|second| machine.anchor(second as f64 * SECOND_NS, 60.0, 0.3, 0.6))
            .collect();
        let model = Model::fit(&anchors, RAW_AT_START_NS).unwrap();
        prop_assert!(model.segments().len() > 1, "one line hides the stop");
        prop_assert!(
            model.residual_ns() > stopped_ns * 0.05,
            "{} of {stopped_ns}",
            model.residual_ns()
        );
        for probe in probes {
            assert_within_bounds(&model, &machine, probe * run_ns);
        }
    }

    #[test]
    fn realtime_that_was_set_widens_its_bound_and_says_so(
        machine in machine(),
        realtime_ppm in -100.0..100.0f64,
        set_at in 0.01..0.99f64,
        set_ns in prop_oneof![1e6..1e7f64, -1e7..-1e6f64, 1e9..1e14f64, -1e14..-1e9f64],
        between in prop::collection::vec(reading(), 0..6),
        ends in (reading(), reading()),
        probes in prop::collection::vec(0.0..1.0f64, 20),
    ) {
        let machine = Machine { realtime_ppm, set: Some((set_at * SECOND_NS, set_ns)), ..machine };
        let model =
            Model::fit(&anchors(&machine, SECOND_NS, ends, &between), RAW_AT_START_NS).unwrap();
        prop_assert!(model.realtime_stepped());
        prop_assert!(
            (model.realtime().stepped_ns() - set_ns.abs()).abs() < 1e6,
            "{:?}",
            model.realtime()
        );
        prop_assert!(model.max_error_ns() < 20_000.0, "the ticks are not in doubt");
        for probe in probes {
            assert_within_bounds(&model, &machine, probe * SECOND_NS);
        }
    }

    /// Two processes write the same clock down, each twice a second, the second one a moment after
    /// the first: then both are killed.
    #[test]
    fn realtime_of_a_cut_run_goes_on_as_it_went_and_not_as_two_near_anchors_seem_to_say(
        machine in machine(),
        realtime_ppm in -100.0..100.0f64,
        behind_ns in 1e5..3e7f64,
        shares in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64), 12),
        probes in prop::collection::vec(0.0..0.5f64, 20),
    ) {
        let machine = Machine { realtime_ppm, ..machine };
        let moments = (0..6)
            .flat_map(|half| [0.0, behind_ns].map(|by| f64::from(half) * SECOND_NS / 2.0 + by));
        let anchor =
            |(at_ns, (raw, real)): (f64, &(f64, f64))| machine.anchor(at_ns, 60.0, *raw, *real);
        let anchors: Vec<Anchor> = moments.zip(&shares).map(anchor).collect();
        let model = Model::fit(&anchors, RAW_AT_START_NS).unwrap();
        for probe in probes {
            let true_ns = 2.5 * SECOND_NS + behind_ns + probe * SECOND_NS;
            for true_ns in [true_ns, -probe * SECOND_NS] {
                let off = off_ns(model.realtime_to_timeline(machine.realtime_ns(true_ns)), true_ns);
                prop_assert!(off < 400.0, "{off} ns at {true_ns}");
                assert_within_bounds(&model, &machine, true_ns);
            }
        }
    }

    #[test]
    fn one_anchor_and_a_rate_bound_what_follows(
        machine in machine(),
        at in reading(),
        calibration_error_ppm in -50.0..50.0f64,
        probes in prop::collection::vec(-1.0..10.0f64, 20),
    ) {
        let anchor = machine.anchor(at.0 * SECOND_NS, at.1, at.2, at.3);
        let exact = machine.calibration();
        let rate = exact.ns_per_tick * (1.0 + calibration_error_ppm * 1e-6);
        let calibration = Calibration { ns_per_tick: rate, error_ppm: 50.0, ..exact };
        let model = Model::from_rate(&anchor, calibration, RAW_AT_START_NS).unwrap();
        for probe in probes {
            assert_within_bounds(&model, &machine, probe * SECOND_NS);
        }
    }

    #[test]
    fn the_timeline_never_goes_back(
        machine in machine(),
        stopped in any::<bool>(),
        ends in (reading(), reading()),
        between in prop::collection::vec(reading(), 0..8),
        probes in prop::collection::vec(-0.5..1.5f64, 2..50),
    ) {
        let machine = Machine { stopped: stopped.then_some((9.7e8, 1e7)), ..machine };
        let model =
            Model::fit(&anchors(&machine, SECOND_NS, ends, &between), RAW_AT_START_NS).unwrap();
        let mut moments = probes;
        moments.sort_by(f64::total_cmp);
        let mut cursor = model.cursor();
        let converted: Vec<_> =
            moments.iter().map(|at| cursor.timeline(machine.ticks(at * SECOND_NS))).collect();
        prop_assert!(converted.is_sorted());
    }

    #[test]
    fn a_cursor_and_a_stored_model_convert_alike(
        machine in machine(),
        set_ns in prop_oneof![Just(0.0), -1e9..1e9f64],
        ends in (reading(), reading()),
        between in prop::collection::vec(reading(), 0..8),
        probes in prop::collection::vec(-0.5..1.5f64, 20),
    ) {
        let machine = Machine { stopped: Some((9.7e8, 1e7)), set: Some((6e8, set_ns)), ..machine };
        let model =
            Model::fit(&anchors(&machine, SECOND_NS, ends, &between), RAW_AT_START_NS).unwrap();
        let stored: Model = serde_json::from_str(&serde_json::to_string(&model).unwrap()).unwrap();
        let mut cursor = stored.cursor();
        for probe in probes {
            let (ticks, real) =
                (machine.ticks(probe * SECOND_NS), machine.realtime_ns(probe * SECOND_NS));
            prop_assert_eq!(cursor.timeline(ticks), model.timeline(ticks));
            prop_assert_eq!(cursor.realtime_to_timeline(real), model.realtime_to_timeline(real));
        }
    }

    #[test]
    fn damaged_anchors_are_an_error_or_a_model_but_never_a_panic(
        values in prop::collection::vec(any::<(u64, u64, i64, i64)>(), 0..6),
        start in any::<i64>(),
        probe in any::<u64>(),
    ) {
        let anchors: Vec<Anchor> = values
            .iter()
            .map(|&(ticks, half_width, monotonic_raw_ns, realtime_ns)| Anchor {
                ticks: Ticks(ticks),
                half_width,
                monotonic_raw_ns,
                realtime_ns,
            })
            .collect();
        if let Ok(model) = Model::fit(&anchors, start) {
            model.timeline(Ticks(probe));
            model.realtime_to_timeline(probe as i64);
            prop_assert!(model.error_ns(Ticks(probe)) >= 0.0);
            prop_assert!(model.realtime_error_ns(probe as i64) >= 0.0);
        }
    }
}

#[test]
fn a_slew_in_one_part_of_a_run_widens_that_part() {
    let steady = Machine::new(5, 2.5);
    let at = |second: u32| steady.anchor(second as f64 * SECOND_NS, 60.0, 0.3, 0.6);
    let mut anchors: Vec<Anchor> = (0..10).map(at).collect();
    // From the fifth second to the sixth the clock gains 300 µs, within what it may slew.
    anchors[6..].iter_mut().for_each(|anchor| anchor.realtime_ns += 300_000);
    let model = Model::fit(&anchors, RAW_AT_START_NS).unwrap();
    assert!(!model.realtime_stepped());
    let bound = |second: f64| model.realtime_error_ns(steady.realtime_ns(second * SECOND_NS));
    assert!(bound(5.5) > 299_000.0, "{}", bound(5.5));
    assert!(bound(2.5) < 200.0 && bound(8.5) < 200.0, "{} {}", bound(2.5), bound(8.5));
}

#[test]
fn a_wide_last_anchor_does_not_spoil_a_tight_run() {
    let machine = Machine::new(77, 3.0);
    let mut anchors: Vec<Anchor> =
        (0..10).map(|i| machine.anchor(i as f64 * SECOND_NS, 60.0, 0.5, 0.5)).collect();
    anchors.push(machine.anchor(10.0 * SECOND_NS, 1e6, 0.9, 0.95));
    let model = Model::fit(&anchors, RAW_AT_START_NS).unwrap();
    assert_eq!(model.segments().len(), 1);
    assert!(model.max_error_ns() < 60.0, "{model}");
    assert!(model.residual_ns() > 100_000.0, "and the wide anchor's distance is told");
}

#[test]
fn what_makes_no_model_says_why() {
    let machine = Machine::new(1000, 2.0);
    let [a, b] = [0.0, SECOND_NS].map(|at_ns| machine.anchor(at_ns, 60.0, 0.5, 0.5));
    assert_eq!(Model::fit(&[], 0), Err(ModelError::NoAnchor));
    assert_eq!(Model::fit(&[a], 0), Err(ModelError::TooShort { anchors: 1 }));
    assert_eq!(Model::fit(&[a, a], 0), Err(ModelError::TooShort { anchors: 2 }));
    let reset = Anchor { ticks: Ticks(7), ..b };
    assert!(matches!(Model::fit(&[a, reset], 0), Err(ModelError::WentBack { .. })));
    let stuck = Anchor { ticks: a.ticks, ..b };
    assert!(matches!(Model::fit(&[a, stuck], 0), Err(ModelError::ImpossibleRate { .. })));
    let calibration = Calibration { ns_per_tick: 0.0, ..machine.calibration() };
    assert!(matches!(Model::from_rate(&a, calibration, 0), Err(ModelError::ImpossibleRate { .. })));
}

#[test]
fn a_stored_model_without_segments_is_refused() {
    let machine = Machine::new(1000, 2.0);
    let anchors = [0.0, SECOND_NS].map(|at_ns| machine.anchor(at_ns, 60.0, 0.5, 0.5));
    let model = Model::fit(&anchors, RAW_AT_START_NS).unwrap();
    let mut stored = serde_json::to_value(&model).unwrap();
    stored["track"]["segments"] = serde_json::json!([]);
    let error = serde_json::from_value::<Model>(stored).unwrap_err();
    assert!(error.to_string().contains("no segment"), "{error}");
}
