//! `fourstamp pager serve` and `fourstamp pager key`.

use crate::args::quantity;
use clap::Args;
use std::path::PathBuf;

/// `fourstamp pager serve`.
#[derive(Args)]
#[command(after_help = "\
Lends memory to programs that page over the network. Each program has its own pages, which no \
other can see and which are freed when it ends; the memory for all of them together is bounded. \
When the server is full or its machine is short of memory, it refuses new pages, and the programs \
use other servers or their disk.

Only programs with the run key may use the server. Traffic is encrypted, unless the program is on \
this machine or says otherwise (`fourstamp pager run --plain`, which --require-encryption refuses).

Examples:
  fourstamp pager key run.key       make a key; copy it to the other machines
  fourstamp pager serve --memory 8G --listen 0.0.0.0:7311 --key-file run.key")]
pub struct PagerServeArgs {
    /// Memory to lend to all programs together, e.g. 512M or 8G
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    pub memory: usize,
    /// Where to listen; port 0 picks a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7311")]
    pub listen: String,
    /// File with the run key; without it, the key in FOURSTAMP_RUN_KEY
    #[arg(long, visible_alias = "key", value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Refuse programs that do not encrypt
    #[arg(long)]
    pub require_encryption: bool,
    /// Memory that the machine must keep available  [default: a twentieth of its memory]
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    pub reserve: Option<usize>,
    /// Most programs (processes) at a time
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub clients: usize,
    /// Disconnect a program that reads none of its pages for this long
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = quantity::duration)]
    pub patience: std::time::Duration,
    /// Poll this long for the next request before sleeping, e.g. 0.05ms: only for a machine that
    /// does nothing else
    #[arg(long, value_name = "TIME", default_value = "0ms", value_parser = quantity::duration)]
    pub spin: std::time::Duration,
    /// Write the address to this file once the server listens
    #[arg(long, value_name = "FILE")]
    pub announce: Option<PathBuf>,
}

/// `fourstamp pager key`.
#[derive(Args)]
#[command(after_help = "\
Servers and the programs that use them need the same key: it proves who they are, and pages are \
encrypted with it. Copy the file to each machine over a channel that you trust. An existing \
file is left alone.

Example:
  fourstamp pager key run.key && scp run.key otherhost:")]
pub struct PagerKeyArgs {
    /// The file to make; only you can read it
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}
