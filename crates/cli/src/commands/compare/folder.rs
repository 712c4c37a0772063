//! Which runs a series has: those named, and those in folders of runs.

use super::OneRun;
use crate::args::CompareArgs;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The runs of a series, and what was left out.
pub struct Found {
    /// In the order of their starts.
    pub runs: Vec<OneRun>,
    /// Folders among runs that could not be read, a line each.
    pub skipped: Vec<String>,
}

/// Read all of them. A run that is named must be readable; one that a folder holds is left out with
/// a word otherwise.
pub fn read(args: &CompareArgs) -> Result<Found> {
    let (mut runs, mut skipped) = (Vec::new(), Vec::new());
    for path in &args.runs {
        if !is_folder_of_runs(path) {
            runs.push(OneRun::read(path, args)?);
            continue;
        }
        let before = runs.len();
        for inside in folders(path)? {
            match OneRun::read(&inside, args) {
                Ok(run) if run.read.sample.stages().is_empty() => {
                    skipped.push(format!("{} has no messages to compare", inside.display()));
                }
                Ok(run) => runs.push(run),
                Err(error) => skipped.push(one_line(&inside, &error)),
            }
        }
        if runs.len() == before {
            let why = skipped.first().map_or_else(String::new, |line| format!(" ({line})"));
            bail!("{} contains no readable run{why}", path.display());
        }
    }
    runs.sort_by_key(|run| run.read.origins.first().map(|origin| origin.realtime_ns));
    Ok(Found { runs, skipped })
}

/// A folder without what a run has, in which there are folders.
fn is_folder_of_runs(path: &Path) -> bool {
    let is_run = path.join("run.json").exists() || path.join("live").exists();
    path.is_dir() && !is_run && folders(path).is_ok_and(|inside| !inside.is_empty())
}

/// The folders in it, by name. Files beside them, such as pages, are no runs and not meant as any.
fn folders(path: &Path) -> Result<Vec<PathBuf>> {
    let cannot = || format!("cannot read the folder {}", path.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).with_context(cannot)? {
        let inside = entry.with_context(cannot)?.path();
        if inside.is_dir() {
            found.push(inside);
        }
    }
    found.sort();
    Ok(found)
}

/// What is wrong with a run, with its name at most once.
fn one_line(path: &Path, error: &anyhow::Error) -> String {
    let said = crate::failure::one_line(error);
    let name = path.display().to_string();
    if said.contains(&name) { said } else { format!("{name}: {said}") }
}
