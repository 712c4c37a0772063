//! Who takes part: our own commands and the peers that this machine can build.

use super::Options;
use super::contest::Contestant;
use super::figures::{DUCKDB, DUCKDB_COUNTED, EXPLAIN, REPORT, STORY};
use super::peers::{Compiler, build};
use crate::install;
use crate::process::{self, on_path};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Who was left out, and why.
pub type Skipped = Vec<(&'static str, String)>;

/// Builds what is wanted.
pub fn prepare(
    workspace: &Workspace,
    options: &Options,
    wanted: &BTreeSet<&'static str>,
) -> Result<(Vec<Contestant>, Skipped)> {
    if options.binary.is_none() {
        eprintln!("building the release version");
        let build = ["build", "--release", "--locked", "--package", "fourstamp-cli"];
        process::capture_within(&mut workspace.cargo(&build), Duration::from_secs(1800))?;
    }
    let (mut ready, mut skipped) = (Vec::new(), Vec::new());
    for &name in wanted {
        match contestant(workspace, options, name) {
            Ok(contestant) => ready.push(contestant),
            Err(why) => skipped.push((name, format!("{why:#}"))),
        }
    }
    Ok((ready, skipped))
}

fn contestant(workspace: &Workspace, options: &Options, name: &'static str) -> Result<Contestant> {
    let count = &options.count.to_string();
    let over_tcp = &(options.count / 10).max(1).to_string();
    // Given to both sides: left to itself each warms up for its own while.
    let warm_up = &(options.count / 100).to_string();
    let over_stream = &(options.count * 10).to_string();
    let peer = |program: &str, arguments: &[&str]| plain(workspace, name, program, arguments);
    let mpi = |program: &str, arguments: &[&str]| mpi(workspace, name, program, arguments);
    let fourstamp = &options.binary.clone().unwrap_or_else(|| workspace.fourstamp());
    let pingpong = |arguments: &[&str]| bench(workspace, fourstamp, name, "pingpong", arguments);
    let counted = |contestant: Result<Contestant>| counting_sleeps(workspace, contestant?);
    let stream = |arguments: &[&str]| {
        bench(workspace, fourstamp, name, "stream", arguments)
            .map(|stream| with_timeline(stream, fourstamp))
    };
    // Long enough to be looked at some hundred times.
    let watched = |arguments: &[&str]| {
        pingpong(&[&["--transport", "shm", "--duration", "3s"], arguments].concat())
            .map(|contestant| with_timeline(contestant, fourstamp))
    };
    match name {
        "cache line" => peer("cache_line", &["--count", count]),
        "plain TCP, polling" => {
            counted(peer("tcp_pingpong", &["--count", over_tcp, "--warm-up", warm_up]))
        }
        "plain TCP, blocking" => counted(peer(
            "tcp_pingpong",
            &["--count", over_tcp, "--warm-up", warm_up, "--blocking"],
        )),
        "Open MPI" => mpi("mpi_pingpong", &["--count", count]),
        "Open MPI windows" => mpi("mpi_stream", &["--count", over_stream]),
        "shm" => pingpong(&["--transport", "shm", "--count", count]),
        "shm, unrecorded" => pingpong(&["--transport", "shm", "--count", count, "--no-record"]),
        "tcp, polling" => counted(pingpong(&[
            "--transport",
            "tcp",
            "--count",
            over_tcp,
            "--warm-up",
            warm_up,
            "--receive",
            "polling",
        ])),
        "tcp, blocking" => counted(pingpong(&[
            "--transport",
            "tcp",
            "--count",
            over_tcp,
            "--warm-up",
            warm_up,
            "--receive",
            "blocking",
        ])),
        // sockperf's least message has 14 bytes.
        "udp, polling" => pingpong(&[
            "--transport",
            "udp",
            "--size",
            "14",
            "--count",
            over_tcp,
            "--warm-up",
            warm_up,
            "--receive",
            "polling",
        ]),
        "sockperf UDP, polling" => sockperf(workspace, name),
        "shm stream" => stream(&["--transport", "shm", "--count", over_stream]),
        "udp stream" => stream(&["--transport", "udp", "--count", count]),
        "udp stream, 1 % lost" => {
            stream(&["--transport", "udp", "--count", count, "--udp-faults", "loss=1%"])
        }
        "shm, watched" => watched(&[]),
        "shm, not watched" => watched(&["--no-watch"]),
        EXPLAIN | STORY => of_ten_million(workspace, fourstamp, name),
        REPORT => report(workspace, fourstamp, options.messages),
        DUCKDB => duckdb(workspace, DUCKDB, "sorted", options.messages),
        DUCKDB_COUNTED => duckdb(workspace, DUCKDB_COUNTED, "counted", options.messages),
        other => {
            unreachable!("no contestant {other}: figures and contestants are written together")
        }
    }
}

/// A benchmark of ours: one launch, two nodes, 8 bytes.
fn bench(
    workspace: &Workspace,
    fourstamp: &Path,
    name: &'static str,
    workload: &str,
    arguments: &[&str],
) -> Result<Contestant> {
    let out = workspace.scratch("latency")?.join(name.replace([',', ' '], ""));
    let mut words = vec!["bench", workload, "--launches", "1", "--csv"];
    if !arguments.contains(&"--size") {
        words.extend(["--size", "8"]);
    }
    words.extend(arguments);
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    let (program, folder) = (fourstamp.to_owned(), out.clone());
    let command = move || command(&program, &words, Some(("--out", &folder)));
    Ok(Contestant {
        name,
        command: Box::new(command),
        afterwards: None,
        numbers: None,
        leaves: Some(out),
    })
}

/// sockperf's ping-pong over UDP: as long a launch as one of ours takes.
fn sockperf(workspace: &Workspace, name: &'static str) -> Result<Contestant> {
    on_path("sockperf").context("no sockperf: apt install sockperf")?;
    let script = workspace.root.join("xtask/peers/sockperf_pingpong.sh");
    let words = ["2", "14", "21119"].map(str::to_owned);
    let command = move || command(&script, &words, None);
    Ok(Contestant {
        name,
        command: Box::new(command),
        afterwards: None,
        numbers: None,
        leaves: None,
    })
}

/// Counts how often its processes sleep, where GNU time is there to tell.
fn counting_sleeps(workspace: &Workspace, contestant: Contestant) -> Result<Contestant> {
    let Some(time) = on_path("time") else { return Ok(contestant) };
    let numbers = workspace
        .scratch("latency")?
        .join(format!("{}.csv", contestant.name.replace([',', ' '], "")));
    let (inner, output) = (contestant.command, numbers.clone());
    let command = move || {
        let (inner, mut outer) = (inner(), Command::new(&time));
        outer.args(["--format", "counted,sleeps\nall,%w", "--output"]).arg(&output);
        outer.arg(inner.get_program()).args(inner.get_args());
        outer
    };
    Ok(Contestant { command: Box::new(command), numbers: Some(numbers), ..contestant })
}

/// The rate comes from the recorded run.
fn with_timeline(stream: Contestant, fourstamp: &Path) -> Contestant {
    let (program, run) = (fourstamp.to_owned(), stream.leaves.clone().unwrap_or_default());
    let words = ["report".to_owned(), "--csv=timeline".to_owned(), run.display().to_string()];
    Contestant { afterwards: Some(Box::new(move || command(&program, &words, None))), ..stream }
}

fn plain(
    workspace: &Workspace,
    name: &'static str,
    program: &str,
    arguments: &[&str],
) -> Result<Contestant> {
    let binary = build(workspace, program, Compiler::C)?;
    let words: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
    let command = move || command(&binary, &words, None);
    Ok(Contestant {
        name,
        command: Box::new(command),
        afterwards: None,
        numbers: None,
        leaves: None,
    })
}

fn mpi(
    workspace: &Workspace,
    name: &'static str,
    program: &str,
    arguments: &[&str],
) -> Result<Contestant> {
    let binary = build(workspace, program, Compiler::Mpi)?;
    let mpirun = on_path("mpirun").context("no mpirun: apt install openmpi-bin")?;
    let mut words =
        vec!["-n".to_owned(), "2".to_owned(), "--bind-to".to_owned(), "core".to_owned()];
    words.push(binary.display().to_string());
    words.extend(arguments.iter().map(|&word| word.to_owned()));
    let command = move || {
        let mut command = command(&mpirun, &words, None);
        // Open MPI refuses root unless told twice.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command
    };
    Ok(Contestant {
        name,
        command: Box::new(command),
        afterwards: None,
        numbers: None,
        leaves: None,
    })
}

/// A command of ours that reads ten million messages.
fn of_ten_million(
    workspace: &Workspace,
    fourstamp: &Path,
    name: &'static str,
) -> Result<Contestant> {
    let run = large_run(workspace, 10_000_000)?;
    timed(workspace, name, fourstamp.to_owned(), vec![name.to_owned(), run.display().to_string()])
}

/// Our report of a large run, to a page.
fn report(workspace: &Workspace, fourstamp: &Path, messages: u64) -> Result<Contestant> {
    let run = large_run(workspace, messages)?;
    let page = run.with_extension("html").display().to_string();
    let words = ["report", &run.display().to_string(), "--out", &page].map(str::to_owned);
    timed(workspace, REPORT, fourstamp.to_owned(), words.to_vec())
}

/// DuckDB computing the same from the same files.
fn duckdb(
    workspace: &Workspace,
    name: &'static str,
    method: &str,
    messages: u64,
) -> Result<Contestant> {
    let python = install::python(workspace)?;
    let script = workspace.root.join("xtask/peers/duckdb_report.py");
    let run = large_run(workspace, messages)?;
    let words = [script.display().to_string(), run.display().to_string(), method.to_owned()];
    timed(workspace, name, python, words.to_vec())
}

/// A run of that many messages, made once and kept.
fn large_run(workspace: &Workspace, messages: u64) -> Result<PathBuf> {
    let folder = workspace.scratch("large")?.join(format!("{messages}-messages"));
    if !folder.join("run.json").is_file() {
        eprintln!("making a run of {messages} messages");
        let example = [
            "run",
            "--release",
            "--locked",
            "--package",
            "fourstamp-examples",
            "--example",
            "synthetic_run",
        ];
        let mut make = workspace.cargo(&example);
        make.arg("--").arg(&folder).arg(messages.to_string());
        process::capture_within(&mut make, Duration::from_secs(1800))
            .context("cannot make a large run")?;
    }
    Ok(folder)
}

/// A program under GNU time, which reports its wall time and peak memory.
pub fn timed(
    workspace: &Workspace,
    name: &'static str,
    program: PathBuf,
    words: Vec<String>,
) -> Result<Contestant> {
    let time = on_path("time").context("no GNU time: apt install time")?;
    let numbers = workspace.scratch("latency")?.join(format!("{name}.csv"));
    let mut all =
        vec!["--format".to_owned(), "wall_s,peak_kib\n%e,%M".to_owned(), "--output".to_owned()];
    all.extend([numbers.display().to_string(), program.display().to_string()]);
    all.extend(words);
    let command = move || command(&time, &all, None);
    Ok(Contestant {
        name,
        command: Box::new(command),
        afterwards: None,
        numbers: Some(numbers),
        leaves: None,
    })
}

fn command(program: &Path, words: &[String], last: Option<(&str, &Path)>) -> Command {
    let mut command = Command::new(program);
    command.args(words);
    if let Some((flag, path)) = last {
        command.arg(flag).arg(path);
    }
    command
}
