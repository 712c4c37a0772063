//! The job of a recorded run, as it was started: what a prediction runs again.

use crate::{Job, WarpError};
use std::fs;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

/// Its file within the run folder.
const FILE: &str = "warp/job.json";

impl Job {
    /// Keep it in the run folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, run: &Path) -> Result<(), WarpError> {
        let path = path(run);
        let json = serde_json::to_vec_pretty(self).map_err(std::io::Error::from);
        json.and_then(|json| fs::write(&path, json)).map_err(WarpError::file("write", &path))
    }

    /// The job of the run in this folder; `None` if it keeps none.
    ///
    /// # Errors
    /// When it cannot be read, or a version wrote it that knew other options.
    pub fn kept(run: &Path) -> Result<Option<Job>, WarpError> {
        let path = path(run);
        let file = match record::open_input(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(WarpError::file("read", &path)(error)),
        };
        serde_json::from_reader(BufReader::new(file)).map(Some).map_err(|error| {
            let reason = format!(
                "{} is not a job of this version ({error}): record the run again",
                path.display()
            );
            WarpError::Model { reason }
        })
    }
}

fn path(run: &Path) -> PathBuf {
    run.join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModelSpec;
    use models::WarpnetSpec;

    #[test]
    fn a_job_is_read_as_it_was_kept() {
        let run = tempfile::tempdir().unwrap();
        assert_eq!(Job::kept(run.path()).unwrap(), None, "older runs have none");
        fs::create_dir(run.path().join("warp")).unwrap();
        let mut job = Job::new(ModelSpec::of(&WarpnetSpec::default()));
        (job.places, job.engine.cutoff) = (vec![(3, 1)], 1.0 / 3.0);
        job.keep(run.path()).unwrap();
        assert_eq!(Job::kept(run.path()).unwrap(), Some(job));
        fs::write(path(run.path()), "{\"model\": 1}").unwrap();
        let said = Job::kept(run.path()).unwrap_err().to_string();
        assert!(said.contains("job.json is not a job of this version"), "{said}");
    }
}
