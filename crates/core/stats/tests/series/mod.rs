//! Made-up series of runs, and how often a trend is wrong about them.

use super::launches::{Kind, ORDINARY, normal, run, sample};
use fourstamp_stats::compare::{
    Change, ChangeKind, CompareOptions, Figure, Measured, Sample, Standing, Trend, TrendOptions,
    trend,
};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// A kind of series.
#[derive(Clone, Copy)]
pub struct SeriesKind {
    pub name: &'static str,
    pub runs: usize,
    /// What each run is made of.
    pub kind: Kind,
    /// How much runs differ from each other besides, as launches in turn would not.
    pub between: f64,
    /// Whether that is Student's with two degrees of freedom: now and then one run is far off.
    pub heavy: bool,
}

/// What the kinds below vary.
pub const PLAIN: SeriesKind = SeriesKind {
    name: "12 runs, 2 % apart",
    runs: 12,
    kind: Kind { launches: (3, 3), messages: 200, ..ORDINARY },
    between: 0.02,
    heavy: false,
};

pub const SERIES: [SeriesKind; 5] = [
    PLAIN,
    SeriesKind { name: "8 runs, 2 % apart", runs: 8, ..PLAIN },
    SeriesKind { name: "30 runs, 2 % apart", runs: 30, ..PLAIN },
    SeriesKind { name: "20 runs, 5 % apart", runs: 20, between: 0.05, ..PLAIN },
    SeriesKind { name: "20 runs, one now and then far off", runs: 20, heavy: true, ..PLAIN },
];

/// The runs of a series; run number `at` is `truth(at)` times as slow as it would be.
pub fn series(kind: &SeriesKind, seed: u64, truth: &dyn Fn(usize) -> f64) -> Vec<Sample> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let own = |random: &mut Pcg64Mcg| {
        let by = kind.between * normal(random);
        let square = (normal(random).powi(2) + normal(random).powi(2)) / 2.0;
        if kind.heavy { by / square.sqrt().max(0.01) } else { by }
    };
    (0..kind.runs)
        .map(|at| {
            let slower = truth(at) * own(&mut random).exp();
            sample(&run(&kind.kind, kind.kind.launches.0, slower, &mut random))
        })
        .collect()
}

/// What a trend says of them.
pub fn looked_at(runs: &[Sample], options: &CompareOptions) -> Trend {
    let asked = TrendOptions { figure: Figure::Quantile(0.5), last: 10, reference: 0 };
    trend(&runs.iter().collect::<Vec<_>>(), Measured::EndToEnd, asked, options)
}

/// How often something came, as parts of so many series.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    /// A lasting change was said.
    pub changed: f64,
    /// One was, as a step.
    pub steps: f64,
    /// One was, as a drift.
    pub drifts: f64,
    /// One was, and its form was said to be clear.
    pub clear: f64,
    /// Of the steps: where they are said to be holds the true place.
    pub placed: f64,
    /// Its form was said to be clear, and was the other one.
    pub misnamed: f64,
    /// Of the changes: their interval holds the true ratio.
    pub sized: f64,
    /// The newest run was called slower or faster.
    pub newest: f64,
}

/// Over so many series of this kind. `truth` as in [`series`]; `expected` is the first run after a
/// step, and the ratio.
pub fn rates(
    kind: &SeriesKind,
    count: u64,
    truth: &dyn Fn(usize) -> f64,
    expected: (usize, f64),
) -> Rates {
    let mut rates = Rates::default();
    let add = |rate: &mut f64, yes: bool| *rate += f64::from(u8::from(yes));
    for seed in 0..count {
        let options = CompareOptions { seed, ..CompareOptions::default() };
        let found = looked_at(&series(kind, seed, truth), &options);
        let change = found.courses[0].changes.first();
        let is = |wanted: fn(&Change) -> bool| change.is_some_and(wanted);
        add(&mut rates.changed, change.is_some());
        add(&mut rates.steps, is(|one| matches!(one.kind, ChangeKind::Step { .. })));
        add(&mut rates.drifts, is(|one| matches!(one.kind, ChangeKind::Drift { .. })));
        add(&mut rates.clear, is(|one| one.form_is_clear));
        let right = matches!(change.map(|one| &one.kind), Some(ChangeKind::Step { .. }))
            == (expected.0 > 0);
        add(&mut rates.misnamed, is(|one| one.form_is_clear) && !right);
        let placed = |one: &Change| match one.kind {
            ChangeKind::Step { between: (least, most), .. } => (least..=most).contains(&expected.0),
            ChangeKind::Drift { .. } => false,
        };
        let sized = |one: &Change| {
            one.interval.is_some_and(|(low, high)| low <= expected.1 && expected.1 <= high)
        };
        add(&mut rates.placed, change.is_some_and(placed));
        add(&mut rates.sized, change.is_some_and(sized));
        let newest = found.newest.seen[0].1.standing;
        add(&mut rates.newest, matches!(newest, Standing::Slower | Standing::Faster));
    }
    let of = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
    Rates {
        placed: of(rates.placed, rates.steps),
        sized: of(rates.sized, rates.changed),
        changed: rates.changed / count as f64,
        steps: rates.steps / count as f64,
        drifts: rates.drifts / count as f64,
        clear: rates.clear / count as f64,
        misnamed: rates.misnamed / count as f64,
        newest: rates.newest / count as f64,
    }
}
