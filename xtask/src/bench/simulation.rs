//! `cargo xtask bench warp`: the simulation engine against a heap and a loop, against nexosim, and
//! against itself on one core.
//!
//! PHOLD with a delay of 0.1 + Exp(0.9), pucks on the table and STB88 on the battle that seed 1
//! draws. What is counted are committed events a second of the whole command's run of the model.
//! nexosim has no cheap way to send to an object chosen at random, so its objects send to
//! themselves.

use super::competition::{self, Terms};
use super::contest::Contestant;
use super::figures::{Bound, Compared, Figure, Number};
use crate::process::{self, on_path};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How to measure.
#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    terms: Terms,
    /// A `fourstamp` to measure instead of this checkout's release build.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

const PLAIN: &str = "heap and loop";
const NEXOSIM: &str = "nexosim, own events";
const SEQUENTIAL: &str = "sequential";
const ONE_NODE: &str = "one node";
const TWO: &str = "two threads, 0.1";
const TWO_REMOTE: &str = "two threads, 1.0";
const LARGE_PLAIN: &str = "large, heap and loop";
const LARGE: &str = "large, sequential";
const LARGE_TWO: &str = "large, two threads, 1.0";
const WORK_5: &str = "5 µs, sequential";
const WORK_5_TWO: &str = "5 µs, two threads, 0.25";
const WORK_5_RECORDED: &str = "the same, recorded";
const WORK_50: &str = "50 µs, sequential";
const WORK_50_TWO: &str = "50 µs, two threads, 0.25";
const PUCKS_PLAIN: &str = "pucks, heap and loop";
const PUCKS: &str = "pucks, sequential";
const PUCKS_TWO: &str = "pucks, two threads";
const PUCKS_LONG: &str = "pucks, long events, sequential";
const PUCKS_LONG_TWO: &str = "pucks, long events, two threads";
const STB88_PLAIN: &str = "stb88, heap and loop";
const STB88: &str = "stb88, sequential";
const STB88_TWO: &str = "stb88, two threads";
const STB88_LONG: &str = "stb88, long events, sequential";
const STB88_LONG_TWO: &str = "stb88, long events, two threads";
const WARPNET_PLAIN: &str = "warpnet, heap and loop";
const WARPNET: &str = "warpnet, sequential";
const WARPNET_TWO: &str = "warpnet, two threads";
const WARPNET_LONG: &str = "warpnet, long events, sequential";
const WARPNET_LONG_TWO: &str = "warpnet, long events, two threads";
const WELL_PLACED: &str = "64 objects of 50 µs on two threads";
const BALANCED: &str = "the same from node 0, load balanced";
const DISTURBED: &str = "50 µs, two threads and a third process";
const TWO_BESIDE: &str = "two threads, 0.1, two busy neighbours";
const EIGHT: &str = "8 nodes, 0.1";
const EIGHT_BESIDE: &str = "8 nodes, 0.1, two busy neighbours";

const fn figure(
    name: &'static str,
    what: &'static str,
    ours: &'static str,
    peer: &'static str,
    compared: Compared,
    at_least: f64,
) -> Figure {
    let bound = Bound::AtLeast(at_least);
    Figure {
        name,
        what,
        ours,
        peer,
        number: Number::EventsPerSecond,
        compared,
        bound,
        same_sleeps: false,
    }
}

/// A sequential run of the engine may take 1.2 times as long as a heap and a loop.
const MOST_TIME: f64 = 1.0 / 1.2;

