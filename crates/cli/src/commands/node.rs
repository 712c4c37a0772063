//! `fourstamp node`: one process of a benchmark or a simulation.

use crate::args::NodeArgs;
use crate::failure::one_line;
use crate::interrupt;
use crate::work::work;
use anyhow::Result;
use fabric::RunKey;
use launch::{Assignment, Control, Leave, NodeOptions, Served, node_key, serve};
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Join, work, and (when started by hand) join again as long as launches follow.
pub fn run(args: &NodeArgs) -> Result<()> {
    let by_hand = args.join.is_some();
    let key = key(args.key_file.as_deref())?;
    static LEAVE: Leave = Leave::new();
    let stop = interrupt::flag_of_node(&LEAVE);
    loop {
        let options = match &args.join {
            Some(address) => NodeOptions { will_listen: true, ..NodeOptions::new(address) },
            None => NodeOptions::from_env()?,
        };
        let options = NodeOptions { leave: Some(&LEAVE), ..options };
        let served = serve(&options, &key, do_work)?;
        if !by_hand || served == Served::Last || stop.load(Ordering::Relaxed) {
            return Ok(());
        }
    }
}

/// The run key: from the file named, else from the environment.
pub fn key(file: Option<&Path>) -> Result<RunKey> {
    Ok(node_key(file)?)
}

/// What a node does once it is assigned.
pub fn do_work(assignment: &Assignment, control: &Control) -> Result<Value, String> {
    work(assignment, control).map_err(|error| one_line(&error))
}
