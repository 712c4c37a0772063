//! What a closing that takes long leaves in the run for others who want to read it meanwhile: how
//! far it has come. It lies among what the closing takes away at its end.

use record::RecordError;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often it is written.
const EVERY: Duration = Duration::from_millis(500);

/// Keeps the note.
pub struct ClosingNote {
    file: PathBuf,
    written: Option<Instant>,
}

impl ClosingNote {
    /// Of the run at `run`.
    pub fn begin(run: &Path) -> ClosingNote {
        ClosingNote { file: file_of(run), written: None }
    }

    /// So much is done, of so much.
    pub fn at(&mut self, done: u64, of: u64) {
        if self.written.is_some_and(|at| at.elapsed() < EVERY) {
            return;
        }
        self.written = Some(Instant::now());
        // Who cannot write it closes all the same.
        let _ = std::fs::write(&self.file, (100 * done / of.max(1)).to_string());
    }
}

/// What is said where a run goes on: that it is being closed, if it is.
pub fn explain(run: &Path, error: RecordError) -> anyhow::Error {
    let percent = std::fs::read_to_string(file_of(run)).ok();
    let percent = percent.and_then(|text| text.parse::<u64>().ok());
    match (&error, percent) {
        (RecordError::GoingOn { .. }, Some(percent)) => anyhow::anyhow!(
            "the run {} has ended, and another process is closing it ({percent} % done); wait \
            until that is over, and try again",
            run.display()
        ),
        _ => error.into(),
    }
}

fn file_of(run: &Path) -> PathBuf {
    run.join("live/.closing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_being_closed_is_not_said_to_go_on() {
        let run = tempfile::tempdir().unwrap();
        let path = run.path();
        let said = || {
            let error = RecordError::GoingOn { path: path.to_path_buf() };
            format!("{:#}", explain(path, error))
        };
        assert!(said().contains("is still in progress"), "{}", said());
        std::fs::create_dir(path.join("live")).unwrap();
        let mut note = ClosingNote::begin(path);
        note.at(30, 40);
        note.at(31, 40);
        assert!(said().contains("is closing it (75 % done)"), "{}", said());
    }
}
