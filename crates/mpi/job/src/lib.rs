//! An MPI job with the tracer in it: which launcher starts it, which program its ranks run, and the
//! command that starts it with the tracer loaded before each rank.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod collect;
mod launcher;
mod program;
mod which;
mod wrapper;

pub use launcher::Launcher;
use mpi_facts::LauncherClock;
use mpi_facts::variables::{CLOCK, RUN, RUN_ID};
use record::{Machine, RunId};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
pub use wrapper::behind as behind_wrappers;

/// Why a command starts no job.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// There is none.
    #[error("no command to run; give one after --")]
    NoCommand,
    /// There is no such program.
    #[error("cannot find {command} on PATH; install it, or give its path")]
    NotFound {
        /// As it was given.
        command: String,
    },
    /// What is there is no program.
    #[error("cannot run {command}: {reason}")]
    NoProgram {
        /// As it was given.
        command: String,
        /// What it is instead, and what to do.
        reason: &'static str,
    },
}

/// A job that can be started.
#[derive(Clone, Debug)]
pub struct Job {
    launcher: Launcher,
    words: Vec<OsString>,
    /// Where the launcher is among the words: others may run it (`timeout 60 mpirun …`).
    at: usize,
}

impl Job {
    /// The job that these words start.
    ///
    /// # Errors
    /// When there is no such command.
    pub fn of(words: &[OsString]) -> Result<Job, JobError> {
        // What is given must be there, and what that runs.
        Launcher::of(words)?;
        let at = wrapper::behind(words);
        Ok(Job { launcher: Launcher::of(&words[at..])?, words: words.to_vec(), at })
    }

    /// The program that the ranks run, as far as can be told.
    pub fn program(&self) -> Option<PathBuf> {
        program::find(&self.words[self.at..], &self.launcher)
    }

    /// The command with everything that makes the tracer in `library` log into `run`, whose id is
    /// `id`. Measures the clock, so that ranks on this machine need not.
    pub fn command(&self, library: &Path, run: &Path, id: RunId) -> Command {
        let mut command = Command::new(&self.words[0]);
        let launched = &self.words[self.at..];
        command
            .args(&self.words[1..self.at.max(1)])
            .args(launched.first().filter(|_| self.at > 0))
            .args(self.launcher.arguments(launched, library))
            .env(RUN, run)
            .env(RUN_ID, id.to_string())
            .env(CLOCK, clock_facts());
        if self.launcher.preloads_by_environment(launched) {
            command.env("LD_PRELOAD", Launcher::preload(library));
        }
        command
    }
}

fn clock_facts() -> String {
    let quality = clock::measure(&clock::Clock::best());
    let clock = LauncherClock { boot_id: Machine::boot_id_here(), quality };
    serde_json::to_string(&clock).expect("plain data is JSON")
}
