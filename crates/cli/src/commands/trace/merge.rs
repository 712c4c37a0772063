//! `fourstamp trace --merge`: what was recorded on several hosts becomes one run.

use super::{LOGS_ONLY, closing};
use crate::args::SocketTraceArgs;
use crate::commands::place;
use anyhow::{Result, bail};
use record::RunFolder;
use std::process::ExitCode;

/// Put the logs together, close the run, show it.
pub fn run(args: &SocketTraceArgs) -> Result<ExitCode> {
    let [first, _, ..] = &args.merge[..] else {
        bail!("--merge takes two runs or more, one of each host: --merge runs/a,runs/b");
    };
    let mut info = streams::merge::beginning(first)?;
    info.parameters.remove(LOGS_ONLY);
    let path = place::for_run(args.out.as_deref(), &format!("{}-merged", info.workload))?;
    let mut folder = RunFolder::create(&path, info)?;
    if let Err(error) = streams::merge::merge(&args.merge, &mut folder) {
        drop(folder);
        // It was empty, or not there.
        let _ = std::fs::remove_dir_all(&path);
        return Err(error.into());
    }
    folder.leave()?;
    closing::close_whole(&path)?;
    closing::show(&path, args)?;
    Ok(ExitCode::SUCCESS)
}
