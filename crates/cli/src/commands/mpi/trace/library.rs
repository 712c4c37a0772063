//! Where the library lies that is loaded before the program.

use anyhow::{Context, Result, bail};
use std::path::PathBuf;

const FILE: &str = "libmpitrace.so";

/// The library: named by the environment, or beside this program as a build or an installation leaves it. In a build `deps` has the newest one:
/// what lies beside the program is as old as the last build of the library by its own name.
pub fn find() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("FOURSTAMP_MPITRACE").map(PathBuf::from) {
        return named.canonicalize().with_context(|| {
            format!(
                "cannot find {}, which FOURSTAMP_MPITRACE names; correct it, or unset it",
                named.display()
            )
        });
    }
    let program = std::env::current_exe()
        .context("cannot find this program's own file, beside which the tracer lies")?;
    let folder = program.parent().unwrap_or(&program);
    let places = ["deps", "", "../lib", "../lib/fourstamp"].map(|place| folder.join(place).join(FILE));
    match places.iter().find_map(|place| place.canonicalize().ok()) {
        Some(found) => Ok(found),
        None => bail!(
            "{FILE} is neither beside {} nor in deps or ../lib; build it with `cargo build --release -p fourstamp-mpitrace`, or name it in FOURSTAMP_MPITRACE",
            program.display()
        ),
    }
}
