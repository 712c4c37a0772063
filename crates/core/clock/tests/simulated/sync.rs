//! Synchronisation over simulated paths: asymmetric, jittered, held up; drifting clocks.

use crate::machine::{Machine, RAW_AT_START_NS, exchange, off_ns};
use fourstamp_clock::{Anchor, Exchange, Model, ModelError, Offset, SyncError, Ticks, best_offset};
use proptest::prelude::*;

const SECOND_NS: f64 = 1e9;

/// How long a request, the wait at the other side and the answer take, in ns.
fn path() -> impl Strategy<Value = (f64, f64, f64)> {
    (0.0..50_000.0f64, 0.0..1e6f64, 0.0..50_000.0f64)
}

fn anchors(machine: &Machine, run_ns: f64) -> Vec<Anchor> {
    [0.0, run_ns].iter().map(|&at_ns| machine.anchor(at_ns, 60.0, 0.4, 0.6)).collect()
}

/// The node's synchronisation begun at `at_ns` over the paths.
fn synchronise(
    (node, reference): (&Machine, &Machine),
    at_ns: f64,
    paths: &[(f64, f64, f64)],
) -> Offset {
    let exchanges: Vec<Exchange> = paths
        .iter()
        .enumerate()
        .map(|(i, &path)| exchange((node, reference), at_ns + i as f64 * 2e6, path))
        .collect();
    best_offset(&exchanges, node.calibration(), reference.calibration()).unwrap()
}

/// How far apart in time the two readings of an offset truly are, by the two clocks' laws.
fn apart_ns(offset: Offset, local: &Machine, remote: &Machine) -> f64 {
    let since_start_ns = |machine: &Machine, ticks: Ticks| {
        ticks.since(Ticks(machine.counter_at_start)) as f64 / machine.ticks_per_ns
    };
    (since_start_ns(local, offset.local) - since_start_ns(remote, offset.remote)).abs()
}

proptest! {
    #[test]
    fn the_true_offset_lies_within_the_bound(
        counters in any::<(u64, u64)>(),
        rates in (0.3..6.0f64, 0.3..6.0f64),
        at_ns in 0.0..1e12f64,
        paths in prop::collection::vec(path(), 1..30),
    ) {
        let (local, remote) =
            (Machine::new(counters.0, rates.0), Machine::new(counters.1, rates.1));
        let offset = synchronise((&local, &remote), at_ns, &paths);
        prop_assert!(apart_ns(offset, &local, &remote) <= offset.error_ns + 0.01);
        let shortest_ns = paths.iter().map(|path| path.0 + path.2).fold(f64::INFINITY, f64::min);
        let resolution_ns = 3.0 / rates.0 + 3.0 / rates.1;
        prop_assert!(
            offset.error_ns <= shortest_ns / 2.0 + resolution_ns,
            "the shortest round trip counts"
        );
        let back = offset.reversed();
        prop_assert_eq!(
            (back.local, back.remote, back.error_ns),
            (offset.remote, offset.local, offset.error_ns)
        );
    }

    #[test]
    fn a_far_clock_lies_within_its_bound_inside_the_run_and_outside(
        counters in any::<(u64, u64)>(),
        rates in (0.3..6.0f64, 0.3..6.0f64),
        realtime_ppm in -100.0..100.0f64,
        run_ns in 1e9..3600e9f64,
        starts in prop::collection::vec(0.1..0.9f64, 0..6),
        paths in prop::collection::vec(path(), 8),
        probes in prop::collection::vec(-0.3..1.3f64, 20),
    ) {
        let reference = Machine::new(counters.0, rates.0);
        let node = Machine { realtime_ppm, ..Machine::new(counters.1, rates.1) };
        let offsets: Vec<Offset> = [&[0.0][..], &starts, &[1.0]]
            .concat()
            .iter()
            .zip(&paths)
            .map(|(start, path)| synchronise((&node, &reference), start * run_ns, &[*path]))
            .collect();
        let reference_model = Model::fit(&anchors(&reference, run_ns), RAW_AT_START_NS).unwrap();
        let model =
            Model::through(&offsets, &anchors(&node, run_ns), node.calibration(), &reference_model)
                .unwrap();
        for probe in probes {
            let true_ns = probe * run_ns;
            let ticks = node.ticks(true_ns);
            let (off, bound) = (off_ns(model.timeline(ticks), true_ns), model.error_ns(ticks));
            prop_assert!(
                off <= bound + node.slack_ns(),
                "ticks at {true_ns}: off by {off}, bound {bound}; {model:?}"
            );
            let real = node.realtime_ns(true_ns);
            let off = off_ns(model.realtime_to_timeline(real), true_ns);
            let bound = model.realtime_error_ns(real);
            prop_assert!(
                off <= bound + node.slack_ns(),
                "realtime at {true_ns}: off by {off}, bound {bound}; {model:?}"
            );
        }
    }

    #[test]
    fn a_single_synchronisation_is_bounded_by_quartz(
        counters in any::<(u64, u64)>(),
        rates in (0.3..6.0f64, 0.3..6.0f64),
        oscillator_ppm in -100.0..100.0f64,
        path in path(),
        probes in prop::collection::vec(-1.0..60.0f64, 20),
    ) {
        let reference = Machine::new(counters.0, rates.0);
        let node = Machine::new(counters.1, rates.1 * (1.0 + oscillator_ppm * 1e-6));
        // The node measured its rate with its own quartz, and so knows nothing of the quartz's
        // error.
        let own_measure = Machine::new(0, rates.1).calibration();
        let exchanges = [exchange((&node, &reference), 0.0, (path.0, 0.0, path.2))];
        let offset = best_offset(&exchanges, own_measure, reference.calibration()).unwrap();
        let reference_model = Model::fit(&anchors(&reference, 60e9), RAW_AT_START_NS).unwrap();
        let own_anchor = [node.anchor(0.0, 60.0, 0.5, 0.5)];
        let model = Model::through(&[offset], &own_anchor, own_measure, &reference_model).unwrap();
        for probe in probes {
            let ticks = node.ticks(probe * SECOND_NS);
            let off = off_ns(model.timeline(ticks), probe * SECOND_NS);
            prop_assert!(
                off <= model.error_ns(ticks) * 1.001 + node.slack_ns(),
                "{off} > {}",
                model.error_ns(ticks)
            );
        }
    }
}

