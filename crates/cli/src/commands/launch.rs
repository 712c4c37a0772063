//! `fourstamp launch`: the nodes of a benchmark in panes or on hosts, or nodes that join one elsewhere.

use crate::args::{Cli, Command, LaunchArgs, WorkloadArgs};
use crate::commands::bench;
use crate::commands::node;
use crate::interrupt;
use crate::launching::Nodes;
use anyhow::{Context, Result, bail};
use clap::Parser;
use std::sync::atomic::Ordering;

/// Start them and see them through.
pub fn run(args: &LaunchArgs) -> Result<()> {
    match &args.join {
        Some(address) => join(args, address),
        None => bench::show(&workload(args)?, &nodes(args)),
    }
}

fn nodes(args: &LaunchArgs) -> Nodes {
    match args {
        _ if args.tmux => Nodes::InTmux,
        _ if !args.ssh.is_empty() => Nodes::OverSsh(args.ssh.clone()),
        _ => Nodes::Here,
    }
}

/// The benchmark after `--`, with the number of nodes and the address given before it.
fn workload(args: &LaunchArgs) -> Result<WorkloadArgs> {
    let words = ["fourstamp".to_string()].into_iter().chain(args.benchmark.iter().cloned());
    let cli = Cli::try_parse_from(words).unwrap_or_else(|error| error.exit());
    let Command::Bench(bench) = cli.command else {
        bail!("launch starts benchmarks: write `-- bench pingpong …` after its own arguments");
    };
    let mut workload = bench.workload;
    let common = workload.common_mut();
    common.nodes = Some(args.nodes);
    common.listen = args.listen.or(common.listen);
    Ok(workload)
}

/// Nodes here that join a benchmark elsewhere: as many processes, each until it is released.
fn join(args: &LaunchArgs, address: &str) -> Result<()> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let key = node::key(args.key_file.as_deref())?;
    let mut children = Vec::new();
    for _ in 0..args.nodes {
        let mut command = std::process::Command::new(&program);
        command.args(["node", "--join", address]).env(fabric::RunKey::VARIABLE, key.to_hex());
        children.push(command.spawn().context("cannot start a node")?);
    }
    let stop = interrupt::flag();
    let mut failed = 0;
    for mut child in children {
        failed += u32::from(!child.wait().context("cannot wait for a node")?.success());
    }
    match failed {
        0 => Ok(()),
        _ if stop.load(Ordering::Relaxed) => Ok(()),
        failed => bail!("{failed} of {} nodes failed; each has said why above", args.nodes),
    }
}
