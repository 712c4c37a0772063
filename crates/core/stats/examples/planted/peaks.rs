//! Peaks of known place, width and mass: how many are found, how often intervals hold the truth;
//! and clean data: how often a peak is found that is none.

use fourstamp_stats::analysis::Peak;

use crate::draw::{Draw, analysed};

/// A planted peak: log-normal.
#[derive(Clone, Copy, Debug)]
struct Planted {
    place: f64,
    sigma: f64,
    mass: f64,
}

/// A run to be drawn.
#[derive(Debug)]
struct Recipe {
    launches: usize,
    messages: usize,
    /// The first is the body, with what the others leave.
    peaks: Vec<Planted>,
    /// Exponential background: mass and mean.
    background: (f64, f64),
    /// Step of the clock, ns.
    tick: f64,
    /// Probability that a message is like the one before: of the same peak, near it in time.
    spell: f64,
    /// How much the launches' masses differ: standard deviation of the logarithm.
    differ: f64,
}

/// Counts over many seeds.
#[derive(Debug, Default)]
pub struct Rates {
    pub planted: usize,
    pub found: usize,
    /// Of the found: intervals that hold place, width, mass, share of time.
    pub held: [usize; 4],
    pub false_peaks: usize,
    pub runs: usize,
}

/// Runs with two to four peaks, each of at least 0.01 % and 40 independent messages.
pub fn planted(seeds: std::ops::Range<u64>) -> Rates {
    let mut rates = Rates::default();
    for seed in seeds {
        let mut draw = Draw::new(seed);
        let recipe = recipe(&mut draw);
        let peaks = analysed(&recipe.draw(&mut draw), seed).peaks;
        rates.count(&recipe, &peaks);
        if std::env::var("SHOW").is_ok() {
            show(seed, &recipe, &peaks);
        }
    }
    rates
}

/// Kinds of clean data.
pub const CLEAN: [&str; 6] = [
    "log-normal",
    "exponential",
    "pareto",
    "log-normal in spells",
    "pareto, 10 ns clock",
    "launches that differ",
];

/// Runs in which clean data of a kind shows more than its one peak, of `seeds` many.
pub fn false_alarms(kind: usize, seeds: std::ops::Range<u64>) -> usize {
    let alarm = |seed: &u64| {
        let mut draw = Draw::new(0xc1ea4 + *seed * 31 + kind as u64);
        let peaks = analysed(&clean(kind, &mut draw), *seed).peaks;
        if peaks.len() != 1 && std::env::var("SHOW").is_ok() {
            println!("{} {seed}: {peaks:#?}", CLEAN[kind]);
        }
        peaks.len() != 1
    };
    seeds.filter(alarm).count()
}

fn clean(kind: usize, draw: &mut Draw) -> Vec<Vec<i64>> {
    let middle = 10_f64.powf(draw.between(2.5, 5.0));
    let tick = if kind == 4 { 10.0 } else { 1.0 };
    let launches = if kind == 5 { 8 } else { draw.one_of(&[1, 4]) };
    let spell = if kind == 3 { draw.one_of(&[0.9, 0.99]) } else { 0.0_f64 };
    let messages = draw.one_of(&[20_000, 200_000]) / launches;
    let launch = |draw: &mut Draw| {
        let middle = if kind == 5 { middle * (0.02 * draw.normal()).exp() } else { middle };
        let mut state = draw.normal();
        let mut times = Vec::with_capacity(messages);
        for _ in 0..messages {
            state = spell * state + (1.0 - spell * spell).sqrt() * draw.normal();
            let ns = match kind {
                1 => -(1.0 - draw.even()).ln(),
                2 | 4 => (1.0 - draw.even()).powf(-1.0 / 1.5),
                _ => (0.3 * state).exp(),
            };
            times.push(draw.timed(middle * ns, tick));
        }
        times
    };
    (0..launches).map(|_| launch(draw)).collect()
}

fn recipe(draw: &mut Draw) -> Recipe {
    let body = 10_f64.powf(draw.between(2.5, 4.3));
    let sigma = draw.between(0.03, 0.2);
    let mut peaks = vec![Planted { place: body, sigma, mass: 1.0 }];
    let background = if draw.even() < 0.5 { (0.003, 3.0 * body) } else { (0.0, body) };
    let wanted = draw.one_of(&[1, 2, 3]);
    let spell: f64 = draw.one_of(&[0.0, 0.5, 0.9]);
    // Messages in spells tell as much as so many fewer.
    let mass_least = 1e-4 * (1.0 + spell) / (1.0 - spell);
    for _ in 0..100 {
        let place = body * 10_f64.powf(draw.between(-0.4, 3.0));
        let mass = 10_f64.powf(draw.between(mass_least.log10(), -0.3));
        let new = Planted { place, sigma: draw.between(0.01, 0.15), mass };
        let room = peaks.iter().map(|other| other.mass).skip(1).sum::<f64>() + mass < 0.7;
        if peaks.len() <= wanted && room && place > 150.0 && stands_out(&new, &peaks, background) {
            peaks.push(new);
        }
    }
    peaks[0].mass = 1.0 - background.0 - peaks.iter().skip(1).map(|peak| peak.mass).sum::<f64>();
    // What differs between launches cannot be seen in one or three.
    let (launches, differ) = draw.one_of(&[(1, 0.0), (3, 0.0), (10, 0.0), (10, 0.1)]);
    Recipe {
        launches,
        messages: 400_000,
        peaks,
        background,
        tick: draw.one_of(&[1.0, 10.0]),
        spell,
        differ,
    }
}

