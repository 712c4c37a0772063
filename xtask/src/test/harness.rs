//! A suite of tests: what is worth reading is shown, all of it is kept in a file,
//! and what failed is run again, alone.
//!
//! Many tests measure time, and a machine shared with others takes time away. Such a failure does
//! not come back when the test has the machine to itself; one of the program's own does, since
//! seeds and drawn cases are the same. Both are shown, and the summary names either.

use super::built::TestProgram;
use super::lanes::{self, Ran};
use super::tally::Tally;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{BufWriter, Write};

/// Failures that are run again. More of them are no accident.
const AGAIN_MAX: usize = 5;

/// Runs test programs; with a filter only those tests whose names contain it.
pub fn run(
    workspace: &Workspace,
    step: &str,
    programs: &[TestProgram],
    filter: Option<&str>,
    tally: &mut Tally,
) -> Result<()> {
    run_programs(workspace, step, programs, filter, tally, |line| println!("{line}"))
}

/// The same, with what is worth showing given to `show`.
fn run_programs(
    workspace: &Workspace,
    step: &str,
    programs: &[TestProgram],
    filter: Option<&str>,
    tally: &mut Tally,
    show: impl Fn(&str),
) -> Result<()> {
    let log = workspace.scratch("logs")?.join(step).with_extension("log");
    let mut log = BufWriter::new(
        File::create(&log).with_context(|| format!("cannot write {}", log.display()))?,
    );
    let mut failed: Vec<(&TestProgram, Vec<String>)> = Vec::new();
    let mut crashed = Vec::new();
    // The output of tests that pass says what they skipped, and why.
    let arguments: Vec<&str> = filter.into_iter().chain(["--show-output"]).collect();
    lanes::run(programs, &arguments, |ran| {
        tell(&ran, &mut log, &show);
        tally.add(&ran.tally);
        match (&ran.ended, ran.reading.finished) {
            (Ok(()), _) => {}
            (Err(_), true) => failed.push((ran.program, ran.reading.failed)),
            (Err(_), false) => crashed.push(ran.program.name.clone()),
        }
    })?;
    if !crashed.is_empty() {
        bail!("{} ended without a result", crashed.join(", "));
    }
    match tally.failures.len() {
        0 if failed.is_empty() => Ok(()),
        1..=AGAIN_MAX => again(step, &failed, &mut log, tally, show),
        many => bail!("{many} tests failed"),
    }
}

/// Runs what failed once more, each program with the machine to itself.
fn again(
    step: &str,
    failed: &[(&TestProgram, Vec<String>)],
    log: &mut impl Write,
    tally: &mut Tally,
    show: impl Fn(&str),
) -> Result<()> {
    let names = tally.failures.join(", ");
    show(&format!("\n==> {step}: what failed, once more and alone: {names}"));
    let mut ended = Ok(());
    for (program, tests) in failed {
        let mut arguments = vec!["--show-output", "--test-threads=1", "--exact"];
        arguments.extend(tests.iter().map(String::as_str));
        let ran = lanes::run_alone(program, &arguments)?;
        tell(&ran, log, &show);
        let has_passed = |test: &&String| !ran.reading.failed.contains(*test);
        let passed: Vec<&String> = tests.iter().filter(has_passed).collect();
        // Of a program that crashed it is not known which have passed.
        if passed.len() == ran.tally.passed as usize {
            tally.passed_alone(&passed);
        }
        ended = ended.and(ran.ended);
    }
    ended?;
    tally.all_passed()
}

/// A line about a program that ran, below what of its output is worth reading.
fn tell(ran: &Ran, log: &mut impl Write, show: &impl Fn(&str)) {
    let name = &ran.program.name;
    // What the file cannot keep is on the terminal none the less, where it matters.
    let _ = writeln!(log, "==> {name}\n{}", ran.lines.join("\n"));
    ran.shown.iter().for_each(|line| show(line));
    let counts = match (&ran.ended, ran.tally.passed, ran.tally.failed) {
        (Ok(()), 0, 0) => return,
        (Ok(()), passed, _) => format!("{passed} passed"),
        (Err(_), passed, failed) if ran.reading.finished => {
            format!("{failed} of {} failed", passed + failed)
        }
        (Err(why), ..) => format!("{why:#}"),
    };
    show(&format!("{:>7.1} s  {name}: {counts}", ran.time.as_secs_f64()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Build;

    const RED: &str = "running 2 tests

failures:

---- b stdout ----
thread 'b' panicked: too late

failures:
    b

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";

    const GREEN: &str = "running 1 test\ntest result: ok. 1 passed; 0 failed";

    /// Scripts in the place of test programs, which find the harness's arguments in `$*`.
    fn run_scripts(scripts: &[String]) -> (Result<()>, Tally) {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().to_owned();
        let workspace =
            Workspace { root: target.clone(), target, finished: Build::Tests, packages: vec![] };
        let program = |(at, script): (usize, &String)| TestProgram {
            name: format!("program-{at}"),
            words: ["sh", "-c", script, "sh"].map(str::to_owned).to_vec(),
            folder: "/".into(),
            environment: Vec::new(),
        };
        let programs: Vec<_> = scripts.iter().enumerate().map(program).collect();
        let mut tally = Tally::default();
        // In silence: who counts tests by what they print must not count these.
        let ended = run_programs(&workspace, "tests", &programs, None, &mut tally, |_| {});
        (ended, tally)
    }

    fn red() -> String {
        format!("echo '{}'; exit 101", RED.replace('\'', "\""))
    }

    #[test]
    fn what_fails_twice_has_failed_and_what_fails_once_is_named() {
        let (ended, tally) = run_scripts(&[red()]);
        assert!(ended.is_err() && tally.failures == ["b"] && tally.failed == 1, "{tally:?}");
        let once = format!(
            "case \"$*\" in *'--test-threads=1 --exact b') echo '{GREEN}'; exit;; esac; {}",
            red()
        );
        let (ended, tally) = run_scripts(&[format!("echo '{GREEN}'"), once]);
        assert!(
            ended.is_ok() && tally.passed_alone == ["b"] && (tally.passed, tally.failed) == (3, 0),
            "{tally:?}"
        );
    }

    /// As one does that leaves its work to another step.
    #[test]
    fn a_program_that_has_nothing_to_say_is_no_crash() {
        let (ended, tally) = run_scripts(&["true".into()]);
        assert!(ended.is_ok() && tally == Tally::default(), "{tally:?}");
    }

    #[test]
    fn many_failures_are_no_accident_and_a_crash_is_none() {
        let (ended, tally) = run_scripts(&vec![red(); 6]);
        assert!(ended.is_err() && tally.failed == 6 && tally.passed_alone.is_empty(), "{tally:?}");
        let (ended, _) = run_scripts(&[red(), "echo running 1 test; kill -SEGV $$".into()]);
        let why = format!("{:#}", ended.unwrap_err());
        assert_eq!(why, "program-1 ended without a result");
    }
}
