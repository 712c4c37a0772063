//! Where along a series of runs a lasting change happened.
//!
//! A run is one value here, the logarithm of its figure, because runs differ from each other by
//! more than their launches show: another hour, another neighbour. Three models are fitted to a
//! series: a step at any place, a stretch that is off between any two places, and a straight
//! line, which is a drift; each part has at least three runs. The best by Schwarz's criterion
//! (1978) is kept. How likely so good a fit is by chance is answered by shuffling the runs (a
//! permutation test of the best of all fits, so that having looked at every place is allowed
//! for; exact for runs that could as well have come in another order, whatever their
//! distribution: Good 2005). The parts that a step leaves are searched again at a share of the
//! level (binary segmentation: Scott & Knott 1974; with stretches, as Olshen et al. 2004 do).
//!
//! What it cannot do: below eight runs no order is rare enough; a machine whose speed wanders from
//! hour to hour does not give exchangeable runs, and its wandering is found.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::contrast::{Contrast, Side};
use super::level::mean;
use crate::student;

/// Runs on either side of a change: fewer do not make it last.
pub const PART_LEAST: usize = 3;
/// Runs below which nothing is sought: of seven, even a perfect step comes by shuffling in one of
/// eighteen orders.
pub const RUNS_LEAST: usize = 8;
/// By so much must Schwarz's criterion of one form be better to rule the other out (strong
/// evidence: Kass & Raftery 1995).
const CLEARLY: f64 = 6.0;
const SHUFFLES: usize = 1999;
const RESAMPLES: usize = 400;

/// A lasting change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub kind: ChangeKind,
    /// The figure after it over the figure before it; of a drift, the line's end over its begin.
    pub ratio: f64,
    /// Its interval, by how runs differ.
    pub interval: Option<(f64, f64)>,
    /// How likely runs in any order show as much, corrected for all places.
    pub chance: f64,
    /// Whether the other form, a drift for a step and a step for a drift, fits clearly worse.
    pub form_is_clear: bool,
}

/// Its form. Runs are numbered along the series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// From one run to the next.
    Step {
        /// The first run after it, as it fits best.
        first: usize,
        /// The earliest and the latest run that may be the first after it.
        between: (usize, usize),
    },
    /// A little from run to run.
    Drift {
        /// The first and the last run of the series in which it is seen.
        from: usize,
        to: usize,
    },
}

/// What a series may be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Model {
    Step(usize),
    /// Off from the first to before the second of these places.
    Stretch(usize, usize),
    Line,
}

/// The changes in `values`, logarithms in order, in the order of the series. `level` is the chance
/// of seeing any where there is none; `confidence` is that of intervals and places.
pub(super) fn search(
    values: &[f64],
    level: f64,
    confidence: f64,
    random: &mut Pcg64Mcg,
) -> Vec<Change> {
    let mut found = Vec::new();
    let mut waiting = vec![(0, values.len(), level)];
    while let Some((from, to, level)) = waiting.pop() {
        let part = &values[from..to];
        let Some(fit) = Fit::of(part, level, random) else { continue };
        let outside = 1.0 - confidence;
        let mut step = |begin: usize, at: usize, end: usize| {
            let change = step(&part[begin..end], at - begin, &fit, outside, random);
            found.push(shifted(change, from + begin));
        };
        match fit.model {
            Model::Line => found.push(shifted(drift(part, &fit, outside), from)),
            Model::Step(at) => {
                step(0, at, part.len());
                let middle = from + at;
                waiting.extend([(from, middle, level / 2.0), (middle, to, level / 2.0)]);
            }
            Model::Stretch(begin, end) => {
                step(0, begin, end);
                step(begin, end, part.len());
                let ends = [(from, from + begin), (from + begin, from + end), (from + end, to)];
                waiting.extend(ends.map(|(from, to)| (from, to, level / 3.0)));
            }
        }
    }
    found.sort_by_key(Change::first);
    found
}

