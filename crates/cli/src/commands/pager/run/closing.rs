//! After the program has ended: what its processes said goes into the run, which is closed and
//! shown.

use crate::child;
use crate::commands::report::document_of;
use crate::show;
use anyhow::{Context, Result};
use pager_drive::facts;
use record::RunFolder;
use rmem::Config;
use std::path::Path;
use std::process::ExitStatus;

/// How the program ended, and what of its memory was not paged.
pub struct End {
    pub status: ExitStatus,
    /// A line for each process that had more than it was to have.
    pub unpaged: Vec<String>,
}

/// Close the run and show it.
pub fn close_and_show(
    mut folder: RunFolder,
    end: &End,
    config: &Config,
    no_report: bool,
) -> Result<()> {
    let path = folder.path().to_path_buf();
    let processes = facts::processes(&path);
    if processes.is_empty() {
        // With the folder goes what tells of buffers that a killed process may have left.
        folder.abandon();
        nothing_paged(&path, end, config);
        return Ok(());
    }
    let info = folder.info_mut();
    let note = child::note(end.status);
    if end.status.code().is_none() {
        note.iter().for_each(|note| eprintln!("fourstamp: {note}"));
    }
    info.notes.extend(note);
    info.notes.extend(end.unpaged.iter().cloned());
    end.unpaged.iter().for_each(|line| eprintln!("fourstamp: {line}"));
    processes
        .iter()
        .filter_map(|process| facts::loss(process, &config.policy))
        .for_each(|line| eprintln!("{line}"));
    facts::complete(info, processes);
    folder.close().with_context(|| format!("cannot close {}", path.display()))?;
    // What it held is in run.json now.
    let _ = std::fs::remove_dir_all(path.join(pager_facts::FOLDER));
    if !no_report {
        let analysed = crate::analyse::analyse(&path, 1, &stats::Filter::default())?;
        show::text_beside(&document_of(&[analysed]).brief());
    }
    eprintln!("run: {}   page: fourstamp report {0}", path.display());
    Ok(())
}

/// Nothing is left of such a run: its folder was made for it a moment ago.
fn nothing_paged(path: &Path, end: &End, config: &Config) {
    // What cannot be removed is an empty run.
    let _ = std::fs::remove_dir_all(path);
    // With 2 the library has ended the program, and said why.
    end.unpaged.iter().for_each(|line| eprintln!("fourstamp: {line}"));
    if end.status.code() != Some(2) {
        let little = match config.threshold_bytes {
            0 => "the program had little memory".to_owned(),
            most => format!("the program never allocated {most} bytes at once (see --threshold)"),
        };
        eprintln!(
            "fourstamp: nothing was paged or recorded: {little}, or it started a program that is \
            static, setuid or without LD_PRELOAD"
        );
    }
}
