//! The `fourstamp` command: arguments to plain options, options to a call, the result to an exit
//! code.
//!
//! Exit codes: 0 done, 2 bad input or a failure (one line on standard error says what, why and what
//! to do), 128 and the signal's number when one has ended it (130: Ctrl-C, 143: SIGTERM);
//! `fourstamp mpi trace` ends with the exit code of the program that it traced, and `fourstamp
//! compare` says 1 when a condition holds and 3 when one must be decided but cannot.
//!
//! It is a library so that a program with a simulation model of its own can be the same command
//! with that model: [`simulate`].

#![forbid(unsafe_code)]

mod analyse;
mod args;
mod child;
mod choosing;
mod closing;
mod closing_note;
mod commands;
mod counted;
mod explaining;
mod failure;
mod figure;
mod gate;
mod hosting;
mod interrupt;
mod job;
mod jobs;
mod joining;
mod launching;
mod lenses;
mod memory_limit;
mod new_folder;
mod notify;
mod on_path;
mod preload;
mod program;
mod progress;
mod reading;
mod scenes;
mod show;
mod side_by_side;
mod simulating;
mod studying;
mod toured;
mod watching;
mod work;

use clap::Parser;
use std::ffi::OsString;
use std::process::ExitCode;

pub use failure::no_memory;
pub use program::simulate;

/// The command, with what was typed: its name, then its arguments.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    // A file that may not grow is an error of the write that meets the limit, not the end of the
    // program.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    let words: Vec<OsString> = words.into_iter().collect();
    if words.len() < 2 {
        eprint!("{}", args::FIRST);
        return ExitCode::from(2);
    }
    let ended =
        match commands::run(args::Cli::parse_from(args::study_options_first(words.into_iter()))) {
            Ok(code) => code,
            Err(error) if failure::is_closed_pipe(&error) => ExitCode::SUCCESS,
            Err(error) => {
                failure::say(&error);
                ExitCode::from(2)
            }
        };
    interrupt::exit_code().unwrap_or(ended)
}