impl Change {
    /// The first run that it concerns.
    pub fn first(&self) -> usize {
        match self.kind {
            ChangeKind::Step { first, .. } => first,
            ChangeKind::Drift { from, .. } => from,
        }
    }
}

fn shifted(change: Change, by: usize) -> Change {
    let kind = match change.kind {
        ChangeKind::Step { first, between: (least, most) } => {
            ChangeKind::Step { first: first + by, between: (least + by, most + by) }
        }
        ChangeKind::Drift { from, to } => ChangeKind::Drift { from: from + by, to: to + by },
    };
    Change { kind, ..change }
}

/// What a series shows.
struct Fit {
    model: Model,
    /// How likely any model fits shuffled values as well.
    chance: f64,
    is_clear: bool,
}

impl Fit {
    /// `None` where the chance is not below `level`.
    fn of(values: &[f64], level: f64, random: &mut Pcg64Mcg) -> Option<Fit> {
        if values.len() < RUNS_LEAST {
            return None;
        }
        let mean = mean(values);
        let whole: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        // Rounding is no change.
        if whole <= 1e-18 {
            return None;
        }
        let [line, steps] = best_of_each(values, whole);
        let of_all = |[line, steps]: [(f64, Model); 2]| if line.0 > steps.0 { line } else { steps };
        let (gain, model) = of_all([line, steps]);
        let mut shuffled = values.to_vec();
        let mut as_well = 1;
        for _ in 0..SHUFFLES {
            for last in (1..shuffled.len()).rev() {
                shuffled.swap(last, random.random_range(0..=last));
            }
            as_well += usize::from(of_all(best_of_each(&shuffled, whole)).0 >= gain - 1e-9);
        }
        let chance = as_well as f64 / (SHUFFLES + 1) as f64;
        let is_clear = (line.0 - steps.0).abs() >= CLEARLY;
        (chance < level).then_some(Fit { model, chance, is_clear })
    }
}

/// The line, and the best of all steps and stretches, each with what it gains by Schwarz's
/// criterion. `whole` is the sum of squares about the mean.
fn best_of_each(values: &[f64], whole: f64) -> [(f64, Model); 2] {
    let count = values.len() as f64;
    let gain = |explained: f64, parameters: f64| {
        let left = (1.0 - explained / whole).max(1e-12);
        -count * left.ln() - parameters * count.ln()
    };
    // One run at either end makes no drift.
    let inner = [values, &values[1..], &values[..values.len() - 1]];
    let line = inner.map(on_line).into_iter().fold(1.0, f64::min) * whole;
    let off = from_mean(values);
    let mut best = (f64::NEG_INFINITY, Model::Step(PART_LEAST));
    let mut consider = |gain: f64, model: Model| {
        if gain > best.0 {
            best = (gain, model);
        }
    };
    for begin in PART_LEAST..=values.len() - PART_LEAST {
        let explained = off_mean(off[begin], begin as f64, count);
        consider(gain(explained, 2.0), Model::Step(begin));
        for end in begin + PART_LEAST..=values.len() - PART_LEAST {
            let explained = off_mean(off[end] - off[begin], (end - begin) as f64, count);
            consider(gain(explained, 3.0), Model::Stretch(begin, end));
        }
    }
    [(gain(line, 1.0), Model::Line), best]
}

/// By place: the sum of all values before it, less the mean of all for each.
fn from_mean(values: &[f64]) -> Vec<f64> {
    let mean = mean(values);
    let sums = values.iter().scan(0.0, |sum, value| {
        *sum += value - mean;
        Some(*sum)
    });
    std::iter::once(0.0).chain(sums).collect()
}

/// The sum of squares that is explained by `part` of `count` values whose sum is `off` that of the
/// mean.
fn off_mean(off: f64, part: f64, count: f64) -> f64 {
    off * off * count / (part * (count - part))
}

