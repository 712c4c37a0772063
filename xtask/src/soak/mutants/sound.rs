//! Sound inputs, made by the program itself: what is tampered with afterwards.

use super::changes;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Something that commands read.
pub struct Input {
    pub name: &'static str,
    pub path: PathBuf,
    /// What is done with a copy of it, called `input`.
    pub commands: Vec<Vec<&'static str>>,
}

/// Runs of every producer, and what is read besides runs.
pub fn inputs(workspace: &Workspace, program: &Path, home: &Path) -> Result<Vec<Input>> {
    std::fs::create_dir_all(home)?;
    let mut inputs = Vec::new();
    let runs: [(&str, &[&str]); 5] = [
        ("tcp", &["bench", "pingpong", "--transport", "tcp", "--count", "300", "--launches", "2"]),
        ("udp", &["bench", "stream", "--transport", "udp", "--count", "300", "--launches", "1"]),
        ("shm", &["bench", "pingpong", "--transport", "shm", "--count", "300", "--launches", "1"]),
        ("warp", &["warp", "ping", "--stop", "500", "--nodes", "2", "--critical-path", "--check"]),
        ("warp balanced", &["warp", "phold", "--cutoff", "60", "--nodes", "2", "--balance"]),
    ];
    for (name, words) in runs {
        let path = home.join(name.replace(' ', "-"));
        let mut command = Command::new(program);
        command.args(words).arg("--out").arg(&path).current_dir(home);
        finished(command).with_context(|| format!("no run: {name}"))?;
        inputs.push(Input { name, path, commands: of_run() });
    }
    for (name, words) in [
        ("killed tcp", &["bench", "pingpong", "--transport", "tcp"][..]),
        ("killed shm", &["bench", "pingpong", "--transport", "shm", "--record", "stream"]),
        (
            "killed warp",
            &["warp", "phold", "--cutoff", "900000000", "--nodes", "2", "--transport", "tcp"],
        ),
    ] {
        let path = home.join(name.replace(' ', "-"));
        let mut command = Command::new(program);
        command.args(words).arg("--out").arg(&path).current_dir(home);
        killed(command, &path).with_context(|| format!("no run: {name}"))?;
        inputs.push(Input { name, path, commands: of_run() });
    }
    inputs.extend(traced(program, home)?);
    let config = home.join("config");
    changes::copy(&workspace.root.join("examples/config"), &config)?;
    let commands = [
        vec!["warp", "ping", "--stop", "50", "--config", "input/ping.cfg"],
        vec!["warp", "slooow", "--stop", "50", "--config", "input/slooow.cfg"],
    ];
    inputs.push(Input { name: "configuration", path: config, commands: commands.to_vec() });
    inputs.extend(paged(program, home)?);
    inputs.extend(scenarios(&workspace.root.join("../shared/twos/data"), home)?);
    Ok(inputs)
}

/// The run of a program under the pager, where the kernel lets us page.
fn paged(program: &Path, home: &Path) -> Result<Option<Input>> {
    const WORK: &str = "b = bytearray(24 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1";
    let path = home.join("pager");
    let mut command = Command::new(program);
    command.args(["pager", "run", "--local", "8M", "--out"]).arg(&path);
    command.args(["--", "python3", "-c", WORK]).current_dir(home);
    if let Err(why) = finished(command) {
        println!("skipped: the run of a paged program: {why:#}");
        return Ok(None);
    }
    Ok(Some(Input { name: "pager", path, commands: of_run() }))
}

/// The tables of each model's scenario, where they are at hand.
fn scenarios(tables: &Path, home: &Path) -> Result<Vec<Input>> {
    if !tables.is_dir() {
        println!("skipped: tables of scenarios: there is no {}", tables.display());
        return Ok(Vec::new());
    }
    let scenarios = [
        ("warpnet", vec!["warp", "warpnet", "--data", "input", "--cutoff", "500", "--seq"]),
        ("pucks", vec!["warp", "pucks", "--data", "input", "--cutoff", "50", "--seq"]),
        ("stb88", vec!["warp", "stb88", "--data", "input", "--cutoff", "20", "--seq"]),
    ];
    let mut inputs = Vec::new();
    for (name, words) in scenarios {
        let path = home.join(name);
        std::fs::create_dir_all(&path)?;
        for entry in std::fs::read_dir(tables)?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(name) {
                // Not the permissions: tables may be read-only.
                std::fs::write(path.join(entry.file_name()), std::fs::read(entry.path())?)?;
            }
        }
        inputs.push(Input { name, path, commands: vec![words] });
    }
    Ok(inputs)
}

