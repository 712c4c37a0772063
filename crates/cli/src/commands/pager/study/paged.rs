//! One launch under `fourstamp pager run`.

use super::command_in;
use super::launch;
use crate::commands::shaped::namespaces::Namespaces;
use crate::interrupt;
use anyhow::{Context, Result, ensure};
use fabric::RunKey;
use pager_drive::servers::Wanted;
use pager_drive::{Servers, facts};
use pager_lens::timeline::Course;
use pager_lens::{PagedLaunch, StudyRow};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;

/// What a launch takes.
pub struct Plan<'a> {
    pub row: &'a StudyRow,
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
pub fn run(plan: &Plan) -> Result<PagedLaunch> {
    let (data, parity) = plan.row.alternative.servers();
    let number = if data { plan.servers + u32::from(parity) } else { 0 };
    let key = RunKey::generate()?;
    // Superseded pages are kept until their groups are free of them: twice the share leaves room
    // enough.
    let each = 2 * plan.row.size_bytes / u64::from(plan.servers) + (64 << 20);
    let servers = Servers::start(&Wanted {
        number: number as usize,
        bytes: each,
        key: &key,
        host: plan.boxes.map_or("127.0.0.1", |_| Namespaces::addresses()[1]),
        command: &|program| command_in(plan.boxes.map(|boxes| (boxes, 1)), program),
        stop: &|| interrupt::flag().load(Ordering::Relaxed),
    })?;
    let own = std::env::current_exe().context("cannot find this program's own file")?;
    let mut command = command_in(plan.boxes.map(|boxes| (boxes, 0)), own.as_os_str());
    // In the clear, as in 1996: nobody else is on the link.
    command.args(["pager", "run", "--plain", "--no-report"]);
    command.args(["--policy", plan.row.alternative.policy()]);
    command.args(["--local", &plan.row.local_bytes.to_string(), "--out"]).arg(plan.out);
    for (at, address) in servers.addresses.iter().enumerate() {
        let role =
            if parity && at + 1 == servers.addresses.len() { "--parity" } else { "--server" };
        command.args([role, address]);
    }
    command.arg("--").arg(plan.alone.get_program()).args(plan.alone.get_args());
    command.env(RunKey::VARIABLE, key.to_hex());
    launch::run(command)?;
    drop(servers);
    let facts = facts::of_run(plan.out)?;
    let process = facts.main().context("its run records no process")?;
    ensure!(process.lost_pages.is_empty(), "{} pages were lost", process.lost_pages.len());
    // Its transfers are what is played again over other links; a disk is none.
    let course = if data { Some(Course::read(plan.out, &facts, process)?) } else { None };
    Ok(PagedLaunch::paged(process, course))
}
