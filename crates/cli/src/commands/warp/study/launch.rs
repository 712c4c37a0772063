//! One launch: a process that is watched, ended with the study, and read.
//!
//! It is in a process group of its own: Ctrl-C at the terminal reaches the study alone, which
//! passes it on once.

use crate::interrupt;
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Map, Value};
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use warp::Summary;

/// How often we look whether it has ended.
const LOOK: Duration = Duration::from_millis(5);
/// How long it may take to end once it is asked to.
const GRACE: Duration = Duration::from_secs(10);

/// Run it to its end; what it printed.
pub fn run(mut command: Command) -> Result<String> {
    let mut out = tempfile::tempfile().context("cannot make a temporary file")?;
    let mut err = tempfile::tempfile().context("cannot make a temporary file")?;
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(err.try_clone()?).process_group(0);
    let mut running = Running(command.spawn().context("cannot start a launch")?);
    let mut asked: Option<Instant> = None;
    let status = loop {
        if let Some(status) = running.0.try_wait().context("cannot wait for a launch")? {
            break status;
        }
        match asked {
            None if interrupt::flag().load(Ordering::Relaxed) => {
                asked = Some(Instant::now());
                // It may have ended by itself.
                let _ = kill_process(Pid::from_child(&running.0), Signal::TERM);
            }
            Some(since) if since.elapsed() > GRACE => bail!("a launch did not end when asked to"),
            _ => std::thread::sleep(LOOK),
        }
    };
    if !status.success() {
        let said = text_of(&mut err)?;
        let ours = said.lines().rev().find_map(|line| line.strip_prefix("fourstamp: "));
        let last = || said.lines().rev().find(|line| !line.trim().is_empty());
        bail!(
            "{}",
            ours.or_else(last).map_or_else(|| format!("it ended with {status}"), str::to_string)
        );
    }
    text_of(&mut out)
}

fn text_of(file: &mut std::fs::File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The result at the end of what a launch with `--csv` printed: a line of names, a line of values.
pub fn summary(printed: &str) -> Result<Summary> {
    let lines: Vec<&str> = printed.lines().collect();
    let [.., names, values] = lines[..] else { bail!("a launch printed no result") };
    let field = |(name, value): (&str, &str)| {
        let is_text = name.ends_with("_digest");
        let number = serde_json::from_str(value).ok().filter(|_| !is_text);
        (name.to_string(), number.unwrap_or_else(|| Value::from(value)))
    };
    let fields: Map<String, Value> = names.split(',').zip(values.split(',')).map(field).collect();
    serde_json::from_value(Value::Object(fields)).context("a launch printed what is no result")
}

/// Nothing of a launch outlives it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
            let _ = self.0.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_that_fails_says_why() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo a remark >&2; echo fourstamp: no such thing >&2; exit 2"]);
        assert_eq!(run(shell).expect_err("it fails").to_string(), "no such thing");
    }

    #[test]
    fn the_result_stands_in_the_last_two_lines() {
        let names = "events,messages,executed,rolled_back,rollbacks,anti_messages,sendbacks,efficiency,off_node_share,\
                     gvt_rounds,memory_peak,final_time,trace_digest,state_digest,seconds,events_per_s";
        let values = "5,6,7,2,1,0,0,0.7,0.5,3,1000,40,0000000000000012,00000000000000ff,0.25,20";
        let found =
            summary(&format!("a line of the model\n{names}\n{values}\n")).expect("a result");
        assert_eq!(
            (found.events, found.seconds, &*found.trace_digest),
            (5, 0.25, "0000000000000012")
        );
        for nonsense in ["", "a\nb\n", "events\n5\n"] {
            assert!(summary(nonsense).is_err(), "{nonsense}");
        }
    }
}
