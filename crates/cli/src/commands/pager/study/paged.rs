//! One launch under `fourstamp pager run`.

use super::command_in;
use super::launch;
use super::row::{Cell, Row};
use super::servers::Servers;
use crate::commands::shaped::namespaces::Namespaces;
use crate::course;
use anyhow::{Context, Result, ensure};
use fabric::RunKey;
use pager_facts::{KEY, PagerFacts};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What a launch takes.
pub struct Plan<'a> {
    pub row: &'a Row,
    /// Where its run goes.
    pub out: &'a Path,
    /// The program as it is started alone.
    pub alone: &'a Command,
    /// Memory servers besides the one for parity.
    pub servers: u32,
    /// Servers are in the second of these, the program in the first.
    pub boxes: Option<&'a Namespaces>,
}

/// Start servers, run the program, read what it says of itself.
pub fn run(plan: &Plan) -> Result<Cell> {
    let (data, parity) = plan.row.alternative.servers();
    let number = if data { plan.servers + u32::from(parity) } else { 0 };
    let key = RunKey::generate()?.to_hex();
    // Superseded pages are kept until their groups are free of them: twice the share leaves room
    // enough.
    let each = 2 * plan.row.size_bytes / u64::from(plan.servers) + (64 << 20);
    let servers = Servers::start(number, each, key.as_str(), plan.boxes)?;
    let own = std::env::current_exe().context("cannot find this program's own file")?;
    let mut command = command_in(plan.boxes.map(|boxes| (boxes, 0)), own.as_os_str());
    command.args(["pager", "run", "--no-report", "--policy", plan.row.alternative.policy()]);
    command.args(["--local", &plan.row.local_bytes.to_string(), "--out"]).arg(plan.out);
    for (at, address) in servers.addresses.iter().enumerate() {
        let role =
            if parity && at + 1 == servers.addresses.len() { "--parity" } else { "--server" };
        command.args([role, address]);
    }
    command.arg("--").arg(plan.alone.get_program()).args(plan.alone.get_args());
    command.env(RunKey::VARIABLE, key.as_str());
    launch::run(command)?;
    drop(servers);
    let facts = facts(plan.out)?;
    let process = facts.main().context("its run tells of no process")?;
    ensure!(process.lost_pages.is_empty(), "{} pages were lost", process.lost_pages.len());
    // Its transfers are what is played again over other links; a disk is none.
    let course = if data {
        Some(course::read(plan.out, process.pid, process.seconds.elapsed)?)
    } else {
        None
    };
    Ok(Cell::paged(process, course))
}

fn facts(run: &Path) -> Result<PagerFacts> {
    let path = run.join("run.json");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let info: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is no run", path.display()))?;
    PagerFacts::deserialize(&info["parameters"][KEY])
        .with_context(|| format!("{} says nothing of paging", path.display()))
}
