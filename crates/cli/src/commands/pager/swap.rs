//! `fourstamp pager swap`: a program under the kernel's own swap, with as much memory as paging
//! would give it.

use super::study::tell;
use crate::args::PagerSwapArgs;
use crate::interrupt;
use anyhow::{Context, Result, bail};
use pager_drive::swap::{Cgroup, SwapFile, lacking};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often we look whether it has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Run it; its output and its exit code are its own.
pub fn run(args: &PagerSwapArgs) -> Result<ExitCode> {
    if let Some(lacking) = lacking() {
        bail!("kernel swap under a limit is not possible here: {lacking}");
    }
    let Some((program, words)) = args.program.split_first() else { bail!("name a program") };
    // From here on Ctrl-C only sets a flag: what was made is removed.
    let stop = interrupt::end_of_service();
    let _file = SwapFile::make(&args.disk, args.room as u64, tell)?;
    let group = Cgroup::make(args.local as u64, tell)?;
    let mut inner = Command::new(program);
    let mut child = group.within(inner.args(words)).spawn().context("cannot start sh")?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if stop.load(Ordering::Relaxed) {
            let _ = kill_process(Pid::from_child(&child), Signal::KILL);
        }
        std::thread::sleep(LOOK);
    };
    let killed = group.killed().filter(|killed| *killed > 0);
    let why = killed.map(|killed| {
        let processes = if killed == 1 { "process" } else { "processes" };
        format!(
            "the kernel killed {killed} {processes} of {} for want of memory: usually the swap \
            file was full, or the disk of {} too slow; give it more with --local or --room, or \
            another --disk",
            program.display(),
            args.disk.display()
        )
    });
    match (status.signal(), why) {
        (Some(_), Some(why)) => bail!(why),
        (Some(signal), None) => bail!("{} was killed by signal {signal}", program.display()),
        (None, why) => why.iter().for_each(|why| tell(why)),
    }
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2)))
}
