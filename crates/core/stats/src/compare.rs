//! Is B slower than A? Two runs, each of several launches.
//!
//! A run's quantile is here the geometric mean of its launches' quantiles, and the comparison is
//! between launches: messages of one launch are too much alike to tell how another would come out.
//! Per quantile: the logarithms of the launches' quantiles, each known no better than a bootstrap
//! over the launch's blocks says, compared by Welch's t (`contrast`). So the resampling is
//! hierarchical, with Student's t in place of the percentile method on the upper level, where three
//! to five launches are far too few for that.
//!
//! The verdict is Holm-corrected over the quantiles of one stage, and a difference below the least
//! effect that matters is none.

mod between;
mod change;
mod condition;
mod contrast;
mod differences;
mod gate;
mod holm;
mod launch;
mod level;
mod peak_side;
mod peaks;
mod place;
mod sample;
mod several;
mod shape;
mod totals;
mod trend;

use serde::{Deserialize, Serialize};

use crate::analysis::{Peak, Stage};

pub use between::{Between, Standing};
pub use change::{Change, ChangeKind, PART_LEAST, RUNS_LEAST};
pub use condition::{BadCondition, Condition, Figure, Limit};
pub use differences::{Difference, Outcome};
pub use gate::{Answer, Checked};
pub use peak_side::PeakSide;
pub use peaks::{PeakChange, PeakDifference, PeakMatch};
pub use sample::Sample;
pub use several::{
    Pair, RunChecked, RunFigure, RunFigures, Several, SeveralOptions, common_stage, several,
};
pub use shape::ShapeBin;
pub use totals::{Total, TotalDifference, totals};
pub use trend::{Course, Newest, Trend, TrendOptions, TrendPoint, trend};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// Stage A.
    EndToEnd,
    /// Stage B.
    SendWait,
    /// Stage C.
    Transit,
    /// Stage D.
    ReceiveWait,
    /// Round trips, relay rounds.
    Cycle,
}

impl Measured {
    /// All of them.
    pub const ALL: [Measured; 5] = STAGES;

    /// Its name in CSV and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Measured::EndToEnd => "end-to-end",
            Measured::SendWait => "send-wait",
            Measured::Transit => "transit",
            Measured::ReceiveWait => "receive-wait",
            Measured::Cycle => "cycle",
        }
    }
}

impl From<Stage> for Measured {
    fn from(stage: Stage) -> Measured {
        match stage {
            Stage::EndToEnd => Measured::EndToEnd,
            Stage::SendWait => Measured::SendWait,
            Stage::Transit => Measured::Transit,
            Stage::ReceiveWait => Measured::ReceiveWait,
        }
    }
}

pub(crate) const STAGES: [Measured; 5] = [
    Measured::EndToEnd,
    Measured::SendWait,
    Measured::Transit,
    Measured::ReceiveWait,
    Measured::Cycle,
];

/// How to compare.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareOptions {
    /// Seed of the bootstrap draws: the same runs and seed give the same answer.
    pub seed: u64,
    /// How sure a verdict must be: 0.95 for at most one false alarm in twenty comparisons of
    /// equals.
    pub confidence: f64,
    /// Differences smaller than this part do not matter.
    pub least: f64,
    /// What to compare; `None` for end-to-end time, or cycles where a run has nothing else.
    pub stage: Option<Measured>,
    /// Conditions to check.
    pub conditions: Vec<Condition>,
}

impl Default for CompareOptions {
    fn default() -> CompareOptions {
        CompareOptions {
            seed: 1,
            confidence: 0.95,
            least: 0.02,
            stage: None,
            conditions: Vec::new(),
        }
    }
}

/// Whether B is slower than A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// At some quantile, by as much as matters.
    Slower,
    /// At some quantile faster, at none slower.
    Faster,
    /// At no quantile by as much as matters.
    NotSlower,
    /// None of these is sure.
    Undecided,
}

/// What a comparison found. Times are in ns; changes are ratios, B's figure over A's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Over all quantiles of `stage`.
    pub verdict: Verdict,
    /// What was compared.
    pub stage: Measured,
    pub confidence: f64,
    /// As asked for: 0.02 for a factor of 1.02.
    pub least: f64,
    /// Launches of A and of B.
    pub launches: (usize, usize),
    /// Messages (or cycles) of A and of B.
    pub messages: (u64, u64),
    /// Of the stage that was compared: p10, p50, p90, p99, p99.9, as far as the launches have
    /// messages for them.
    pub quantiles: Vec<Difference>,
    /// Every other stage that both have: where a difference lies. Not part of the verdict, nor of
    /// the correction.
    pub elsewhere: Vec<(Measured, Vec<Difference>)>,
    /// Peaks of the stage, matched by place.
    pub peaks: Vec<PeakMatch>,
    /// The conditions, in the order given.
    pub conditions: Vec<Checked>,
    /// Both distributions over the same bins.
    pub shape: Vec<ShapeBin>,
}