/// The part of the sum of squares that a straight line explains.
fn on_line(values: &[f64]) -> f64 {
    let (count, mean) = (values.len() as f64, mean(values));
    let middle = (count - 1.0) / 2.0;
    let (mut along, mut whole) = (0.0, 0.0);
    for (at, value) in values.iter().enumerate() {
        along += (at as f64 - middle) * (value - mean);
        whole += (value - mean).powi(2);
    }
    let explained = along * along / (count * (count * count - 1.0) / 12.0);
    if whole > 0.0 { explained / whole } else { 0.0 }
}

fn step(values: &[f64], at: usize, fit: &Fit, outside: f64, random: &mut Pcg64Mcg) -> Change {
    let (before, after) = values.split_at(at);
    let contrast = Side::of(before, 0.0)
        .zip(Side::of(after, 0.0))
        .map(|(before, after)| Contrast::between(&before, &after));
    Change {
        kind: ChangeKind::Step { first: at, between: place(values, at, outside, random) },
        ratio: (mean(after) - mean(before)).exp(),
        interval: contrast.and_then(|contrast| contrast.ratio_interval(outside).ok()),
        chance: fit.chance,
        form_is_clear: fit.is_clear,
    }
}

/// Where else the step may be: where it is found when what the step leaves is drawn anew about it.
fn place(values: &[f64], at: usize, outside: f64, random: &mut Pcg64Mcg) -> (usize, usize) {
    let (before, after) = values.split_at(at);
    let means = [mean(before), mean(after)];
    let side = |place: usize| means[usize::from(place >= at)];
    let n = values.len();
    // Two means are fitted, so what is left is a little smaller than what was.
    let scale = (n as f64 / (n as f64 - 2.0)).sqrt();
    let left: Vec<f64> =
        values.iter().enumerate().map(|(place, value)| (value - side(place)) * scale).collect();
    let mut places: Vec<usize> = (0..RESAMPLES)
        .map(|_| {
            let drawn: Vec<f64> =
                (0..n).map(|place| side(place) + left[random.random_range(0..n)]).collect();
            best_step(&drawn)
        })
        .collect();
    places.sort_unstable();
    let cut = (RESAMPLES as f64 * outside / 2.0) as usize;
    (places[cut].min(at), places[RESAMPLES - 1 - cut].max(at))
}

fn best_step(values: &[f64]) -> usize {
    let off = from_mean(values);
    let explained = |at: &usize| off_mean(off[*at], *at as f64, values.len() as f64);
    let places = PART_LEAST..=values.len() - PART_LEAST;
    places.max_by(|a, b| explained(a).total_cmp(&explained(b))).unwrap_or(PART_LEAST)
}

/// A straight line by least squares, from its begin to its end.
fn drift(values: &[f64], fit: &Fit, outside: f64) -> Change {
    let n = values.len() as f64;
    let (mean, middle) = (mean(values), (n - 1.0) / 2.0);
    let square = n * (n * n - 1.0) / 12.0;
    let off = |(at, value): (usize, &f64)| (at as f64 - middle) * (value - mean);
    let slope = values.iter().enumerate().map(off).sum::<f64>() / square;
    let left = |(at, value): (usize, &f64)| (value - mean - slope * (at as f64 - middle)).powi(2);
    let variance = values.iter().enumerate().map(left).sum::<f64>() / (n - 2.0);
    let whole = slope * (n - 1.0);
    let half = student::critical(outside, n - 2.0) * (variance / square).sqrt() * (n - 1.0);
    Change {
        kind: ChangeKind::Drift { from: 0, to: values.len() - 1 },
        ratio: whole.exp(),
        interval: crate::launches::of_ratio(whole, half).ok(),
        chance: fit.chance,
        form_is_clear: fit.is_clear,
    }
}