/// The canary: a bound any smaller than half the round trip would be broken here.
#[test]
fn a_wholly_asymmetric_path_reaches_the_bound() {
    let (local, remote) = (Machine::new(9_000, 4.0), Machine::new(70_000_000, 4.0));
    for path in [(20_000.0, 5_000.0, 0.0), (0.0, 5_000.0, 20_000.0)] {
        let offset = synchronise((&local, &remote), 1e6, &[path]);
        assert_eq!(apart_ns(offset, &local, &remote), 10_000.0);
        assert!((10_000.0..10_001.0).contains(&offset.error_ns), "{offset:?}");
    }
}

#[test]
fn more_synchronisations_narrow_the_drift() {
    let (reference, node) = (Machine::new(5, 2.0), Machine::new(1 << 50, 2.0 * (1.0 + 37e-6)));
    let reference_model = Model::fit(&anchors(&reference, 100e9), RAW_AT_START_NS).unwrap();
    let model = |seconds: &[f64]| {
        let path = (3_000.0, 1_000.0, 9_000.0);
        let sync = |second: &f64| synchronise((&node, &reference), second * SECOND_NS, &[path]);
        let offsets: Vec<Offset> = seconds.iter().map(sync).collect();
        Model::through(&offsets, &anchors(&node, 100e9), node.calibration(), &reference_model)
            .unwrap()
    };
    let (ends, three) = (model(&[0.0, 100.0]), model(&[0.0, 50.0, 100.0]));
    assert!(
        ends.rate_error_ppm() < 0.13 && three.rate_error_ppm() <= ends.rate_error_ppm() * 1.001
    );
    let rate = ends.segments()[0].ns_per_tick() * node.ticks_per_ns;
    assert!((rate - 1.0).abs() < 1e-9, "the drift of 37 ppm is gone: {rate}");
    assert!((6_000.0..6_200.0).contains(&three.max_error_ns()), "{three}");
}

