//! Resamples: of each run launches drawn with replacement, and from each as many stretches of each
//! size as it has. Below three launches each is drawn once: of how another would differ nothing is
//! known.

use super::Stretch;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeMap;

const RESAMPLES: usize = 300;
const LAUNCHES_LEAST: usize = 3;

/// A launch's stretches by size.
type Launch<'a> = BTreeMap<u64, Vec<&'a Stretch>>;

/// What `figures` makes of each resample.
pub(super) fn draw<T>(
    stretches: &[Stretch],
    seed: u64,
    figures: impl Fn(&[&Stretch]) -> Option<T>,
) -> Vec<T> {
    let mut runs: BTreeMap<u32, BTreeMap<u32, Launch<'_>>> = BTreeMap::new();
    for stretch in stretches {
        let launch = runs.entry(stretch.run).or_default().entry(stretch.launch).or_default();
        launch.entry(stretch.bytes).or_default().push(stretch);
    }
    let runs: Vec<Vec<Launch<'_>>> =
        runs.into_values().map(|launches| launches.into_values().collect()).collect();
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut one = || {
        let mut drawn = Vec::with_capacity(stretches.len());
        for launches in &runs {
            for own in launches {
                let launch = match launches.len() < LAUNCHES_LEAST {
                    true => own,
                    false => &launches[random.random_range(0..launches.len())],
                };
                for of_size in launch.values() {
                    let pick = |_| of_size[random.random_range(0..of_size.len())];
                    drawn.extend((0..of_size.len()).map(pick));
                }
            }
        }
        figures(&drawn)
    };
    (0..RESAMPLES).filter_map(|_| one()).collect()
}

/// Where the middle 95 % of `drawn` lie, and `value` in any case.
pub(super) fn interval(drawn: impl Iterator<Item = f64>, value: f64) -> [f64; 2] {
    const OUTSIDE: f64 = 0.025;
    let mut sorted: Vec<f64> = drawn.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return [value, value] };
    let low = sorted[(last as f64 * OUTSIDE).floor() as usize];
    let high = sorted[(last as f64 * (1.0 - OUTSIDE)).ceil() as usize];
    [low.min(value), high.max(value)]
}
