//! Launches of real processes: this test program starts itself as the nodes, and once as a
//! coordinator.

#![allow(clippy::unwrap_used)] // everything here is a test, also what is not marked as one

mod behaviour;
mod elsewhere;
mod going_well;
mod going_wrong;
mod stage;
mod strangers;

use behaviour::behave;
use clock::{Clock, Plant};
use fourstamp_launch::{Leave, NodeOptions, node_key, serve};
use serde_json::json;
use stage::Stage;
use std::path::PathBuf;
use std::time::Duration;

/// Set for nodes whose clock is to be wrong.
const PLANT: &str = "FOURSTAMP_TEST_PLANT";
/// By so much.
const PLANTED_TICKS: u64 = 123_456_789_000;
/// Set for a process that is to be a coordinator: the folder for its nodes' process numbers.
const COORDINATE: &str = "FOURSTAMP_TEST_COORDINATE";

/// Where a node process hears that it is to end.
static LEAVE: Leave = Leave::new();

/// Not a test: what a node process runs. Without a place to join it does nothing.
#[test]
fn node_process() {
    let Ok(mut options) = NodeOptions::from_env() else { return };
    options.grace = Some(Duration::from_millis(500));
    options.leave = Some(&LEAVE);
    if std::env::var_os(PLANT).is_some() {
        let plant = Plant { offset_ticks: PLANTED_TICKS, ..Plant::default() };
        options.clock = Clock::best().planted(plant);
    }
    let result = node_key(None)
        .map_err(|error| error.to_string())
        .and_then(|key| serve(&options, &key, behave).map_err(|error| error.to_string()));
    if let Err(error) = &result {
        eprintln!("node ended: {error}");
    }
    std::process::exit(i32::from(result.is_err()));
}

/// Not a test: a coordinator that will be killed.
#[test]
fn coordinator_process() {
    let Some(pids) = std::env::var_os(COORDINATE) else { return };
    let mut stage = Stage::new(2);
    let plan = json!({ "nodes": ["deaf", "until-stop"], "pids": PathBuf::from(pids) });
    let _ = stage.coordinator.run_launch(
        &mut stage.run,
        &stage.options,
        &plan,
        &stage.stop,
        &mut |_| {},
    );
    std::process::exit(1);
}
