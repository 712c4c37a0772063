//! A whole benchmark: figures chosen by name, their contestants made, all rounds run, the tables
//! printed.

use super::contest::{self, Contestant};
use super::contestants::Skipped;
use super::figures::{self, Figure};
use super::tables;
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Result, ensure};
use clap::Args;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// How to measure.
#[derive(Args, Debug)]
pub struct Terms {
    /// Rounds: fresh processes of each contestant.
    #[arg(long, default_value_t = 5)]
    launches: usize,
    /// Orders the contestants within each round and draws the intervals.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only these figures, by name.
    #[arg(long, value_name = "FIGURE", value_delimiter = ',')]
    only: Vec<String>,
    /// Print the tables as Markdown.
    #[arg(long)]
    markdown: bool,
}

impl Terms {
    /// The figures of `all` that are asked for.
    pub fn choose(&self, all: &'static [Figure]) -> Result<Vec<&'static Figure>> {
        figures::named(all, &self.only)
    }

    /// Run the contestants of `figures` and print how they did. A contestant that cannot be made is
    /// left out, and the tables say why.
    pub fn hold(
        &self,
        figures: &[&'static Figure],
        make: impl Fn(&'static str) -> Result<Contestant>,
    ) -> Result<()> {
        ensure!(self.launches > 0, "--launches wants at least one");
        let (mut ready, mut skipped): (Vec<Contestant>, Skipped) = (Vec::new(), Vec::new());
        for name in wanted(figures) {
            match make(name) {
                Ok(contestant) => ready.push(contestant),
                Err(why) => skipped.push((name, format!("{why:#}"))),
            }
        }
        let results = contest::run(&ready, self.launches, self.seed);
        let style = tables::Style { csv: false, markdown: self.markdown };
        print!("{}", tables::contestants(&results, &skipped, style));
        print!("\n{}", tables::figures(figures, &results, self.seed, style));
        Ok(())
    }
}

/// Everybody that the figures are about.
pub fn wanted(figures: &[&'static Figure]) -> BTreeSet<&'static str> {
    figures.iter().flat_map(|figure| [figure.ours, figure.peer]).collect()
}

/// The release build of this checkout.
pub fn release_build(workspace: &Workspace) -> Result<PathBuf> {
    eprintln!("building the release version");
    let build = ["build", "--release", "--locked", "--package", "fourstamp-cli"];
    process::capture_within(&mut workspace.cargo(&build), Duration::from_secs(1800))?;
    Ok(workspace.fourstamp())
}
