//! The memory servers of one launch.

use super::command_in;
use crate::commands::shaped::namespaces::Namespaces;
use crate::interrupt;
use anyhow::{Context, Result, bail};
use fabric::RunKey;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long one may take to say where it listens.
const START: Duration = Duration::from_secs(10);
/// How long one may take to end.
const END: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(5);

/// Ended when dropped.
pub struct Servers {
    children: Vec<Child>,
    /// Where they listen, in order.
    pub addresses: Vec<String>,
}

impl Servers {
    /// So many, each with room for `bytes`; in the second box if there are boxes.
    pub fn start(
        number: u32,
        bytes: u64,
        key: &str,
        boxes: Option<&Namespaces>,
    ) -> Result<Servers> {
        let own = std::env::current_exe().context("cannot find this program's own file")?;
        let announced =
            memory::Scratch::new("servers").context("cannot make a temporary folder")?;
        let mut servers = Servers { children: Vec::new(), addresses: Vec::new() };
        let host = boxes.map_or("127.0.0.1", |_| Namespaces::far_address());
        for at in 0..number {
            let place = announced.path().join(at.to_string());
            let mut command = command_in(boxes.map(|boxes| (boxes, 1)), own.as_os_str());
            command.args(["pager", "serve", "--memory", &bytes.to_string()]);
            command.args(["--listen", &format!("{host}:0"), "--announce"]).arg(&place);
            let address = servers.add(command.env(RunKey::VARIABLE, key), &place)?;
            servers.addresses.push(address);
        }
        Ok(servers)
    }

    /// Start one; where it listens.
    fn add(&mut self, command: &mut Command, place: &Path) -> Result<String> {
        let mut said = tempfile::tempfile().context("cannot make a temporary file")?;
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said.try_clone()?)
            .process_group(0);
        self.children.push(command.spawn().context("cannot start a memory server")?);
        let begun = Instant::now();
        loop {
            let address = std::fs::read_to_string(place).unwrap_or_default();
            if address.contains(':') && address.ends_with('\n') {
                return Ok(address.trim().to_owned());
            }
            let ended = matches!(self.children.last_mut().map(Child::try_wait), Some(Ok(Some(_))));
            if ended || begun.elapsed() > START || interrupt::flag().load(Ordering::Relaxed) {
                let mut text = String::new();
                said.rewind()?;
                said.read_to_string(&mut text)?;
                bail!("a memory server did not start: {}", text.trim().replace('\n', "; "));
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in &self.children {
            let _ = kill_process(Pid::from_child(child), Signal::TERM);
        }
        let deadline = Instant::now() + END;
        for child in &mut self.children {
            while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
                std::thread::sleep(LOOK);
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