/// Far enough from the others for a dip between, and higher than the background.
fn stands_out(new: &Planted, others: &[Planted], (mass, mean): (f64, f64)) -> bool {
    let apart = |other: &Planted| {
        let distance = (new.place / other.place).ln().abs();
        // A rare peak must clear the flank of a common one.
        let (small, large) = if new.mass < other.mass { (new, other) } else { (other, new) };
        let ratio = (large.mass / small.mass * small.sigma / large.sigma).max(1.0).ln();
        distance > 2.5 * small.sigma + large.sigma * (2.5 + (2.0 * ratio).sqrt()) + 0.04
    };
    let background = mass * (new.place / mean) * (-new.place / mean).exp();
    let height = new.mass / new.sigma / std::f64::consts::TAU.sqrt();
    others.iter().all(apart) && height > 3.0 * background
}

impl Recipe {
    fn draw(&self, draw: &mut Draw) -> Vec<Vec<i64>> {
        (0..self.launches).map(|_| self.launch(draw)).collect()
    }

    fn launch(&self, draw: &mut Draw) -> Vec<i64> {
        let factor =
            |draw: &mut Draw| (self.differ * draw.normal() - self.differ * self.differ / 2.0).exp();
        let mut masses: Vec<f64> =
            self.peaks.iter().skip(1).map(|peak| peak.mass * factor(draw)).collect();
        masses.push(self.background.0);
        let mut last = None;
        let mut time = || {
            if last.is_none() || draw.even() >= self.spell {
                last = Some(pick(&masses, draw.even()));
            }
            let ns = match last {
                Some(Some(at)) if at + 1 < masses.len() => self.peaks[at + 1].draw(draw),
                Some(Some(_)) => -self.background.1 * (1.0 - draw.even()).ln(),
                _ => self.peaks[0].draw(draw),
            };
            draw.timed(ns, self.tick)
        };
        (0..self.messages / self.launches).map(|_| time()).collect()
    }

    /// The truth about what lies between two times: part of the messages, of the time.
    fn between(&self, from: f64, to: f64) -> (f64, f64) {
        let (mass, mean) = self.background;
        let below = |at: f64| 1.0 - (-at.max(0.0) / mean).exp();
        let time_below = |at: f64| mean - (at.max(0.0) + mean) * (-at.max(0.0) / mean).exp();
        let mut part = mass * (below(to) - below(from));
        let (mut time, mut all) = (mass * (time_below(to) - time_below(from)), mass * mean);
        for peak in &self.peaks {
            let z = |at: f64| (at.max(1e-9) / peak.place).ln() / peak.sigma;
            let whole = peak.mass * peak.place * (peak.sigma * peak.sigma / 2.0).exp();
            part += peak.mass * (normal(z(to)) - normal(z(from)));
            time += whole * (normal(z(to) - peak.sigma) - normal(z(from) - peak.sigma));
            all += whole;
        }
        (part, time / all)
    }
}

impl Planted {
    fn draw(&self, draw: &mut Draw) -> f64 {
        self.place * (self.sigma * draw.normal()).exp()
    }

    /// The mode on the scale that peaks are looked for on: log, and linear where 1 % is less than
    /// the clock's step.
    fn mode(&self, tick: f64) -> f64 {
        let mut mode = self.place;
        for _ in 0..20 {
            let linear = tick * tick / (tick * tick + (mode / 100.0).powi(2));
            mode = self.place * (-self.sigma * self.sigma * linear).exp();
        }
        mode
    }
}

fn pick(masses: &[f64], mut at: f64) -> Option<usize> {
    masses.iter().position(|mass| {
        at -= mass;
        at < 0.0
    })
}

impl Rates {
    fn count(&mut self, recipe: &Recipe, peaks: &[Peak]) {
        self.runs += 1;
        self.planted += recipe.peaks.len();
        let mut matched = 0;
        for truth in &recipe.peaks {
            let near = |peak: &&Peak| {
                let off = (peak.place_ns / truth.place).ln().abs();
                off < (2.0 * truth.sigma).max(1.5 * recipe.tick / truth.place)
            };
            let Some(peak) = peaks.iter().find(near) else { continue };
            matched += 1;
            self.found += 1;
            let (mass, time) = recipe.between(peak.from_ns, peak.to_ns);
            let width = truth.place * 2.0 * (1.177_41 * truth.sigma).sinh();
            let truths = [truth.mode(recipe.tick), width, mass, time];
            let intervals = [
                peak.place_interval_ns,
                peak.width_interval_ns,
                peak.mass_interval,
                peak.time_interval,
            ];
            for ((held, truth), interval) in self.held.iter_mut().zip(truths).zip(intervals) {
                *held +=
                    usize::from(interval.is_some_and(|(low, high)| low <= truth && truth <= high));
            }
        }
        self.false_peaks += peaks.len().saturating_sub(matched);
    }
}

fn show(seed: u64, recipe: &Recipe, peaks: &[Peak]) {
    println!("seed {seed}: {recipe:?}");
    for p in peaks {
        println!(
            "   {:.0} {:?} width {:.0} {:?} mass {:.5} {:?} time {:.4} from {:.0} to {:.0} blocks \
            {:?} launches {:?} chance {:.1e}",
            p.place_ns,
            p.place_interval_ns,
            p.width_ns,
            p.width_interval_ns,
            p.mass,
            p.mass_interval,
            p.time_share,
            p.from_ns,
            p.to_ns,
            p.blocks,
            p.launches,
            p.chance
        );
    }
}

/// The normal distribution's F (Abramowitz & Stegun 7.1.26; good to 1e-7).
fn normal(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let terms = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let tail = terms.iter().fold(0.0, |sum, term| sum * t + term) * t * (-x * x).exp() / 2.0;
    if z > 0.0 { 1.0 - tail } else { tail }
}
