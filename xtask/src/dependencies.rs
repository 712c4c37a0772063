//! Licences, sources and advisories of the dependencies, by cargo-deny.
//!
//! It takes minutes to build, and all but the advisories depends on two files alone: what they were
//! when it last passed is kept, and while they are the same nothing is built.

use crate::install;
use crate::process::{self, on_path, run};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::time::Duration;

/// What the answer depends on.
const ASKED: [&str; 2] = ["Cargo.lock", "deny.toml"];
/// Their checksums when it last passed, as `sha256sum` writes and checks them.
const PASSED: &str = "xtask/dependencies.sha256";

const LIMIT: Duration = Duration::from_secs(600);

/// Whether nothing has changed since it last passed.
pub fn unchanged(workspace: &Workspace) -> bool {
    let check = ["--check", "--strict", "--status", PASSED];
    process::succeeds(&mut workspace.command("sha256sum", &check))
}

/// Checks licences and sources with cargo-deny, which is there, and notes that they passed; then
/// the advisories. `Some`: why these could not be had.
pub fn check(workspace: &Workspace) -> Result<Option<String>> {
    // cargo-deny looks at the dependencies of every system, also of those that nobody here builds
    // for.
    run(&mut workspace.cargo(&["fetch", "--locked", "--quiet"]), LIMIT)?;
    let program = on_path("cargo-deny").unwrap_or_else(|| install::local_cargo_deny(workspace));
    let deny = |arguments: &[&str]| workspace.command(&program, arguments);
    let offline = ["--offline", "check", "--hide-inclusion-graph", "licenses", "bans", "sources"];
    run(&mut deny(&offline), LIMIT)?;
    let sums = process::capture(&mut workspace.command("sha256sum", &ASKED))?;
    std::fs::write(workspace.root.join(PASSED), sums)
        .with_context(|| format!("cannot write {PASSED}"))?;
    // The advisories lie in a repository on GitHub, which a CI machine may not reach.
    if let Err(why) = process::capture(&mut deny(&["fetch", "db"])) {
        let why = format!("{why:#}");
        let line = why.lines().find(|line| line.contains("unable to access"));
        let line = line.unwrap_or("cannot be fetched");
        return Ok(Some(line.split(": exit status").next().unwrap_or(line).to_owned()));
    }
    run(&mut deny(&["check", "--hide-inclusion-graph", "advisories"]), LIMIT)?;
    Ok(None)
}

/// `cargo xtask dependencies`.
pub fn run_check(workspace: &Workspace) -> Result<bool> {
    install::cargo_deny(workspace)?;
    match check(workspace)? {
        Some(why) => println!("licences and sources passed; advisories: {why}"),
        None => println!("licences, sources and advisories passed"),
    }
    Ok(true)
}
