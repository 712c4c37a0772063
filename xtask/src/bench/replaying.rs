//! `cargo xtask bench replay`: how fast programs are played on machines, and in how much memory.
//!
//! What is counted as an event is what LogGOPSim counts: a send, a receive or a step of computing
//! of the program played.

use super::competition::Terms;
use super::contest::Contestant;
use super::figures::{Bound, Compared, Figure, Number, figure};
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use clap::Args;
use std::process::Command;
use std::time::Duration;

/// How to measure.
#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    terms: Terms,
}

const RING: &str = "ring";
const ALL_TO_ALL: &str = "all-to-all";
const STENCIL: &str = "stencil";

const FIGURES: &[Figure] = &[
    figure(
        "ring",
        "a ring of 64 ranks",
        (RING, RING),
        (Number::EventsPerSecond, Compared::Ours),
        Bound::AtLeast(10e6),
    ),
    figure(
        "all-to-all",
        "256 ranks, all to all",
        (ALL_TO_ALL, ALL_TO_ALL),
        (Number::EventsPerSecond, Compared::Ours),
        Bound::AtLeast(4e6),
    ),
    figure(
        "stencil",
        "4,096 ranks in three dimensions, 100 M messages",
        (STENCIL, STENCIL),
        (Number::WallSeconds, Compared::Ours),
        Bound::AtMost(60.0),
    ),
    figure(
        "memory",
        "the same: memory",
        (STENCIL, STENCIL),
        (Number::PeakGib, Compared::Ours),
        Bound::AtMost(4.0),
    ),
];

const PACKAGE: &str = "fourstamp-predict";
const EXAMPLE: &str = "replay_speed";

/// Runs the benchmark and prints its tables.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let figures = options.terms.choose(FIGURES)?;
    eprintln!("building the release version");
    let build = ["build", "--release", "--locked", "--package", PACKAGE, "--example", EXAMPLE];
    process::capture_within(&mut workspace.cargo(&build), Duration::from_secs(900))
        .context("cannot build the benchmark")?;
    let program = workspace.target.join("release/examples").join(EXAMPLE);
    options.terms.hold(&figures, |name| {
        let program = program.clone();
        let command = move || {
            let mut command = Command::new(&program);
            command.arg(name);
            command
        };
        let command = Box::new(command);
        Ok(Contestant { name, command, afterwards: None, numbers: None, leaves: None })
    })
}
