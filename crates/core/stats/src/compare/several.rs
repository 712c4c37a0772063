//! Several runs at one figure: each against each other, or each against one of them.
//!
//! Launches are the unit, as between two runs. Of six runs there are fifteen pairs, and fifteen
//! chances of a false alarm: what is said of them is corrected for all.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::between::{self, Asked, Between};
use super::contrast::Contrast;
use super::differences::Measurement;
use super::gate::{self, Checked};
use super::level::Level;
use super::{CompareError, CompareOptions, Condition, Figure, Limit, Measured, STAGES, Sample};
use crate::launches::on_log_scale;

/// What comparing several runs found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Several {
    /// What was compared.
    pub stage: Measured,
    /// At which figure.
    pub figure: Figure,
    pub confidence: f64,
    /// As asked for: 0.02 for a factor of 1.02.
    pub least: f64,
    /// In the order given.
    pub runs: Vec<RunFigures>,
    /// What all others are compared with, if they are not with each other.
    pub reference: Option<usize>,
    /// The pairs that were asked about; Holm-corrected over them.
    pub pairs: Vec<Pair>,
    /// Conditions on each run but the reference, Holm-corrected over all of them.
    pub conditions: Vec<RunChecked>,
}

/// One run's figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFigures {
    pub launches: usize,
    /// Messages, or cycles.
    pub messages: u64,
    /// The figure that is compared, then p50 and p99; those that its launches have messages for.
    pub figures: Vec<RunFigure>,
}

/// A figure of one run, ns: the geometric mean of its launches'.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFigure {
    pub figure: Figure,
    pub value_ns: f64,
    /// Between launches; `None` below three of them, and where it is so wide that it says nothing.
    pub interval_ns: Option<(f64, f64)>,
}

/// Two runs, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    pub a: usize,
    pub b: usize,
    /// How B stands to A.
    #[serde(flatten)]
    pub between: Between,
}

/// What became of a condition on one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunChecked {
    pub run: usize,
    #[serde(flatten)]
    pub checked: Checked,
}

/// What to compare of all these, and at which figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeveralOptions {
    pub figure: Figure,
    /// What the others are compared with; `None` for each with each other.
    pub reference: Option<usize>,
}

impl Several {
    /// How `row` stands to `column`, if that was asked.
    pub fn of(&self, row: usize, column: usize) -> Option<Between> {
        let found = self.pairs.iter().find_map(|pair| match (pair.a, pair.b) {
            (a, b) if (a, b) == (column, row) => Some((pair.between, false)),
            (a, b) if (a, b) == (row, column) => Some((pair.between, true)),
            _ => None,
        });
        found.map(|(between, turn)| if turn { turned(between) } else { between })
    }

    /// The runs from the fastest to the slowest; those without the figure last.
    pub fn order(&self) -> Vec<usize> {
        let value =
            |run: &usize| self.runs[*run].at(self.figure).map_or(f64::MAX, |of| of.value_ns);
        let mut order: Vec<usize> = (0..self.runs.len()).collect();
        order.sort_by(|a, b| value(a).total_cmp(&value(b)));
        order
    }
}

impl RunFigures {
    /// One of its figures.
    pub fn at(&self, figure: Figure) -> Option<&RunFigure> {
        self.figures.iter().find(|of| of.figure == figure)
    }

    pub(super) fn of(
        sample: &Sample,
        stage: Measured,
        wanted: Figure,
        options: &CompareOptions,
    ) -> RunFigures {
        let launches = sample.launches_of(stage);
        let mut figures = vec![wanted];
        let usual = [Figure::Quantile(0.5), Figure::Quantile(0.99)];
        figures.extend(usual.into_iter().filter(|figure| *figure != wanted));
        let of = |figure| {
            let mut random = Pcg64Mcg::seed_from_u64(options.seed);
            let level = Level::of(&launches, figure, f64::ln, &mut random)?;
            Some(RunFigure::of(figure, &level, 1.0 - options.confidence))
        };
        RunFigures {
            launches: launches.len(),
            messages: sample.count(stage),
            figures: figures.into_iter().filter_map(of).collect(),
        }
    }
}

impl RunFigure {
    pub(super) fn of(figure: Figure, level: &Level, outside: f64) -> RunFigure {
        let ends = level.side().and_then(|side| on_log_scale(level.mean, side.half(outside)).ok());
        RunFigure { figure, value_ns: level.mean.exp(), interval_ns: ends }
    }
}

