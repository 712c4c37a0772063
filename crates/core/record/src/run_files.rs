//! Where the files of a run lie in its folder, and what its `run.json` says of it.

use crate::{RecordError, RunId, RunInfo, State, input};
use std::path::{Path, PathBuf};

/// Entries of a folder that are looked at for a run to name instead.
const LOOKED_AT: usize = 1_000;

/// What became of the run that was recorded into a folder.
pub(crate) enum Found {
    State(State),
    /// The folder, or that run in it, is not there any more.
    Gone,
    Unreadable(String),
}

/// The run `id` in the folder at `path`.
pub(crate) fn find(path: &Path, id: RunId) -> Found {
    match read_info(path) {
        Ok(info) if info.id == Some(id) => Found::State(info.state),
        Ok(_) | Err(RecordError::NotARun { .. }) => Found::Gone,
        Err(error) => Found::Unreadable(error.to_string()),
    }
}

/// How far the run `id` is, if it is what the folder at `path` holds.
pub(crate) fn state_of(path: &Path, id: RunId) -> Option<State> {
    match find(path, id) {
        Found::State(state) => Some(state),
        // What cannot be read may be what was there.
        Found::Unreadable(_) => Some(State::Open),
        Found::Gone => None,
    }
}

/// Read `run.json` of the folder at `path`.
pub(crate) fn read_info(path: &Path) -> Result<RunInfo, RecordError> {
    let file = run_json(path);
    let text = input::read_input(&file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            RecordError::NotARun { path: path.to_path_buf(), inside: run_in(path, 2) }
        }
        _ => RecordError::file("read", &file, error),
    })?;
    RunInfo::parse(&text, &file)
}

/// Whether the run at `path` has still to be closed.
///
/// # Errors
/// When it is no run.
pub fn is_open(path: &Path) -> Result<bool, RecordError> {
    Ok(read_info(path)?.state == State::Open)
}

/// The first run in a folder, by name, or in the folders in it, so many levels deep.
fn run_in(folder: &Path, levels: u32) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let mut inside: Vec<PathBuf> =
        entries.take(LOOKED_AT).map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    inside.sort();
    let run = inside.iter().find(|path| run_json(path).is_file()).cloned();
    let deeper = || inside.iter().find_map(|path| run_in(path, levels - 1));
    run.or_else(|| if levels > 1 { deeper() } else { None })
}

pub(crate) fn run_json(path: &Path) -> PathBuf {
    path.join("run.json")
}

pub(crate) fn live(path: &Path) -> PathBuf {
    path.join("live")
}

/// Says that the run has ended and was left to be closed.
pub(crate) fn ended_mark(path: &Path) -> PathBuf {
    path.join("live").join("ended")
}

pub(crate) fn messages(path: &Path) -> PathBuf {
    path.join("messages")
}

pub(crate) fn lock_file(path: &Path) -> PathBuf {
    live(path).join("lock")
}
