//! `kill -9` at random moments: of everything at once, of one process, or of the launcher alone;
//! then a reader, then `fourstamp doctor --clean`.
//!
//! A case draws what runs, when it is killed and which of its processes. Afterwards the run must be
//! readable, nothing older than a second may be missing, no stage may be wrong, and once the runs
//! are read and doctor has cleaned, nothing of any case is left in shared memory or among temporary
//! files.

use super::Cases;
use super::each::each;
use super::exported::Messages;
use super::mutants::ring;
use crate::process::{family, state_and_parent};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::ops::AddAssign;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// A process that is not killed itself must have ended by then: it notices that the others are
/// gone.
const PATIENCE: Duration = Duration::from_secs(90);

/// What is killed.
struct Victim {
    name: &'static str,
    words: &'static [&'static str],
    /// Of so many cases.
    weight: u32,
    /// Whether it stamps messages between processes, so that stages can be wrong.
    stages: bool,
}

/// In the shares of the figure: 500 of bench, 300 of warp, 100 of mpi, pager and trace each, 20 of
/// tour.
const VICTIMS: &[Victim] = &[
    Victim::bench("tcp", &["bench", "pingpong", "--transport", "tcp", "--duration", "60s"], 140),
    Victim::bench("udp", &["bench", "pingpong", "--transport", "udp", "--duration", "60s"], 140),
    Victim::bench("shm", &["bench", "pingpong", "--transport", "shm", "--duration", "60s"], 110),
    Victim::bench(
        "stream",
        &["bench", "stream", "--transport", "shm", "--record", "stream", "--duration", "60s"],
        110,
    ),
    Victim::plain(
        "warp",
        &["warp", "phold", "--cutoff", "900000000", "--transport", "tcp", "--record"],
        150,
    ),
    Victim::plain(
        "warp shm",
        &["warp", "phold", "--cutoff", "900000000", "--transport", "shm"],
        150,
    ),
    Victim::plain("mpi", &["mpi", "trace"], 100),
    Victim::plain("pager", &["pager", "run", "--local", "16M"], 100),
    Victim {
        name: "trace",
        words: &["trace", "--follow", "--no-report"],
        weight: 100,
        stages: true,
    },
    Victim::plain("tour", &["tour"], 20),
];

