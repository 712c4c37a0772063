//! Page servers on this machine, for a run that names none: processes of their own, so that one can
//! be killed.

use crate::args::RunArgs;
use crate::memory_limit;
use anyhow::{Context, Result, bail};
use fabric::RunKey;
use pager::Policy;
use rmem::{Server, ServerRole};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take to listen.
const PATIENCE: Duration = Duration::from_secs(10);

/// Servers that end with this.
pub struct LocalServers {
    children: Vec<Child>,
    servers: Vec<Server>,
}

impl LocalServers {
    /// As many as asked for; none if the run has servers elsewhere, or needs none.
    pub fn start(args: &RunArgs, key: &RunKey) -> Result<LocalServers> {
        let mut started = LocalServers { children: Vec::new(), servers: Vec::new() };
        if !args.servers.is_empty() || args.policy == Policy::Disk {
            return Ok(started);
        }
        let parity = args.policy == Policy::ParityLog;
        let many = usize::from(args.start) + usize::from(parity);
        let memory = args.server_memory.unwrap_or_else(|| available_bytes() / 2 / many);
        let folder = memory::Scratch::new("servers").context("no folder for temporary files")?;
        for number in 0..many {
            let announce = folder.path().join(number.to_string());
            started.children.push(start(memory, key, &announce)?);
        }
        for number in 0..many {
            let is_parity = parity && number + 1 == many;
            let role = if is_parity { ServerRole::Parity } else { ServerRole::Data };
            let address = started.address(number, &folder.path().join(number.to_string()))?;
            started.servers.push(Server { address, role });
        }
        Ok(started)
    }

    /// Those that were started.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// What the server has announced.
    fn address(&mut self, number: usize, announce: &Path) -> Result<String> {
        let begun = Instant::now();
        loop {
            let text = std::fs::read_to_string(announce).unwrap_or_default();
            if text.ends_with('\n') {
                return Ok(text.trim().to_owned());
            }
            if let Some(status) = self.children[number].try_wait()? {
                bail!("a page server on this machine has ended at once: {status}");
            }
            if begun.elapsed() > PATIENCE {
                bail!(
                    "a page server on this machine does not listen within {} s",
                    PATIENCE.as_secs()
                );
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for LocalServers {
    fn drop(&mut self) {
        for child in &mut self.children {
            // One that somebody has killed already needs no killing.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn start(memory: usize, key: &RunKey, announce: &Path) -> Result<Child> {
    let own = std::env::current_exe().context("cannot find this program's own file")?;
    let mut command = Command::new(own);
    command.args(["pager", "serve", "--listen", "127.0.0.1:0", "--memory"]);
    command
        .arg(memory.to_string())
        .arg("--announce")
        .arg(announce)
        .env(RunKey::VARIABLE, key.to_hex());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Set by the server itself, it would come too late for a parent that is killed in its first
    // moments.
    rmem::end_with_parent(&mut command);
    command.spawn().context("cannot start a page server on this machine")
}

/// Memory that may be used without harm.
fn available_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok());
    let limit = memory_limit::bytes().and_then(|bytes| usize::try_from(bytes).ok());
    (kib.unwrap_or(1 << 20) * 1024).min(limit.unwrap_or(usize::MAX))
}
