//! Times drawn from known distributions, as a run would have them.

use fourstamp_stats::analysis::StageView;
use fourstamp_stats::{Accumulator, Columns, FileRows, Options, Position};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use record::{Field, Values};

/// A source of random numbers.
pub struct Draw(Pcg64Mcg);

impl Draw {
    pub fn new(seed: u64) -> Draw {
        Draw(Pcg64Mcg::seed_from_u64(seed))
    }

    /// From 0 to 1.
    pub fn even(&mut self) -> f64 {
        self.0.random::<f64>()
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.even()
    }

    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.even()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.even()).cos()
    }

    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[(self.even() * all.len() as f64) as usize]
    }

    /// What a clock that moves in steps of `tick` says of a time that begins whenever it likes.
    pub fn timed(&mut self, ns: f64, tick: f64) -> i64 {
        let begin = self.even() * tick;
        (((begin + ns) / tick).floor() * tick).round() as i64
    }
}

/// The end-to-end stage of a run with these launches.
pub fn analysed(launches: &[Vec<i64>], seed: u64) -> StageView {
    let rows = |times: &Vec<i64>| times.len() as u64;
    let files = launches.iter().zip(0..).map(|(times, launch)| FileRows {
        launch,
        node: 0,
        rows: rows(times),
    });
    let options = Options { files: files.collect(), seed, resamples: 300, ..Options::default() };
    let mut accumulator = Accumulator::new(options);
    for (times, launch) in launches.iter().zip(0..) {
        let columns = Columns::new(times.len())
            .with(Field::Kind, Values::Constant(0))
            .with(Field::ReadyNs, Values::Constant(0))
            .with(Field::TakenNs, Values::Each(times));
        accumulator.add_columns(&columns, Position { launch, node: 0, first_row: 0 });
    }
    accumulator.finish().stages.remove(0)
}