/// The changes of several figures of one series: each is sought at its part of the level, so that
/// all together give no more false alarms than one.
pub(super) fn of_figures(
    figures: &[Vec<f64>],
    confidence: f64,
    random: &mut Pcg64Mcg,
) -> Vec<Vec<Change>> {
    let level = (1.0 - confidence) / figures.len().max(1) as f64;
    figures.iter().map(|values| search(values, level, confidence, random)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn random(seed: u64) -> Pcg64Mcg {
        Pcg64Mcg::seed_from_u64(seed)
    }

    /// Values that waver by a per cent or so.
    fn values(count: usize, of: impl Fn(usize) -> f64) -> Vec<f64> {
        let waver = [0.004, -0.006, 0.001, 0.008, -0.003, -0.007, 0.002, 0.005, -0.004];
        (0..count).map(|at| of(at) + waver[at * 7 % 9]).collect()
    }

    fn found(values: &[f64]) -> Vec<Change> {
        search(values, 0.05, 0.95, &mut random(1))
    }

    #[test]
    fn a_step_is_found_where_it_is_with_its_size() {
        let found = found(&values(20, |at| if at < 13 { 2.0 } else { 2.3 }));
        let [change] = &found[..] else { panic!("{found:?}") };
        assert_eq!(change.kind, ChangeKind::Step { first: 13, between: (13, 13) });
        let (low, high) = change.interval.expect("an interval");
        assert!(low < 0.3_f64.exp() && 0.3_f64.exp() < high && low > 1.33, "{change:?}");
    }

    #[test]
    fn up_and_down_again_are_two_steps_in_order() {
        let found = found(&values(30, |at| if (10..20).contains(&at) { 1.4 } else { 1.0 }));
        let firsts: Vec<usize> = found.iter().map(Change::first).collect();
        assert_eq!(firsts, [10, 20], "{found:?}");
        assert!(found[0].ratio > 1.4 && found[1].ratio < 0.72);
    }

    #[test]
    fn a_drift_is_no_step() {
        let found = found(&values(24, |at| 3.0 + 0.01 * at as f64));
        let [change] = &found[..] else { panic!("{found:?}") };
        assert_eq!(change.kind, ChangeKind::Drift { from: 0, to: 23 });
        assert!(change.interval.is_some_and(|(low, high)| low < 1.259 && 1.259 < high));
    }

    #[test]
    fn level_series_and_short_ones_have_none() {
        assert_eq!(found(&[1.0; 30]), []);
        assert_eq!(found(&values(30, |_| 1.0)), []);
        assert_eq!(found(&values(7, |at| if at < 4 { 1.0 } else { 9.0 })), []);
        assert_eq!(found(&values(8, |at| if at < 4 { 1.0 } else { 2.0 })).len(), 1, "eight do");
    }

    /// Each model explains what it is made of, and the formulas agree with plain sums of squares.
    #[test]
    fn what_is_explained_is_the_sum_of_squares() {
        let step: Vec<f64> = (0..10).map(|at| if at < 4 { 0.0 } else { 1.0 }).collect();
        assert_eq!(best_of_each(&step, 2.4)[1].1, Model::Step(4));
        let off = from_mean(&step);
        assert!((off_mean(off[4], 4.0, 10.0) - 2.4).abs() < 1e-12, "10 · 0.4 · 0.6");
        let line: Vec<f64> = (0..10).map(f64::from).collect();
        let [of_line, of_steps] = best_of_each(&line, 82.5);
        assert!(of_line.0 > of_steps.0 + CLEARLY && of_line.1 == Model::Line);
        assert!((on_line(&line) - 1.0).abs() < 1e-12);
        assert!((on_line(&step) - 0.727).abs() < 0.001, "of 2.4: (24 / 2)² / 82.5");
        let stretch: Vec<f64> =
            (0..12).map(|at| f64::from(u8::from((4..8).contains(&at)))).collect();
        assert_eq!(best_of_each(&stretch, 12.0 / 4.5)[1].1, Model::Stretch(4, 8));
        assert_eq!(best_step(&step), 4);
    }
}
