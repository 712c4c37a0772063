//! Starting a node on another machine.
//!
//! The key goes through ssh's standard input into the remote environment: on a command line every
//! user of either machine could read it.

use crate::briefing::Briefing;
use crate::options::NodeCommand;
use crate::quote;
use fabric::RunKey;
use std::path::Path;
use std::process::Command;

/// The ssh process for one node, and what to write to its standard input.
pub(crate) fn command(
    briefing: &Briefing<'_>,
    ssh: &Path,
    host: &str,
    node: &NodeCommand,
    slot: u16,
) -> (Command, Option<String>) {
    let run = quote::command_line(&briefing.environment(slot), node);
    let key = RunKey::VARIABLE;
    let mut command = Command::new(ssh);
    // Batch mode: nobody is there to type a password. The double dash: a host's name is not an
    // option.
    command.args(["-o", "BatchMode=yes", "--", host]);
    command.arg(format!("IFS= read -r {key} && export {key} && {run}"));
    (command, Some(format!("{}\n", briefing.key.to_hex())))
}
