//! The logs that programs have left on several hosts become one run, whose closing relates their
//! clocks.

use crate::close::has_logs;
use crate::entry::head;
use crate::{FRAMING_KEY, LOG_ENDING, TROUBLE_FILE, rings_file};
use record::{Closing, Domain, NodeSheet, RecordError, RunFolder, RunId, RunInfo};
use std::fs::File;
use std::io::{Error, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The logs could not be put together. They are where they were.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: Error,
    },
    /// A run that holds no logs, or not such as the others.
    #[error("{} {what}", path.display())]
    Unfit {
        /// The run.
        path: PathBuf,
        /// Why, and what to do.
        what: &'static str,
    },
    /// A run cannot be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// The first of the runs whose logs are put together: what the whole is called, and began with.
///
/// # Errors
/// When it is no run that was traced.
pub fn beginning(first: &Path) -> Result<RunInfo, MergeError> {
    let closing = logs_of(first)?;
    let mut info = RunInfo::new(&closing.info().workload);
    let RunInfo { transport, topology, parameters, origin, .. } = closing.info().clone();
    (info.transport, info.topology, info.parameters, info.origin) =
        (transport, topology, parameters, origin);
    Ok(info)
}

/// Copy the logs of all these runs into a new one. Their processes get new numbers.
///
/// # Errors
/// When one of them is no run with logs, or follows other rules than the first.
pub fn merge(runs: &[PathBuf], folder: &mut RunFolder) -> Result<(), MergeError> {
    let mut next = 0;
    for run in runs {
        let mut closing = logs_of(run)?;
        let rules = |info: &RunInfo| info.parameters.get(FRAMING_KEY).cloned();
        if rules(closing.info()) != rules(folder.info()) {
            let what = "was recorded with other rules (--frame) than the first: record them all \
                with the same";
            return Err(MergeError::Unfit { path: run.clone(), what });
        }
        let sheets = closing.sheets()?;
        take_over(&closing, folder)?;
        for sheet in &sheets {
            copy(&closing, sheet, next, folder)?;
            next += 1;
        }
        // Its clocks, with what was written down of them. What they lack by themselves the closing
        // of the whole will find.
        closing.fit(&sheets);
        for domain in &closing.info().domains {
            let news = Domain { reference: false, model: None, ..domain.clone() };
            folder.log_clock(&news)?;
        }
    }
    Ok(())
}

fn logs_of(run: &Path) -> Result<Closing, MergeError> {
    let unfit = |what| Err(MergeError::Unfit { path: run.to_path_buf(), what });
    match Closing::of_cut(run)? {
        None => unfit("is closed, and its logs are gone: record it with --logs-only"),
        Some(_) if !has_logs(run) => unfit("holds no logs of traced programs"),
        Some(closing) => Ok(closing),
    }
}

/// A process, with another number.
fn copy(from: &Closing, sheet: &NodeSheet, node: u32, to: &RunFolder) -> Result<(), MergeError> {
    let (source, live) = (from.live(), to.live());
    let new = NodeSheet { node, launch: 0, ..sheet.clone() };
    let log = live.join(format!("{}.{LOG_ENDING}", new.stem()));
    let old = source.join(format!("{}.{LOG_ENDING}", sheet.stem()));
    if !old.exists() {
        return Ok(());
    }
    attempt("copy", &old, std::fs::copy(&old, &log))?;
    attempt("write", &log, rename_run(&log, to.info().id))?;
    if rings_file(&source, sheet.node).exists() {
        let rings = rings_file(&live, node);
        attempt("write", &rings, std::fs::write(&rings, []))?;
    }
    Ok(new.save_into(&live)?)
}

/// A log says whose it is.
fn rename_run(log: &Path, run: Option<RunId>) -> Result<(), Error> {
    let mut file = File::options().write(true).open(log)?;
    file.seek(SeekFrom::Start(8 * head::RUN_AT as u64))?;
    let words = run.map_or([0; 2], RunId::words);
    words.iter().try_for_each(|word| file.write_all(&word.to_le_bytes()))
}

/// What else is known of a run.
fn take_over(from: &Closing, to: &mut RunFolder) -> Result<(), MergeError> {
    let trouble = std::fs::read(from.live().join(TROUBLE_FILE)).unwrap_or_default();
    let path = to.live().join(TROUBLE_FILE);
    if !trouble.is_empty() {
        let file = File::options().create(true).append(true).open(&path);
        attempt("write", &path, file.and_then(|mut file| file.write_all(&trouble)))?;
    }
    let info = to.info_mut();
    info.failures.extend(from.info().failures.iter().cloned());
    info.notes.extend(from.info().notes.iter().cloned());
    Ok(())
}

fn attempt<T>(action: &'static str, path: &Path, done: Result<T, Error>) -> Result<T, MergeError> {
    done.map_err(|source| MergeError::File { action, path: path.to_path_buf(), source })
}
