//! One launch: a process that is watched, ended with the study, and read.

use crate::studying::limits;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Map, Value};
use std::process::Command;
use std::time::Duration;
use study::process::{ProcessError, watch};
use warp::Summary;

/// Run it to its end, unless that takes longer than the limit; what it printed.
pub fn run(command: Command, limit: Duration) -> Result<String> {
    let launched = watch(command, limits(limit)).map_err(|error| match error {
        ProcessError::Stopped(_) if limit < Duration::MAX => {
            anyhow!("given up after {limit:?} (--give-up-after)")
        }
        error => error.into(),
    })?;
    match launched.failure() {
        Some(why) => bail!("{why}"),
        None => Ok(launched.out),
    }
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
    serde_json::from_value(Value::Object(fields))
        .context("cannot read the result that a launch printed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_that_fails_says_why() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo a remark >&2; echo fourstamp: no such thing >&2; exit 2"]);
        let hour = Duration::from_secs(3600);
        assert_eq!(run(shell, hour).expect_err("it fails").to_string(), "no such thing");
    }

    #[test]
    fn one_that_hangs_is_given_up_and_named_so() {
        let mut stuck = Command::new("sleep");
        stuck.arg("600");
        let error = run(stuck, Duration::from_millis(50)).expect_err("it hangs").to_string();
        assert_eq!(error, "given up after 50ms (--give-up-after)");
    }

    #[test]
    fn the_result_stands_in_the_last_two_lines() {
        let names = "events,messages,executed,rolled_back,rollbacks,anti_messages,sendbacks,\
                     efficiency,off_node_share,gvt_rounds,memory_peak,final_time,trace_digest,\
                     state_digest,seconds,events_per_s";
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