/// Why two runs cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// Nothing was measured in both.
    #[error(
        "the runs have no stage in common: A has {a}, B has {b}; compare runs that record the same"
    )]
    NothingInCommon {
        /// What A has.
        a: String,
        /// What B has.
        b: String,
    },
    /// Nothing was measured in both of two among several.
    #[error(
        "{a} and {b} have no stage in common: {a} has {of_a}, {b} has {of_b}; compare runs that \
        record the same"
    )]
    NothingShared {
        /// One run.
        a: String,
        /// What it has.
        of_a: String,
        /// The other.
        b: String,
        /// What it has.
        of_b: String,
    },
    /// One of several holds nothing to compare.
    #[error("{run} has no messages to compare; leave it out, or measure it again")]
    NoMessages {
        /// Its name.
        run: String,
    },
    /// Not in all.
    #[error("{run} has no {stage}: it has {has}; choose a stage that every run has")]
    NoSuchStage {
        /// `A` or `B`, or its name.
        run: String,
        /// What was asked for.
        stage: &'static str,
        /// What there is.
        has: String,
    },
}

/// What to compare of these: as `wanted`, or end-to-end time, or cycles.
pub fn stage_of(
    a: &Sample,
    b: &Sample,
    wanted: Option<Measured>,
) -> Result<Measured, CompareError> {
    let (of_a, of_b) = (a.stages(), b.stages());
    if let Some(stage) = wanted {
        let lacks = [('A', &of_a), ('B', &of_b)].into_iter().find(|(_, has)| !has.contains(&stage));
        return match lacks {
            None => Ok(stage),
            Some((run, has)) => {
                let run = run.to_string();
                Err(CompareError::NoSuchStage { run, stage: stage.name(), has: listed(has) })
            }
        };
    }
    let both = |stage: &Measured| of_a.contains(stage) && of_b.contains(stage);
    let usual = [Measured::EndToEnd, Measured::Cycle].into_iter().chain(STAGES).find(both);
    usual.ok_or_else(|| CompareError::NothingInCommon { a: listed(&of_a), b: listed(&of_b) })
}

/// Compare B with A. `peaks` are those of the stage that [`stage_of`] chooses.
pub fn compare(
    a: &Sample,
    b: &Sample,
    peaks: [&[Peak]; 2],
    options: &CompareOptions,
) -> Result<Comparison, CompareError> {
    let stage = stage_of(a, b, options.stage)?;
    let sides = [a.launches_of(stage), b.launches_of(stage)];
    let quantiles = differences::quantiles(&sides, options);
    let common = STAGES.into_iter().filter(|other| *other != stage);
    let common = common.filter(|other| a.count(*other) > 0 && b.count(*other) > 0);
    let other = |stage: Measured| {
        (stage, differences::quantiles(&[a.launches_of(stage), b.launches_of(stage)], options))
    };
    Ok(Comparison {
        verdict: verdict(&quantiles, 1.0 - options.confidence),
        stage,
        confidence: options.confidence,
        least: options.least,
        launches: (sides[0].len(), sides[1].len()),
        messages: (a.count(stage), b.count(stage)),
        quantiles,
        elsewhere: common.map(other).collect(),
        peaks: peaks::matched(&sides, peaks, options),
        conditions: gate::check(&sides, options),
        shape: shape::shape(&a.whole(stage), &b.whole(stage)),
    })
}

/// Of so many runs of A and of B that have no message times in common: nothing is decided.
pub fn without_messages(launches: (usize, usize), options: &CompareOptions) -> Comparison {
    Comparison {
        verdict: Verdict::Undecided,
        stage: Measured::EndToEnd,
        confidence: options.confidence,
        least: options.least,
        launches,
        messages: (0, 0),
        quantiles: Vec::new(),
        elsewhere: Vec::new(),
        peaks: Vec::new(),
        conditions: Vec::new(),
        shape: Vec::new(),
    }
}

/// `level` is the chance of a false answer that is put up with.
fn verdict(quantiles: &[Difference], level: f64) -> Verdict {
    let any = |outcome: Outcome| quantiles.iter().any(|difference| difference.outcome == outcome);
    if any(Outcome::Slower) {
        Verdict::Slower
    } else if quantiles.iter().any(|difference| difference.is_surely_faster(level)) {
        Verdict::Faster
    } else if quantiles.is_empty() || any(Outcome::Undecided) {
        Verdict::Undecided
    } else {
        Verdict::NotSlower
    }
}

fn listed(stages: &[Measured]) -> String {
    let names: Vec<&str> = stages.iter().map(|stage| stage.name()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
