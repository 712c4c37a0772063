//! Every fuzz target in turn. A case is a second of each. Instrumenting takes minutes, and ten
//! seconds of a target find little, so this is no step of `cargo xtask test`: that sees only that
//! the targets compile.

use super::Cases;
use crate::install;
use crate::process::{self, run};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Longest build, and longest target.
const LIMIT: Duration = Duration::from_secs(6 * 3600);

/// All targets, each for as many seconds as there are cases. The first case is the seed, less one:
/// 0 would have the fuzzer draw one.
pub fn fuzz(workspace: &Workspace, cases: Cases) -> Result<()> {
    let cargo_fuzz = install::cargo_fuzz(workspace).context("cargo-fuzz cannot be installed")?;
    let fuzzer = |arguments: &[&str]| fuzzer(workspace, &cargo_fuzz, arguments);
    let seeds = [
        "run",
        "--release",
        "--locked",
        "--package",
        "fourstamp-record",
        "--example",
        "fuzz_seeds",
    ];
    run(&mut workspace.cargo(&seeds), LIMIT)?;
    run(&mut fuzzer(&["build"]), LIMIT)?;
    let targets = process::capture(&mut fuzzer(&["list"]))?;
    for target in targets.lines() {
        let mut one = fuzzer(&["run", target]);
        one.args(["--", "-print_final_stats=1"]);
        one.arg(format!("-max_total_time={}", cases.count))
            .arg(format!("-seed={}", cases.from + 1));
        run(&mut one, LIMIT).with_context(|| {
            format!(
                "fuzz target {target}: again with RUSTC_BOOTSTRAP=1 cargo fuzz run {target} and \
                the file that it names in fuzz/artifacts"
            )
        })?;
    }
    println!("{} fuzz targets of {} s each: no crash", targets.lines().count(), cases.count);
    Ok(())
}

/// cargo-fuzz on this toolchain: what it needs of the compiler is there, and only locked away.
fn fuzzer(workspace: &Workspace, cargo_fuzz: &Path, arguments: &[&str]) -> Command {
    let mut command = workspace.command(cargo_fuzz, &["fuzz"]);
    command.args(&arguments[..1]).args(["--fuzz-dir", "fuzz"]).args(&arguments[1..]);
    command
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", workspace.target.join("xtask/fuzz"));
    command
}
