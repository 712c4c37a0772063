//! `cargo xtask test`: every check there is, each run even if one before it failed, and a table of
//! how they went.
//!
//! CI runs this and nothing else, so a green run on a desk means a green run there.

mod beside;
mod built;
mod dist;
mod harness;
mod lanes;
mod programs;
mod reading;
mod readme;
mod slurm;
mod steps;
mod tally;

use crate::install;
use crate::workspace::{Build, Workspace};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};
use steps::{Part, STEPS, Step};
use tally::Tally;

/// What to run.
#[derive(Args, Debug, Default)]
pub struct Options {
    /// Only what fits into the inner loop: format, rules, lints and the tests, and nothing
    /// installed.
    #[arg(long)]
    quick: bool,
    /// Where the finished program is tested, take the release build, which takes minutes more,
    /// and not what was built for the tests.
    #[arg(long)]
    release: bool,
    /// Only these steps, by name.
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    only: Vec<String>,
    /// Name the steps and stop.
    #[arg(long)]
    list: bool,
    /// Write how the only step went to this file, and no summary: for a step beside others.
    #[arg(long, value_name = "FILE", hide = true)]
    outcome: Option<PathBuf>,
}

/// How one step went.
#[derive(Serialize, Deserialize)]
struct Outcome {
    name: String,
    time: Duration,
    tally: Tally,
    error: Option<String>,
}

/// Runs the chosen steps; whether none failed.
pub fn run(mut workspace: Workspace, options: &Options) -> Result<bool> {
    let steps = choose(options)?;
    if options.release {
        workspace.finished = Build::Release;
    }
    let workspace = &workspace;
    if options.list {
        steps.iter().for_each(|step| println!("{:<14}{}", step.name, step.what));
        return Ok(true);
    }
    let outcomes = match &options.outcome {
        Some(file) => {
            let outcomes: Vec<_> = steps.iter().map(|step| run_step(workspace, step)).collect();
            keep(file, &outcomes[0])?;
            outcomes
        }
        None => {
            let outcomes = run_steps(workspace, &steps, !options.quick)?;
            print!("{}", summary(&outcomes));
            outcomes
        }
    };
    Ok(outcomes.iter().all(|outcome| outcome.tally.failed == 0))
}

fn choose(options: &Options) -> Result<Vec<&'static Step>> {
    if let Some(unknown) =
        options.only.iter().find(|name| STEPS.iter().all(|step| step.name != **name))
    {
        let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        bail!("no step {unknown}; there are {}", names.join(", "));
    }
    let wanted = |step: &&Step| match options.only.as_slice() {
        [] => matches!(step.part, Part::Bare | Part::Quick) || !options.quick,
        only => only.iter().any(|name| name == step.name),
    };
    Ok(STEPS.iter().filter(wanted).collect())
}

/// For whoever started this step beside others.
fn keep(file: &Path, outcome: &Outcome) -> Result<()> {
    let cannot = || format!("cannot write {}", file.display());
    serde_json::to_writer(File::create(file).with_context(cannot)?, outcome).with_context(cannot)
}

