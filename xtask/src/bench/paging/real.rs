//! Real programs, paged and under the kernel's swap with as much memory.

use super::Bench;
use crate::bench::contest::Contestant;
use crate::paged_programs::{self, PROGRAMS};
use anyhow::{Result, ensure};
use std::path::Path;

/// One, as contestants and among [`PROGRAMS`].
#[derive(Clone, Copy)]
pub(super) struct Real {
    pub paged: &'static str,
    pub swapped: &'static str,
    program: &'static str,
}

const fn real(paged: &'static str, swapped: &'static str, program: &'static str) -> Real {
    Real { paged, swapped, program }
}

pub(super) const SORT: Real = real("GNU sort, paged", "GNU sort, swap", "GNU sort, -S 150M");
pub(super) const GCC: Real = real("gcc, paged", "gcc, swap", "gcc -O2, a large file");
pub(super) const XZ: Real = real("xz, paged", "xz, swap", "xz -6");
pub(super) const SQLITE: Real = real("sqlite3, paged", "sqlite3, swap", "sqlite3, :memory:");
pub(super) const REDIS: Real =
    real("redis-server, paged", "redis-server, swap", "redis-server (jemalloc)");

const ALL: [Real; 5] = [SORT, GCC, XZ, SQLITE, REDIS];

impl Bench<'_> {
    /// One of them, in one of the two ways.
    pub(super) fn real(&self, name: &'static str) -> Result<Contestant> {
        let real = ALL.iter().find(|real| [real.paged, real.swapped].contains(&name));
        let real = real.expect("figures and contestants are written together");
        let program = PROGRAMS.iter().find(|program| program.name == real.program);
        let program = program.expect("each is a program of the table");
        ensure!(program.install(), "{} cannot be installed", program.package);
        let script = self.workspace.root.join("xtask/peers/timed.sh");
        let words = ["sh".as_ref(), script.as_path(), self.prepared()?, program.command.as_ref()];
        let words = words.map(|word| word.display().to_string()).to_vec();
        if name == real.swapped {
            return Ok(self.swapped(name, program.local, words));
        }
        let options = format!("--local {} --threshold {}", program.local, program.threshold);
        self.paged(name, &options, words)
    }

    /// Where they find what they read.
    fn prepared(&self) -> Result<&Path> {
        if let Some(home) = self.prepared.get() {
            return Ok(home);
        }
        let home = self.workspace.fresh("paged-programs")?;
        paged_programs::prepare(&home)?;
        Ok(self.prepared.get_or_init(|| home))
    }
}
