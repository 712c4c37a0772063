//! Running other programs: what they print is passed on line by line, none can hang for ever, none
//! outlives us.
//!
//! Each child leads a process group of its own, because a cargo that is killed alone leaves its
//! test programs running. The price: Ctrl-C at the terminal does not reach them, so we pass it on.

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Process groups of the children that run now.
static RUNNING: Mutex<Vec<i32>> = Mutex::new(Vec::new());

/// Ends the running children's whole groups, then us, on Ctrl-C and on SIGTERM.
pub fn stop_children_on_ctrl_c() -> Result<()> {
    ctrlc::set_handler(|| {
        with_running(|groups| groups.iter().copied().for_each(ask_group));
        thread::sleep(MANNERS);
        with_running(|groups| groups.iter().copied().for_each(stop_group));
        std::process::exit(130);
    })
    .context("cannot listen for Ctrl-C")
}

fn with_running(change: impl FnOnce(&mut Vec<i32>)) {
    change(&mut RUNNING.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Runs a program within a time limit and passes on what it prints. An error if it fails or takes
/// too long.
pub fn run(command: &mut Command, limit: Duration) -> Result<()> {
    run_and_watch(command, limit, |_| {})
}

/// As [`run`], and shows `line` every line that it prints to standard output.
pub fn run_and_watch(
    command: &mut Command,
    limit: Duration,
    mut line: impl FnMut(&str),
) -> Result<()> {
    println!("$ {}", shown(command));
    read_lines(command, limit, |text| {
        println!("{text}");
        line(text);
    })
}

/// Runs a program within a time limit. All that it prints goes to a file. An error if it fails or
/// takes longer.
pub fn run_into(file: &File, command: &mut Command, limit: Duration) -> Result<()> {
    let mut child = start(command.stdout(file.try_clone()?).stderr(file.try_clone()?))?;
    let status = wait(&mut child, limit)?;
    succeeded(command, status)
}

/// Runs a program within a time limit. Its lines go to `line` and nowhere else. An error if it
/// fails or takes too long.
pub fn read_lines(
    command: &mut Command,
    limit: Duration,
    mut line: impl FnMut(&str),
) -> Result<()> {
    let mut child = start(command.stdout(Stdio::piped()))?;
    let output = child.stdout.take().context("no standard output")?;
    let status = thread::scope(|threads| {
        let waiter = threads.spawn(|| wait(&mut child, limit));
        for text in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            line(&String::from_utf8_lossy(&text));
        }
        waiter.join().unwrap_or_else(|_| bail!("the waiting thread panicked"))
    })?;
    succeeded(command, status)
}

/// Runs a program and returns its standard output; its standard error is shown only if it fails.
pub fn capture(command: &mut Command) -> Result<String> {
    capture_within(command, Duration::from_secs(600))
}

/// As [`capture`], within a time limit.
pub fn capture_within(command: &mut Command, limit: Duration) -> Result<String> {
    let output = output_within(command, limit)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    succeeded(command, output.status)
        .with_context(|| format!("{}{}", out.trim_end(), err.trim_end()))?;
    Ok(out)
}

/// What a program comes to within a time limit, well or not.
pub fn output_within(command: &mut Command, limit: Duration) -> Result<Output> {
    let mut child = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let status = thread::scope(|threads| {
        let waiter = threads.spawn(|| wait(&mut child, limit));
        threads.spawn(|| err.map(|mut stream| stream.read_to_end(&mut stderr)));
        out.map(|mut stream| stream.read_to_end(&mut stdout));
        waiter.join().unwrap_or_else(|_| bail!("the waiting thread panicked"))
    })?;
    Ok(Output { status, stdout, stderr })
}

/// Whether a program runs and says yes; what it prints is thrown away.
pub fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// The first program of that name on the PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The interpreter itself: what is called `python3` may be a script, which forks and has pipes of
/// its own.
pub fn python() -> Result<PathBuf> {
    let mut named = Command::new("python3");
    let path = capture(named.args(["-c", "import sys; print(sys.executable)"]))?;
    Ok(path.trim().into())
}

/// Starts a program in a group of its own, for [`wait`].
pub fn start(command: &mut Command) -> Result<Child> {
    let child = command.stdin(Stdio::null()).process_group(0).spawn();
    let child =
        child.with_context(|| format!("cannot start {}", command.get_program().display()))?;
    with_running(|groups| groups.push(child.id() as i32));
    Ok(child)
}

/// Waits for the end of a child, and stops its group when the limit is over or when it leaves some
/// of it behind.
pub fn wait(child: &mut Child, limit: Duration) -> Result<ExitStatus> {
    let started = Instant::now();
    let group = child.id() as i32;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Ok(status);
        }
        if started.elapsed() > limit {
            ask_group(group);
            thread::sleep(MANNERS);
            stop_group(group);
            child.wait()?;
            break Err(anyhow::anyhow!("stopped: it took longer than {} s", limit.as_secs()));
        }
        thread::sleep(Duration::from_millis(10));
    };
    with_running(|groups| groups.retain(|running| *running != group));
    stop_group(group); // a process left behind would hold the pipe open, and us with it
    status
}

/// How long a group may take to stop what it has itself started, which has groups of its own.
const MANNERS: Duration = Duration::from_millis(300);

fn ask_group(group: i32) {
    signal_group(group, Signal::TERM);
}

fn stop_group(group: i32) {
    signal_group(group, Signal::KILL);
}

fn signal_group(group: i32, signal: Signal) {
    if let Some(group) = Pid::from_raw(group) {
        // Gone already is as good.
        let _ = kill_process_group(group, signal);
    }
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("{status}: {}", shown(command));
    }
    Ok(())
}

/// As it would be typed.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// A process and what it has started, and they.
pub fn family(first: u32) -> Vec<u32> {
    let mut parents = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        if let Some((pid, parent)) = pid.and_then(|pid| Some((pid, state_and_parent(pid)?.1))) {
            parents.push((pid, parent));
        }
    }
    let mut family = vec![first];
    let mut at = 0;
    while let Some(parent) = family.get(at).copied() {
        family.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    family
}

/// Its state, as a letter, and its parent.
pub fn state_and_parent(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn a_failure_is_an_error_that_names_the_command_and_shows_what_it_said() {
        let error = capture_within(&mut shell("echo why >&2; exit 3"), LONG).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("why") && error.contains("exit status: 3"), "{error}");
    }

    #[test]
    fn a_program_that_hangs_is_stopped_with_its_children() {
        let started = Instant::now();
        let error = capture_within(&mut shell("sleep 60 & sleep 60"), Duration::from_millis(100))
            .unwrap_err();
        assert!(started.elapsed() < LONG, "it waited for the child of the child");
        assert!(format!("{error:#}").contains("longer than"));
    }

    #[test]
    fn what_it_leaves_behind_does_not_hold_us_up() {
        let started = Instant::now();
        assert_eq!(capture_within(&mut shell("sleep 60 & echo done"), LONG).unwrap(), "done\n");
        assert!(started.elapsed() < LONG);
    }

    #[test]
    fn every_line_is_seen() {
        let mut lines = Vec::new();
        run_and_watch(&mut shell("echo a; printf b"), LONG, |line| lines.push(line.to_owned()))
            .unwrap();
        assert_eq!(lines, ["a", "b"]);
    }
}
