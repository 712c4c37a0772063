//! A program that ends with whoever runs it, however that ends: `kill -9` of the runner sends it
//! SIGTERM.

use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Have the command's process told to end when this one is gone. It is the calling thread that
/// counts: it must live as long as the program.
pub fn end_with_parent(command: &mut Command) {
    let parent = getpid();
    // SAFETY: between fork and exec only two system calls are made, and nothing is allocated.
    unsafe { command.pre_exec(move || tie(parent)) };
}

fn tie(parent: Pid) -> std::io::Result<()> {
    set_parent_process_death_signal(Some(Signal::TERM))?;
    // It may have gone before that was set.
    if getppid() == Some(parent) { Ok(()) } else { Err(ErrorKind::NotConnected.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::Stdio;

    /// The thread that starts it is what counts as its parent: when it has ended, so does the
    /// program.
    #[test]
    fn a_program_ends_with_the_thread_that_started_it() {
        let mut child = std::thread::spawn(|| {
            let mut command = Command::new("sleep");
            command.arg("1000").stdout(Stdio::piped());
            end_with_parent(&mut command);
            command.spawn().unwrap()
        })
        .join()
        .unwrap();
        let mut out = child.stdout.take().unwrap();
        assert_eq!(out.read(&mut [0]).unwrap(), 0, "its output ends with it");
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(child.wait().unwrap().signal(), Some(15));
    }
}
