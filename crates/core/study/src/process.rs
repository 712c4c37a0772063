//! A launch as a process: watched, timed, ended with the study or when its time is over, and read.
//!
//! It is in a process group of its own: Ctrl-C at the terminal reaches the study alone, which
//! passes it on once. Nothing of a launch outlives it.

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};
use std::fs::File;
use std::io::{Error, Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How often we look whether it has ended.
const LOOK: Duration = Duration::from_millis(2);
/// How long it may take to end once it is asked to.
const GRACE: Duration = Duration::from_secs(10);

/// What ends a process that does not end by itself.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The longest that it may take.
    pub time: Duration,
    /// Set when the study is to end.
    pub stop: &'a AtomicBool,
}

/// A process that has ended by itself, well or not.
#[derive(Debug)]
pub struct Launched {
    /// How.
    pub status: ExitStatus,
    /// How long it took.
    pub times: Times,
    /// What it wrote to standard output.
    pub out: String,
    /// What it wrote to standard error.
    pub err: String,
}

/// The times of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// From its start until it was seen to have ended, which is within 2 ms.
    pub elapsed_s: f64,
    /// Of the processor in the program's own code, to the kernel's tick.
    pub user_s: f64,
    /// And in the kernel.
    pub system_s: f64,
}

/// Why a process was not seen to its end.
#[derive(Debug, Error)]
pub enum ProcessError {
    /// It never ran.
    #[error("cannot start {program}: {error}; check that it exists and is executable")]
    Start {
        /// As it was called.
        program: String,
        /// What the system says.
        error: Error,
    },
    /// The system refused something that it does not refuse.
    #[error("cannot watch a launch: {0}")]
    Watch(#[from] Error),
    /// Its time was over, or the study's.
    #[error("it was stopped after {0:.0} s")]
    Stopped(f64),
    /// It was asked to end, and had to be killed.
    #[error("a launch did not end when asked to")]
    Deaf,
}

/// Runs it to its end.
///
/// # Errors
/// When it cannot be started or watched, or was stopped.
pub fn watch(mut command: Command, limits: Limits) -> Result<Launched, ProcessError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(err.try_clone()?).process_group(0);
    let begun = Instant::now();
    let child = command.spawn().map_err(|error| ProcessError::Start { program, error })?;
    let mut running = Running(child);
    running.until_it_ends(begun, limits)?;
    let elapsed_s = begun.elapsed().as_secs_f64();
    let (user_s, system_s) = processor_times(running.0.id()).unwrap_or_default();
    let status = running.0.wait()?;
    let (out, err) = (text_of(&mut out)?, text_of(&mut err)?);
    Ok(Launched { status, times: Times { elapsed_s, user_s, system_s }, out, err })
}

impl Launched {
    /// Why it failed, if it did.
    pub fn failure(&self) -> Option<String> {
        let ended = || format!("it ended with {}", self.status);
        (!self.status.success()).then(|| self.reason().map_or_else(ended, str::to_owned))
    }

    /// What it said last of itself: our own programs' line if there is one, else the last line,
    /// rather of standard error.
    pub fn reason(&self) -> Option<&str> {
        let ours = |line| str::strip_prefix(line, "fourstamp: ").or(line.strip_prefix("error: "));
        // Standard error comes last, and is asked first.
        let mut last = self.out.lines().chain(self.err.lines()).rev();
        let first = self.err.lines().find_map(ours);
        first.or_else(|| last.find(|line| !line.trim().is_empty()))
    }
}

/// Killed, with all its children, if it has not ended.
struct Running(Child);

impl Running {
    fn until_it_ends(&self, begun: Instant, limits: Limits) -> Result<(), ProcessError> {
        let mut asked: Option<Instant> = None;
        while !self.has_ended()? {
            let wanted = limits.stop.load(Ordering::Relaxed) || begun.elapsed() > limits.time;
            match asked {
                None if wanted => {
                    asked = Some(Instant::now());
                    // It may have ended by itself.
                    let _ = kill_process(Pid::from_child(&self.0), Signal::TERM);
                }
                Some(since) if since.elapsed() > GRACE => return Err(ProcessError::Deaf),
                _ => std::thread::sleep(LOOK),
            }
        }
        match asked {
            Some(since) => Err(ProcessError::Stopped((since - begun).as_secs_f64())),
            None => Ok(()),
        }
    }

    /// Whether it has ended. It stays readable in /proc until it is waited for.
    fn has_ended(&self) -> Result<bool, ProcessError> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let ended = waitid(WaitId::Pid(Pid::from_child(&self.0)), options).map_err(Error::from)?;
        Ok(ended.is_some())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
            let _ = self.0.wait();
        }
    }
}

/// User and system time of a process.
fn processor_times(pid: u32) -> Option<(f64, f64)> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in brackets and may hold anything; the times are the 14th and
    // 15th.
    let mut ticks = status.rsplit_once(')')?.1.split_whitespace().skip(11);
    let per_s = rustix::param::clock_ticks_per_second() as f64;
    let mut next = || Some(ticks.next()?.parse::<f64>().ok()? / per_s);
    Some((next()?, next()?))
}

fn text_of(file: &mut File) -> Result<String, ProcessError> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Launched, ProcessError> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        watch(command, Limits { time: limit, stop: &AtomicBool::new(false) })
    }

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_launch_that_fails_says_why() {
        let reason = |script| {
            let launched = shell(script, HOUR).expect("it ends by itself");
            (launched.status.code(), launched.reason().map(str::to_owned))
        };
        let of = |code, text: &str| (Some(code), Some(text.to_owned()));
        let ours =
            "echo a remark >&2; echo fourstamp: no such thing >&2; echo see --help >&2; exit 2";
        assert_eq!(reason(ours), of(2, "no such thing"));
        assert_eq!(reason("echo x: WRONG; echo; exit 1"), of(1, "x: WRONG"));
        assert_eq!(reason("true"), (Some(0), None));
    }

    #[test]
    fn one_that_takes_too_long_is_stopped() {
        let begun = Instant::now();
        let error = shell("exec sleep 60", Duration::from_millis(50)).expect_err("it is too slow");
        assert!(matches!(error, ProcessError::Stopped(_)), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn one_ends_with_the_study() {
        let stop = AtomicBool::new(true);
        let mut command = Command::new("sleep");
        command.arg("60");
        let ended = watch(command, Limits { time: HOUR, stop: &stop });
        assert!(matches!(ended, Err(ProcessError::Stopped(_))), "{ended:?}");
    }

    #[test]
    fn what_cannot_be_started_is_named() {
        let limits = Limits { time: HOUR, stop: &AtomicBool::new(false) };
        let error = watch(Command::new("/no/such/program"), limits).expect_err("there is none");
        assert!(error.to_string().contains("/no/such/program"), "{error}");
    }

    #[test]
    fn its_work_is_counted() {
        let script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo right";
        let launched = shell(script, HOUR).expect("it runs");
        let times = launched.times;
        assert!(times.user_s > 0.0 && times.user_s <= times.elapsed_s + 0.02, "{times:?}");
        assert_eq!(launched.out, "right\n");
    }
}
