//! One launch of a program: watched, timed, and ended with the study.

use crate::studying::limits;
use anyhow::{Result, bail};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;
use study::process::{Times, watch};

/// No launch may take longer.
pub const LIMIT: Duration = Duration::from_secs(3600);
/// What a program prints when its result is right.
const RIGHT: &str = ": right";

/// Run it to its end. It must say that its result is right.
pub fn run(command: Command) -> Result<Times> {
    let launched = watch(command, limits(LIMIT))?;
    let right = [&launched.out, &launched.err].iter().any(|said| said.contains(RIGHT));
    if !launched.status.success() || !right {
        let killed = match launched.status.signal() {
            Some(9) => " (if it was the kernel, for want of memory)",
            _ => "",
        };
        let reason = launched.reason().unwrap_or("it printed nothing");
        bail!("{}{killed}: {reason}", launched.status);
    }
    Ok(launched.times)
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
    }
}
