//! Arguments of what waits for nodes that somebody else starts.

use super::quantity;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Where nodes find a run, and whether it starts them itself.
#[derive(Args, Clone, Debug)]
pub struct JoiningArgs {
    /// Address to listen on for nodes; nodes on other machines need one that is not loopback
    #[arg(long, value_name = "IP:PORT")]
    pub listen: Option<SocketAddr>,
    /// Start no nodes: wait for `fourstamp node --join`
    #[arg(long, requires = "listen")]
    pub wait_for_nodes: bool,
    /// File with the run key that joining nodes hold; made (0600) if it does not exist
    #[arg(long, value_name = "FILE", requires = "wait_for_nodes")]
    pub key_file: Option<PathBuf>,
    /// Give up when not all nodes have joined within this time
    #[arg(
        long,
        default_value = "10m",
        value_name = "TIME",
        requires = "wait_for_nodes",
        value_parser = quantity::duration
    )]
    pub join_timeout: Duration,
}
