//! Running the contestants: a fresh process each, once a round, in an order drawn anew each round.

use super::figures::Number;
use super::output::Output;
use super::paging::run_numbers;
use crate::process;
use anyhow::{Context, Result};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// A program that takes part.
pub struct Contestant {
    pub name: &'static str,
    /// Makes the command of one launch.
    pub command: Box<dyn Fn() -> Command>,
    /// Run after it, outside the measurement: what it prints counts too.
    pub afterwards: Option<Box<dyn Fn() -> Command>>,
    /// A file with numbers beside those that it prints.
    pub numbers: Option<PathBuf>,
    /// A folder that each launch makes and that is removed before and after it.
    pub leaves: Option<PathBuf>,
}

/// What a contestant's launches printed, in order of round; `None` where one failed.
pub struct Launches {
    pub name: &'static str,
    pub rounds: Vec<Option<Output>>,
}

const LIMIT: Duration = Duration::from_secs(900);

/// Runs all rounds. A launch that fails is reported and counts as missing.
pub fn run(contestants: &[Contestant], rounds: usize, seed: u64) -> Vec<Launches> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut results: Vec<_> =
        contestants.iter().map(|c| Launches { name: c.name, rounds: Vec::new() }).collect();
    let mut order: Vec<usize> = (0..contestants.len()).collect();
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        order.shuffle(&mut random);
        for &index in &order {
            let launch = launch(&contestants[index]);
            let launch = launch.inspect_err(|why| {
                eprintln!("{}: launch failed: {why:#}", contestants[index].name)
            });
            results[index].rounds.push(launch.ok());
        }
    }
    results
}

fn launch(contestant: &Contestant) -> Result<Output> {
    // A launch that failed, or a benchmark that was stopped, has left it.
    remove_left(contestant)?;
    let mut printed = process::capture_within(&mut (contestant.command)(), LIMIT)?;
    if let Some(afterwards) = &contestant.afterwards {
        printed += &process::capture_within(&mut afterwards(), LIMIT)?;
    }
    if let Some(file) = &contestant.numbers {
        let text =
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let is_run = file.extension().is_some_and(|extension| extension == "json");
        printed += &if is_run { run_numbers(&text) } else { text };
    }
    remove_left(contestant)?;
    Ok(Output::parse(&printed))
}

fn remove_left(contestant: &Contestant) -> Result<()> {
    match contestant.leaves.as_ref().filter(|folder| folder.exists()) {
        Some(folder) => fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display())),
        None => Ok(()),
    }
}

impl Launches {
    /// One number of each launch.
    pub fn numbers(&self, number: Number) -> Vec<Option<f64>> {
        self.rounds.iter().map(|output| number.of(output.as_ref()?)).collect()
    }
}

impl Number {
    fn of(self, output: &Output) -> Option<f64> {
        match self {
            Number::RoundTripNs => output.get(Some("cycle"), "p50_ns"),
            Number::MessagesPerSecond => output.get(None, "messages_per_s"),
            Number::EventsPerSecond => output.get(None, "events_per_s"),
            Number::WallSeconds => output.get(None, "wall_s"),
            Number::Sleeps => output.get(None, "sleeps"),
            Number::CallNs => output.get(None, "call_ns"),
            Number::BytesPerMessage => output.get(None, "bytes_per_message"),
            Number::FaultP50Ns => output.get(Some("hard"), "p50_ns"),
            Number::FaultP99Ns => output.get(Some("hard"), "p99_ns"),
            Number::BytesPerSecond => output.get(None, "bytes_per_s"),
            Number::Transfers => output.get(None, "transfers"),
            Number::PagedSeconds => output.get(None, "paged_s"),
            Number::Ratio => output.get(None, "ratio"),
            Number::PredictionError => output.get(Some("median"), "error"),
            Number::PeakGib => output.get(None, "peak_kib").map(|kib| kib / 1024.0 / 1024.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(name: &'static str, words: &'static str) -> Contestant {
        let command = move || {
            let mut command = Command::new("echo");
            command.arg(words);
            command
        };
        Contestant {
            name,
            command: Box::new(command),
            afterwards: None,
            numbers: None,
            leaves: None,
        }
    }

    #[test]
    fn every_contestant_runs_once_a_round_and_a_failure_is_missing() {
        let mut fails = says("fails", "");
        fails.command = Box::new(|| Command::new("false"));
        let results = run(&[says("a", "stage,p50_ns\ncycle,5"), fails], 3, 1);
        assert_eq!(results[0].numbers(Number::RoundTripNs), [Some(5.0); 3]);
        assert_eq!(results[1].numbers(Number::RoundTripNs), [None; 3]);
    }
}
