//! `fourstamp compare`: is B slower than A? Which of several runs is fastest? What changed along a
//! series?

mod folder;
mod several;
mod totals;
mod trend;

use crate::analyse::{Together, analyse_together};
use crate::args::CompareArgs;
use crate::show;
use anyhow::{Result, bail};
use document::Document;
use record::Origin;
use report::{Compared, ComparedSide};
use serde_json::{Map, Value};
use stats::analysis::{Analysis, Peak, Population, Stage};
use stats::compare::{
    Answer, Checked, CompareError, CompareOptions, Comparison, Measured, TotalDifference, compare,
    stage_of, without_messages,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A condition holds.
const HOLDS: u8 = 1;
/// A condition cannot be decided, and that matters.
const UNDECIDED: u8 = 3;

/// Compare, show, and say by the exit code whether a condition holds.
pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    let of_two = args.many.reference.is_none() && args.many.figure.is_none();
    match &args.runs[..] {
        _ if args.many.trend => trend::run(args),
        [] => two(args),
        [_, _] if of_two => two(args),
        [alone] => bail!(
            "{} is only one run: give two or more to compare, or --trend and a folder of runs",
            alone.display()
        ),
        _ => several::run(args),
    }
}

fn two(args: &CompareArgs) -> Result<ExitCode> {
    let (of_a, of_b) = paths(args);
    let filter = args.messages.filter();
    let (a, b) = (
        analyse_together(&of_a, args.seed, &filter)?,
        analyse_together(&of_b, args.seed, &filter)?,
    );
    refuse_a_run_twice(of_a.iter().zip(&a.origins).chain(of_b.iter().zip(&b.origins)))?;
    let options = options(args);
    let totals = totals::compared([&a.totals, &b.totals], &options);
    let comparison = match compared(&a, &b, &options) {
        Err(CompareError::NothingInCommon { .. })
            if !totals.is_empty() && options.conditions.is_empty() =>
        {
            without_messages((of_a.len(), of_b.len()), &options)
        }
        found => found?,
    };
    let (of_a, of_b) = (side(&of_a, &a), side(&of_b, &b));
    let compared = Compared { a: of_a, b: of_b, comparison: &comparison, totals: &totals };
    let figures = || show::figures(&with_messages(&compared));
    present(args, &compared.document(), "compared", figures)?;
    Ok(exit_code(comparison.conditions.iter(), args.strict))
}

fn compared(
    a: &Together,
    b: &Together,
    options: &CompareOptions,
) -> Result<Comparison, CompareError> {
    let stage = stage_of(&a.sample, &b.sample, options.stage)?;
    let peaks = [peaks(&a.analysis, stage), peaks(&b.analysis, stage)];
    compare(&a.sample, &b.sample, peaks, options)
}

fn options(args: &CompareArgs) -> CompareOptions {
    CompareOptions {
        seed: args.seed,
        confidence: args.confidence,
        least: args.least,
        stage: args.stage.map(Measured::from),
        conditions: args.fail_if.clone(),
    }
}

/// Show a comparison in the forms asked for; `first` is the table that `--csv` alone means.
fn present(
    args: &CompareArgs,
    document: &Document,
    first: &str,
    figures: impl FnOnce() -> Result<Map<String, Value>>,
) -> Result<()> {
    args.html.iter().try_for_each(|file| show::page(document, file))?;
    args.show.show_with(document, first, figures)?;
    let wrote = |file: &PathBuf| show::say(&format!("wrote {}\n", file.display()));
    args.html.iter().filter(|_| args.show.is_text()).try_for_each(wrote)
}

/// A run that was read, one of several.
struct OneRun {
    path: PathBuf,
    read: Together,
}

impl OneRun {
    fn read(path: &Path, args: &CompareArgs) -> Result<OneRun> {
        let filter = args.messages.filter();
        let read = analyse_together(&[path.to_path_buf()], args.seed, &filter)?;
        Ok(OneRun { path: path.to_path_buf(), read })
    }

    fn side(&self, name: String) -> ComparedSide<'_> {
        ComparedSide { name, facts: &self.read.facts, analysis: &self.read.analysis }
    }

    fn workload(&self) -> Option<&str> {
        self.read.facts.first().map(|facts| facts.workload.as_str())
    }

    fn title(&self) -> String {
        self.read.facts.first().map_or_else(String::new, report::Facts::title)
    }
}

