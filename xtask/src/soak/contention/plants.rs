//! Takes a node's core, its pages or its disk, from outside, for some time.

use super::ground::Ground;
use super::thread::NodeThread;
use super::{Case, Plant};
use crate::hog::now_ns;
use crate::process::capture;
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// From when to when, ns.
type Span = (i64, i64);

/// Waits until the node measures, and holds it; from when to when.
pub fn hold(case: Case, ground: &Ground, run: &Path) -> Result<Span> {
    let thread = NodeThread::find(run, case.node)?;
    std::thread::sleep(Duration::from_millis(case.after_ms));
    let time = Duration::from_millis(case.ms);
    match case.plant {
        Plant::Core => take_core(case, &thread, ground.has_real_time()),
        Plant::Stop => stop(thread.pid, time),
        Plant::Pages => take_pages(thread.pid, time, ground),
        Plant::Disk => freeze(ground.folder(Plant::Disk), time),
    }
}

fn stop(pid: i32, time: Duration) -> Result<Span> {
    let pid = Pid::from_raw(pid).context("no process")?;
    let from = now_ns();
    kill_process(pid, Signal::STOP).context("cannot stop the node")?;
    std::thread::sleep(time);
    kill_process(pid, Signal::CONT).context("cannot continue the node")?;
    Ok((from, now_ns()))
}

/// Nobody may touch the disk meanwhile: who waits for it cannot be killed.
fn freeze(disk: &Path, time: Duration) -> Result<Span> {
    let from = now_ns();
    capture(Command::new("fsfreeze").arg("-f").arg(disk))?;
    std::thread::sleep(time);
    capture(Command::new("fsfreeze").arg("-u").arg(disk))?;
    Ok((from, now_ns()))
}

/// And has it read them back at leisure.
fn take_pages(pid: i32, time: Duration, ground: &Ground) -> Result<Span> {
    let _slow = ground.slow_disk(pid)?;
    let mut script = Command::new("python3");
    script.args([
        "-c",
        include_str!("pageout.py"),
        &pid.to_string(),
        &time.as_secs_f64().to_string(),
    ]);
    let from = now_ns();
    capture(&mut script)?;
    Ok((from, now_ns()))
}

fn take_core(case: Case, thread: &NodeThread, real_time: bool) -> Result<Span> {
    let core = match thread.core {
        Some(core) => core,
        None => thread.pin_to_where_it_is()?,
    };
    let mut spans: Vec<Span> = Vec::new();
    for hog in hogs(core, case.ms, real_time)? {
        let printed = String::from_utf8(hog.wait_with_output()?.stdout)?;
        let mut numbers = printed.split_whitespace().map(str::parse::<i64>);
        let (Some(Ok(from)), Some(Ok(to))) = (numbers.next(), numbers.next()) else {
            bail!("a hog did not say when it ran");
        };
        spans.push((from, to));
    }
    let from = spans.iter().map(|(from, _)| *from).min().context("no hog ran")?;
    Ok((from, spans.iter().map(|(_, to)| *to).max().unwrap_or(from)))
}

/// The programs that take a core for so long.
fn hogs(core: u32, ms: u64, real_time: bool) -> Result<Vec<Child>> {
    let this = std::env::current_exe().context("this program has no name")?;
    let (copies, before): (u32, &[&str]) =
        if real_time { (1, &["chrt", "-f", "50"]) } else { (16, &[]) };
    let start = |_| {
        let mut command = Command::new("taskset");
        command.args(["-c", &core.to_string()]).args(before).arg(&this).args(["hog", "--ms"]);
        command.arg(ms.to_string()).stdout(Stdio::piped()).spawn().context("cannot start a hog")
    };
    (0..copies).map(start).collect()
}
