//! Steps two at a time: most keep one core busy, or wait. Each is a process of its own, and what it
//! prints is shown in one piece when it has ended.

use super::lanes::{self, LANES};
use super::steps::Step;
use super::tally::Tally;
use super::{Outcome, line};
use crate::process::run_into;
use crate::workspace::{Build, Workspace};
use anyhow::{Context, Result};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Longest that one may take: the slowest on two cores, three times over.
const LIMIT: Duration = Duration::from_secs(3600);

/// Runs them, the first ones first; how each went, in their order.
///
/// # Errors
/// There is no room for what they print. A step that fails is no error here.
pub fn run(workspace: &Workspace, steps: &[&'static Step]) -> Result<Vec<Outcome>> {
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<_> = steps.iter().map(|step| step.name).collect();
    println!("\n==> two at a time, each shown as it ends: {}", names.join(", "));
    let folder = workspace.fresh("beside")?;
    let run = |(at, step): (usize, &&'static Step), temporary: &Path| {
        (at, run_one(workspace, step, &folder, temporary))
    };
    let mut outcomes = Vec::new();
    lanes::each(LANES, steps.iter().enumerate().collect(), run, &mut |(at, outcome)| {
        show(&folder, &outcome);
        outcomes.push((at, outcome));
    })?;
    outcomes.sort_by_key(|(at, _)| *at);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

fn run_one(workspace: &Workspace, step: &Step, folder: &Path, temporary: &Path) -> Outcome {
    let started = Instant::now();
    told(workspace, step, folder, temporary).unwrap_or_else(|error| {
        let mut tally = Tally::default();
        tally.close(true);
        let error = Some(format!("{error:#}"));
        Outcome { name: step.name.into(), time: started.elapsed(), tally, error }
    })
}

/// What its process says of it. That one fails if the step did, having said so.
fn told(workspace: &Workspace, step: &Step, folder: &Path, temporary: &Path) -> Result<Outcome> {
    let outcome = folder.join(step.name).with_extension("json");
    // Its file was built anew with the tests, and has another name since.
    let mut command = Command::new("/proc/self/exe");
    command.current_dir(&workspace.root).env("TMPDIR", temporary);
    command.args(["test", "--only", step.name, "--outcome"]).arg(&outcome);
    if workspace.finished == Build::Release {
        command.arg("--release");
    }
    let ended = run_into(&File::create(printed(folder, step.name))?, &mut command, LIMIT);
    match fs::read(&outcome) {
        Ok(told) => serde_json::from_slice(&told).context("what it said of itself is no JSON"),
        Err(_) => Err(ended.err().context("it ended without a word")?),
    }
}

/// Where what a step prints is kept.
fn printed(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).with_extension("log")
}

fn show(folder: &Path, outcome: &Outcome) {
    let text = fs::read(printed(folder, &outcome.name)).unwrap_or_default();
    print!("{}", String::from_utf8_lossy(&text));
    if outcome.error.is_some() && text.is_empty() {
        println!("{}", line(outcome));
    }
}
