//! The `fourstamp` command.

#![forbid(unsafe_code)]

use std::process::ExitCode;

/// Memory that is not to be had ends the program in one line, wherever it is asked for.
#[global_allocator]
static MEMORY: memory::Checked = memory::Checked::new(fourstamp_cli::no_memory);

fn main() -> ExitCode {
    fourstamp_cli::run(std::env::args_os())
}
