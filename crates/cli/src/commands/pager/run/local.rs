//! Page servers on this machine, for a run that names none.

use crate::args::RunArgs;
use crate::memory_limit;
use anyhow::Result;
use fabric::RunKey;
use pager::Policy;
use pager_drive::Servers;
use pager_drive::servers::Wanted;
use rmem::{Server, ServerRole};
use std::process::Command;

/// As many as asked for; none if the run has servers elsewhere, or needs none. They end with what
/// is handed back.
pub fn start(args: &RunArgs, key: &RunKey) -> Result<(Servers, Vec<Server>)> {
    if !args.servers.is_empty() || args.policy == Policy::Disk {
        return Ok((Servers::none(), Vec::new()));
    }
    let parity = args.policy == Policy::ParityLog;
    let number = usize::from(args.start) + usize::from(parity);
    let memory = args.server_memory.unwrap_or_else(|| available_bytes() / 2 / number);
    let started = Servers::start(&Wanted {
        number,
        bytes: memory as u64,
        key,
        host: "127.0.0.1",
        command: &|program| Command::new(program),
        stop: &|| false,
    })?;
    let server = |(at, address): (usize, &String)| {
        let is_parity = parity && at + 1 == number;
        let role = if is_parity { ServerRole::Parity } else { ServerRole::Data };
        Server { address: address.clone(), role }
    };
    let servers = started.addresses.iter().enumerate().map(server).collect();
    Ok((started, servers))
}

/// Memory that may be used without harm.
fn available_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok());
    let limit = memory_limit::bytes().and_then(|bytes| usize::try_from(bytes).ok());
    (kib.unwrap_or(1 << 20) * 1024).min(limit.unwrap_or(usize::MAX))
}
