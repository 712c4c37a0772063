//! `fourstamp launch`: the nodes of a benchmark or a simulation in panes or on hosts, or nodes that
//! join a run elsewhere.

use crate::args::{Cli, Command, JoiningArgs, LaunchArgs, ModelArgs};
use crate::commands::{bench, node, warp};
use crate::interrupt;
use crate::launching::Nodes;
use anyhow::{Context, Result, bail};
use clap::Parser;
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::CommandExt;
use std::process::Child;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often nodes that were started to join elsewhere are looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Start them and see them through.
pub fn run(args: &LaunchArgs) -> Result<()> {
    match &args.join {
        Some(address) => join(args, address),
        None => start(args),
    }
}

fn nodes(args: &LaunchArgs) -> Nodes {
    match args {
        _ if args.tmux => Nodes::InTmux,
        _ if !args.ssh.is_empty() => Nodes::OverSsh(args.ssh.clone()),
        _ => Nodes::Here,
    }
}

/// What is named after `--`, with the number of nodes and the address given before it.
fn start(args: &LaunchArgs) -> Result<()> {
    let words = ["fourstamp".to_string()].into_iter().chain(args.benchmark.iter().cloned());
    let cli = Cli::try_parse_from(words).unwrap_or_else(|error| error.exit());
    match cli.command {
        Command::Bench(bench) => {
            let mut workload = bench.workload;
            let common = workload.common_mut();
            common.nodes = Some(args.nodes);
            refuse_waiting(&common.joining)?;
            common.joining.listen = args.listen.or(common.joining.listen);
            bench::show(&workload, &nodes(args))
        }
        Command::Warp(mut run) => {
            if let ModelArgs::Model(model) = &mut run.model {
                let common = &mut model.common;
                refuse_waiting(&common.joining)?;
                common.nodes = Some(args.nodes);
                common.joining.listen = args.listen.or(common.joining.listen);
            }
            warp::launch_on(&mut run, &nodes(args))
        }
        _ => bail!(
            "launch starts benchmarks and simulations: write `-- bench pingpong …` or \
            `-- warp phold …` after its own options"
        ),
    }
}

/// There is one who starts the nodes.
fn refuse_waiting(joining: &JoiningArgs) -> Result<()> {
    if joining.wait_for_nodes {
        bail!(
            "launch starts the nodes, and --wait-for-nodes waits for nodes that are started \
            elsewhere: leave out one of them"
        );
    }
    Ok(())
}

/// Nodes here that join a run elsewhere: as many processes, each until it is released.
fn join(args: &LaunchArgs, address: &str) -> Result<()> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let key = node::key(args.key_file.as_deref())?;
    let mut children = Vec::new();
    for _ in 0..args.nodes {
        let mut command = std::process::Command::new(&program);
        command.args(["node", "--join", address]).env(fabric::RunKey::VARIABLE, key.to_hex());
        // A terminal's Ctrl-C is for us, who pass it on: each node hears every signal once.
        command.process_group(0);
        rmem::end_with_parent(&mut command);
        children.push(command.spawn().context("cannot start a node")?);
    }
    match see_through(children)? {
        0 => Ok(()),
        _ if interrupt::flag().load(Ordering::Relaxed) => Ok(()),
        failed => bail!("{failed} of {} nodes failed; their reasons are above", args.nodes),
    }
}

/// Wait for all to end, and tell them to when we are told. Returns how many failed.
fn see_through(mut children: Vec<Child>) -> Result<u32> {
    let stop = interrupt::flag();
    let (mut failed, mut has_told) = (0, false);
    while !children.is_empty() {
        if stop.load(Ordering::Relaxed) && !has_told {
            has_told = true;
            for child in &children {
                // One that has just ended needs no signal.
                let _ = kill_process(Pid::from_child(child), Signal::TERM);
            }
        }
        let mut remaining = Vec::new();
        for mut child in children {
            match child.try_wait().context("cannot wait for a node")? {
                Some(status) => failed += u32::from(!status.success()),
                None => remaining.push(child),
            }
        }
        children = remaining;
        std::thread::sleep(LOOK);
    }
    Ok(failed)
}
