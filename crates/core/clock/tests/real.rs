//! The clocks of the machine that runs the tests, and errors planted in them.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use fourstamp_clock::{
    Anchor, Clock, Exchange, Model, Offset, Plant, Quality, Source, best_offset, measure,
};

#[test]
fn the_best_clock_is_measured() {
    let quality = measure(&Clock::best());
    println!("{quality}");
    assert!(quality.step_ns > 0.0, "{quality:?}");
    assert!((0.5..100_000.0).contains(&quality.read_cost_ns), "{quality:?}");
    assert_eq!(quality.backward_steps, 0, "{quality:?}");
    assert!(quality.source == Source::MonotonicRaw || quality.ppm_error > 0.0, "{quality:?}");
    let stored: Quality = serde_json::from_str(&serde_json::to_string(&quality).unwrap()).unwrap();
    assert_eq!(stored.source, quality.source);
}

#[test]
fn the_system_clock_ticks_in_nanoseconds() {
    let quality = measure(&Clock::system());
    assert_eq!(
        (quality.ns_per_tick, quality.ppm_error, quality.source),
        (1.0, 0.0, Source::MonotonicRaw)
    );
}

#[test]
fn a_calibration_agrees_with_a_longer_look() {
    let clock = Clock::best();
    let start = clock.anchor();
    let quality = measure(&clock);
    std::thread::sleep(Duration::from_millis(300));
    let model = Model::fit(&[start, clock.anchor()], start.monotonic_raw_ns).unwrap();
    let apart_ppm = (quality.ns_per_tick / model.segments()[0].ns_per_tick() - 1.0).abs() * 1e6;
    let allowed_ppm = quality.ppm_error + model.rate_error_ppm();
    assert!(apart_ppm <= allowed_ppm, "{apart_ppm} ppm apart, {allowed_ppm} allowed");
}

#[test]
fn an_anchor_in_the_middle_lies_on_the_line_of_the_others() {
    let clock = Clock::best();
    let mut anchors: Vec<Anchor> = Vec::new();
    for _ in 0..5 {
        anchors.push(clock.anchor());
        std::thread::sleep(Duration::from_millis(10));
    }
    let start_ns = anchors[0].monotonic_raw_ns;
    let model = Model::fit(&[anchors[0], anchors[4]], start_ns).unwrap();
    for anchor in anchors {
        let off_ns =
            (model.timeline(anchor.ticks).0 - (anchor.monotonic_raw_ns - start_ns)).abs() as f64;
        let width_ns = anchor.half_width as f64 * model.segments()[0].ns_per_tick();
        assert!(
            off_ns <= model.error_ns(anchor.ticks) + width_ns + 1.0,
            "{off_ns} ns off; {model}, ±{width_ns}"
        );
    }
}

/// Exchanges within this thread, so that the truth is known: the planted clock and the plain one
/// are read in turn.
fn synchronise(node: &Clock, reference: &Clock, qualities: (&Quality, &Quality)) -> Offset {
    let exchange = |_| Exchange {
        local_sent: node.now(),
        remote_received: reference.now(),
        remote_sent: reference.now(),
        local_received: node.now(),
    };
    let exchanges: Vec<Exchange> = (0..100).map(exchange).collect();
    best_offset(&exchanges, qualities.0.calibration(), qualities.1.calibration()).unwrap()
}

#[test]
fn a_planted_offset_and_drift_are_found_and_undone() {
    let reference = Clock::best();
    let plant = Plant { offset_ticks: 1 << 45, drift_ppm: 120.0, origin_ticks: reference.now().0 };
    let node = reference.planted(plant);
    let (node_quality, reference_quality) = (measure(&node), measure(&reference));
    let qualities = (&node_quality, &reference_quality);

    let (reference_start, node_start) = (reference.anchor(), node.anchor());
    let start = synchronise(&node, &reference, qualities);
    std::thread::sleep(Duration::from_millis(200));
    // The moment to judge by: both clocks read together, the plain one on both sides.
    let (before, on_node, after) = (reference.now(), node.now(), reference.now());
    std::thread::sleep(Duration::from_millis(200));
    let end = synchronise(&node, &reference, qualities);
    let (reference_end, node_end) = (reference.anchor(), node.anchor());

    let zero_ns = reference_start.monotonic_raw_ns;
    let reference_model = Model::fit(&[reference_start, reference_end], zero_ns).unwrap();
    let offsets = [start, end];
    let own = [node_start, node_end];
    let model =
        Model::through(&offsets, &own, node_quality.calibration(), &reference_model).unwrap();

    let bound_ns = model.error_ns(on_node) + reference_quality.step_ns + node_quality.step_ns;
    let earliest_ns = reference_model.timeline(before).0 as f64 - bound_ns;
    let latest_ns = reference_model.timeline(after).0 as f64 + bound_ns;
    let found_ns = model.timeline(on_node).0 as f64;
    assert!(
        (earliest_ns..=latest_ns).contains(&found_ns),
        "{earliest_ns} {found_ns} {latest_ns}; {model}"
    );
    let ratio = model.segments()[0].ns_per_tick() / reference_model.segments()[0].ns_per_tick();
    let drift_ppm: f64 = (1.0 / ratio - 1.0) * 1e6;
    let doubt_ppm = model.rate_error_ppm() + reference_model.rate_error_ppm();
    assert!((drift_ppm - 120.0).abs() <= doubt_ppm + 0.1, "{drift_ppm} ppm, doubt {doubt_ppm}");
}
