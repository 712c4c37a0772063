//! Counting tests by what the test programs print.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

/// How many tests of a step passed and failed, and what was skipped.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub passed: u32,
    pub failed: u32,
    /// Reasons.
    pub skipped: Vec<String>,
    /// Names of the tests that failed, where the harness tells them.
    pub failures: Vec<String>,
    /// Names of those that failed among the others and passed alone.
    pub passed_alone: Vec<String>,
}

impl Tally {
    /// Counts from a line that a test program printed: a harness's result, or a test's `skipped:
    /// reason`.
    pub fn line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("test result: ") {
            self.passed += count(rest, " passed");
            self.failed += count(rest, " failed");
        } else if let Some(reason) = line.trim_start().strip_prefix("skipped: ") {
            self.skipped.push(reason.to_owned());
        } else if let Some((passed, failed)) = counts(line) {
            self.passed += passed;
            self.failed += failed;
        }
    }

    /// Counts what another has counted.
    pub fn add(&mut self, other: &Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend_from_slice(&other.skipped);
        self.failures.extend_from_slice(&other.failures);
        self.passed_alone.extend_from_slice(&other.passed_alone);
    }

    /// These tests, which had failed, passed when they were run again.
    pub fn passed_alone(&mut self, passed: &[&String]) {
        for test in passed {
            if let Some(at) = self.failures.iter().position(|failed| failed == *test) {
                self.passed_alone.push(self.failures.remove(at));
                (self.passed, self.failed) = (self.passed + 1, self.failed.saturating_sub(1));
            }
        }
    }

    /// An error if a test that failed has not passed since.
    pub fn all_passed(&self) -> Result<()> {
        match self.failures.len() {
            0 => Ok(()),
            many => bail!("{many} tests did not pass when they were run again"),
        }
    }

    /// Skips the step, or what is left of it. Always `Ok`, to be the step's last word.
    pub fn skip(&mut self, reason: impl Into<String>) -> Result<()> {
        let reason = reason.into();
        println!("skipped: {reason}");
        self.skipped.push(reason);
        Ok(())
    }

    /// A step that counted nothing is itself one test; one that fails has at least one failure.
    pub fn close(&mut self, failed: bool) {
        let counted = self.passed + self.failed > 0;
        if failed && self.failed == 0 {
            self.failed = 1;
        } else if !failed && !counted && self.skipped.is_empty() {
            self.passed = 1;
        }
    }
}

/// The last line of the browser test: `5 passed, 0 failed`.
fn counts(line: &str) -> Option<(u32, u32)> {
    let (passed, failed) = line.strip_suffix(" failed")?.split_once(" passed, ")?;
    Some((passed.parse().ok()?, failed.parse().ok()?))
}

/// The number before `word`: `ok. 5 passed; 0 failed` has 5 before ` passed`.
fn count(line: &str, word: &str) -> u32 {
    let before = line.split(word).next().unwrap_or_default();
    if before.len() == line.len() {
        return 0;
    }
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(lines: &[&str]) -> Tally {
        let mut tally = Tally::default();
        lines.iter().for_each(|line| tally.line(line));
        tally
    }

    #[test]
    fn counts_what_the_harness_prints() {
        let seen = tally(&[
            "running 7 tests",
            "test result: ok. 5 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished \
            in 0.00s",
            "skipped: no MPI here",
            "4 passed, 1 failed",
            "so many passed, and one failed",
            "test result: FAILED. 1 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; \
            finished in 0.00s",
        ]);
        assert_eq!(
            seen,
            Tally {
                passed: 10,
                failed: 4,
                skipped: vec!["no MPI here".into()],
                ..Tally::default()
            }
        );
    }

    #[test]
    fn a_step_without_tests_counts_as_one() {
        let closed = |mut tally: Tally, failed| {
            tally.close(failed);
            (tally.passed, tally.failed)
        };
        assert_eq!(closed(tally(&[]), false), (1, 0));
        assert_eq!(closed(tally(&[]), true), (0, 1));
        assert_eq!(closed(tally(&["skipped: no"]), false), (0, 0));
        let ok = "test result: ok. 5 passed; 0 failed;";
        assert_eq!(closed(tally(&[ok]), false), (5, 0));
        assert_eq!(closed(tally(&[ok]), true), (5, 1), "it failed to build one test program");
    }

    #[test]
    fn a_failure_that_does_not_come_back_is_named_and_counts_as_passed() {
        let failures = vec!["late".to_owned(), "wrong".to_owned()];
        let mut red = Tally { passed: 9, failed: 2, failures, ..Tally::default() };
        red.passed_alone(&[&"late".to_owned(), &"another".to_owned()]);
        assert!(red.all_passed().is_err(), "one has not passed");
        let (failures, passed_alone) = (vec!["wrong".into()], vec!["late".into()]);
        let expected = Tally { passed: 10, failed: 1, failures, passed_alone, ..Tally::default() };
        assert_eq!(red, expected);
        red.passed_alone(&[&"wrong".to_owned()]);
        assert!(red.all_passed().is_ok() && red.failed == 0);
    }
}
