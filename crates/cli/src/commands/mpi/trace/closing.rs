//! After the program has ended: what there is becomes a run, and is shown.

use crate::child;
use crate::commands::place;
use crate::commands::report::document_of;
use crate::failure;
use crate::show;
use anyhow::{Context, Result};
use mpi_facts::variables::TROUBLE_FILE;
use record::RunFolder;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};

/// Exit code for bad input.
const BAD_INPUT: u8 = 2;

/// Close the run and show it; the program's exit code. `failed` is the launcher, if it ended before
/// the program was begun.
pub fn close_and_show(
    folder: RunFolder,
    ended: &ExitStatus,
    failed: Option<&str>,
    no_report: bool,
) -> Result<ExitCode> {
    let path = folder.path().to_path_buf();
    let code = child::code(*ended);
    if !calls::close::has_logs(&path) {
        drop(folder);
        return Ok(nothing_traced(&path, code, failed));
    }
    let places = calls::elsewhere::awaited(&path)?;
    if !places.is_empty() {
        leave_awaiting(folder, ended)?;
        let which = calls::elsewhere::which(&places);
        eprintln!("{which}; fetch, match and show: fourstamp collect {}", path.display());
        return Ok(ExitCode::from(code));
    }
    let closed = close(folder, ended).with_context(|| format!("cannot close {}", path.display()));
    if let Err(error) = closed {
        // The program's own failure is what its caller asks for; ours is said, and what was logged
        // stays.
        failure::say(&error);
        return Ok(ExitCode::from(if code == 0 { BAD_INPUT } else { code }));
    }
    if !no_report {
        let analysed = crate::analyse::analyse(&path, 1, &stats::Filter::default())?;
        show::text_beside(&document_of(&[analysed]).brief());
    }
    eprintln!("run: {}   page: fourstamp report {0}", path.display());
    Ok(ExitCode::from(code))
}

/// Leave the run as its ranks left it.
pub fn leave(folder: RunFolder, ended: &ExitStatus, failed: Option<&str>) -> Result<ExitCode> {
    let (path, code) = (folder.path().to_path_buf(), child::code(*ended));
    if !calls::close::has_logs(&path) {
        drop(folder);
        return Ok(nothing_traced(&path, code, failed));
    }
    let places = calls::elsewhere::awaited(&path)?;
    leave_awaiting(folder, ended)?;
    if !places.is_empty() {
        let which = calls::elsewhere::which(&places);
        eprintln!("{which}; fetch: fourstamp collect --logs-only {}", path.display());
    }
    eprintln!("logs: {}   match and show: srun -n 8 fourstamp report --shards {0}", path.display());
    Ok(ExitCode::from(code))
}

fn leave_awaiting(mut folder: RunFolder, ended: &ExitStatus) -> Result<()> {
    note(&mut folder, ended);
    Ok(folder.leave()?)
}

/// No rank has begun a log: that is the program's nature, or its ranks have said why.
/// The exit code is the program's all the same.
fn nothing_traced(path: &Path, code: u8, failed: Option<&str>) -> ExitCode {
    let trouble = path.join("live").join(TROUBLE_FILE);
    if let Some(launcher) = failed {
        eprintln!(
            "fourstamp: nothing was traced: {launcher} ended with exit code {code} and did not \
            start the program on this host. Mend what it says above (too few slots, an unknown \
            host or option)"
        );
    } else if !trouble.exists() {
        eprintln!(
            "fourstamp: nothing was traced into {}: no rank called MPI_Init or MPI_Session_init, \
            or none sees that folder (its ranks have then said what to collect). The program does \
            not use MPI, failed before that, or cannot be used with LD_PRELOAD (static or setuid)",
            path.display()
        );
    }
    let _ = std::fs::remove_file(trouble);
    place::remove_empty(path);
    ExitCode::from(code)
}

/// How the program ended, and what its ranks could not do.
fn note(folder: &mut RunFolder, ended: &ExitStatus) {
    let trouble = std::fs::read_to_string(folder.live().join(TROUBLE_FILE)).unwrap_or_default();
    let info = folder.info_mut();
    info.notes.extend(child::note(*ended));
    info.failures.extend(trouble.lines().map(String::from));
}

fn close(mut folder: RunFolder, ended: &ExitStatus) -> Result<()> {
    note(&mut folder, ended);
    Ok(crate::closing::close(folder.begin_closing()?, 1)?)
}
