//! Runs whose nodes somebody else starts, perhaps on other machines: what they are to be given.

use crate::args::JoiningArgs;
use anyhow::{Result, bail};
use fabric::RunKey;
use launch::Coordinator;
use std::path::Path;

/// The key that joining nodes must hold: in the file that is named, which is made if it does not
/// exist, else from the environment.
pub fn run_key(joining: &JoiningArgs) -> Result<RunKey> {
    match &joining.key_file {
        Some(path) if path.exists() => Ok(RunKey::from_file(path)?),
        Some(path) => new_key_file(path),
        None => match RunKey::from_env() {
            Ok(key) => Ok(key),
            Err(_) => bail!(
                "nodes need the run key to join: give --key-file FILE (created if missing), or \
                set FOURSTAMP_RUN_KEY"
            ),
        },
    }
}

fn new_key_file(path: &Path) -> Result<RunKey> {
    let key = RunKey::generate()?;
    key.write_file(path)?;
    Ok(key)
}

/// Say what is to be typed on the machines that join.
pub fn invite(coordinator: &Coordinator, nodes: u16) {
    eprintln!(
        "waiting for {nodes} nodes: {} node --join {}",
        launch::own_name(),
        coordinator.join_address()
    );
}