impl Victim {
    const fn bench(name: &'static str, words: &'static [&'static str], weight: u32) -> Victim {
        Victim { name, words, weight, stages: true }
    }

    const fn plain(name: &'static str, words: &'static [&'static str], weight: u32) -> Victim {
        Victim { name, words, weight, stages: false }
    }
}

/// Two processes that send each other a line, until one is gone, or for so long that none outlives
/// the case: one that is traced does not notice that the tracer's launcher is killed.
const ECHO: &str = "import os, socket, time
listener, end = socket.create_server(('127.0.0.1', 0)), time.time() + 8
asks = os.fork() == 0
peer = socket.create_connection(listener.getsockname()) if asks else listener.accept()[0]
peer.sendall(b'a line\\n' if asks else b'')
while time.time() < end and (line := peer.recv(99)): peer.sendall(line)";

/// Which processes are killed.
#[derive(Clone, Copy, Debug)]
pub enum Whom {
    /// Every one.
    All,
    /// One of them.
    One,
    /// The one that has started the others.
    Launcher,
}

/// Runs the cases, then cleans once.
pub fn kills(workspace: &Workspace, cases: Cases) -> Result<()> {
    let program = workspace.soaked();
    let home =
        tempfile::Builder::new().prefix("kills-").tempdir().context("no temporary folder")?;
    let stage = Stage { program, ring: ring(home.path())?, home: home.path().to_path_buf() };
    let before = stage.left()?;
    let killed = each("kills", cases, |number| {
        Ok(stage.case(number)?.map_or_else(Done::default, |rows| Done { runs: 1, rows }))
    });
    stage.command(&["doctor", "--clean"]).status().context("doctor did not start")?;
    let left: Vec<PathBuf> =
        stage.left()?.into_iter().filter(|path| !before.contains(path)).collect();
    ensure!(left.is_empty(), "left after doctor --clean: {left:?}");
    killed
}

/// Runs that were read, and their rows.
#[derive(Debug, Default)]
struct Done {
    runs: u64,
    rows: u64,
}

impl AddAssign for Done {
    fn add_assign(&mut self, other: Done) {
        self.runs += other.runs;
        self.rows += other.rows;
    }
}

struct Stage {
    program: PathBuf,
    /// A program to be traced, where there is MPI.
    ring: Option<PathBuf>,
    home: PathBuf,
}

impl Stage {
    fn case(&self, number: u64) -> Result<Option<u64>> {
        let mut random = Pcg64::seed_from_u64(number);
        let victim = draw(&mut random);
        let whom = [Whom::All, Whom::One, Whom::Launcher][random.random_range(0..3)];
        // Half of the kills come while everything is being set up.
        let after_s: f64 = match random.random_range(0..2) {
            0 => random.random_range(0.0..0.5),
            _ => random.random_range(0.5..4.0),
        };
        let run = self.home.join(format!("run-{number}"));
        let said = format!("{} ({whom:?} after {after_s:.2} s)", victim.name);
        let Some(mut command) = self.start(victim, &run) else { return Ok(None) };
        let mut child = command.spawn().with_context(|| said.clone())?;
        std::thread::sleep(Duration::from_secs_f64(after_s));
        let family = kill(&child, whom, &mut random);
        let killed = SystemTime::now();
        let all_ended = ended(&mut child, &family);
        all_ended.with_context(|| said.clone())?;
        let rows = self.read(victim, whom, &run, killed).with_context(|| said)?;
        // What was read is done with.
        let _ = std::fs::remove_dir_all(&run);
        Ok(rows)
    }

    fn start(&self, victim: &Victim, run: &Path) -> Option<Command> {
        let mut command = self.command(victim.words);
        command.arg("--out").arg(run);
        match victim.name {
            "mpi" => {
                command.args(["--", "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"]);
                command.arg(self.ring.as_ref()?).arg("1000000000");
            }
            "pager" => {
                // A program that touches 64 MiB again and again.
                const WORK: &str = "import time\nb = bytearray(64 << 20)\nwhile True:\n for i in \
                range(0, len(b), 4096): b[i] = i & 255";
                command.args(["--", "python3", "-c", WORK]);
            }
            "trace" => {
                command.args(["--", "python3", "-c", ECHO]);
            }
            _ => {}
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        Some(command)
    }

    /// Read what a kill left: how many rows there are, if there is a run.
    fn read(
        &self,
        victim: &Victim,
        whom: Whom,
        run: &Path,
        killed: SystemTime,
    ) -> Result<Option<u64>> {
        let folders = match victim.name {
            "tour" => runs_in(run),
            _ => vec![run.to_path_buf()],
        };
        let mut rows = None;
        for folder in folders.iter().filter(|folder| folder.join("run.json").exists()) {
            let out = self.command(&["report", "--terminal"]).arg(folder).output()?;
            let errors = String::from_utf8_lossy(&out.stderr).into_owned();
            ensure!(out.status.success(), "{}: {}", out.status, errors.trim());
            let text = std::fs::read(folder.join("run.json"))?;
            let info: Value = serde_json::from_slice(&text).context("run.json")?;
            ensure!(info["state"] != "open", "the run was read and is still open");
            let found = nodes(&info).map(|node| node["rows"].as_u64().unwrap_or(0)).sum::<u64>();
            rows = Some(rows.unwrap_or(0) + found);
            whole(&info)?;
            let doubtful = &info["parameters"]["sockets"]["doubtful_connections"];
            ensure!(doubtful.as_u64().unwrap_or(0) == 0, "a connection is doubtful");
            if victim.stages && found > 1000 {
                stages(
                    &self.home,
                    &self.program,
                    folder,
                    &info,
                    matches!(whom, Whom::All).then_some(killed),
                )?;
            }
        }
        Ok(rows)
    }

    /// Everything under our names in shared memory and among temporary files.
    fn left(&self) -> Result<Vec<PathBuf>> {
        let mut left = Vec::new();
        for folder in [PathBuf::from("/dev/shm"), std::env::temp_dir()] {
            let entries =
                std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
            // Other versions, which may be at work here, have names without a number of 32 digits.
            let owned = |rest: &str| rest.split('-').next().is_some_and(|owner| owner.len() == 32);
            let ours = |name: &str| name.strip_prefix("fourstamp-").is_some_and(owned);
            let names =
                entries.flatten().filter(|entry| ours(&entry.file_name().to_string_lossy()));
            left.extend(names.map(|entry| entry.path()));
        }
        Ok(left)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).current_dir(&self.home);
        command
    }
}

fn draw(random: &mut Pcg64) -> &'static Victim {
    let all: u32 = VICTIMS.iter().map(|victim| victim.weight).sum();
    let mut at = random.random_range(0..all);
    for victim in VICTIMS {
        if at < victim.weight {
            return victim;
        }
        at -= victim.weight;
    }
    &VICTIMS[0]
}

/// Kill, and say which processes there were: nodes lead groups of their own.
fn kill(child: &Child, whom: Whom, random: &mut Pcg64) -> Vec<u32> {
    let all = stopped_family(child.id());
    match whom {
        Whom::All => all.iter().for_each(|pid| signal(*pid, Signal::KILL)),
        Whom::Launcher => signal(child.id(), Signal::KILL),
        Whom::One => signal(all[random.random_range(0..all.len())], Signal::KILL),
    }
    all.iter().for_each(|pid| signal(*pid, Signal::CONT));
    all
}

/// Everything that a process has started: stopped, so that none starts another one unseen.
pub fn stopped_family(first: u32) -> Vec<u32> {
    let mut stopped = Vec::new();
    loop {
        let all = family(first);
        let more: Vec<u32> = all.iter().filter(|pid| !stopped.contains(*pid)).copied().collect();
        if more.is_empty() {
            return all;
        }
        more.iter().for_each(|pid| signal(*pid, Signal::STOP));
        stopped.extend(more);
    }
}

/// Stop everything that a process has started now and then, each time for a while; how many were
/// stopped.
pub fn stop_and_go_on(first: u32, random: &mut Pcg64, mut wanted: impl FnMut() -> bool) -> u64 {
    let mut stops = 0;
    while wanted() {
        std::thread::sleep(Duration::from_millis(random.random_range(200..2000)));
        let family = stopped_family(first);
        std::thread::sleep(Duration::from_millis(random.random_range(1..200)));
        stops += family.len() as u64;
        for process in family {
            std::thread::sleep(Duration::from_micros(random.random_range(0..3000)));
            signal(process, Signal::CONT);
        }
    }
    stops
}

/// Send it, where there is still somebody.
pub fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid as i32) {
        // Who is gone already needs none.
        let _ = kill_process(pid, signal);
    }
}

