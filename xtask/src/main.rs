//! The project's own chores: `cargo xtask test`, `cargo xtask bench latency|warp`, `cargo xtask
//! invariants`.
//!
//! What a person or a CI machine needs to build trust in a checkout, in one place and in Rust, so
//! that both run the very same thing.

#![forbid(unsafe_code)]

mod bench;
mod book;
mod dependencies;
mod dist;
mod hog;
mod install;
mod invariants;
mod mpi;
mod paged_programs;
mod pictures;
mod process;
mod soak;
mod surface;
mod test;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;
use workspace::Workspace;

/// Fourstamp's chores.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Run every test, after installing what the tests need.
    Test(test::Options),
    /// Measure Fourstamp against the plainest programs that do the same job.
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Run what takes minutes: drawn cases, long traffic, faults from outside.
    Soak(soak::Options),
    /// Take a core for some time (a soak suite starts this).
    #[command(hide = true)]
    Hog(hog::Options),
    /// Install what the tests need: system packages, a Python environment, npm packages.
    Install,
    /// Check licences, sources and advisories of the dependencies: wanted when Cargo.lock changes.
    Dependencies,
    /// Check the rules of docs/ARCHITECTURE.md that a program can check.
    Invariants,
    /// Build the documents as a book of web pages.
    Book,
    /// Make what people install: a tar, a package for Debian and Ubuntu, a wheel for Python.
    Dist(dist::Options),
    /// Make the README's pictures anew, of a run of this machine.
    Pictures,
    /// List all that a user can meet: commands, options, sections, charts, tables, columns, keys.
    Surface(surface::Options),
}

fn main() -> ExitCode {
    match run(Arguments::parse().chore) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Does one chore; whether all was well.
fn run(chore: Chore) -> Result<bool> {
    if let Chore::Hog(options) = &chore {
        return hog::hog(options);
    }
    process::stop_children_on_ctrl_c()?;
    let workspace = Workspace::find()?;
    match chore {
        Chore::Test(options) => test::run(workspace, &options),
        Chore::Bench(bench) => bench::run(&workspace, bench).map(|()| true),
        Chore::Soak(options) => soak::soak(&workspace, &options),
        Chore::Hog(options) => hog::hog(&options),
        Chore::Install => Ok(install::all(&workspace)),
        Chore::Book => book::build(&workspace).map(|()| true),
        Chore::Dependencies => dependencies::run_check(&workspace),
        Chore::Dist(options) => dist::run(&workspace, &options).map(|()| true),
        Chore::Pictures => pictures::make(&workspace).map(|()| true),
        Chore::Surface(options) => surface::run(&workspace, &options),
        Chore::Invariants => invariants::check(&workspace).map(|broken| broken == 0),
    }
}
