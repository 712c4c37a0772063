//! Real programs, paged and under the kernel's swap with as much memory.

use super::{Bench, REAL};
use crate::bench::contest::Contestant;
use crate::paged_programs::{self, PROGRAMS};
use anyhow::{Result, ensure};

impl Bench<'_> {
    /// One of [`REAL`].
    pub(super) fn real(&self, name: &'static str) -> Result<Contestant> {
        let among = REAL.iter().find(|(paged, swapped, _)| [*paged, *swapped].contains(&name));
        let (paged, _, program) = among.expect("figures and contestants are written together");
        let program = PROGRAMS.iter().find(|one| one.name == *program);
        let program = program.expect("each is a program of the table");
        ensure!(program.install(), "{} cannot be installed", program.package);
        let home = self.workspace.scratch("paged-programs")?;
        if !home.join("lines").exists() {
            paged_programs::prepare(&home)?;
        }
        let script = self.workspace.root.join("xtask/peers/timed.sh");
        let words = ["sh".into(), script.display().to_string(), home.display().to_string()];
        let words: Vec<String> = words.into_iter().chain([program.command.to_owned()]).collect();
        if name != *paged {
            return Ok(self.swapped(name, program.local, words));
        }
        let options = format!("--local {} --threshold {}", program.local, program.threshold);
        self.paged(name, &options, words)
    }
}
