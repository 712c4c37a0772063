//! Where a peak's place is put: where its messages are, and on a step of the clock.

use crate::draw::{Draw, analysed};
use fourstamp_stats::analysis::{Peak, StageView};

fn log_normal(draw: &mut Draw, middle: f64, spread: f64) -> f64 {
    middle * (spread * draw.normal()).exp()
}

/// The mean time of a peak's messages.
fn mean_ns(view: &StageView, peak: &Peak) -> f64 {
    peak.time_share * view.summary.total_ns / peak.count as f64
}

#[test]
fn a_broad_peak_is_not_placed_on_a_spike_beside_it() {
    for seed in 0..12 {
        let mut draw = Draw::new(seed);
        // Most take 6 µs, some wait for a slice of the scheduler; a few lie close together in the
        // valley between.
        let mut time = |_| match draw.even() {
            part if part < 0.955 => log_normal(&mut draw, 6_000.0, 0.05),
            part if part < 0.958 => log_normal(&mut draw, 9_000.0, 0.004),
            _ => log_normal(&mut draw, 36e6, 0.6),
        };
        let launches: Vec<Vec<i64>> =
            (0..2).map(|_| (0..10_000).map(&mut time).map(|ns| ns as i64).collect()).collect();
        let view = analysed(&launches, seed);
        let slow = view.peaks.iter().find(|peak| peak.time_share > 0.5).expect("the slices");
        assert!((15e6..70e6).contains(&slow.place_ns), "seed {seed}: {slow:?}");
        for peak in view.peaks.iter().filter(|peak| peak.mass > 0.01) {
            let ratio = mean_ns(&view, peak) / peak.place_ns;
            assert!(
                (0.3..3.0).contains(&ratio),
                "seed {seed}: a mean of {ratio} places in {peak:?}"
            );
        }
    }
}

#[test]
fn on_a_coarse_clock_places_are_its_steps_and_intervals_reach_half_a_step() {
    for (seed, middles) in
        [[3.0, 300.0], [12.0, 210.0], [18.0, 2_160.0], [31.0, 95.0]].into_iter().enumerate()
    {
        let mut draw = Draw::new(seed as u64);
        let mut time = |_| {
            let middle = if draw.even() < 0.8 { middles[0] } else { middles[1] };
            let ns = log_normal(&mut draw, middle, 0.1);
            draw.timed(ns, 10.0)
        };
        let launches: Vec<Vec<i64>> =
            (0..3).map(|_| (0..10_000).map(&mut time).collect()).collect();
        let view = analysed(&launches, seed as u64);
        assert!(view.peaks.len() >= 2, "{middles:?}: {:?}", view.peaks);
        for peak in &view.peaks {
            assert!(peak.place_ns >= 0.0 && peak.place_ns % 10.0 == 0.0, "{middles:?}: {peak:?}");
            assert!(launches.iter().flatten().any(|ns| *ns as f64 == peak.place_ns), "{peak:?}");
            let (low, high) = peak.place_interval_ns.expect("enough blocks");
            let least = (peak.place_ns - 5.0).max(view.summary.min_ns as f64);
            assert!(low <= least && high >= peak.place_ns + 5.0, "{middles:?}: {peak:?}");
            assert!(peak.width_ns >= 10.0, "{middles:?}: {peak:?}");
        }
    }
}

#[test]
fn no_peak_lies_before_all_times() {
    // Times of 0 and 1 ns: spread over a nanosecond each, their peak would be at −0.4 ns.
    let launches: Vec<Vec<i64>> = (0..3)
        .map(|_| (0..10_000).map(|at| if at % 10 == 0 { 400 + at % 7 } else { at % 2 }).collect())
        .collect();
    let view = analysed(&launches, 1);
    let first = view.peaks.first().expect("a peak");
    assert!(first.place_ns == 0.0 || first.place_ns == 1.0, "{first:?}");
    assert!(first.place_ns.is_sign_positive(), "a zero has no sign: {first:?}");
    assert!(first.place_interval_ns.is_none_or(|(low, _)| low >= 0.0), "{first:?}");
}