/// What to compare of all of these: as `wanted`, or end-to-end time, or cycles. `names` are said in
/// errors.
pub fn common_stage(
    runs: &[&Sample],
    names: &[String],
    wanted: Option<Measured>,
) -> Result<Measured, CompareError> {
    for (run, name) in runs.iter().zip(names) {
        if run.stages().is_empty() {
            return Err(CompareError::NoMessages { run: name.clone() });
        }
    }
    if let Some(stage) = wanted {
        let lacks = runs.iter().zip(names).find(|(run, _)| !run.stages().contains(&stage));
        return lacks.map_or(Ok(stage), |(run, name)| {
            let has = super::listed(&run.stages());
            Err(CompareError::NoSuchStage { run: name.clone(), stage: stage.name(), has })
        });
    }
    let usual = [Measured::EndToEnd, Measured::Cycle].into_iter().chain(STAGES);
    let all = |stage: &Measured| runs.iter().all(|run| run.stages().contains(stage));
    usual.clone().find(all).ok_or_else(|| {
        let has = |at: usize| super::listed(&runs[at].stages());
        let other = (1..runs.len())
            .find(|at| !runs[0].stages().iter().any(|stage| runs[*at].stages().contains(stage)))
            .unwrap_or(runs.len() - 1);
        CompareError::NothingShared {
            a: names[0].clone(),
            of_a: has(0),
            b: names[other].clone(),
            of_b: has(other),
        }
    })
}

/// Compare these runs, of which all have `stage`.
pub fn several(
    runs: &[&Sample],
    stage: Measured,
    asked: SeveralOptions,
    options: &CompareOptions,
) -> Several {
    let level = |sample: &&Sample, figure: Figure, scale: fn(f64) -> f64| {
        let mut random = Pcg64Mcg::seed_from_u64(options.seed);
        Level::of(&sample.launches_of(stage), figure, scale, &mut random)
    };
    let levels: Vec<Option<Level>> =
        runs.iter().map(|run| level(run, asked.figure, f64::ln)).collect();
    let pairs = pairs(&levels, asked.reference);
    let questions: Vec<Asked> = pairs.iter().map(|(a, b)| question(&levels, *a, *b)).collect();
    let answers = between::answered(&questions, options);
    let of = |((a, b), between)| Pair { a, b, between };
    let measured = |run: usize, condition: &Condition| {
        let scale: fn(f64) -> f64 =
            if matches!(condition.limit, Limit::Part(_)) { f64::ln } else { |value| value };
        let of = |at: usize| level(&runs[at], condition.figure, scale);
        Some(measurement(&of(asked.reference?)?, &of(run)?))
    };
    Several {
        stage,
        figure: asked.figure,
        confidence: options.confidence,
        least: options.least,
        runs: runs.iter().map(|run| RunFigures::of(run, stage, asked.figure, options)).collect(),
        reference: asked.reference,
        pairs: pairs.into_iter().zip(answers).map(of).collect(),
        conditions: checked(runs.len(), asked.reference, &measured, options),
    }
}

/// Every two runs that have the figure, or all with the reference.
fn pairs(levels: &[Option<Level>], reference: Option<usize>) -> Vec<(usize, usize)> {
    let known: Vec<usize> = (0..levels.len()).filter(|at| levels[*at].is_some()).collect();
    match reference {
        Some(one) if !known.contains(&one) => Vec::new(),
        Some(one) => known.into_iter().filter(|at| *at != one).map(|at| (one, at)).collect(),
        None => {
            let after = |a: usize| known.iter().copied().filter(move |b| *b > a);
            known.iter().flat_map(|a| after(*a).map(|b| (*a, b))).collect()
        }
    }
}

fn question(levels: &[Option<Level>], a: usize, b: usize) -> Asked {
    let (Some(a), Some(b)) = (&levels[a], &levels[b]) else { return (0.0, None) };
    let measured = measurement(a, b);
    (measured.means.1 - measured.means.0, measured.contrast)
}

fn measurement(a: &Level, b: &Level) -> Measurement {
    let sides = a.side().zip(b.side());
    let contrast = sides.map(|(a, b)| Contrast::between(&a, &b));
    Measurement { means: (a.mean, b.mean), contrast }
}

fn checked(
    runs: usize,
    reference: Option<usize>,
    measured: &dyn Fn(usize, &Condition) -> Option<Measurement>,
    options: &CompareOptions,
) -> Vec<RunChecked> {
    if reference.is_none() {
        return Vec::new();
    }
    let others = (0..runs).filter(|run| Some(*run) != reference);
    let all: Vec<(usize, &Condition)> =
        others.flat_map(|run| options.conditions.iter().map(move |one| (run, one))).collect();
    let questions = all.iter().map(|(run, one)| (*one, measured(*run, one))).collect();
    let answers = gate::judged(questions, options);
    all.into_iter().zip(answers).map(|((run, _), checked)| RunChecked { run, checked }).collect()
}

/// A against B.
fn turned(between: Between) -> Between {
    Between {
        ratio: 1.0 / between.ratio,
        interval: between.interval.map(|(low, high)| (1.0 / high, 1.0 / low)),
        standing: between.standing.turned(),
        ..between
    }
}
