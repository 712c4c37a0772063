//! A wire between two network namespaces, as long as it is told to be.

use crate::bench::peers::{Compiler, build};
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const ADDRESSES: [&str; 2] = ["198.18.1.1", "198.18.1.2"];

/// Gone when dropped.
pub struct DelayLine {
    /// The namespaces: the server's, and its clients'.
    pub ends: [String; 2],
    carrier: Option<Child>,
}

impl DelayLine {
    /// The server's address.
    pub const ADDRESS: &str = ADDRESSES[0];

    /// Lay one.
    pub fn lay(workspace: &Workspace, delay_us: u64, bits_per_s: f64) -> Result<DelayLine> {
        let program = build(workspace, "delay_line", Compiler::C)?;
        let ends = ["a", "b"].map(|end| format!("fourstamp-line-{}-{end}", std::process::id()));
        let mut line = DelayLine { ends, carrier: None };
        for end in &line.ends {
            ip(&["netns", "add", end]).context("network namespaces need root, and iproute2")?;
        }
        let places = line.ends.clone().map(|end| format!("/run/netns/{end}"));
        let mut command = Command::new(program);
        command.args(places).args([delay_us.to_string(), bits_per_s.to_string()]);
        let mut carrier = process::start(command.stdout(Stdio::piped()))?;
        let said = carrier.stdout.take().map(BufReader::new);
        line.carrier = Some(carrier);
        let mut first = String::new();
        said.context("the wire says nothing")?.read_line(&mut first)?;
        ensure!(first == "up\n", "the wire cannot be laid: see above");
        line.raise()?;
        Ok(line)
    }

    fn raise(&self) -> Result<()> {
        let (to, from) = (ADDRESSES, [ADDRESSES[1], ADDRESSES[0]]);
        for ((end, own), peer) in self.ends.iter().zip(to).zip(from) {
            ip(&["-n", end, "link", "set", "lo", "up"])?;
            ip(&["-n", end, "addr", "add", own, "peer", peer, "dev", "wire"])?;
            ip(&["-n", end, "link", "set", "wire", "up"])?;
        }
        Ok(())
    }
}

impl Drop for DelayLine {
    fn drop(&mut self) {
        if let Some(carrier) = &mut self.carrier {
            let _ = carrier.kill();
            let _ = carrier.wait();
        }
        for end in &self.ends {
            let _ = ip(&["netns", "del", end]);
        }
    }
}

fn ip(arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("ip");
    process::capture_within(command.args(arguments), Duration::from_secs(20)).map(|_| ())
}
