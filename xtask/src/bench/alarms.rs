//! `cargo xtask bench aa`: how often `fourstamp compare` is wrong on real runs that do not differ,
//! and how often it finds a planted change.
//!
//! Each comparison has fresh launches of A and of B, in pairs whose order is drawn, so that what
//! changes on the machine meanwhile is shared. `--plant` gives B a known delay: then verdicts
//! *slower* are no alarms but finds.

use super::competition;
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What to compare, and how often.
#[derive(Args, Debug)]
pub struct Options {
    /// Comparisons.
    #[arg(long, default_value_t = 200)]
    comparisons: u32,
    /// Launches of A and of B in each.
    #[arg(long, default_value_t = 5)]
    launches: usize,
    /// Round trips of a launch.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// What carries the messages.
    #[arg(long, default_value = "tcp")]
    transport: String,
    /// How nodes wait: a machine with other work has no core for one that polls.
    #[arg(long, default_value = "blocking")]
    receive: String,
    /// A delay planted in B's runs, as `peak:mass=1,by=1us`.
    #[arg(long)]
    plant: Option<String>,
    /// How the launches of A and B follow each other.
    #[arg(long, value_enum, default_value_t = Order::Paired)]
    order: Order,
    /// Draws the order of each pair.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A `fourstamp` to use instead of this checkout's release build.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

/// How launches follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// One of each, then one of each.
    Paired,
    /// All of A, then all of B, as two runs that are measured one after the other.
    Apart,
}

/// Bounds a hung command.
const LIMIT: Duration = Duration::from_secs(120);

/// Makes the comparisons and prints how often each verdict came.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    ensure!(
        options.comparisons > 0 && options.launches > 2,
        "at least one comparison of three launches each"
    );
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => competition::release_build(workspace)?,
    };
    let mut random = Pcg64Mcg::seed_from_u64(options.seed);
    let mut verdicts: BTreeMap<String, u32> = BTreeMap::new();
    for number in 0..options.comparisons {
        let verdict = compare(&binary, options, &mut random)?;
        eprintln!("{} of {}: {verdict}", number + 1, options.comparisons);
        *verdicts.entry(verdict).or_default() += 1;
    }
    println!(
        "{} comparisons of {launches} and {launches} launches, pingpong over {}, {}, {} round \
        trips each, order {:?}, B {}",
        options.comparisons,
        options.transport,
        options.receive,
        options.count,
        options.order,
        options.plant.as_deref().unwrap_or("like A"),
        launches = options.launches,
    );
    for (verdict, count) in verdicts {
        let (low, high) = interval(count, options.comparisons);
        println!(
            "{verdict:<14}{count:>6}{:>8.1} %   95 % interval {low:.1} to {high:.1} %",
            100.0 * f64::from(count) / f64::from(options.comparisons)
        );
    }
    Ok(())
}

/// One comparison of fresh launches: its verdict.
fn compare(binary: &Path, options: &Options, random: &mut Pcg64Mcg) -> Result<String> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut comparison = Command::new(binary);
    comparison.args(["compare", "--json"]);
    for (side, number) in order(options, random) {
        let out = folder.path().join(format!("{side}{number}"));
        bench(binary, options, side, &out)?;
        comparison.args([format!("--{side}").as_ref(), out.as_os_str()]);
    }
    let text = process::capture_within(&mut comparison, LIMIT)?;
    let found: serde_json::Value =
        serde_json::from_str(&text).context("the comparison is no JSON")?;
    Ok(found["verdict"].as_str().context("the comparison has no verdict")?.to_owned())
}

/// Sides and numbers of the launches, in order.
fn order(options: &Options, random: &mut Pcg64Mcg) -> Vec<(char, usize)> {
    let pair = |number: usize| {
        if random.random::<bool>() {
            [('a', number), ('b', number)]
        } else {
            [('b', number), ('a', number)]
        }
    };
    let mut launches: Vec<(char, usize)> = (0..options.launches).flat_map(pair).collect();
    if options.order == Order::Apart {
        launches.sort_unstable();
    }
    launches
}

fn bench(binary: &Path, options: &Options, side: char, out: &Path) -> Result<()> {
    let mut bench = Command::new(binary);
    bench.args(["bench", "pingpong", "--launches", "1", "--transport", &options.transport]);
    bench
        .args(["--receive", &options.receive, "--count", &options.count.to_string(), "--out"])
        .arg(out);
    if let (Some(plant), 'b') = (&options.plant, side) {
        bench.args(["--plant", plant]);
    }
    process::capture_within(&mut bench, LIMIT).map(drop)
}

/// Where the true rate lies, in percent (Wilson 1927).
fn interval(count: u32, of: u32) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    let (n, p) = (f64::from(of), f64::from(count) / f64::from(of));
    let middle = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    (100.0 * (middle - half).max(0.0), 100.0 * (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_its_interval() {
        // As printed for 10 of 100: 5.52 to 17.44 %.
        let (low, high) = interval(10, 100);
        assert!((low - 5.52).abs() < 0.01 && (high - 17.44).abs() < 0.01, "{low} {high}");
        assert_eq!(interval(0, 200).0, 0.0);
    }
}