const FIGURES: &[Figure] = &[
    figure("sequential", "2048 objects × 1, sequential", SEQUENTIAL, PLAIN, Compared::Ours, 12e6),
    figure("plain", "the same / a heap and a loop", SEQUENTIAL, PLAIN, Compared::Ratio, 0.5),
    figure(
        "nexosim",
        "the same / nexosim on one thread",
        SEQUENTIAL,
        NEXOSIM,
        Compared::Ratio,
        1.0,
    ),
    figure("one", "one optimistic node", ONE_NODE, SEQUENTIAL, Compared::Ours, 8e6),
    figure("two", "two threads, remote 0.1", TWO, SEQUENTIAL, Compared::Ours, 16e6),
    figure("two-gain", "the same / sequential", TWO, SEQUENTIAL, Compared::Ratio, 1.0),
    figure("remote", "two threads, remote 1.0", TWO_REMOTE, SEQUENTIAL, Compared::Ours, 10e6),
    figure("large", "65,536 objects × 16, sequential", LARGE, LARGE_PLAIN, Compared::Ours, 4e6),
    figure("large-plain", "the same / a heap and a loop", LARGE, LARGE_PLAIN, Compared::Ratio, 1.0),
    figure(
        "large-two",
        "65,536 × 16, two threads, remote 1.0",
        LARGE_TWO,
        LARGE,
        Compared::Ours,
        5e6,
    ),
    figure(
        "work-5",
        "5 µs of work: two threads / sequential",
        WORK_5_TWO,
        WORK_5,
        Compared::Ratio,
        1.9,
    ),
    figure(
        "work-50",
        "50 µs of work: two threads / sequential",
        WORK_50_TWO,
        WORK_50,
        Compared::Ratio,
        1.9,
    ),
    figure(
        "recording",
        "5 µs of work: recorded / not",
        WORK_5_RECORDED,
        WORK_5_TWO,
        Compared::Ratio,
        0.95,
    ),
    figure(
        "pucks-plain",
        "pucks, sequential / a heap and a loop",
        PUCKS,
        PUCKS_PLAIN,
        Compared::Ratio,
        MOST_TIME,
    ),
    figure("pucks-two", "pucks: two threads / sequential", PUCKS_TWO, PUCKS, Compared::Ratio, 1.3),
    figure(
        "pucks-long",
        "the same, events of 100 µs",
        PUCKS_LONG_TWO,
        PUCKS_LONG,
        Compared::Ratio,
        1.9,
    ),
    figure(
        "stb88-plain",
        "stb88, sequential / a heap and a loop",
        STB88,
        STB88_PLAIN,
        Compared::Ratio,
        MOST_TIME,
    ),
    figure("stb88-two", "stb88: two threads / sequential", STB88_TWO, STB88, Compared::Ratio, 1.3),
    figure(
        "stb88-long",
        "the same, events of 100 µs",
        STB88_LONG_TWO,
        STB88_LONG,
        Compared::Ratio,
        1.9,
    ),
    figure(
        "warpnet-plain",
        "warpnet, sequential / a heap and a loop",
        WARPNET,
        WARPNET_PLAIN,
        Compared::Ratio,
        MOST_TIME,
    ),
    figure(
        "warpnet-two",
        "warpnet: two threads / sequential",
        WARPNET_TWO,
        WARPNET,
        Compared::Ratio,
        1.8,
    ),
    figure(
        "warpnet-long",
        "the same, events of 100 µs",
        WARPNET_LONG_TWO,
        WARPNET_LONG,
        Compared::Ratio,
        1.9,
    ),
    figure(
        "balance",
        "all objects on node 0 at first, load balanced / well placed",
        BALANCED,
        WELL_PLACED,
        Compared::Ratio,
        0.9,
    ),
    figure(
        "disturbed",
        "with a third busy process / without (in proportion: 0.67)",
        DISTURBED,
        WORK_50_TWO,
        Compared::Ratio,
        0.65,
    ),
    figure(
        "beside",
        "two threads, remote 0.1, with two busy neighbours / alone (in proportion: 0.5)",
        TWO_BESIDE,
        TWO,
        Compared::Ratio,
        0.45,
    ),
    figure(
        "eight-beside",
        "8 nodes on 2 cores, the same",
        EIGHT_BESIDE,
        EIGHT,
        Compared::Ratio,
        0.45,
    ),
];

/// Runs the benchmark and prints its tables.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let figures = options.terms.choose(FIGURES)?;
    let fourstamp = match &options.binary {
        Some(binary) => binary.clone(),
        None => competition::release_build(workspace)?,
    };
    options.terms.hold(&figures, |name| contestant(workspace, &fourstamp, name))
}

/// Events of about 100 µs, by making them longer; so many of them that a launch takes some seconds.
/// By processor time: an event that another process interrupts would be made so many times as long
/// as the interruption.
const LONG_PUCKS: &str = "pucks --cutoff 30 --timing process --stretch 100";
const LONG_STB88: &str = "stb88 --cutoff 20000 --timing process --stretch 80";
const LONG_WARPNET: &str = "warpnet --timing process --stretch 20";
/// Few objects with much work: where they are decides.
const FEW: &str =
    "--nodes 2 --transport thread --groups 2 --objects 64 --cutoff 8000 --remote 0.25 --work 50";
/// Soon enough that the run as a whole is nearly as fast as a well placed one.
const QUICKLY_BALANCED: &str = "--balance --balance-interval 100ms --balance-idle 1";

