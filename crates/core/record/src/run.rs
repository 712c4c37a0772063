//! Reading a run: its information, and its messages a chunk at a time.
//!
//! A chunk is a row group of a messages file. Chunks are read in any order and on any thread;
//! memory grows with a chunk, not with the run.

use crate::chunk::{Chunk, File};
use crate::{Closing, RecordError, RunInfo, State, run_files, unlisted};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that are kept open while a run is read, far fewer than a process may have.
const KEPT_OPEN: usize = 128;

/// A run that has ended.
pub struct Run {
    /// What ran, where, on which clocks, and what was lost.
    pub info: RunInfo,
    path: PathBuf,
    files: Vec<Arc<File>>,
}

impl Run {
    /// Open the run at `path`. A run that was cut is closed first.
    ///
    /// # Errors
    /// When it is no run, still goes on, or one of its files is damaged, missing, or of a newer
    /// format.
    pub fn open(path: impl AsRef<Path>) -> Result<Run, RecordError> {
        let path = path.as_ref().to_path_buf();
        let mut info = match Closing::of_cut(&path)? {
            Some(closing) => closing.close_recorded()?,
            None => run_files::read_info(&path)?,
        };
        debug_assert!(info.state != State::Open);
        unlisted::note_files(&path, &mut info);
        let mut files = Vec::new();
        for (_, node) in info.nodes() {
            // The name comes from a file: it must not lead out of the run.
            let name = Path::new(&node.file);
            if name.components().any(|part| !matches!(part, std::path::Component::Normal(_))) {
                let what = format!("names the file {}, which is outside the run", node.file);
                return Err(RecordError::damaged(&run_files::run_json(&path), what));
            }
            files.push(Arc::new(File::open(path.join(name), files.len() < KEPT_OPEN)?));
        }
        Ok(Run { info, path, files })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every chunk: launch by launch, node by node, in the order recorded.
    pub fn chunks(&self) -> Vec<Chunk> {
        self.files.iter().flat_map(Chunk::of).collect()
    }

    /// Messages (rows) in all files.
    pub fn rows(&self) -> u64 {
        self.chunks().iter().map(|chunk| chunk.rows() as u64).sum()
    }
}
