//! `cargo xtask bench serving`: servers and their clients recorded on this host, predicted on a
//! wire of another length, and measured there.
//!
//! What the prediction knows of the wire is what it was told to be, and how long a byte takes there
//! and back beyond what it takes on this host, which a program of its own measures.

use super::competition::release_build;
use super::delay_line::DelayLine;
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use shaped::{Namespaces, namespaces};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How to measure.
#[derive(Args, Debug)]
pub struct Options {
    /// One way, us.
    #[arg(long, default_value_t = 5000)]
    delay: u64,
    /// The wire's rate, Mbit/s.
    #[arg(long, default_value_t = 1000)]
    rate: u64,
    /// Launches of each program in each place.
    #[arg(long, default_value_t = 3)]
    launches: u32,
    /// Only these programs, by name.
    #[arg(long, value_name = "PROGRAM", value_delimiter = ',')]
    only: Vec<String>,
    /// A `fourstamp` to measure instead of this checkout's release build.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

/// As `peers/served.sh` has them, with what they need.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("redis", &["redis-server", "redis-benchmark"]),
    ("redis-pipelined", &["redis-server", "redis-benchmark"]),
    ("nginx", &["nginx", "ab"]),
    ("nginx-connect", &["nginx", "ab"]),
    ("nginx-file", &["nginx", "ab"]),
    ("nginx-file-connect", &["nginx", "ab"]),
    ("pgbench", &["runuser", "pg_ctlcluster"]),
    ("pgbench-connect", &["runuser", "pg_ctlcluster"]),
];
const LOOPBACK: &str = "127.0.0.1";
/// The longest that a program may take.
const LIMIT: Duration = Duration::from_secs(300);

/// Where it all lies.
struct Site<'a> {
    workspace: &'a Workspace,
    fourstamp: PathBuf,
    folder: PathBuf,
}

/// What was predicted from a launch here, and measured there: s, and ms of half of the exchanges.
struct Row {
    here_s: f64,
    predicted_s: f64,
    measured_s: f64,
    predicted_ms: f64,
    measured_ms: f64,
    inside: bool,
}

/// Runs the benchmark and prints a row a program.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    ensure!(options.launches > 0, "--launches wants at least one");
    let fourstamp = match &options.binary {
        Some(binary) => binary.clone(),
        None => release_build(workspace)?,
    };
    let site = Site { workspace, fourstamp, folder: workspace.scratch("serving")? };
    let bits_per_s = options.rate as f64 * 1e6;
    let boxes = namespaces::two(|line| eprintln!("{line}"))?;
    let _line = DelayLine::lay(workspace, &boxes, options.delay, bits_per_s)?;
    let latency_us = site.latency_us(&boxes)?;
    site.write_machine(latency_us, bits_per_s)?;
    println!("one way: {latency_us:.0} us beyond this host's own\n");
    println!(
        "{:18}  {:>8}  {:>9}  {:>8}  {:>6}  {:>6}  {:>9}  {:>8}",
        "program", "here s", "predicted", "measured", "error", "inside", "half of", "measured ms"
    );
    for name in chosen(&options.only)? {
        let rows: Result<Vec<Row>> =
            (0..options.launches).map(|launch| site.row(name, launch, &boxes)).collect();
        match rows {
            Ok(rows) => println!("{}", shown(name, &rows)),
            Err(error) => println!("{name:18}  {error:#}"),
        }
    }
    Ok(())
}

fn chosen(only: &[String]) -> Result<Vec<&'static str>> {
    if let Some(unknown) = only.iter().find(|name| PROGRAMS.iter().all(|(it, _)| it != name)) {
        let known: Vec<&str> = PROGRAMS.iter().map(|(name, _)| *name).collect();
        bail!("no program is called {unknown}: there are {}", known.join(", "));
    }
    let wanted = |name: &str| only.is_empty() || only.iter().any(|one| one == name);
    let (mut all, mut lacking) = (Vec::new(), Vec::new());
    for (name, needs) in PROGRAMS.iter().filter(|(name, _)| wanted(name)) {
        match needs.iter().find(|need| process::on_path(need).is_none()) {
            None => all.push(*name),
            Some(need) => lacking.push(format!("{name} needs {need}")),
        }
    }
    lacking.iter().for_each(|line| println!("left out: {line}"));
    Ok(all)
}

