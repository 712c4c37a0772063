//! The tests that draw their cases, with cases that `cargo xtask test` does not draw.

use super::Cases;
use crate::process::run;
use crate::workspace::Workspace;
use anyhow::Result;
use std::time::Duration;

/// Longest round: a program that hangs is found by its own test.
const LIMIT: Duration = Duration::from_secs(24 * 3600);

/// The property tests of the libraries. A case is a seed of all of them; `cargo xtask test` has
/// seed 1.
pub fn properties(workspace: &Workspace, cases: Cases) -> Result<()> {
    let but_programs = ["--exclude", "fourstamp-cli", "--exclude", "xtask"];
    for seed in cases.from..cases.from + cases.count {
        let mut cargo = workspace.cargo(&["test", "--workspace", "--locked"]);
        run(cargo.args(but_programs).env("PROPTEST_RNG_SEED", (seed + 2).to_string()), LIMIT)?;
    }
    Ok(())
}

/// Every read sees the last write, whatever crashes, hangs, fills up or is slow. A case is a seed
/// of each policy.
pub fn pager_simulated(workspace: &Workspace, cases: Cases) -> Result<()> {
    let mut cargo = workspace.cargo(&[
        "test",
        "--release",
        "--locked",
        "--package",
        "fourstamp-pager",
        "--lib",
    ]);
    run(cargo.env("FOURSTAMP_SEEDS", (cases.from + cases.count).to_string()), LIMIT)
}

/// Every simulation model has its sequential result, whatever nodes, placements, budgets, throttles
/// and migrations are drawn.
pub fn models(workspace: &Workspace, cases: Cases) -> Result<()> {
    let runs = ["test", "--release", "--locked", "--package", "fourstamp-models", "--test", "runs"];
    let mut cargo = workspace.cargo(&runs);
    cargo.args(["soak::", "--", "--nocapture"]).env("FOURSTAMP_SEEDS", cases.count.to_string());
    run(cargo.env("FOURSTAMP_SEEDS_FROM", cases.from.to_string()), LIMIT)?;
    run(workspace.cargo(&runs).args(["memory::", "--", "--ignored", "--nocapture"]), LIMIT)
}

/// A pager's reads and writes with real programs and servers, and while the kernel moves pages.
/// A case is a blow.
pub fn pager_servers(workspace: &Workspace, cases: Cases) -> Result<()> {
    let mut cargo = workspace.cargo(&[
        "test",
        "--locked",
        "--package",
        "fourstamp-cli",
        "--test",
        "pager",
        "crash::",
    ]);
    cargo.env("FOURSTAMP_CRASHES", cases.count.to_string());
    run(cargo.env("FOURSTAMP_CRASHES_FROM", cases.from.to_string()), LIMIT)?;
    let memory =
        ["test", "--locked", "--package", "fourstamp-rmem", "--test", "memory", "compacts"];
    run(workspace.cargo(&memory).env("FOURSTAMP_ROUNDS", "200"), LIMIT)
}
