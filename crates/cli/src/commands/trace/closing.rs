//! After the program has ended: what there is becomes a run, and is shown; by the last of those
//! that take part in it.

use super::LOGS_ONLY;
use crate::args::SocketTraceArgs;
use crate::child;
use crate::closing::close_sockets;
use crate::commands::place;
use crate::commands::report::document_of;
use crate::failure;
use crate::show;
use anyhow::{Context, Result};
use record::{Closing, RecordError, RunFolder};
use std::path::Path;
use std::process::{ExitCode, ExitStatus};

/// Exit code for bad input.
const BAD_INPUT: u8 = 2;

/// Close the run and show it; the program's exit code.
pub fn close_and_show(
    mut folder: RunFolder,
    ended: &ExitStatus,
    args: &SocketTraceArgs,
) -> Result<ExitCode> {
    let path = folder.path().to_path_buf();
    let code = child::code(*ended);
    let leaves_logs = folder.info().parameters.contains_key(LOGS_ONLY);
    if args.join.is_some() {
        drop(folder);
    } else {
        folder.info_mut().notes.extend(child::note(*ended));
        if let Err(error) = folder.leave() {
            return Ok(failed(&error.into(), code));
        }
    }
    if leaves_logs {
        eprintln!(
            "logs: {}   with those of other hosts: fourstamp trace --merge {0},RUN",
            path.display()
        );
        return Ok(ExitCode::from(code));
    }
    match close(&path) {
        Ok(Closed::Whole) => {}
        Ok(Closed::GoesOn) => {
            eprintln!(
                "run: {} goes on in other processes; the last of them closes it",
                path.display()
            );
            return Ok(ExitCode::from(code));
        }
        Ok(Closed::Nothing) => {
            nothing_traced(&path, args);
            return Ok(ExitCode::from(code));
        }
        Err(error) => return Ok(failed(&error, code)),
    }
    show(&path, args)?;
    Ok(ExitCode::from(code))
}

/// Show a run that is closed.
pub fn show(path: &Path, args: &SocketTraceArgs) -> Result<()> {
    if !args.no_report {
        let analysed = crate::analyse::analyse(path, 1, &stats::Filter::default())?;
        show::text_beside(&document_of(&[analysed]).brief());
    }
    eprintln!("run: {}   page: fourstamp report {0}", path.display());
    Ok(())
}

/// Close a run that nobody else has.
pub fn close_whole(path: &Path) -> Result<()> {
    close(path).map(|_| ())
}

/// The program's own failure is what its caller asks for; ours is said, and what was logged stays.
fn failed(error: &anyhow::Error, code: u8) -> ExitCode {
    failure::say(error);
    ExitCode::from(if code == 0 { BAD_INPUT } else { code })
}

/// What became of the run.
enum Closed {
    /// It is closed.
    Whole,
    /// Others still take part in it.
    GoesOn,
    /// Nobody has logged anything.
    Nothing,
}

fn close(path: &Path) -> Result<Closed> {
    let mut closing = match Closing::of_cut(path) {
        Ok(Some(closing)) => closing,
        // Another one of those that took part was faster.
        Ok(None) => return Ok(Closed::Whole),
        Err(RecordError::GoingOn { .. }) => return Ok(Closed::GoesOn),
        Err(error) => return Err(error.into()),
    };
    if !streams::close::has_logs(path) {
        return Ok(Closed::Nothing);
    }
    let trouble = std::fs::read_to_string(closing.live().join(streams::TROUBLE_FILE));
    closing.info_mut().failures.extend(trouble.unwrap_or_default().lines().map(String::from));
    close_sockets(closing).with_context(|| format!("cannot close {}", path.display()))?;
    Ok(Closed::Whole)
}

fn nothing_traced(path: &Path, args: &SocketTraceArgs) {
    let remedy = match args.follow || args.pipes {
        true if args.pipes => {
            "it, and what it started, used no stream socket and no pipe, or did so without the C \
            library"
        }
        true => "it, and what it started, used no stream socket, or did so without the C library",
        false => {
            "it used no stream socket itself, or did so without the C library; if another program \
            that it starts does, add --follow"
        }
    };
    let program = args.program[0].to_string_lossy();
    let live = path.join("live");
    // Where there is trouble, whoever has it has said why.
    if !live.join(streams::TROUBLE_FILE).exists() {
        eprintln!("fourstamp: nothing was traced of {program}: {remedy}");
    }
    for left in ["clocks.log", "ended", streams::TROUBLE_FILE] {
        let _ = std::fs::remove_file(live.join(left));
    }
    place::remove_empty(path);
}
