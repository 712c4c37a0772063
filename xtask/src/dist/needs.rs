//! What programs and libraries need of the system: libraries, and the version of glibc.
//!
//! The dynamic section and the version needs of each ELF file say it; `readelf` reads them.

use crate::process::{self, on_path};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// Of several files together.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// File names of libraries, as `libgcc_s.so.1`.
    pub libraries: BTreeSet<String>,
    /// The newest version of glibc that a symbol asks for.
    pub glibc: (u32, u32),
}

/// Reads all of them.
pub fn of(files: &[PathBuf]) -> Result<Needs> {
    ensure!(on_path("readelf").is_some(), "no readelf: apt install binutils");
    let mut needs = Needs::default();
    for file in files {
        let mut readelf = Command::new("readelf");
        readelf.env("LC_ALL", "C").args(["--wide", "--dynamic", "--version-info"]).arg(file);
        let said = process::capture(&mut readelf)
            .with_context(|| format!("what {} needs cannot be read", file.display()))?;
        needs.add(&said);
    }
    ensure!(needs.glibc > (0, 0), "no file asks for a version of glibc; is it linked with it?");
    Ok(needs)
}

impl Needs {
    fn add(&mut self, said: &str) {
        for line in said.lines() {
            if let Some((_, rest)) = line.split_once("(NEEDED)") {
                self.libraries.extend(between(rest, "[", "]").map(str::to_owned));
            }
            if let Some(version) = between(line, "Name: GLIBC_", " ").and_then(version) {
                self.glibc = self.glibc.max(version);
            }
        }
    }
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    Some(text.split_once(before)?.1.split_once(after)?.0)
}

/// `2.34`, or `2.2.5`, of which the last part never decides.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_and_the_newest_glibc_are_found() {
        let mut needs = Needs::default();
        needs.add(
            " 0x0000000000000001 (NEEDED)             Shared library: [libgcc_s.so.1]\n \
             0x000000000000000e (SONAME)             Library soname: [libfourstamp.so.0.1]\n  \
             0x0010:   Name: GLIBC_2.2.5  Flags: none  Version: 7\n  \
             0x0020:   Name: GLIBC_2.34  Flags: none  Version: 6\n  \
             0x0030:   Name: GLIBC_2.9  Flags: none  Version: 5\n  \
             0x0040:   Name: GCC_4.2.0  Flags: none  Version: 4\n",
        );
        assert_eq!(needs.glibc, (2, 34));
        assert_eq!(needs.libraries, BTreeSet::from(["libgcc_s.so.1".to_owned()]));
    }
}
