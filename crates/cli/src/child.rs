//! Somebody's program as a child: its end, and signals on their way to it.
//!
//! Ctrl-C in a terminal reaches the child from the terminal, because it is in our process group.
//! Only what another process sends to us is passed on, so that the program gets every signal once.

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::Cause;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

/// Run the command to its end. `ours` says whether a signal was meant for us, and does what it asks
/// for; it is not passed on then.
pub fn run(
    command: &mut Command,
    ours: impl Fn(i32) -> bool + Send + 'static,
) -> Result<ExitStatus> {
    let mut signals =
        SignalsInfo::<WithOrigin>::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2])
            .context("cannot watch for signals")?;
    // Nobody would wait for it, or record it, when we are gone.
    rmem::end_with_parent(command);
    let mut child = command.spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let handle = signals.handle();
    let forwarder = std::thread::spawn(move || {
        for origin in signals.forever() {
            if ours(origin.signal) {
                continue;
            }
            let sent = !matches!(origin.cause, Cause::Kernel);
            if let (true, Some(pid), Some(signal)) =
                (sent, pid, Signal::from_named_raw(origin.signal))
            {
                // A child that has ended needs none.
                let _ = kill_process(pid, signal);
            }
        }
    });
    let status = child.wait();
    handle.close();
    let _ = forwarder.join();
    Ok(status?)
}

/// How a program ended, where it did not end well.
pub fn note(status: ExitStatus) -> Option<String> {
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("the program ended with exit code {code}")),
        (_, Some(signal)) => Some(format!("the program was ended by signal {signal}")),
        _ => None,
    }
}

/// The exit code that a shell would give for this end.
pub fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
