//! One launch of a program: watched, timed, and ended with the study.

use crate::interrupt;
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{Read, Seek};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often we look whether it has ended.
const LOOK: Duration = Duration::from_millis(2);
/// No launch may take longer.
const LIMIT: Duration = Duration::from_secs(3600);
/// What a program prints when its result is right.
const RIGHT: &str = ": right";

/// A launch that has ended well.
#[derive(Clone, Debug, Default)]
pub struct Launched {
    pub elapsed_s: f64,
    pub user_s: f64,
    pub system_s: f64,
}

/// Run it to its end. It must say that its result is right.
pub fn run(mut command: Command) -> Result<Launched> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut said = tempfile::tempfile().context("cannot make a temporary file")?;
    command
        .stdin(Stdio::null())
        .stdout(said.try_clone()?)
        .stderr(said.try_clone()?)
        .process_group(0);
    let begun = Instant::now();
    let mut running = Running(command.spawn().with_context(|| format!("cannot start {name}"))?);
    while !running.has_ended()? {
        if begun.elapsed() > LIMIT || interrupt::flag().load(Ordering::Relaxed) {
            bail!("it was stopped after {:.0} s", begun.elapsed().as_secs_f64());
        }
        std::thread::sleep(LOOK);
    }
    let elapsed_s = begun.elapsed().as_secs_f64();
    let (user_s, system_s) = processor_times(running.0.id()).unwrap_or_default();
    let status = running.0.wait()?;
    let mut text = String::new();
    said.rewind()?;
    said.read_to_string(&mut text)?;
    if !status.success() || !text.contains(RIGHT) {
        let killed = if status.signal() == Some(9) {
            " (if it was the kernel, for want of memory)"
        } else {
            ""
        };
        bail!("{status}{killed}: {}", reason(&text));
    }
    Ok(Launched { elapsed_s, user_s, system_s })
}

/// Our own line if there is one, else the last.
fn reason(said: &str) -> &str {
    let ours = said
        .lines()
        .find_map(|line| line.strip_prefix("fourstamp: ").or(line.strip_prefix("error: ")));
    let last = || said.lines().rev().find(|line| !line.trim().is_empty());
    ours.or_else(last).unwrap_or("it said nothing")
}

/// Killed, with all its children, if it has not ended.
struct Running(Child);

impl Running {
    /// Whether it has ended. It stays readable in /proc until it is waited for.
    fn has_ended(&self) -> Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(Pid::from_child(&self.0)), options)?.is_some())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn only_a_right_result_counts() {
        assert!(run(shell("echo x: right")).is_ok());
        let wrong = run(shell("echo x: WRONG; exit 1")).expect_err("it fails").to_string();
        assert!(wrong.contains("x: WRONG"), "{wrong}");
        assert!(run(shell("true")).is_err(), "saying nothing is not enough");
        assert_eq!(reason("fourstamp: no server; start one\nsee --help\n"), "no server; start one");
        assert_eq!(reason("x: WRONG\n\n"), "x: WRONG");
    }

    #[test]
    fn its_work_is_counted() {
        let launched =
            run(shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo x: right"));
        let launched = launched.expect("it runs");
        assert!(
            launched.user_s > 0.0 && launched.user_s <= launched.elapsed_s + 0.02,
            "{launched:?}"
        );
    }
}
