//! Servers and clients of random kinds, traced beside others that take the cores, and predicted on
//! a wire of a random length.
//!
//! What a program does is known: each client asks one request after the other. So no prediction may
//! be less than what its requests take on the wire alone, whatever was recorded; none is stuck, all
//! exchanges are in it, and the same seed gives the same.

use super::Cases;
use super::each::each;
use crate::hog::Others;
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fmt::Write;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Cases in a round.
pub const COUNT: u64 = 60;
/// The longest that a program, or a prediction, may take.
const LIMIT: Duration = Duration::from_secs(120);
/// One ways of the wire, ms.
const WIRES_MS: [f64; 4] = [0.1, 1.0, 5.0, 20.0];
/// What a proxy takes for a request, ms.
const PROXY_MS: f64 = 1.0;

/// Runs the cases.
pub fn served(workspace: &Workspace, cases: Cases) -> Result<()> {
    let script = workspace.root.join("crates/cli/tests/programs/serving.py");
    let stage = Stage { program: workspace.soaked(), python: process::python()?, script };
    each("served", cases, |number| stage.case(number))
}

/// What cases came to.
#[derive(Debug, Default)]
struct Done {
    exchanges: u64,
    refused: u64,
}

impl AddAssign for Done {
    fn add_assign(&mut self, other: Done) {
        self.exchanges += other.exchanges;
        self.refused += other.refused;
    }
}

struct Stage {
    program: PathBuf,
    python: PathBuf,
    script: PathBuf,
}

/// A program that was made up.
struct Made {
    /// What a shell runs.
    lines: String,
    /// Requests of clients, of all threads.
    requests: u64,
    /// The least that it takes on a wire of so many ms one way: by way, ms, and besides.
    ways: f64,
    besides_ms: f64,
}

impl Stage {
    fn case(&self, number: u64) -> Result<Done> {
        let mut random = Pcg64::seed_from_u64(number);
        let home = tempfile::Builder::new().prefix("served-").tempdir()?;
        let made = self.make(&mut random)?;
        let line = [16, 1500, 40_000][random.random_range(0..3)];
        let wire_ms = WIRES_MS[random.random_range(0..WIRES_MS.len())];
        let others = random.random_range(0..3);
        let said =
            format!("lines of {line} bytes, {wire_ms} ms, beside {others} others\n{}", made.lines);
        let text = format!(
            "name = \"wire\"\nnodes = 16\ntopology = \"switch\"\n[processor]\nsend = \"0s\"\n\
             receive = \"0s\"\n[network]\nlatency = \"{wire_ms}ms\"\nbandwidth = \"10GB/s\"\n"
        );
        std::fs::write(home.path().join("wire.toml"), text)?;
        let mut command = Command::new(&self.program);
        command.args(["trace", "--follow", "--no-report", "--out", "run", "--", "sh", "-c"]);
        command.arg(&made.lines).env("LINE", line.to_string()).current_dir(home.path());
        {
            let _others = Others::start(others, LIMIT)?;
            process::capture_within(&mut command, LIMIT).with_context(|| said.clone())?;
        }
        self.check(home.path(), &made, wire_ms).with_context(|| said)
    }

    fn make(&self, random: &mut Pcg64) -> Result<Made> {
        let (python, script) = (self.python.display(), self.script.display());
        let mut made = Made { lines: String::new(), requests: 0, ways: 0.0, besides_ms: 0.0 };
        let how = ["threads", "loop", "pool"][random.random_range(0..3)];
        let ms = [0.0, 0.5, 3.0][random.random_range(0..3)];
        writeln!(made.lines, "{python} {script} serve {how} . one {ms} &")?;
        let is_behind = random.random_bool(0.4);
        if is_behind {
            writeln!(made.lines, "{python} {script} serve proxy . two {PROXY_MS} one &")?;
        }
        let clients = random.random_range(1..4);
        for client in 0..clients {
            let asks = ["keep", "each"][random.random_range(0..2)];
            let (count, threads) = (random.random_range(5..60), random.random_range(1..6));
            let name = if is_behind && random.random_bool(0.7) { "two" } else { "one" };
            writeln!(made.lines, "{python} {script} ask {asks} . {name} {count} {threads} &")?;
            writeln!(made.lines, "client{client}=$!")?;
            made.requests += count * threads;
            let far = name == "two";
            let ways = count as f64 * if far { 4.0 } else { 2.0 };
            // Two ways for each connection.
            let connections = if asks == "each" { count as f64 } else { 1.0 };
            made.ways = made.ways.max(ways + 2.0 * connections);
            let besides = ms + if far { PROXY_MS } else { 0.0 };
            made.besides_ms = made.besides_ms.max(count as f64 * besides);
        }
        (0..clients).try_for_each(|client| writeln!(made.lines, "wait $client{client}"))?;
        if is_behind {
            writeln!(made.lines, "{python} {script} end x . two")?;
        }
        writeln!(made.lines, "{python} {script} end x . one")?;
        made.lines.push_str("wait\n");
        Ok(made)
    }

    /// Hold what is predicted against what is known.
    fn check(&self, home: &Path, made: &Made, wire_ms: f64) -> Result<Done> {
        let predict = |options: &str| {
            let mut command = Command::new(&self.program);
            command.args(["predict", "run"]).args(options.split_whitespace()).current_dir(home);
            process::output_within(&mut command, LIMIT)
        };
        let data = predict("--on wire.toml --anyway --json")?;
        let said = String::from_utf8_lossy(&data.stderr).into_owned();
        ensure!(data.status.success(), "{}: {said}", data.status);
        let again = predict("--on wire.toml --anyway --json")?;
        ensure!(data.stdout == again.stdout, "the same seed gave something else");
        let csv = predict("--on wire.toml --anyway --csv=completion")?;
        let text = String::from_utf8_lossy(&csv.stdout).into_owned();
        let row = text.lines().nth(2).with_context(|| format!("no row: {text}"))?;
        let end_s: f64 = row.split(',').nth(1).context("no time")?.parse()?;
        let least_ms = made.ways * wire_ms + made.besides_ms;
        ensure!(
            end_s * 1e3 > 0.999 * least_ms,
            "it takes {:.3} ms, and {least_ms:.3} at least",
            end_s * 1e3
        );
        let csv = predict("--on wire.toml --anyway --csv=exchanges")?;
        let text = String::from_utf8_lossy(&csv.stdout).into_owned();
        let asked: u64 = text
            .lines()
            .filter(|line| line.contains(",p50,"))
            .filter_map(|line| line.split(',').nth(2)?.parse::<u64>().ok())
            .sum();
        ensure!(asked >= made.requests, "{asked} exchanges of {} requests", made.requests);
        let gated = predict("--latency 1x")?;
        let code = gated.status.code();
        ensure!(matches!(code, Some(0 | 3)), "on its own network: {}", gated.status);
        Ok(Done { exchanges: asked, refused: u64::from(code == Some(3)) })
    }
}
