//! A series of runs in the order of their starts: what lasted, and what the newest one did.
//!
//! Two units of comparison stand beside each other. A run against another rests on their launches,
//! as any comparison of two. What lasts, and whether the newest run is like those before it, rests
//! on how *runs* differ, since a run an hour later differs by more than launches in turn do.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::between::{self, Asked, Between};
use super::change::{self, Change};
use super::contrast::{Contrast, Side};
use super::differences::Measurement;
use super::gate::{self, Checked};
use super::level::{Level, mean};
use super::several::RunFigure;
use super::{CompareOptions, Condition, Figure, Limit, Measured, Sample};
use crate::launches::{LAUNCHES_LEAST, Reason};

/// How to look at a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrendOptions {
    /// Looked at besides p50 and p99.
    pub figure: Figure,
    /// So many runs before the newest are what it is held against.
    pub last: usize,
    /// What each run is compared with, besides the one before it.
    pub reference: usize,
}

/// What a series shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    /// What was compared.
    pub stage: Measured,
    pub confidence: f64,
    /// As asked for: 0.02 for a factor of 1.02.
    pub least: f64,
    /// The run that each is compared with, besides the one before it.
    pub reference: usize,
    /// By run: its launches, its messages.
    pub runs: Vec<(usize, u64)>,
    /// One for each figure.
    pub courses: Vec<Course>,
    pub newest: Newest,
}

/// One figure along the series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Course {
    pub figure: Figure,
    /// By run; `None` where its launches have too few messages for the figure.
    pub points: Vec<Option<TrendPoint>>,
    /// What lasted, in order.
    pub changes: Vec<Change>,
}

/// A figure of one run of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrendPoint {
    #[serde(flatten)]
    pub level: RunFigure,
    /// Against the run before it that has the figure; corrected for all runs, for both questions.
    pub since_before: Option<Between>,
    /// Against the reference.
    pub since_reference: Option<Between>,
}

/// The newest run against those before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Newest {
    /// How many: as many as were asked for, or as there are.
    pub against: usize,
    /// At each figure; corrected for them.
    pub seen: Vec<(Figure, Between)>,
    /// The conditions, in the order given.
    pub conditions: Vec<Checked>,
}

/// Look at these runs, in order, all of which have `stage`.
pub fn trend(
    runs: &[&Sample],
    stage: Measured,
    asked: TrendOptions,
    options: &CompareOptions,
) -> Trend {
    let mut figures = vec![asked.figure];
    let usual = [Figure::Quantile(0.5), Figure::Quantile(0.99)];
    figures.extend(usual.into_iter().filter(|figure| *figure != asked.figure));
    let series = Series { runs, stage, options };
    let known: Vec<(Figure, Vec<Option<Level>>)> = figures
        .into_iter()
        .map(|figure| (figure, series.levels(figure, f64::ln)))
        .filter(|(_, levels)| levels.iter().any(Option::is_some))
        .collect();
    let changes = changes(&known, options);
    let newest = series.newest(&known, asked.last);
    let courses = known.iter().zip(changes);
    Trend {
        stage,
        confidence: options.confidence,
        least: options.least,
        reference: asked.reference,
        runs: runs.iter().map(|run| (run.launches(stage), run.count(stage))).collect(),
        courses: courses
            .map(|((figure, levels), changes)| {
                course(*figure, levels, asked.reference, changes, options)
            })
            .collect(),
        newest,
    }
}

/// The runs, and how they are looked at.
struct Series<'a> {
    runs: &'a [&'a Sample],
    stage: Measured,
    options: &'a CompareOptions,
}

impl Series<'_> {
    fn levels(&self, figure: Figure, scale: fn(f64) -> f64) -> Vec<Option<Level>> {
        let of = |run: &&Sample| {
            let mut random = Pcg64Mcg::seed_from_u64(self.options.seed);
            Level::of(&run.launches_of(self.stage), figure, scale, &mut random)
        };
        self.runs.iter().map(of).collect()
    }

    fn newest(&self, known: &[(Figure, Vec<Option<Level>>)], last: usize) -> Newest {
        let against = last.min(self.runs.len().saturating_sub(1));
        let newest = |levels: &[Option<Level>]| against_earlier(levels, against);
        let asked: Vec<(Figure, Asked)> = known
            .iter()
            .filter_map(|(figure, levels)| {
                let found = newest(levels)?;
                Some((*figure, (found.means.1 - found.means.0, found.contrast)))
            })
            .collect();
        let questions: Vec<Asked> = asked.iter().map(|(_, question)| *question).collect();
        let answers = between::answered(&questions, self.options).into_iter().map(of_runs);
        let measured = |condition: &Condition| {
            let scale: fn(f64) -> f64 =
                if matches!(condition.limit, Limit::Part(_)) { f64::ln } else { |value| value };
            newest(&self.levels(condition.figure, scale))
        };
        let conditions = self.options.conditions.iter();
        let all = conditions.map(|condition| (condition, measured(condition))).collect();
        let checked = gate::judged(all, self.options).into_iter();
        Newest {
            against,
            seen: asked.into_iter().map(|(figure, _)| figure).zip(answers).collect(),
            conditions: checked
                .map(|checked| Checked { reason: checked.reason.map(run_reason), ..checked })
                .collect(),
        }
    }
}