#[test]
fn a_far_clock_that_stopped_is_in_doubt_where_it_did() {
    let reference = Machine::new(5, 2.0);
    let node = Machine { stopped: Some((44e8, 2e6)), ..Machine::new(1 << 50, 2.5) };
    let offsets: Vec<Offset> = (0..10)
        .map(|second| {
            synchronise((&node, &reference), second as f64 * SECOND_NS, &[(4_000.0, 0.0, 4_000.0)])
        })
        .collect();
    let reference_model = Model::fit(&anchors(&reference, 9e9), RAW_AT_START_NS).unwrap();
    let model =
        Model::through(&offsets, &anchors(&node, 9e9), node.calibration(), &reference_model)
            .unwrap();
    for tenth in 0..90 {
        let true_ns = (tenth as f64 + 0.5) * 1e8;
        let ticks = node.ticks(true_ns);
        assert!(off_ns(model.timeline(ticks), true_ns) <= model.error_ns(ticks) + node.slack_ns());
        let in_doubt = (40..50).contains(&tenth);
        assert_eq!(model.error_ns(ticks) > 1e6, in_doubt, "{tenth}: {}", model.error_ns(ticks));
    }
}

#[test]
fn a_reference_that_stopped_puts_its_nodes_in_doubt() {
    let reference = Machine { stopped: Some((44e8, 2e6)), ..Machine::new(5, 2.0) };
    let own: Vec<Anchor> =
        (0..10).map(|second| reference.anchor(second as f64 * SECOND_NS, 60.0, 0.4, 0.6)).collect();
    let reference_model = Model::fit(&own, RAW_AT_START_NS).unwrap();
    // A node elsewhere ran on; a node with a planted error in the reference's own counter stopped
    // with it.
    for stopped in [None, reference.stopped] {
        let node = Machine { stopped, ..Machine::new(1 << 50, 2.0 * (1.0 + 50e-6)) };
        let offsets = [0.0, 9e9]
            .map(|at_ns| synchronise((&node, &reference), at_ns, &[(4_000.0, 0.0, 4_000.0)]));
        let model =
            Model::through(&offsets, &anchors(&node, 9e9), node.calibration(), &reference_model)
                .unwrap();
        for tenth in 0..90 {
            let true_ns = tenth as f64 * 1e8;
            let ticks = node.ticks(true_ns);
            let (off, bound) = (off_ns(model.timeline(ticks), true_ns), model.error_ns(ticks));
            assert!(off <= bound + node.slack_ns(), "{tenth}: off by {off}, bound {bound}");
        }
    }
}

#[test]
fn impossible_exchanges_are_counted_and_never_chosen() {
    let (local, remote) = (Machine::new(9_000, 2.0), Machine::new(70_000_000, 2.0));
    let good = exchange((&local, &remote), 0.0, (9_000.0, 100.0, 9_000.0));
    let back = Exchange { local_received: Ticks(good.local_sent.0 - 1), ..good };
    let held_too_long = Exchange { remote_sent: Ticks(good.remote_sent.0 + 1_000_000), ..good };
    let answered_first = Exchange { remote_sent: Ticks(good.remote_received.0 - 5), ..good };
    let (a, b) = (local.calibration(), remote.calibration());
    let offset = best_offset(&[back, held_too_long, good, answered_first], a, b).unwrap();
    assert_eq!((offset.exchanges, offset.impossible), (4, 3));
    assert_eq!(apart_ns(offset, &local, &remote), 0.0);
    assert_eq!(best_offset(&[], a, b), Err(SyncError::NoExchange));
    assert_eq!(
        best_offset(&[back, held_too_long], a, b),
        Err(SyncError::Impossible { exchanges: 2 })
    );
}

#[test]
fn a_clock_never_synchronised_or_never_anchored_has_no_model() {
    let machine = Machine::new(9_000, 2.0);
    let reference = Model::fit(&anchors(&machine, 1e9), RAW_AT_START_NS).unwrap();
    let through = |offsets: &[Offset], own: &[Anchor]| {
        Model::through(offsets, own, machine.calibration(), &reference)
    };
    assert_eq!(through(&[], &anchors(&machine, 1e9)), Err(ModelError::NoOffset));
    let offset = synchronise((&machine, &machine), 0.0, &[(1.0, 1.0, 1.0)]);
    assert_eq!(through(&[offset], &[]), Err(ModelError::NoAnchor));
}
