//! `cargo xtask soak`: the tests that draw, with other draws each round, for as long as one likes.

use crate::process::run;
use crate::workspace::Workspace;
use anyhow::Result;
use clap::Args;
use std::time::{Duration, Instant};

/// How long.
#[derive(Args, Debug)]
pub struct Options {
    /// Minutes; the round that is under way then is finished.
    #[arg(long, default_value_t = 60)]
    minutes: u64,
    /// Seeds of each simulation in the first round; each round has as many more.
    #[arg(long, default_value_t = 20_000)]
    seeds: u64,
    /// Blows to memory servers in each round.
    #[arg(long, default_value_t = 300)]
    crashes: u64,
}

/// Longest round: a program that hangs is found by its own test.
const LIMIT: Duration = Duration::from_secs(24 * 3600);

/// Rounds until the time is over; whether all was well.
pub fn soak(workspace: &Workspace, options: &Options) -> Result<bool> {
    let begun = Instant::now();
    let mut round = 0;
    while round == 0 || begun.elapsed() < Duration::from_secs(60 * options.minutes) {
        println!("==> round {round}: {} min", begun.elapsed().as_secs() / 60);
        properties(workspace, round)?;
        simulations(workspace, options.seeds * (round + 1))?;
        models(workspace, options.seeds, options.seeds * round)?;
        crashes(workspace, options.crashes, options.crashes * round)?;
        round += 1;
    }
    println!("{round} rounds in {} min without a failure", begun.elapsed().as_secs() / 60);
    Ok(true)
}

/// The property tests of the libraries, with cases that `cargo xtask test` does not draw.
fn properties(workspace: &Workspace, round: u64) -> Result<()> {
    let but_programs = ["--exclude", "fourstamp", "--exclude", "xtask"];
    let mut cargo = workspace.cargo(&["test", "--workspace", "--locked"]);
    run(cargo.args(but_programs).env("PROPTEST_RNG_SEED", (round + 2).to_string()), LIMIT)
}

/// Every read sees the last write, whatever crashes, hangs, fills up or is slow.
fn simulations(workspace: &Workspace, seeds: u64) -> Result<()> {
    let mut cargo =
        workspace.cargo(&["test", "--release", "--locked", "--package", "fourstamp-pager", "--lib"]);
    run(cargo.env("FOURSTAMP_SEEDS", seeds.to_string()), LIMIT)
}

/// Every simulation model has its sequential result, whatever nodes, placements, budgets, throttles and migrations are drawn.
fn models(workspace: &Workspace, many: u64, from: u64) -> Result<()> {
    let runs = ["test", "--release", "--locked", "--package", "fourstamp-models", "--test", "runs"];
    let mut cargo = workspace.cargo(&runs);
    cargo.args(["soak::", "--", "--nocapture"]);
    run(cargo.env("FOURSTAMP_SEEDS", many.to_string()).env("FOURSTAMP_SEEDS_FROM", from.to_string()), LIMIT)?;
    run(workspace.cargo(&runs).args(["memory::", "--", "--ignored", "--nocapture"]), LIMIT)
}

/// A pager's reads and writes with real programs and servers.
fn crashes(workspace: &Workspace, many: u64, from: u64) -> Result<()> {
    let mut cargo = workspace.cargo(&["test", "--locked", "--package", "fourstamp", "--test", "pager_crash"]);
    cargo.env("FOURSTAMP_CRASHES", many.to_string()).env("FOURSTAMP_CRASHES_FROM", from.to_string());
    run(&mut cargo, LIMIT)
}
