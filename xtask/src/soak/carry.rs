//! Every workload over every transport and topology, for minutes: what only that much traffic fills
//! up.
//!
//! A case is a workload, a transport and a topology. It must end with exit code 0, and the run must
//! have a row for each message that its length asks for, or have counted it: what does not fit into
//! memory is dropped, so that no disk fills up.

use super::Cases;
use crate::mpi::{Library, as_root_too};
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a case goes on, if nothing else is said.
const SECONDS: u64 = 600;
/// A case may take so many times as long on a busy machine before it counts as stuck.
const PATIENCE: u64 = 6;

/// A kind of traffic.
struct Work {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Messages of a sender, round trips or units of virtual time for each second of a case.
    count_per_s: u64,
    /// Nodes on a mesh; there are four on a hypercube. `None`: a mesh only.
    nodes: (u32, Option<u32>),
    rows: Rows,
}

/// How many rows a run must have come to.
enum Rows {
    /// So many for each that is counted.
    Each(u64),
    /// So many for each that is counted, and for each of half the nodes.
    EachOfHalf,
    /// So many for each that is counted, and for each node.
    EachOfAll,
    /// That is not known before; some.
    Some,
    /// None: the result is compared with the sequential one's.
    Checked,
}

const WORKS: &[Work] = &[
    Work {
        name: "stream at a rate",
        arguments: &["bench", "stream", "--rate", "1000"],
        count_per_s: 1000,
        nodes: (2, Some(4)),
        rows: Rows::EachOfHalf,
    },
    Work {
        name: "stream at full speed",
        arguments: &["bench", "stream"],
        // 100 million in the usual time.
        count_per_s: 166_667,
        nodes: (2, Some(4)),
        rows: Rows::EachOfHalf,
    },
    Work {
        name: "stream of all to all",
        arguments: &["bench", "stream", "--all", "--rate", "2000"],
        count_per_s: 2000,
        nodes: (3, Some(4)),
        rows: Rows::EachOfAll,
    },
    Work {
        name: "burst",
        arguments: &["bench", "burst", "--messages", "50", "--gap", "20ms"],
        count_per_s: 2500,
        nodes: (2, Some(4)),
        rows: Rows::EachOfHalf,
    },
    Work {
        name: "pingpong",
        arguments: &["bench", "pingpong"],
        count_per_s: 10_000,
        nodes: (2, Some(4)),
        rows: Rows::Each(3),
    },
    Work {
        name: "relay",
        arguments: &["bench", "relay"],
        count_per_s: 5000,
        nodes: (3, None),
        rows: Rows::Each(5),
    },
    Work {
        name: "sweep",
        arguments: &["bench", "sweep", "--largest", "64K", "--repeats", "2", "--refine", "4"],
        count_per_s: 10,
        nodes: (2, Some(4)),
        rows: Rows::Some,
    },
    Work {
        name: "warp",
        arguments: &["warp", "phold", "--check"],
        count_per_s: 50,
        nodes: (2, Some(4)),
        rows: Rows::Checked,
    },
];

const TRANSPORTS: &[&str] = &["thread", "shm", "tcp", "udp", "mpi"];
const TOPOLOGIES: &[&str] = &["mesh", "hypercube"];

/// Cases of a round: each workload over each transport and topology.
pub const COUNT: u64 = (WORKS.len() * TRANSPORTS.len() * TOPOLOGIES.len()) as u64;

/// One of them.
struct Case {
    number: u64,
    work: &'static Work,
    transport: &'static str,
    topology: &'static str,
}

/// What became of one.
enum Ended {
    /// With so many rows, kept or dropped.
    Well(u64),
    Skipped(String),
}

/// Carries traffic. A case is its number in the order of workload, transport, topology.
pub fn carry(workspace: &Workspace, cases: Cases) -> Result<()> {
    let seconds = cases.seconds.unwrap_or(SECONDS);
    let (mut well, mut rows, mut skipped) = (0, 0, 0);
    for number in cases.from..cases.from + cases.count {
        let case = Case::numbered(number);
        let begun = Instant::now();
        let ended = case.run(workspace, seconds).with_context(|| case.replay(seconds))?;
        let took = begun.elapsed().as_secs_f64();
        match ended {
            Ended::Well(more) => {
                println!("{number:>3}  {case}: {more} rows in {took:.1} s");
                (well, rows) = (well + 1, rows + more);
            }
            Ended::Skipped(why) => {
                println!("{number:>3}  {case}: skipped: {why}");
                skipped += 1;
            }
        }
    }
    println!("carry: {well} cases ended well with {rows} rows, {skipped} skipped");
    Ok(())
}

impl Case {
    fn numbered(number: u64) -> Case {
        let at = (number % COUNT) as usize;
        Case {
            number,
            work: &WORKS[at / (TRANSPORTS.len() * TOPOLOGIES.len())],
            transport: TRANSPORTS[at / TOPOLOGIES.len() % TRANSPORTS.len()],
            topology: TOPOLOGIES[at % TOPOLOGIES.len()],
        }
    }

