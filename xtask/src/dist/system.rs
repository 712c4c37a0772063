//! What the system that the compiler builds for is called, by whom.

use crate::process;
use anyhow::{Context, Result, bail};
use std::process::Command;

/// A system, under each of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct System {
    /// Of the processor, to Rust, Python and people.
    pub processor: &'static str,
    /// To Debian.
    pub debian: &'static str,
    /// Debian's folder of its libraries.
    pub multiarch: &'static str,
}

const SYSTEMS: &[(&str, System)] = &[
    (
        "x86_64-unknown-linux-gnu",
        System { processor: "x86_64", debian: "amd64", multiarch: "x86_64-linux-gnu" },
    ),
    (
        "aarch64-unknown-linux-gnu",
        System { processor: "aarch64", debian: "arm64", multiarch: "aarch64-linux-gnu" },
    ),
];

/// That of this machine's compiler.
pub fn here() -> Result<System> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = process::capture(Command::new(rustc).arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    named(host.context("rustc -vV names no host")?)
}

fn named(triple: &str) -> Result<System> {
    match SYSTEMS.iter().find(|(name, _)| *name == triple) {
        Some((_, system)) => Ok(*system),
        None => {
            let known: Vec<_> = SYSTEMS.iter().map(|(name, _)| *name).collect();
            bail!("no packages for {triple}; there are names for {}", known.join(" and "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_without_names_is_refused_and_the_others_are_named() {
        assert_eq!(named("aarch64-unknown-linux-gnu").unwrap().debian, "arm64");
        let error = named("riscv64gc-unknown-linux-gnu").unwrap_err().to_string();
        assert!(error.contains("riscv64gc") && error.contains("x86_64-unknown-linux-gnu"));
    }
}