fn contestant(workspace: &Workspace, fourstamp: &Path, name: &'static str) -> Result<Contestant> {
    let ours = |arguments: &str| {
        Ok(command_of(name, fourstamp.to_owned(), &format!("warp phold --csv {arguments}")))
    };
    let model =
        |words: &str| Ok(command_of(name, fourstamp.to_owned(), &format!("warp {words} --csv")));
    let small = "--objects 2048 --cutoff 1000";
    let large = "--objects 65536 --start 16 --cutoff 8 --remote 1";
    let two = "--nodes 2 --transport thread --groups 2";
    let eight = "--nodes 8 --transport thread --groups 2";
    match name {
        PLAIN => peer(workspace, name, "plain", "phold 2048 1 1000"),
        LARGE_PLAIN => peer(workspace, name, "plain", "phold 65536 16 8"),
        NEXOSIM => peer(workspace, name, "nexosim", "2048 400"),
        SEQUENTIAL => ours(&format!("--seq {small} --remote 1")),
        ONE_NODE => ours(&format!("--nodes 1 --transport thread {small} --remote 1")),
        TWO => ours(&format!("{two} {small} --remote 0.1")),
        TWO_REMOTE => ours(&format!("{two} {small} --remote 1")),
        LARGE => ours(&format!("--seq {large} --groups 2")),
        LARGE_TWO => ours(&format!("{two} {large}")),
        WORK_5 => ours("--seq --groups 2 --objects 2048 --cutoff 100 --remote 0.25 --work 5"),
        WORK_5_TWO => ours(&format!("{two} --objects 2048 --cutoff 100 --remote 0.25 --work 5")),
        WORK_5_RECORDED => {
            let folder = workspace.scratch("warp")?.join("recorded");
            let arguments = format!(
                "{two} --objects 2048 --cutoff 100 --remote 0.25 --work 5 --out {}",
                folder.display()
            );
            Ok(Contestant { leaves: Some(folder), ..ours(&arguments)? })
        }
        WORK_50 => ours("--seq --groups 2 --objects 2048 --cutoff 10 --remote 0.25 --work 50"),
        WORK_50_TWO => ours(&format!("{two} --objects 2048 --cutoff 10 --remote 0.25 --work 50")),
        PUCKS_PLAIN => peer(workspace, name, "plain", "pucks"),
        PUCKS => model("pucks --seq"),
        PUCKS_TWO => model("pucks --nodes 2"),
        PUCKS_LONG => model(&format!("{LONG_PUCKS} --seq")),
        PUCKS_LONG_TWO => model(&format!("{LONG_PUCKS} --nodes 2")),
        STB88_PLAIN => peer(workspace, name, "plain", "stb88"),
        STB88 => model("stb88 --seq"),
        STB88_TWO => model("stb88 --nodes 2"),
        STB88_LONG => model(&format!("{LONG_STB88} --seq")),
        STB88_LONG_TWO => model(&format!("{LONG_STB88} --nodes 2")),
        WARPNET_PLAIN => peer(workspace, name, "plain", "warpnet"),
        WARPNET => model("warpnet --seq"),
        WARPNET_TWO => model("warpnet --nodes 2 --placement round-robin"),
        WARPNET_LONG => model(&format!("{LONG_WARPNET} --seq")),
        WARPNET_LONG_TWO => model(&format!("{LONG_WARPNET} --nodes 2 --placement round-robin")),
        WELL_PLACED => ours(&format!("{FEW} --placement blocks")),
        BALANCED => ours(&format!("{FEW} --placement heaped {QUICKLY_BALANCED}")),
        DISTURBED => {
            let quiet = format!("{two} --objects 2048 --cutoff 10 --remote 0.25 --work 50");
            beside(1, ours(&quiet)?)
        }
        TWO_BESIDE => beside(2, ours(&format!("{two} {small} --remote 0.1"))?),
        EIGHT => ours(&format!("{eight} {small} --remote 0.1")),
        EIGHT_BESIDE => beside(2, ours(&format!("{eight} {small} --remote 0.1"))?),
        other => {
            unreachable!("no contestant {other}: figures and contestants are written together")
        }
    }
}

/// A program of `xtask/peers/simulators`, built once.
fn peer(
    workspace: &Workspace,
    name: &'static str,
    program: &str,
    arguments: &str,
) -> Result<Contestant> {
    let target = workspace.scratch("simulators")?;
    let mut cargo = workspace.cargo(&["build", "--release", "--locked", "--quiet"]);
    cargo.arg("--manifest-path").arg(workspace.root.join("xtask/peers/simulators/Cargo.toml"));
    cargo.arg("--target-dir").arg(&target);
    process::capture_within(&mut cargo, Duration::from_secs(900))
        .context("cannot build the simulators")?;
    Ok(command_of(name, target.join("release").join(program), arguments))
}

/// The same while so many processes that do nothing but count compete for the cores.
fn beside(neighbours: usize, quiet: Contestant) -> Result<Contestant> {
    let shell = on_path("sh").context("no sh")?;
    let inner = quiet.command;
    let begin = "(while :; do :; done) & busy=\"$busy $!\"; ".repeat(neighbours);
    let script = format!("{begin}\"$@\"; code=$?; kill $busy; exit $code");
    let command = move || {
        let (inner, mut outer) = (inner(), Command::new(&shell));
        outer.args(["-c", &script, "sh"]);
        outer.arg(inner.get_program()).args(inner.get_args());
        outer
    };
    Ok(Contestant { command: Box::new(command), ..quiet })
}

fn command_of(name: &'static str, program: PathBuf, arguments: &str) -> Contestant {
    let words: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
    let command = move || {
        let mut command = Command::new(&program);
        command.args(&words);
        command
    };
    Contestant { name, command: Box::new(command), afterwards: None, numbers: None, leaves: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::figures;

    #[test]
    fn figures_are_chosen_by_name() {
        let choose = |only: &[String]| figures::named(FIGURES, only);
        assert_eq!(choose(&[]).unwrap().len(), FIGURES.len());
        assert_eq!(choose(&["one".into(), "two".into()]).unwrap().len(), 2);
        assert!(choose(&["three".into()]).unwrap_err().to_string().contains("large-two"));
    }
}
