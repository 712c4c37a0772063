//! A wire between two network namespaces, as long as it is told to be: where the kernel has no
//! netem, a program carries the packets.

use crate::bench::peers::{Compiler, build};
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use shaped::Namespaces;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Gone when dropped.
pub struct DelayLine {
    carrier: Child,
}

impl DelayLine {
    /// Lay one between boxes that nothing else joins.
    pub fn lay(
        workspace: &Workspace,
        boxes: &Namespaces,
        delay_us: u64,
        bits_per_s: f64,
    ) -> Result<DelayLine> {
        let program = build(workspace, "delay_line", Compiler::C)?;
        let places = boxes.names().each_ref().map(|end| format!("/run/netns/{end}"));
        let mut command = Command::new(program);
        command.args(places).args([delay_us.to_string(), bits_per_s.to_string()]);
        let mut carrier = process::start(command.stdout(Stdio::piped()))?;
        let said = carrier.stdout.take().map(BufReader::new);
        let line = DelayLine { carrier };
        let mut first = String::new();
        said.context("the wire says nothing")?.read_line(&mut first)?;
        ensure!(first == "up\n", "the wire cannot be laid: see above");
        for (end, own) in boxes.names().iter().zip(Namespaces::addresses()) {
            ip(&["-n", end, "link", "set", "lo", "up"])?;
            ip(&["-n", end, "addr", "add", &format!("{own}/30"), "dev", "wire"])?;
            ip(&["-n", end, "link", "set", "wire", "up"])?;
        }
        Ok(line)
    }
}

impl Drop for DelayLine {
    fn drop(&mut self) {
        // Its devices go with it.
        let _ = self.carrier.kill();
        let _ = self.carrier.wait();
    }
}

fn ip(arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("ip");
    process::capture_within(command.args(arguments), Duration::from_secs(20)).map(|_| ())
}