/// Short names that tell these runs apart.
fn names(runs: &[OneRun]) -> Vec<String> {
    report::short_names(&runs.iter().map(|run| run.path.as_path()).collect::<Vec<_>>())
}

/// Refuse what cannot be compared whatever it shows: the same run twice, and runs of two products,
/// whose messages have nothing to do with each other.
fn refuse_mixtures(runs: &[OneRun]) -> Result<()> {
    refuse_a_run_twice(
        runs.iter().flat_map(|run| run.read.origins.iter().map(move |origin| (&run.path, origin))),
    )?;
    let Some((first, others)) = runs.split_first() else { return Ok(()) };
    // A run that was cut may lack what its product says of it, but not what it ran.
    let mixed = |other: &&OneRun| {
        other.read.products != first.read.products && other.workload() != first.workload()
    };
    match others.iter().find(mixed) {
        None => Ok(()),
        Some(other) => bail!(
            "cannot compare different kinds of runs: {} is {} and {} is {}; give runs of one kind",
            first.path.display(),
            first.title(),
            other.path.display(),
            other.title()
        ),
    }
}

/// Which of these runs is the reference that was asked for.
fn reference(args: &CompareArgs, runs: &[OneRun]) -> Result<Option<usize>> {
    let Some(wanted) = &args.many.reference else { return Ok(None) };
    let same = |path: &Path| path.components().eq(wanted.components());
    let names = names(runs);
    let named = || names.iter().position(|name| same(Path::new(name)));
    match runs.iter().position(|run| same(&run.path)).or_else(named) {
        Some(at) => Ok(Some(at)),
        None => bail!(
            "--reference {} is not among the runs; name one of them: {}",
            wanted.display(),
            names.join(", ")
        ),
    }
}

/// A comparison as JSON, with the messages that it is about.
#[derive(serde::Serialize)]
struct WithMessages<'a> {
    #[serde(flatten)]
    comparison: &'a Comparison,
    population: [&'a Population; 2],
    totals: &'a [TotalDifference],
}

fn with_messages<'a>(compared: &Compared<'a>) -> WithMessages<'a> {
    let population = [&compared.a.analysis.population, &compared.b.analysis.population];
    let totals = &compared.totals.differences;
    WithMessages { comparison: compared.comparison, population, totals }
}

fn paths(args: &CompareArgs) -> (Vec<PathBuf>, Vec<PathBuf>) {
    match &args.runs[..] {
        [a, b] => (vec![a.clone()], vec![b.clone()]),
        _ => (args.a.clone(), args.b.clone()),
    }
}

/// A run, or a copy of it, has no difference from itself; and given twice for one side its launches
/// would count twice.
fn refuse_a_run_twice<'a>(runs: impl Iterator<Item = (&'a PathBuf, &'a Origin)>) -> Result<()> {
    let mut seen: Vec<(&PathBuf, &Origin)> = Vec::new();
    for (path, origin) in runs {
        if let Some((other, _)) = seen.iter().find(|(_, other)| *other == origin) {
            bail!(
                "{} and {} are the same run; give each run once",
                other.display(),
                path.display()
            );
        }
        seen.push((path, origin));
    }
    Ok(())
}

fn side<'a>(paths: &[PathBuf], together: &'a Together) -> ComparedSide<'a> {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    ComparedSide { name: names.join(", "), facts: &together.facts, analysis: &together.analysis }
}

/// The peaks of what is compared.
pub fn peaks(analysis: &Analysis, stage: Measured) -> &[Peak] {
    let wanted = match stage {
        Measured::Cycle => return analysis.cycles.as_ref().map_or(&[], |cycles| &cycles.peaks),
        Measured::EndToEnd => Stage::EndToEnd,
        Measured::SendWait => Stage::SendWait,
        Measured::Transit => Stage::Transit,
        Measured::ReceiveWait => Stage::ReceiveWait,
    };
    analysis.stage(wanted).map_or(&[], |view| &view.peaks)
}

fn exit_code<'a>(all: impl Iterator<Item = &'a Checked> + Clone, strict: bool) -> ExitCode {
    let any = |answer: Answer| all.clone().any(|checked| checked.answer == answer);
    if any(Answer::Holds) {
        ExitCode::from(HOLDS)
    } else if strict && any(Answer::Undecided) {
        ExitCode::from(UNDECIDED)
    } else {
        ExitCode::SUCCESS
    }
}
