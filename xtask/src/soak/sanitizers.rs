//! The crates that have unsafe code, under the address sanitizer of the compiler. The standard
//! library is not instrumented, which the address sanitizer does not mind; the thread sanitizer
//! does, so that data races are what loom and Miri look for.

use super::Cases;
use crate::process::run;
use crate::workspace::Workspace;
use anyhow::Result;
use std::time::Duration;

/// Longest build and round.
const LIMIT: Duration = Duration::from_secs(6 * 3600);

/// The packages whose unsafe code runs in their own tests. The two libraries that are loaded before
/// somebody's program would need the sanitizer in that program.
const PACKAGES: [&str; 5] = [
    "fourstamp-clock",
    "fourstamp-memory",
    "fourstamp-record",
    "fourstamp-fabric",
    "fourstamp-rmem",
];

/// What explores interleavings is left out: loom never frees what it allocates for the stack of a
/// thread's first coroutine.
const LEFT_OUT: &str = "tests::modelled";

/// A case is a run of all of their tests.
pub fn address(workspace: &Workspace, cases: Cases) -> Result<()> {
    for _ in 0..cases.count {
        let mut cargo =
            workspace.cargo(&["test", "--locked", "--no-fail-fast", "--lib", "--tests"]);
        cargo.args(PACKAGES.iter().flat_map(|package| ["--package", package]));
        // With a target named, build scripts and macros are not instrumented.
        cargo.args(["--target", "x86_64-unknown-linux-gnu", "--target-dir"]);
        cargo.arg(workspace.target.join("xtask/address"));
        cargo.args(["--", "--skip", LEFT_OUT]);
        cargo.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=address");
        run(&mut cargo, LIMIT)?;
    }
    println!("{} under the address sanitizer: nothing found", PACKAGES.join(", "));
    Ok(())
}