/// Runs them in order, the last of them two at a time.
fn run_steps(
    workspace: &Workspace,
    steps: &[&'static Step],
    install: bool,
) -> Result<Vec<Outcome>> {
    let (beside, alone): (Vec<_>, Vec<_>) =
        steps.iter().partition(|step| steps.len() > 1 && step.part == Part::Beside);
    let mut outcomes = run_alone(workspace, &alone, install);
    outcomes.extend(beside::run(workspace, &beside)?);
    Ok(outcomes)
}

/// Runs each by itself; what they need is installed beside the first of them, if it is to be.
fn run_alone(workspace: &Workspace, steps: &[&'static Step], install: bool) -> Vec<Outcome> {
    thread::scope(|threads| {
        let mut installing = install.then(|| {
            println!("==> install what the tests need");
            threads.spawn(|| install::all(workspace))
        });
        let one = |step: &&'static Step| {
            if step.part != Part::Bare {
                // A panic of that thread's is shown, and what then is missing is told by its test.
                installing.take().map(ScopedJoinHandle::join);
            }
            run_step(workspace, step)
        };
        steps.iter().map(one).collect()
    })
}

fn run_step(workspace: &Workspace, step: &Step) -> Outcome {
    println!("\n==> {}: {}", step.name, step.what);
    let started = Instant::now();
    let mut tally = Tally::default();
    let error = (step.run)(workspace, &mut tally).err().map(|error| format!("{error:#}"));
    tally.close(error.is_some());
    let outcome = Outcome { name: step.name.into(), time: started.elapsed(), tally, error };
    println!("{}", line(&outcome));
    outcome
}

/// One line about one step.
fn line(outcome: &Outcome) -> String {
    let Outcome { name, time, tally, error } = outcome;
    let verdict = match tally {
        Tally { failed: 1.., .. } => "failed",
        Tally { passed: 0, .. } => "skipped",
        _ => "passed",
    };
    let counts = match (tally.passed, tally.failed) {
        (0 | 1, 0) | (0, 1) => String::new(),
        (passed, 0) => format!("{passed} tests"),
        (passed, failed) => format!("{failed} of {} tests failed", passed + failed),
    };
    let why = error.as_deref().unwrap_or_default().lines().next().unwrap_or_default();
    format!(
        "{verdict:<8} {name:<14}{:>7.1} s  {counts}{}{why}",
        time.as_secs_f64(),
        separator(&counts, why)
    )
    .trim_end()
    .to_owned()
}

fn separator(left: &str, right: &str) -> &'static str {
    if left.is_empty() || right.is_empty() { "" } else { ": " }
}

/// The table at the end. Its last line counts the tests: `N passed, N failed`.
fn summary(outcomes: &[Outcome]) -> String {
    let mut text = String::from("\n==> summary\n");
    for outcome in outcomes {
        text += &format!("{}\n", line(outcome));
        let Tally { skipped, failures, passed_alone, .. } = &outcome.tally;
        let notes = [
            ("skipped", skipped),
            ("failed", failures),
            ("failed, and passed alone", passed_alone),
        ];
        for (what, each) in notes {
            each.iter()
                .for_each(|one| text += &format!("         {}: {what}: {one}\n", outcome.name));
        }
    }
    let total = |count: fn(&Tally) -> u32| outcomes.iter().map(|o| count(&o.tally)).sum::<u32>();
    text + &format!("{} passed, {} failed\n", total(|t| t.passed), total(|t| t.failed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(name: &'static str, tally: Tally, error: Option<&'static str>) -> Outcome {
        Outcome {
            name: name.into(),
            time: Duration::from_millis(1250),
            tally,
            error: error.map(str::to_owned),
        }
    }

    #[test]
    fn the_summary_ends_with_the_counts_and_names_what_was_skipped() {
        let skipped = Tally { skipped: vec!["no mpicc".into()], ..Tally::default() };
        let [late, wrong] = ["late", "wrong"].map(str::to_owned);
        let tests = Tally { passed: 40, failed: 1, failures: vec![wrong], ..Tally::default() };
        let rings = Tally { passed: 3, passed_alone: vec![late], ..Tally::default() };
        let one = Tally { passed: 1, ..Tally::default() };
        let outcomes = [
            outcome("format", one, None),
            outcome("tests", tests, Some("exit 1")),
            outcome("rings", rings, None),
            outcome("mpi", skipped, None),
        ];
        assert_eq!(
            summary(&outcomes),
            "\n==> summary\n\
             passed   format            1.2 s\n\
             failed   tests             1.2 s  1 of 41 tests failed: exit 1\n         tests: \
             failed: wrong\n\
             passed   rings             1.2 s  3 tests\n         rings: failed, and passed alone: \
             late\n\
             skipped  mpi               1.2 s\n         mpi: skipped: no mpicc\n\
             44 passed, 1 failed\n"
        );
    }

    #[test]
    fn an_unknown_step_is_refused_and_the_known_ones_are_named() {
        let options = Options { only: vec!["lint".into()], ..Options::default() };
        let error = format!("{:#}", choose(&options).err().expect("no such step"));
        assert!(error.contains("no step lint") && error.contains("lints"), "{error}");
    }

    #[test]
    fn quick_is_a_part_of_all() {
        let quick = choose(&Options { quick: true, ..Options::default() }).unwrap();
        let all = choose(&Options::default()).unwrap();
        assert!(quick.len() < all.len() && quick.iter().any(|step| step.name == "tests"));
    }
}
