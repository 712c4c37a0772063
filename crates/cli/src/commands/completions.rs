//! `fourstamp completions`: what a shell needs to complete commands and options.

use crate::args::{Cli, Shell};
use clap::CommandFactory;
use clap_complete::{generate, shells};
use std::io::Write;

/// Print it.
pub fn run(shell: Shell) -> anyhow::Result<()> {
    std::io::stdout().write_all(&script(shell))?;
    Ok(())
}

fn script(shell: Shell) -> Vec<u8> {
    let (mut command, mut script) = (Cli::command(), Vec::new());
    match shell {
        Shell::Bash => generate(shells::Bash, &mut command, "fourstamp", &mut script),
        Shell::Zsh => generate(shells::Zsh, &mut command, "fourstamp", &mut script),
        Shell::Fish => generate(shells::Fish, &mut command, "fourstamp", &mut script),
    }
    script
}