    fn nodes(&self) -> Option<u32> {
        if self.topology == "mesh" { Some(self.work.nodes.0) } else { self.work.nodes.1 }
    }

    fn count(&self, seconds: u64) -> u64 {
        (self.work.count_per_s * seconds).max(1)
    }

    fn replay(&self, seconds: u64) -> String {
        let number = self.number;
        format!(
            "{self}; again: cargo xtask soak --only carry --from {number} --count 1 --seconds \
            {seconds}"
        )
    }

    fn run(&self, workspace: &Workspace, seconds: u64) -> Result<Ended> {
        let Some(nodes) = self.nodes() else {
            return Ok(Ended::Skipped("this workload has three nodes".into()));
        };
        if self.transport == "mpi"
            && let Err(why) = Library::OpenMpi.program("mpirun")
        {
            return Ok(Ended::Skipped(format!("{why:#}")));
        }
        let folder = workspace.scratch("carry")?;
        let run_folder = folder.join(format!("case-{}", self.number));
        if run_folder.exists() {
            fs::remove_dir_all(&run_folder)?;
        }
        let mut command = self.started(workspace, nodes)?;
        self.tell(&mut command, seconds, &run_folder);
        process::capture_within(&mut command, Duration::from_secs(PATIENCE * seconds + 120))?;
        let rows = match self.work.rows {
            Rows::Checked => 0,
            _ => self.whole(nodes, seconds, &run_folder)?,
        };
        // A run that failed stays, to be looked at.
        if run_folder.exists() {
            fs::remove_dir_all(&run_folder)?;
        }
        Ok(Ended::Well(rows))
    }

    /// The program with this workload, on so many nodes of this transport.
    fn started(&self, workspace: &Workspace, nodes: u32) -> Result<Command> {
        let program = workspace.fourstamp();
        let over = ["--transport", self.transport, "--topology", self.topology];
        if self.transport == "mpi" {
            let words = Library::OpenMpi.run(nodes, &program)?;
            let mut command = workspace.command(&words[0], &[]);
            as_root_too(command.args(&words[1..])).args(self.work.arguments).args(over);
            return Ok(command);
        }
        let mut command = workspace.command(program, self.work.arguments);
        command.args(over).args(["--nodes", &nodes.to_string()]);
        Ok(command)
    }

    /// How long, and what is kept of it.
    fn tell(&self, command: &mut Command, seconds: u64, out: &Path) {
        let count = self.count(seconds).to_string();
        match self.work.rows {
            Rows::Checked => command.args(["--cutoff", &count]),
            _ => {
                let kept =
                    ["--record", "memory", "--when-full", "drop", "--no-watch", "--launches", "1"];
                command.args(kept).args(["--count", &count]).arg("--out").arg(out)
            }
        };
    }

    /// The rows of a run, which must be as many as its length asks for.
    fn whole(&self, nodes: u32, seconds: u64, run_folder: &Path) -> Result<u64> {
        let path = run_folder.join("run.json");
        let text = fs::read_to_string(&path).with_context(|| format!("no {}", path.display()))?;
        let rows =
            rows_of(&serde_json::from_str(&text)?).context("run.json lacks a count of rows")?;
        let (count, nodes) = (self.count(seconds), u64::from(nodes));
        let due = match self.work.rows {
            Rows::Each(rows) => Some(rows * count),
            Rows::EachOfHalf => Some(count * nodes / 2),
            Rows::EachOfAll => Some(nodes * count),
            Rows::Some | Rows::Checked => None,
        };
        ensure!(due.is_none_or(|due| rows == due), "{rows} rows where {due:?} are due");
        ensure!(rows > 0, "no row at all");
        Ok(rows)
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} over {}, {}", self.work.name, self.transport, self.topology)
    }
}

/// Rows that a run's nodes kept or dropped.
fn rows_of(run: &Value) -> Option<u64> {
    let mut rows = 0;
    for launch in run["launches"].as_array()? {
        for node in launch["nodes"].as_array()? {
            rows += node["rows"].as_u64()? + node["dropped"].as_u64()?;
        }
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_another_one_and_is_found_by_its_number() {
        let all: std::collections::BTreeSet<String> =
            (0..COUNT).map(|number| Case::numbered(number).to_string()).collect();
        assert_eq!(all.len() as u64, COUNT);
        let case = Case::numbered(COUNT + 14);
        assert_eq!(case.to_string(), "stream at full speed over tcp, mesh");
        assert!(case.replay(9).ends_with("--from 94 --count 1 --seconds 9"));
    }

    #[test]
    fn rows_that_were_dropped_count() {
        let run = serde_json::json!({ "launches": [{ "nodes": [
            { "rows": 5, "dropped": 2 }, { "rows": 0, "dropped": 0 },
        ] }] });
        assert_eq!(rows_of(&run), Some(7));
        assert_eq!(rows_of(&serde_json::json!({ "launches": [{}] })), None);
    }
}
