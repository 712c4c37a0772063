//! Simulations over two boxes with a link of a drawn rate between them, every node with a file
//! system of its own: undisturbed, with a node killed, or with the cable pulled.
//!
//! A case draws the transport, two to four nodes, the rate and what happens when. Undisturbed it
//! must give the sequential result and lose no row; else it must end by itself with one line that
//! names a node, and what was recorded must be readable.

use super::Cases;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::Value;
use shaped::{Link, Namespaces, namespaces};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Of so many cases a third each.
pub const COUNT: u64 = 90;
/// Nobody waits for longer than this, whatever happens.
const PATIENCE: Duration = Duration::from_secs(120);
/// Everybody has joined by then.
const JOINED: Duration = Duration::from_secs(3);

/// What happens to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blow {
    None,
    Kill,
    Cable,
}

/// What a case draws.
#[derive(Debug)]
struct Drawn {
    blow: Blow,
    transport: &'static str,
    nodes: usize,
    rate_bits: u64,
    after: Duration,
    victim: usize,
}

impl Drawn {
    fn of(number: u64) -> Drawn {
        let mut random = Pcg64::seed_from_u64(number);
        let nodes = random.random_range(2..=4);
        Drawn {
            blow: [Blow::None, Blow::Kill, Blow::Cable][(number % 3) as usize],
            transport: ["tcp", "udp"][random.random_range(0..2)],
            nodes,
            rate_bits: [5, 20, 100, 1000][random.random_range(0..4)] * 1_000_000,
            after: JOINED + Duration::from_millis(random.random_range(0..5000)),
            victim: random.random_range(0..nodes),
        }
    }
}

/// Runs the cases.
pub fn hosts(workspace: &Workspace, cases: Cases) -> Result<()> {
    let program = workspace.soaked();
    let mut rows = 0;
    for number in cases.from..cases.from + cases.count {
        let drawn = Drawn::of(number);
        let again = || {
            format!(
                "case {number}, {drawn:?}: cargo xtask soak --only hosts --from {number} --count 1"
            )
        };
        rows += case(&program, &drawn, number).with_context(again)?;
    }
    println!("hosts: {} cases as they must be, {rows} rows kept", cases.count);
    Ok(())
}

/// Rows that were kept.
fn case(program: &Path, drawn: &Drawn, seed: u64) -> Result<u64> {
    let boxes = namespaces::two(|said| println!("{said}"))?;
    boxes.join(&Link::of_rate(drawn.rate_bits))?;
    let home = tempfile::Builder::new().prefix("hosts-").tempdir().context("no folder")?;
    let stage = Stage { program, boxes, home: home.path(), key: format!("{seed:064x}") };
    let (main, mut nodes) = (stage.coordinator(drawn, seed)?, stage.nodes(drawn.nodes)?);
    if drawn.blow != Blow::None {
        std::thread::sleep(drawn.after);
    }
    match drawn.blow {
        Blow::None => {}
        Blow::Kill => nodes[drawn.victim].kill()?,
        Blow::Cable => {
            let mut cable = stage.boxes.within(1, OsStr::new("ip"));
            let status = cable.args(["link", "set", "veth", "down"]).status()?;
            ensure!(status.success(), "the cable cannot be pulled");
        }
    }
    let ended = ended(main);
    for node in &mut nodes {
        // Those beyond a pulled cable may look for the others for longer than we do.
        let _ = node.kill();
        node.wait()?;
    }
    let (code, said) = ended?;
    let line = said.lines().rfind(|line| line.starts_with("fourstamp: ")).unwrap_or_default();
    match drawn.blow {
        Blow::None => ensure!(code == Some(0), "it ended with {code:?}: {said}"),
        _ => ensure!(code == Some(2) && line.contains("node "), "{code:?}, no node named: {said}"),
    }
    stage.read(drawn)
}

/// Where a case happens.
struct Stage<'a> {
    program: &'a Path,
    boxes: Namespaces,
    home: &'a Path,
    key: String,
}

impl Stage<'_> {
    /// It waits in the first box for nodes, and sees the folder of the case.
    fn coordinator(&self, drawn: &Drawn, seed: u64) -> Result<Child> {
        let Drawn { blow, transport, nodes, .. } = drawn;
        let cutoff = if *blow == Blow::None { "500 --check" } else { "100000000" };
        let words = format!(
            "warp phold --objects 64 --remote 0.5 --seed {seed} --transport {transport} --nodes \
            {nodes} --wait-for-nodes --join-timeout 30s --peer-timeout 5s --listen {} --out run \
            --cutoff {cutoff}",
            Namespaces::coordinator()
        );
        let mut command = self.boxes.within(0, self.program.as_os_str());
        command.args(words.split(' ')).current_dir(self.home).stderr(Stdio::piped());
        self.spawn(command)
    }

    /// In both boxes in turn, each with another folder in the place of that one.
    fn nodes(&self, count: usize) -> Result<Vec<Child>> {
        let enter =
            "mount -t tmpfs none \"$1\" && cd \"$1\" && TMPDIR=$1 exec \"$2\" node --join \"$3\"";
        let node = |place| {
            let mut command = self.boxes.within(place % 2, OsStr::new("unshare"));
            command.args(["-m", "sh", "-c", enter, "sh"]).arg(self.home).arg(self.program);
            command.arg(Namespaces::coordinator()).stderr(Stdio::null());
            self.spawn(command)
        };
        (0..count).map(node).collect()
    }

    fn spawn(&self, mut command: Command) -> Result<Child> {
        command.env("FOURSTAMP_RUN_KEY", &self.key).stdin(Stdio::null()).stdout(Stdio::null());
        command.spawn().context("it does not start")
    }

    /// Rows of the run, which must be there from every node.
    fn read(&self, drawn: &Drawn) -> Result<u64> {
        let run = self.home.join("run");
        let mut report = Command::new(self.program);
        let out = report.args(["report", "--terminal"]).arg(&run).output()?;
        ensure!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr).trim());
        let info: Value = serde_json::from_slice(&std::fs::read(run.join("run.json"))?)?;
        let nodes = info["launches"][0]["nodes"].as_array().context("no nodes")?;
        let rows: Vec<u64> = nodes.iter().filter_map(|node| node["rows"].as_u64()).collect();
        let all = rows.len() == drawn.nodes && rows.iter().all(|rows| *rows > 0);
        ensure!(all, "rows of each node: {rows:?}");
        if drawn.blow == Blow::None {
            ensure!(info["lost"]["cut"] != true, "{}", info["lost"]);
        }
        Ok(rows.iter().sum())
    }
}

/// How it ended, and what it said.
fn ended(mut child: Child) -> Result<(Option<i32>, String)> {
    let begun = Instant::now();
    while child.try_wait()?.is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            bail!("it did not end within {} s", PATIENCE.as_secs());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output()?;
    Ok((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
}