/// What lasted, at each figure. Runs without it are passed over.
fn changes(known: &[(Figure, Vec<Option<Level>>)], options: &CompareOptions) -> Vec<Vec<Change>> {
    let present = |levels: &[Option<Level>]| -> Vec<usize> {
        (0..levels.len()).filter(|at| levels[*at].is_some()).collect()
    };
    let values: Vec<Vec<f64>> = known
        .iter()
        .map(|(_, levels)| levels.iter().flatten().map(|level| level.mean).collect())
        .collect();
    let mut random = Pcg64Mcg::seed_from_u64(options.seed);
    let found = change::of_figures(&values, options.confidence, &mut random);
    let least = options.least.ln_1p();
    let matters = |change: &Change| change.ratio.ln().abs() >= least;
    known
        .iter()
        .zip(found)
        .map(|((_, levels), found)| {
            let at = present(levels);
            found.into_iter().filter(matters).map(|change| change.renumbered(&at)).collect()
        })
        .collect()
}

fn course(
    figure: Figure,
    levels: &[Option<Level>],
    reference: usize,
    changes: Vec<Change>,
    options: &CompareOptions,
) -> Course {
    let mut asked: Vec<Asked> = Vec::new();
    let mut questions = Vec::new();
    let mut before: Option<&Level> = None;
    for (at, level) in levels.iter().enumerate() {
        let of_reference = levels[reference].as_ref().filter(|_| at != reference);
        let mut ask = |other: Option<&Level>| {
            let (a, b) = (other?, level.as_ref()?);
            let sides = a.side().zip(b.side());
            asked.push((b.mean - a.mean, sides.map(|(a, b)| Contrast::between(&a, &b))));
            Some(asked.len() - 1)
        };
        questions.push((ask(before), ask(of_reference)));
        before = level.as_ref().or(before);
    }
    let answers = between::answered(&asked, options);
    let answer = |question: Option<usize>| question.map(|at| answers[at]);
    let point =
        |(level, (before, reference)): (&Option<Level>, &(Option<usize>, Option<usize>))| {
            Some(TrendPoint {
                level: RunFigure::of(figure, level.as_ref()?, 1.0 - options.confidence),
                since_before: answer(*before),
                since_reference: answer(*reference),
            })
        };
    Course { figure, points: levels.iter().zip(&questions).map(point).collect(), changes }
}

/// The newest run's figure against that of so many before it, as runs differ; `None` where it does
/// not have the figure, or none of those does.
fn against_earlier(levels: &[Option<Level>], against: usize) -> Option<Measurement> {
    let (newest, earlier) = levels.split_last()?;
    let newest = newest.as_ref()?;
    let earlier: Vec<&Level> =
        earlier[earlier.len() - against.min(earlier.len())..].iter().flatten().collect();
    if earlier.is_empty() {
        return None;
    }
    let values: Vec<f64> = earlier.iter().map(|level| level.mean).collect();
    // A run's own launches say how well its figure is known at best.
    let all = earlier.iter().copied().chain([newest]);
    let noises: Vec<f64> = all.map(Level::noise_of_mean).collect();
    let contrast =
        Side::of(&values, mean(&noises)).map(|side| Contrast::of_next(&side, newest.mean));
    Some(Measurement { means: (mean(&values), newest.mean), contrast })
}

/// The same of runs: below three of them nothing is known of how they differ.
fn of_runs(between: Between) -> Between {
    Between { reason: between.reason.map(run_reason), ..between }
}

fn run_reason(reason: Reason) -> Reason {
    if reason == Reason::TooFewLaunches { Reason::TooFewRuns } else { reason }
}

impl Change {
    /// The same, its runs numbered as `at` says.
    fn renumbered(self, at: &[usize]) -> Change {
        use super::change::ChangeKind::{Drift, Step};
        let kind = match self.kind {
            Step { first, between: (least, most) } => {
                Step { first: at[first], between: (at[least], at[most]) }
            }
            Drift { from, to } => Drift { from: at[from], to: at[to] },
        };
        Change { kind, ..self }
    }
}

impl Trend {
    /// Whether there are runs enough for the newest to be held against those before it.
    pub fn has_earlier(&self) -> bool {
        self.newest.against >= LAUNCHES_LEAST
    }
}
