//! Test programs by `cargo test`: what is worth reading is shown, all of it is kept in a file, and
//! what failed is run again, alone.
//!
//! Many tests measure time, and a machine shared with others takes time away. Such a failure does
//! not come back when the test has the machine to itself; one of the program's own does, since
//! seeds and drawn cases are the same. Both are shown, and the summary names either.

use super::tally::Tally;
use crate::process::{read_lines, shown};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::Command;
use std::time::Duration;

/// Failures that are run again. More of them are no accident.
const AGAIN_MAX: usize = 5;

/// Runs the tests of a `cargo test` command, which is made anew for each time that it is run.
pub fn run(
    workspace: &Workspace,
    step: &str,
    limit: Duration,
    cargo: impl Fn() -> Command,
    tally: &mut Tally,
) -> Result<()> {
    run_and_show(workspace, step, limit, cargo, tally, |line| println!("{line}"))
}

/// The same, with what is worth showing given to `show`.
fn run_and_show(
    workspace: &Workspace,
    step: &str,
    limit: Duration,
    cargo: impl Fn() -> Command,
    tally: &mut Tally,
    show: impl Fn(&str),
) -> Result<()> {
    let log = workspace.scratch("logs")?.join(step).with_extension("log");
    let mut log = BufWriter::new(
        File::create(&log).with_context(|| format!("cannot write {}", log.display()))?,
    );
    let mut once = |arguments: &[&str]| {
        let mut command = cargo();
        // The output of tests that pass says what they skipped, and why.
        command.args(["--", "--show-output"]).args(arguments);
        let (mut reading, mut tally) = (Reading::default(), Tally::default());
        show(&format!("$ {}", shown(&command)));
        let ended = read_lines(&mut command, limit, |line| {
            // What the file cannot keep is on the terminal none the less, where it matters.
            let _ = writeln!(log, "{line}");
            tally.line(line);
            if reading.line(line) {
                show(line);
            }
        });
        (ended, reading, tally)
    };
    let (ended, first, counted) = once(&[]);
    *tally = counted;
    tally.failures.clone_from(&first.failed);
    if ended.is_ok() || !first.may_be_an_accident() {
        return ended;
    }
    show(&format!("\n==> {step}: what failed, once more and alone: {}", first.failed.join(", ")));
    let mut alone = vec!["--test-threads=1", "--exact"];
    alone.extend(first.failed.iter().map(String::as_str));
    let (ended, _, counted) = once(&alone);
    ended?;
    tally.passed_again(counted.passed)
}

/// Where in the output of a test program.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    /// A line a test, and the result.
    #[default]
    Course,
    /// What the tests that passed have printed.
    Successes,
    /// What the others have.
    Failures,
}

/// What the test programs of one command have said so far.
#[derive(Default)]
struct Reading {
    part: Part,
    /// Programs that have begun and have given no result yet.
    unfinished: u32,
    failed: Vec<String>,
}

impl Reading {
    /// Takes a line; whether it is worth showing.
    fn line(&mut self, line: &str) -> bool {
        match line {
            "successes:" => self.part = Part::Successes,
            "failures:" => self.part = Part::Failures,
            _ if line.starts_with("test result: ") => return self.result(line),
            _ => return self.text(line),
        }
        self.part == Part::Failures
    }

    fn result(&mut self, line: &str) -> bool {
        self.part = Part::Course;
        self.unfinished = self.unfinished.saturating_sub(1);
        !line.contains(" ok. 0 passed")
    }

    fn text(&mut self, line: &str) -> bool {
        match self.part {
            Part::Course => {
                self.unfinished +=
                    u32::from(line.starts_with("running ") && line.contains(" test"));
                line.contains(" has been running for over ")
            }
            Part::Successes => line.trim_start().starts_with("skipped: "),
            Part::Failures => {
                let name =
                    line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"));
                self.failed.extend(name.map(str::to_owned));
                true
            }
        }
    }

    /// A few tests failed, and every program came to its end.
    fn may_be_an_accident(&self) -> bool {
        self.unfinished == 0 && (1..=AGAIN_MAX).contains(&self.failed.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: &str = "running 3 tests
test a ... ok
test slow has been running for over 60 seconds
test b ... FAILED

successes:

---- a stdout ----
chatter
skipped: no MPI here

successes:
    a

failures:

---- b stdout ----
thread 'b' panicked: too late

failures:
    b

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";

    fn read(text: &str) -> (Reading, Vec<&str>) {
        let mut reading = Reading::default();
        let shown = text.lines().filter(|line| !line.is_empty() && reading.line(line)).collect();
        (reading, shown)
    }

    #[test]
    fn failures_are_shown_and_named_and_what_passed_says_only_what_it_skipped() {
        let (reading, shown) = read(RED);
        assert_eq!(reading.failed, ["b"]);
        let expected = [
            "test slow has been running for over 60 seconds",
            "skipped: no MPI here",
            "failures:",
            "---- b stdout ----",
            "thread 'b' panicked: too late",
            "failures:",
            "    b",
        ];
        assert_eq!(shown[..7], expected);
        assert!(shown[7].starts_with("test result: FAILED") && shown.len() == 8);
    }

    #[test]
    fn only_a_few_failures_of_programs_that_ended_are_run_again() {
        assert!(read(RED).0.may_be_an_accident());
        assert!(
            !read(&format!("{RED}\nrunning 1 test")).0.may_be_an_accident(),
            "the second one crashed"
        );
        assert!(
            !read("running 1 test\ntest result: ok. 1 passed; 0 failed").0.may_be_an_accident()
        );
        assert!(!read(&RED.repeat(6)).0.may_be_an_accident());
    }

    /// Runs a script in the place of cargo, which finds the harness's arguments in `$*`.
    fn run_script(script: &str) -> (Result<()>, Tally) {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().to_owned();
        let workspace = Workspace { root: target.clone(), target, packages: vec![] };
        let cargo = || {
            let mut shell = Command::new("sh");
            shell.args(["-c", script, "sh"]);
            shell
        };
        let mut tally = Tally::default();
        // In silence: who counts tests by what they print must not count these.
        let ended =
            run_and_show(&workspace, "tests", Duration::from_secs(20), cargo, &mut tally, |_| {});
        (ended, tally)
    }

    #[test]
    fn what_fails_twice_has_failed_and_what_fails_once_is_named() {
        let red = format!("echo '{}'; exit 1", RED.replace('\'', "\""));
        let (ended, tally) = run_script(&red);
        assert!(ended.is_err() && tally.failures == ["b"] && tally.failed == 1, "{tally:?}");
        let green = "running 1 test\ntest result: ok. 1 passed; 0 failed";
        let once = format!(
            "case \"$*\" in *'--test-threads=1 --exact b') echo '{green}'; exit;; esac; {red}"
        );
        let (ended, tally) = run_script(&once);
        assert!(
            ended.is_ok() && tally.passed_alone == ["b"] && (tally.passed, tally.failed) == (2, 0),
            "{tally:?}"
        );
    }
}