impl Site<'_> {
    /// What the wire adds, one way.
    fn latency_us(&self, boxes: &Namespaces) -> Result<f64> {
        let ends = boxes.names().each_ref().map(|end| Some(end.as_str()));
        let far = self.there_and_back_us(Namespaces::addresses()[0], ends)?;
        let near = self.there_and_back_us(LOOPBACK, [None, None])?;
        Ok((far - near) / 2.0)
    }

    fn there_and_back_us(&self, address: &str, ends: [Option<&str>; 2]) -> Result<f64> {
        let script = self.workspace.root.join("xtask/peers/echo_far.py");
        let python = process::python()?;
        let command = |end: Option<&str>, what: &str| {
            let mut command = within(end, &python);
            command.arg(&script).args([what, address]);
            command
        };
        let mut server = process::start(&mut command(ends[0], "serve"))?;
        let said = process::capture_within(&mut command(ends[1], "ask"), LIMIT);
        let _ = server.kill();
        let _ = server.wait();
        said?.trim().parse().context("echo_far.py printed no number")
    }

    fn machine(&self) -> PathBuf {
        self.folder.join("wire.toml")
    }

    fn write_machine(&self, latency_us: f64, bits_per_s: f64) -> Result<()> {
        let text = format!(
            "name = \"the wire\"\nnodes = 16\ntopology = \"switch\"\n[processor]\nsend = \"1us\"\n\
             receive = \"1us\"\n[network]\nlatency = \"{latency_us:.1}us\"\nbandwidth = \
             \"{:.0}B/s\"\npacket = \"1448B\"\nheader = \"66B\"\n",
            bits_per_s / 8.0
        );
        std::fs::write(self.machine(), text).context("cannot write the machine's file")
    }

    fn row(&self, name: &str, launch: u32, boxes: &Namespaces) -> Result<Row> {
        let [here, there] =
            ["here", "there"].map(|at| self.folder.join(format!("{name}-{launch}-{at}")));
        self.record(name, &here, LOOPBACK, &[])?;
        let ends: Vec<&str> = boxes.names().iter().map(String::as_str).collect();
        self.record(name, &there, Namespaces::addresses()[0], &ends)?;
        let foretold = self.predict(&here, "completion")?;
        let asked = self.predict(&here, "exchanges")?;
        // Of the run there, what was recorded counts.
        let measured = self.predict(&there, "completion")?;
        let measured_asked = self.predict(&there, "exchanges")?;
        let within =
            [foretold.number(1, "predicted_s_low")?, foretold.number(1, "predicted_s_high")?];
        let measured_s = measured.number(0, "measured_s")?;
        Ok(Row {
            here_s: foretold.number(0, "measured_s")?,
            predicted_s: foretold.number(1, "predicted_s")?,
            measured_s,
            predicted_ms: asked.number(0, "target_ns")? / 1e6,
            measured_ms: measured_asked.number(0, "measured_ns")? / 1e6,
            inside: (within[0]..=within[1]).contains(&measured_s),
        })
    }

    fn record(&self, name: &str, run: &Path, address: &str, ends: &[&str]) -> Result<()> {
        let mut command = Command::new(self.workspace.root.join("xtask/peers/served.sh"));
        command.arg(name).arg(&self.fourstamp).arg(run).arg(address).args(ends);
        process::capture_within(&mut command, LIMIT).map(|_| ())
    }

    fn predict(&self, run: &Path, table: &str) -> Result<Csv> {
        let mut command = Command::new(&self.fourstamp);
        command.arg("predict").arg(run).arg("--on").arg(self.machine());
        command.args(["--anyway", &format!("--csv={table}")]);
        Csv::of(&process::capture_within(&mut command, LIMIT)?)
    }
}

fn within(end: Option<&str>, program: &Path) -> Command {
    let Some(end) = end else { return Command::new(program) };
    let mut command = Command::new("ip");
    command.args(["netns", "exec", end]).arg(program);
    command
}

/// A table.
struct Csv {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Csv {
    fn of(text: &str) -> Result<Csv> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let names = reader.headers()?.iter().map(str::to_owned).collect();
        let rows = reader.records().map(|row| Ok(row?.iter().map(str::to_owned).collect()));
        Ok(Csv { names, rows: rows.collect::<Result<_>>()? })
    }

    fn number(&self, row: usize, column: &str) -> Result<f64> {
        let missing = || format!("no number in row {row}, column {column} of {:?}", self.names);
        let at = self.names.iter().position(|name| name == column).with_context(missing)?;
        let cell = self.rows.get(row).and_then(|cells| cells.get(at)).with_context(missing)?;
        cell.parse().with_context(missing)
    }
}

fn shown(name: &str, rows: &[Row]) -> String {
    let middle = |value: fn(&Row) -> f64| {
        let mut all: Vec<f64> = rows.iter().map(value).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let inside = rows.iter().filter(|row| row.inside).count();
    let (predicted, measured) = (middle(|row| row.predicted_s), middle(|row| row.measured_s));
    format!(
        "{name:18}  {:8.2}  {predicted:9.2}  {measured:8.2}  {:+5.1}%  {:>6}  {:9.2}  {:8.2}",
        middle(|row| row.here_s),
        (predicted / measured - 1.0) * 100.0,
        format!("{inside}/{}", rows.len()),
        middle(|row| row.predicted_ms),
        middle(|row| row.measured_ms),
    )
}
