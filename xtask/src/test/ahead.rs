//! The release build, compiled beside all that comes before its own step: tests wait for most of
//! their time, and the last crates of a build leave cores idle.
//!
//! It takes what is left of the cores: with `SCHED_IDLE` it stands back for whatever else wants to
//! run. Nothing depends on it. Its step gives the same command again, and shows what fails there.
//! What measures time, and what is run alone, waits for its end: see [`finish`].

use crate::process::{capture_within, on_path, shown};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Longest that it may take, as in its own step.
const LIMIT: Duration = Duration::from_secs(3600);

/// The thread that waits for it. There is one for the process, as there are its cores.
static RUNNING: Mutex<Option<JoinHandle<()>>> = Mutex::new(None);

/// Begins a command, if this machine can give it idle time only.
pub fn begin(command: &Command) {
    let Some(mut idle) = in_idle_time(command) else { return };
    println!("==> in idle time, ahead of its step:\n$ {}", shown(command));
    // Whatever it says, the step says again.
    let thread = thread::spawn(move || drop(capture_within(&mut idle, LIMIT)));
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
}

/// Waits for its end, if it was begun.
pub fn finish() {
    let thread = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
    // A panic of that thread's is no concern of who waits.
    thread.map(JoinHandle::join);
}

/// The command as one that runs when nothing else wants to.
fn in_idle_time(command: &Command) -> Option<Command> {
    let mut idle = Command::new(on_path("chrt")?);
    idle.args(["--idle", "0"]).arg(command.get_program()).args(command.get_args());
    command.get_current_dir().map(|folder| idle.current_dir(folder));
    Some(idle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_and_what_it_starts_run_when_nothing_else_wants_to() {
        let mut command = Command::new("sh");
        command.args(["-c", "pwd; chrt --pid $$"]).current_dir("/usr");
        let Some(mut idle) = in_idle_time(&command) else { return };
        let said = capture_within(&mut idle, LIMIT).unwrap();
        assert!(said.starts_with("/usr\n") && said.contains("SCHED_IDLE"), "{said}");
    }
}
