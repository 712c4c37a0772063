//! Programs of Fourstamp's that take part beside this one: of another compiler, with other
//! optimisations, of another day.
//!
//! Each is asked, before anything is measured, whether it understands what its launches will be
//! told and answers so that it can be read: a small run, and the words of every launch with
//! `--help` behind them, which checks them and runs nothing.

use super::launch;
use super::subject::Subject;
use crate::args::WarpStudyArgs;
use crate::studying::limits;
use anyhow::{Context, Result, bail};
use sim_lens::{SpeedupSetup, THIS_BUILD};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use study::process::{Launched, watch};

/// How long a program may think about what it is asked.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program and its name.
pub struct Build {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub program: PathBuf,
}

impl Build {
    /// This one, then those that are named.
    pub fn all(args: &WarpStudyArgs) -> Result<Vec<Build>> {
        let program = std::env::current_exe().context("cannot find this program's own file")?;
        let mut builds = vec![Build { name: THIS_BUILD.to_owned(), program }];
        for (name, program) in &args.build {
            if builds.iter().any(|known| known.name == *name) {
                bail!("two builds are called {name}: give each a name of its own");
            }
            // A name alone is looked for on the path, as a shell does.
            let program = match program.components().count() {
                1 if !program.exists() => program.clone(),
                _ => std::path::absolute(program)?,
            };
            builds.push(Build { name: name.clone(), program });
        }
        Ok(builds)
    }

    /// Whether it can take part, which this one can.
    pub fn check<'a>(
        &self,
        subjects: &[Subject],
        setups: impl Iterator<Item = (usize, &'a SpeedupSetup)>,
    ) -> Result<()> {
        let named = || format!("build {} ({})", self.name, self.program.display());
        let small = ["warp", "ping", "--stop", "1", "--seq", "--csv"].map(str::to_owned);
        let answer = self.ask(&small).with_context(named)?;
        let read = launch::summary(&answer.out);
        read.with_context(|| format!("{} does not answer as this fourstamp does", named()))?;
        for (subject, setup) in setups {
            let mut words = subjects[subject].launch(setup, Path::new("xl_stats.csv"));
            words.push("--help".to_owned());
            let told = || format!("{} is too old, or too new, for this study", named());
            self.ask(&words).with_context(told)?;
        }
        Ok(())
    }

    fn ask(&self, words: &[String]) -> Result<Launched> {
        let mut command = Command::new(&self.program);
        command.args(words);
        let answer = watch(command, limits(PATIENCE))?;
        match answer.failure() {
            Some(why) => bail!("{why}"),
            None => Ok(answer),
        }
    }
}
