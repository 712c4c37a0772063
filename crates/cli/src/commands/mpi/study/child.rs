//! One measurement's processes: started, watched, ended with the study.
//!
//! Each is in a process group of its own: Ctrl-C at the terminal reaches the study alone, which
//! passes it on once.

use crate::interrupt;
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How often we look whether something has ended.
const LOOK: Duration = Duration::from_millis(20);
/// How long a process may take to end once it is asked to.
const GRACE: Duration = Duration::from_secs(10);
/// What a benchmark says when nodes may join.
const WAITS: &str = "waiting for ";
/// Lines of a program that is not ours which are worth repeating.
const FOREIGN_LINES: usize = 3;
/// How a line begins that frames an error of Open MPI.
const FRAME: &str = "----";
/// What lets it run as root, for those who want that.
const AS_ROOT: &str = "run this as an ordinary user, or set OMPI_ALLOW_RUN_AS_ROOT=1 and \
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";

/// See `main` to its end, within the limit; `joiners` are started once it says that it waits for
/// nodes.
pub fn see_through(main: Command, joiners: Vec<Command>, limit: Duration) -> Result<()> {
    let begun = Instant::now();
    let (sender, lines) = channel();
    let mut watched =
        Watched { main: start(main, &sender)?, joined: Vec::new(), lines, said: Vec::new() };
    let mut joiners = Some(joiners);
    let mut asked: Option<Instant> = None;
    loop {
        watched.listen();
        let waits = watched.said.iter().any(|line| line.starts_with(WAITS));
        if waits && let Some(joiners) = joiners.take() {
            for joiner in joiners {
                watched.joined.push(start(joiner, &sender)?);
            }
        }
        let late = begun.elapsed() > limit;
        if let Some(status) = watched.main.try_wait().context("cannot wait for a measurement")? {
            if late {
                bail!("it was stopped after {:.0} s", begun.elapsed().as_secs_f64());
            }
            watched.listen();
            return watched.ended(status);
        }
        let wanted = late || interrupt::flag().load(Ordering::Relaxed) || watched.a_joiner_failed();
        match asked {
            None if wanted => {
                asked = Some(Instant::now());
                let _ = kill_process(Pid::from_child(&watched.main), Signal::TERM);
            }
            Some(since) if since.elapsed() > GRACE => {
                bail!("a measurement did not end when asked to")
            }
            _ => std::thread::sleep(LOOK),
        }
    }
}

fn start(mut command: Command, sender: &Sender<String>) -> Result<Child> {
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().with_context(|| format!("cannot start {name}"))?;
    if let Some(stderr) = child.stderr.take() {
        let sender = sender.clone();
        std::thread::spawn(move || pass_on(stderr, &sender));
    }
    Ok(child)
}

fn pass_on(stderr: ChildStderr, sender: &Sender<String>) {
    for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).trim().to_string();
        if sender.send(line).is_err() {
            return;
        }
    }
}

struct Watched {
    main: Child,
    joined: Vec<Child>,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl Watched {
    fn listen(&mut self) {
        self.said.extend(self.lines.try_iter().filter(|line| !line.is_empty()));
    }

    fn a_joiner_failed(&mut self) -> bool {
        self.joined
            .iter_mut()
            .any(|child| matches!(child.try_wait(), Ok(Some(status)) if !status.success()))
    }

    fn ended(&mut self, status: ExitStatus) -> Result<()> {
        if status.success() && !self.a_joiner_failed() {
            return Ok(());
        }
        // What it said last may still be in the pipe.
        std::thread::sleep(LOOK * 5);
        self.listen();
        bail!("{}", reason(&self.said).unwrap_or_else(|| format!("it ended with {status}")))
    }
}

/// Our own line if there is one; else what a launcher says first in its frame, or the last lines
/// of whoever else spoke.
fn reason(said: &[String]) -> Option<String> {
    if let Some(line) = said.iter().find_map(|line| line.strip_prefix("fourstamp: ")) {
        return Some(line.to_string());
    }
    if let Some(sentence) = framed(said) {
        return Some(sentence);
    }
    let last = &said[said.len().saturating_sub(FOREIGN_LINES)..];
    (!last.is_empty()).then(|| last.join("; "))
}

/// The first sentence between the lines of dashes that Open MPI puts around its errors. What it
/// says last there is advice.
fn framed(said: &[String]) -> Option<String> {
    let lines = said.iter().skip_while(|line| !line.starts_with(FRAME)).map(String::as_str);
    let within = lines.skip(1).take_while(|line| !line.starts_with(FRAME)).collect::<Vec<_>>();
    let end = within.iter().position(|line| line.ends_with(['.', ':'])).map(|at| at + 1)?;
    let sentence = within[..end].join(" ");
    let sentence = sentence.trim_end_matches(['.', ':']);
    Some(match sentence.contains("as root") {
        true => format!("{sentence}; {AS_ROOT}"),
        false => sentence.to_owned(),
    })
}

/// Nothing of a measurement outlives it.
impl Drop for Watched {
    fn drop(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(2);
        for child in self.joined.iter_mut().chain([&mut self.main]) {
            while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
                std::thread::sleep(LOOK);
            }
            if let Ok(None) = child.try_wait() {
                let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
                let _ = child.wait();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn the_reason_is_our_own_line_before_a_launchers() {
        let said = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect::<Vec<_>>();
        let both =
            said(&["fourstamp: the disk is full; free some space", "mpirun: a rank has died"]);
        assert_eq!(reason(&both).as_deref(), Some("the disk is full; free some space"));
        assert_eq!(reason(&said(&["a", "b", "c", "d"])).as_deref(), Some("b; c; d"));
        assert_eq!(reason(&[]), None);
    }

    #[test]
    fn a_launchers_framed_error_is_its_first_sentence_with_what_to_do_as_root() {
        let said = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let frame = "-".repeat(70);
        let slots = format!("{frame}\nThere are not enough slots\nfor 9.\nUse fewer.\n{frame}");
        assert_eq!(reason(&said(&slots)).as_deref(), Some("There are not enough slots for 9"));
        let root = format!("{frame}\nmpirun will not run as root.\nAt your own risk.\n{frame}");
        let why = reason(&said(&root)).unwrap();
        assert!(why.starts_with("mpirun will not run as root; ") && why.contains("OMPI_"), "{why}");
    }

    #[test]
    fn a_command_that_fails_says_why() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo no such rank >&2; exit 3"]);
        let error = see_through(shell, Vec::new(), HOUR).expect_err("it fails");
        assert_eq!(error.to_string(), "no such rank");
    }

    #[test]
    fn a_measurement_that_takes_too_long_is_stopped() {
        let mut slow = Command::new("sleep");
        slow.arg("60");
        let error = see_through(slow, Vec::new(), LOOK).expect_err("it is too slow");
        assert!(error.to_string().contains("stopped after"), "{error}");
    }

    #[test]
    fn a_node_that_fails_ends_the_measurement() {
        let mut waiting = Command::new("sh");
        waiting.args(["-c", "echo waiting for 1 nodes >&2; exec sleep 60"]);
        let begun = Instant::now();
        let error = see_through(waiting, vec![Command::new("false")], HOUR).expect_err("it fails");
        assert!(begun.elapsed() < Duration::from_secs(30), "{error}");
    }
}
