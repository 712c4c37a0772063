//! Made-up runs whose launches differ as real ones do, and what a comparison says of thousands of
//! pairs of them.

#![allow(dead_code, reason = "not every test program makes every kind of run")]

use fourstamp_stats::compare::{CompareOptions, Comparison, Sample, Verdict, compare};
use fourstamp_stats::{Accumulator, Columns, FileRows, Options, Position};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use record::{Field, Values};

/// How the launches of a run come out.
#[derive(Clone, Copy)]
pub enum Spread {
    /// All alike.
    None,
    /// Their own factor is log-normal with this deviation.
    Normal(f64),
    /// Student's with two degrees of freedom: now and then one is far off.
    Heavy(f64),
    /// One in three is 3.5 times as slow (facts: p50 0.20 or 0.71 µs by launch).
    TwoModes,
}

/// A kind of run.
#[derive(Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    pub launches: (usize, usize),
    pub messages: usize,
    pub spread: Spread,
    /// Correlation of one message's logarithm with the next's.
    pub follows: f64,
    /// Typical time, and the clock's step, ns.
    pub typical: f64,
    pub step: f64,
}

/// What the kinds below vary.
pub const ORDINARY: Kind = Kind {
    name: "5 launches, 2 % apart",
    launches: (5, 5),
    messages: 2000,
    spread: Spread::Normal(0.02),
    follows: 0.9,
    typical: 5000.0,
    step: 1.0,
};

pub const KINDS: [Kind; 9] = [
    ORDINARY,
    Kind { name: "5 launches, alike", spread: Spread::None, ..ORDINARY },
    Kind {
        name: "3 launches, 5 % apart",
        launches: (3, 3),
        spread: Spread::Normal(0.05),
        ..ORDINARY
    },
    Kind { name: "2 launches, 2 % apart", launches: (2, 2), ..ORDINARY },
    Kind { name: "3 and 8 launches, 2 % apart", launches: (3, 8), ..ORDINARY },
    Kind { name: "5 launches, one now and then far off", spread: Spread::Heavy(0.02), ..ORDINARY },
    Kind {
        name: "3 launches of two kinds",
        launches: (3, 3),
        spread: Spread::TwoModes,
        ..ORDINARY
    },
    Kind { name: "5 launches of two kinds", spread: Spread::TwoModes, ..ORDINARY },
    Kind {
        name: "5 launches, 0.4 µs on a clock of 10 ns", typical: 400.0, step: 10.0, ..ORDINARY
    },
];

pub fn normal(random: &mut Pcg64Mcg) -> f64 {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.random::<f64>()).cos()
}

/// Times of one launch, `slower` times as long as they would be.
pub fn launch(kind: &Kind, slower: f64, random: &mut Pcg64Mcg) -> Vec<i64> {
    let own = match kind.spread {
        Spread::None => 0.0,
        Spread::Normal(deviation) => deviation * normal(random),
        // Student's t: a normal over the root of the mean square of two others.
        Spread::Heavy(scale) => {
            let square = (normal(random).powi(2) + normal(random).powi(2)) / 2.0;
            scale * normal(random) / square.sqrt().max(0.01)
        }
        Spread::TwoModes if random.random_range(0..3) == 0 => 3.5_f64.ln() + 0.02 * normal(random),
        Spread::TwoModes => 0.02 * normal(random),
    };
    let mut state = normal(random);
    let mut next = || {
        state = kind.follows * state + (1.0 - kind.follows * kind.follows).sqrt() * normal(random);
        let ns = kind.typical * slower * (own + 0.15 * state).exp();
        ((ns / kind.step).round() * kind.step) as i64
    };
    (0..kind.messages).map(|_| next()).collect()
}

/// What of these launches takes part in a comparison.
pub fn sample(launches: &[Vec<i64>]) -> Sample {
    gathered(launches, 0).sample()
}

/// Launches whose messages take these times, taken in.
pub fn gathered(launches: &[Vec<i64>], resamples: usize) -> Accumulator {
    let rows = |times: &Vec<i64>| times.len() as u64;
    let file = |(times, launch)| FileRows { launch, node: 0, rows: rows(times) };
    let files = launches.iter().zip(0..).map(file).collect();
    let mut accumulator = Accumulator::new(Options { files, resamples, ..Options::default() });
    for (times, launch) in launches.iter().zip(0..) {
        let columns = Columns::new(times.len())
            .with(Field::Kind, Values::Constant(0))
            .with(Field::ReadyNs, Values::Constant(0))
            .with(Field::TakenNs, Values::Each(times));
        accumulator.add_columns(&columns, Position { launch, node: 0, first_row: 0 });
    }
    accumulator
}

/// A run of this kind.
pub fn run(kind: &Kind, launches: usize, slower: f64, random: &mut Pcg64Mcg) -> Vec<Vec<i64>> {
    (0..launches).map(|_| launch(kind, slower, random)).collect()
}

/// B is `slower` times as slow as A: compare two runs of this kind, drawn by `seed`.
pub fn compared(kind: &Kind, slower: f64, seed: u64) -> Comparison {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let a = sample(&run(kind, kind.launches.0, 1.0, &mut random));
    let b = sample(&run(kind, kind.launches.1, slower, &mut random));
    compare(&a, &b, [&[], &[]], &CompareOptions { seed, ..CompareOptions::default() })
        .expect("both have end-to-end times")
}

/// How often each verdict came in `count` comparisons: slower, faster, not slower, undecided; as
/// parts.
pub fn verdicts(kind: &Kind, slower: f64, count: u64) -> [f64; 4] {
    let mut counts = [0.0; 4];
    for seed in 0..count {
        let at = match compared(kind, slower, seed).verdict {
            Verdict::Slower => 0,
            Verdict::Faster => 1,
            Verdict::NotSlower => 2,
            Verdict::Undecided => 3,
        };
        counts[at] += 1.0 / count as f64;
    }
    counts
}
