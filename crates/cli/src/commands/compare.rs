//! `fourstamp compare`: is B slower than A?

use crate::analyse::{Together, analyse_together};
use crate::args::CompareArgs;
use crate::show;
use anyhow::{Result, bail};
use record::Origin;
use report::{Compared, ComparedSide};
use stats::analysis::{Analysis, Peak, Population, Stage};
use stats::compare::{Answer, CompareOptions, Comparison, Measured, compare, stage_of};
use std::path::PathBuf;
use std::process::ExitCode;

/// A condition holds.
const HOLDS: u8 = 1;
/// A condition cannot be decided, and that matters.
const UNDECIDED: u8 = 3;

/// Compare, show, and say by the exit code whether a condition holds.
pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    let (of_a, of_b) = paths(args);
    let filter = args.messages.filter();
    let (a, b) = (
        analyse_together(&of_a, args.seed, &filter)?,
        analyse_together(&of_b, args.seed, &filter)?,
    );
    refuse_a_run_twice(of_a.iter().zip(&a.origins).chain(of_b.iter().zip(&b.origins)))?;
    let options = CompareOptions {
        seed: args.seed,
        confidence: args.confidence,
        least: args.least,
        stage: args.stage.map(Measured::from),
        conditions: args.fail_if.clone(),
    };
    let stage = stage_of(&a.sample, &b.sample, options.stage)?;
    let peaks = [peaks(&a.analysis, stage), peaks(&b.analysis, stage)];
    let comparison = compare(&a.sample, &b.sample, peaks, &options)?;
    let compared = Compared { a: side(&of_a, &a), b: side(&of_b, &b), comparison: &comparison };
    let document = compared.document();
    args.html.iter().try_for_each(|file| show::page(&document, file))?;
    args.show.show_with(&document, "compared", || show::figures(&with_messages(&compared)))?;
    let wrote = |file: &PathBuf| show::say(&format!("wrote {}\n", file.display()));
    args.html.iter().filter(|_| args.show.is_text()).try_for_each(wrote)?;
    Ok(exit_code(&comparison, args.strict))
}

/// A comparison as JSON, with the messages that it is about.
#[derive(serde::Serialize)]
struct WithMessages<'a> {
    #[serde(flatten)]
    comparison: &'a Comparison,
    population: [&'a Population; 2],
}

fn with_messages<'a>(compared: &Compared<'a>) -> WithMessages<'a> {
    let population = [&compared.a.analysis.population, &compared.b.analysis.population];
    WithMessages { comparison: compared.comparison, population }
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
                "{} and {} are the same run; give each run once, and compare it with another",
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

fn exit_code(comparison: &Comparison, strict: bool) -> ExitCode {
    let any = |answer: Answer| comparison.conditions.iter().any(|checked| checked.answer == answer);
    if any(Answer::Holds) {
        ExitCode::from(HOLDS)
    } else if strict && any(Answer::Undecided) {
        ExitCode::from(UNDECIDED)
    } else {
        ExitCode::SUCCESS
    }
}
