//! Runs that start while strangers flood every port they open.
//!
//! A case is a start: of a benchmark with its own nodes, of a node that joins one, or of a paged
//! program with its server. Meanwhile connections come and go at every port of its processes, as
//! fast as two threads make them: idle ones, single bytes, garbage, slow drips, hellos without the
//! key, resets. Where something waits already, 10,000 have come before the start. It must succeed,
//! within the limit.

mod flood;

use super::Cases;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use flood::Flood;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Within this time a start must have come to its end.
const GOAL: Duration = Duration::from_secs(5);
/// Then a start that hangs is given up.
const LIMIT: Duration = Duration::from_secs(60);
/// Connections that come before the start, where something waits already; more come during it.
const BEFORE: u64 = 10_000;

/// Starts something on a stage; how long that took.
type Start = fn(&Stage<'_>) -> Result<Duration>;

/// What is started.
const KINDS: [(&str, Start); 4] = [
    ("bench", bench),
    ("node --join", join),
    ("pager serve and run", pager),
    ("bench over udp", bench_over_udp),
];

/// Every case starts, in time.
pub fn strangers(workspace: &Workspace, cases: Cases) -> Result<()> {
    flood::allow_many_descriptors()?;
    let (mut slowest, mut late, mut came) = (Duration::ZERO, 0, 0);
    for case in cases.from..cases.from + cases.count {
        let (name, start) = KINDS[(case % KINDS.len() as u64) as usize];
        let folder = tempfile::tempdir().context("a folder for the case")?;
        let stage = Stage {
            program: workspace.fourstamp(),
            folder: folder.path(),
            flood: Flood::start(case)?,
        };
        let again = format!("again: cargo xtask soak --only strangers --from {case} --count 1");
        let took =
            start(&stage).with_context(|| format!("case {case}, {name}: no start; {again}"))?;
        came += stage.flood.came();
        slowest = slowest.max(took);
        if took > GOAL {
            late += 1;
            println!("case {case}, {name}: {:.2} s; {again}", took.as_secs_f64());
        }
        if (case + 1).is_multiple_of(20) {
            println!("{} starts, slowest {:.2} s", case + 1 - cases.from, slowest.as_secs_f64());
        }
    }
    let (count, goal) = (cases.count, GOAL.as_secs());
    println!(
        "strangers: {count} of {count} starts succeeded, {} within {goal} s, slowest {:.2} s; \
        {came} hostile connections",
        count - late,
        slowest.as_secs_f64()
    );
    ensure!(late == 0, "{late} of {count} starts took longer than {goal} s");
    Ok(())
}

/// Where a case happens.
struct Stage<'a> {
    program: PathBuf,
    folder: &'a Path,
    flood: Flood,
}

impl Stage<'_> {
    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments.split(' ')).current_dir(self.folder).stdin(Stdio::null());
        command
    }

    /// Flood this process's ports, and those of its children.
    fn expose(&self, child: &Child) {
        self.flood.at(child.id());
    }

    /// Wait until it has ended well.
    fn see_through(&self, what: &str, mut child: Started) -> Result<()> {
        let begun = Instant::now();
        loop {
            if let Some(status) = child.0.try_wait()? {
                ensure!(status.success(), "{what} ended with {status}: {}", self.said(what));
                return Ok(());
            }
            if begun.elapsed() > LIMIT {
                bail!("{what} did not end within {} s: {}", LIMIT.as_secs(), self.said(what));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn spawn(&self, what: &str, command: &mut Command) -> Result<Started> {
        let said = std::fs::File::create(self.folder.join(format!("{what}.txt")))?;
        let child = command.stderr(said).spawn().with_context(|| format!("cannot start {what}"))?;
        self.expose(&child);
        Ok(Started(child))
    }

    fn said(&self, what: &str) -> String {
        let said = std::fs::read_to_string(self.folder.join(format!("{what}.txt")));
        said.unwrap_or_default().chars().take(2000).collect()
    }
}

/// A child that is not left behind.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn bench(stage: &Stage<'_>) -> Result<Duration> {
    local_bench(stage, "tcp")
}

fn bench_over_udp(stage: &Stage<'_>) -> Result<Duration> {
    local_bench(stage, "udp")
}

/// Two launches: the nodes of the second join a coordinator that has been flooded since the first.
fn local_bench(stage: &Stage<'_>, transport: &str) -> Result<Duration> {
    let words = format!(
        "bench pingpong --transport {transport} --receive blocking --no-pin --no-watch --count 200 \
        --launches 2 --out run"
    );
    let begun = Instant::now();
    let bench = stage.spawn("bench", stage.command(&words).stdout(Stdio::null()))?;
    stage.see_through("bench", bench)?;
    Ok(begun.elapsed())
}

/// A benchmark waits under the flood; then its two nodes come.
fn join(stage: &Stage<'_>) -> Result<Duration> {
    let words = "bench pingpong --transport tcp --receive blocking --no-pin --no-watch --count 200 \
    --launches 1 --out run --listen 127.0.0.1:0 --wait-for-nodes --key-file key";
    let bench = stage.spawn("bench", stage.command(words).stdout(Stdio::null()))?;
    let address = awaited(|| stage.said("bench").split("--join ").nth(1).and_then(first_word))?;
    stage.flood.wait_for(BEFORE);
    let begun = Instant::now();
    let words = format!("node --join {address} --key-file key");
    let nodes = ["first", "second"].map(|name| stage.spawn(name, &mut stage.command(&words)));
    for (node, name) in nodes.into_iter().zip(["first", "second"]) {
        stage.see_through(name, node?)?;
    }
    stage.see_through("bench", bench)?;
    Ok(begun.elapsed())
}

/// A page server waits under the flood; then a program uses it.
fn pager(stage: &Stage<'_>) -> Result<Duration> {
    let made = stage.command("pager key key").stdout(Stdio::null()).status()?;
    ensure!(made.success(), "no key was made");
    let words = "pager serve --listen 127.0.0.1:0 --memory 64M --key-file key";
    let mut server = stage.spawn("server", stage.command(words).stdout(Stdio::piped()))?;
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().context("its output")?).read_line(&mut line)?;
    let address = line
        .split(" at ")
        .nth(1)
        .and_then(|rest| rest.split(": ").next())
        .context("its address")?;
    stage.flood.wait_for(BEFORE);
    let begun = Instant::now();
    let words = format!(
        "pager run --local 4M --server {address} --key-file key --no-report --out run -- sort -r \
        --parallel=1 -o out in"
    );
    let text: String =
        (0..200_000).map(|i: u32| format!("{}\n", i.wrapping_mul(2_654_435_761))).collect();
    std::fs::write(stage.folder.join("in"), text)?;
    let run = stage.spawn("run", stage.command(&words).stdout(Stdio::null()))?;
    stage.see_through("run", run)?;
    Ok(begun.elapsed())
}

fn first_word(text: &str) -> Option<String> {
    text.split_whitespace().next().map(str::to_owned)
}

fn awaited<T>(look: impl Fn() -> Option<T>) -> Result<T> {
    let begun = Instant::now();
    while begun.elapsed() < LIMIT {
        if let Some(found) = look() {
            return Ok(found);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    bail!("nothing was said within {} s", LIMIT.as_secs())
}