/// An MPI program's run, closed and killed, where there is an MPI.
fn traced(program: &Path, home: &Path) -> Result<Vec<Input>> {
    let Some(ring) = ring(home)? else {
        println!("skipped: inputs of MPI programs: mpicc or mpirun is missing");
        return Ok(Vec::new());
    };
    let trace = |out: &Path, rounds: &str| {
        let mut command = Command::new(program);
        command.args(["mpi", "trace", "--out"]).arg(out).args(["--", "mpirun"]);
        command.args(["--allow-run-as-root", "--oversubscribe", "-n", "2"]).arg(&ring).arg(rounds);
        command.current_dir(home);
        command
    };
    let (closed, cut) = (home.join("mpi"), home.join("killed-mpi"));
    finished(trace(&closed, "60")).context("no run: mpi")?;
    killed(trace(&cut, "1000000000"), &cut).context("no run: killed mpi")?;
    Ok(vec![
        Input { name: "mpi", path: closed, commands: of_run() },
        Input { name: "killed mpi", path: cut, commands: of_run() },
    ])
}

/// A program that passes a message round.
pub fn ring(home: &Path) -> Result<Option<PathBuf>> {
    const SOURCE: &str = r#"#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int me, all, word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    for (long round = 0; round < atol(argv[1]); round++) {
        MPI_Request request;
        MPI_Irecv(&word, 1, MPI_INT, (me + all - 1) % all, 7, MPI_COMM_WORLD, &request);
        MPI_Send(&me, 1, MPI_INT, (me + 1) % all, 7, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (round % 64 == 0) MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"#;
    let (source, program) = (home.join("ring.c"), home.join("ring"));
    std::fs::write(&source, SOURCE)?;
    let built = Command::new("mpicc").arg("-g").arg("-o").arg(&program).arg(&source).status();
    let there = Command::new("mpirun").arg("--version").stdout(Stdio::null()).status();
    let both =
        built.is_ok_and(|status| status.success()) && there.is_ok_and(|status| status.success());
    Ok(both.then_some(program))
}

/// What the killed runs left in memory goes with their first reader.
pub fn forget(program: &Path, inputs: &[Input]) {
    for input in inputs.iter().filter(|input| input.name.starts_with("killed")) {
        let mut command = Command::new(program);
        command.args(["report", "--terminal"]).arg(&input.path);
        // The folder goes anyway, and `fourstamp doctor --clean` would find what is left.
        let _ = finished(command);
    }
}

/// What reads a run.
fn of_run() -> Vec<Vec<&'static str>> {
    vec![
        vec!["report", "--terminal", "input"],
        vec!["story", "input"],
        vec!["explain", "input"],
        vec!["compare", "SOUND", "input"],
        vec!["export", "input", "--csv", "out/csv"],
        vec!["export", "input", "--perfetto", "out/trace.json"],
        vec!["report", "input", "--out", "out/page.html"],
    ]
}

fn finished(mut command: Command) -> Result<()> {
    let status =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    anyhow::ensure!(status.success(), "{status}");
    Ok(())
}

/// Start it, kill all of it once it has recorded something, and keep what it left as it is: buffers
/// stay where they are.
fn killed(mut command: Command, run: &Path) -> Result<()> {
    const PATIENCE: Duration = Duration::from_secs(60);
    let child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut child = child.spawn()?;
    let begun = Instant::now();
    let has_logs = || {
        let entries = std::fs::read_dir(run.join("live")).into_iter().flatten().flatten();
        entries.filter(|entry| entry.metadata().is_ok_and(|about| about.len() > 1000)).count() >= 2
    };
    while !has_logs() && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(30));
    if let Some(group) = Pid::from_raw(child.id() as i32) {
        kill_process_group(group, Signal::KILL)?;
    }
    child.wait()?;
    anyhow::ensure!(has_logs(), "it has recorded nothing");
    Ok(())
}