/// Wait until nobody of the family lives: who was not killed must notice.
pub fn ended(child: &mut Child, family: &[u32]) -> Result<()> {
    let begun = Instant::now();
    // A run that goes on undisturbed (the victim had ended already) is told to end.
    let polite = Duration::from_secs(8);
    let mut asked = false;
    loop {
        let gone = child.try_wait()?.is_some();
        let lives = |pid: &&u32| {
            state_and_parent(**pid).is_some_and(|(state, _)| !matches!(state, 'Z' | 'X'))
        };
        let alive: Vec<u32> = family.iter().filter(lives).copied().collect();
        if gone && alive.is_empty() {
            return Ok(());
        }
        if begun.elapsed() > polite && !asked {
            asked = true;
            signal(child.id(), Signal::TERM);
        }
        if begun.elapsed() > PATIENCE {
            alive.iter().for_each(|pid| signal(*pid, Signal::KILL));
            child.wait()?;
            bail!("{} of its processes live {} s after the kill", alive.len(), PATIENCE.as_secs());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// The nodes in a run's information.
pub fn nodes(info: &Value) -> impl Iterator<Item = &Value> {
    let launches = info["launches"].as_array().into_iter().flatten();
    launches.flat_map(|launch| launch["nodes"].as_array().into_iter().flatten())
}

/// Nothing that was recorded may be missing: the rows of a node's last second were in its buffer,
/// and that is there.
pub fn whole(info: &Value) -> Result<()> {
    let lost = &info["lost"];
    for what in [
        "damaged_chunks",
        "damaged_rows",
        "missing_buffers",
        "rows_without_sheet",
        "rows_of_unknown_nodes",
    ] {
        ensure!(lost[what].as_u64().unwrap_or(0) == 0, "lost: {lost}, {}", info["failures"]);
    }
    Ok(())
}

/// No stage is wrong: as good as no message has one that is negative, and the last one is no older
/// than the kill by a second.
pub fn stages(
    home: &Path,
    program: &Path,
    run: &Path,
    info: &Value,
    killed: Option<SystemTime>,
) -> Result<()> {
    const NEGATIVE_MOST: f64 = 0.001;
    let messages = Messages::read(program, run, home)?;
    let Messages { whole, negative, last_ns } = messages;
    ensure!(
        messages.negative_share() <= NEGATIVE_MOST,
        "{negative} of {whole} messages have a negative stage"
    );
    let Some(killed) = killed else { return Ok(()) };
    let begun_ns = info["origin"]["realtime_ns"].as_i64().context("origin")?;
    let killed_ns = killed.duration_since(SystemTime::UNIX_EPOCH)?.as_nanos() as i64 - begun_ns;
    ensure!(
        killed_ns - last_ns < 1_000_000_000,
        "the last row is {} ms older than the kill",
        (killed_ns - last_ns) / 1_000_000
    );
    Ok(())
}
