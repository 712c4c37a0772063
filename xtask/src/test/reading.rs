//! Reading what a test program prints: what is worth showing, and which tests failed.

/// Where in the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    /// A line a test, and the result.
    #[default]
    Course,
    /// What the tests that passed have printed.
    Successes,
    /// What the others have.
    Failures,
}

/// What one test program has said so far.
#[derive(Debug, Default)]
pub struct Reading {
    part: Part,
    /// It has given its result. One that crashes does not.
    pub finished: bool,
    /// Names of the tests that failed.
    pub failed: Vec<String>,
}

impl Reading {
    /// Takes a line; whether it is worth showing.
    pub fn line(&mut self, line: &str) -> bool {
        match line {
            "successes:" => self.part = Part::Successes,
            "failures:" => self.part = Part::Failures,
            _ if line.starts_with("test result: ") => {
                (self.part, self.finished) = (Part::Course, true);
                return false;
            }
            _ => return self.text(line),
        }
        self.part == Part::Failures
    }

    fn text(&mut self, line: &str) -> bool {
        match self.part {
            Part::Course => line.contains(" has been running for over "),
            Part::Successes => line.trim_start().starts_with("skipped: "),
            Part::Failures => {
                let name =
                    line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"));
                self.failed.extend(name.map(str::to_owned));
                true
            }
        }
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
";

    #[test]
    fn failures_are_shown_and_named_and_what_passed_says_only_what_it_skipped() {
        let mut reading = Reading::default();
        let lines = RED.lines().filter(|line| !line.is_empty());
        let shown: Vec<_> = lines.filter(|line| reading.line(line)).collect();
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
        assert_eq!(shown, expected);
        assert!(!reading.finished, "no result yet: it may have crashed");
        assert!(!reading.line("test result: FAILED. 1 passed; 1 failed; 0 ignored"));
        assert!(reading.finished);
    }
}
