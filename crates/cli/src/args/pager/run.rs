//! The arguments of `fourstamp pager run`.

use crate::args::quantity::{bytes, duration};
use clap::Args;
use pager::Policy;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// `fourstamp pager run`.
#[derive(Args)]
#[command(after_help = "\
Without --server it starts its own page servers on this machine, as processes: two for pages and \
one for parity. That only shows how it works; to gain memory, use servers on other machines. On \
a, b and c, with the same key:
  fourstamp pager key run.key
  fourstamp pager serve --memory 8G --listen 0.0.0.0:7311 --key-file run.key
and here, with that key:
  fourstamp pager run --local 2G --server a:7311 --server b:7311 \\
      --parity c:7311 --key-file run.key -- ./app input

Allocations and anonymous mappings of at least --threshold are paged, and heaps for which a \
program reserved addresses first (Java, node, Go with cgo). With --threshold 0 allocations of \
every size are paged: for interpreters, whose data is many small blocks. The rest of the program \
is not touched. Any one server may die: reads continue at once from the others, and its pages \
are rebuilt in the background.

Policies, and what a page-out costs with S servers:
  parity-log  pages to the servers in turn, a parity page after each round;
              any one server may die: 1 + 1/S transfers
  mirror      two copies on two servers: 2 transfers
  none        one copy, no protection: 1 transfer
  disk        the local disk, no servers

--status reports the program's progress each second, and `kill -USR1` of this process does so at \
any time. The program's output and exit code are its own; messages of fourstamp go to standard \
error.

The library that is loaded before the program is part of fourstamp and is written to \
~/.cache/fourstamp (XDG_CACHE_HOME) when it is used; the environment variable FOURSTAMP_RMEM can \
name another.")]
pub struct RunArgs {
    /// Local memory for the paged part of the program
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub local: usize,
    /// A page server; may be given several times  [default: two on this machine]
    #[arg(long = "server", value_name = "HOST:PORT")]
    pub servers: Vec<String>,
    /// The server for parity pages  [default: one on this machine, if no --server is given]
    #[arg(long, value_name = "HOST:PORT", requires = "servers")]
    pub parity: Option<String>,
    /// A spare server, used when another dies; may be given several times
    #[arg(long = "spare", value_name = "HOST:PORT", requires = "servers")]
    pub spares: Vec<String>,
    /// How pages are protected against the loss of a server: parity-log, mirror, disk, none
    #[arg(long, default_value_t = Policy::ParityLog)]
    pub policy: Policy,
    /// Page servers to start here, besides the one for parity, if no --server is given
    #[arg(
        long,
        default_value_t = 2,
        conflicts_with = "servers",
        value_parser = clap::value_parser!(u16).range(1..=64)
    )]
    pub start: u16,
    /// Memory of each server that is started here  [default: a share of what is free]
    #[arg(long, value_name = "SIZE", conflicts_with = "servers", value_parser = bytes)]
    pub server_memory: Option<usize>,
    /// File with the servers' run key  [default: the key in FOURSTAMP_RUN_KEY]
    #[arg(long, value_name = "FILE", requires = "servers")]
    pub key_file: Option<PathBuf>,
    /// Encrypt what goes to the servers  [default: unless all are on this machine's loopback]
    #[arg(long, conflicts_with = "plain")]
    pub encrypt: bool,
    /// Send pages in the clear, over a network that nobody else can read
    #[arg(long)]
    pub plain: bool,
    /// Folder for the file that pages go to when no server takes them
    #[arg(long, value_name = "DIR", default_value = "/var/tmp")]
    pub disk: PathBuf,
    /// Most pages read ahead at once; 0 for none
    #[arg(
        long,
        value_name = "PAGES",
        default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(0..=64)
    )]
    pub prefetch: u32,
    /// Page allocations of at least this size; 0: of every size, packed
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = bytes)]
    pub threshold: usize,
    /// Let forked children have a program's paged memory, if it is no larger  [default: they have
    /// none]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub fork_budget: Option<usize>,
    /// Give up on a server that has not answered for this many milliseconds
    #[arg(
        long,
        value_name = "MS",
        default_value_t = 2000,
        value_parser = clap::value_parser!(u64).range(10..=600_000)
    )]
    pub deadline: u64,
    /// End a process that has waited for room for this long, because all servers and the disk are
    /// full, and got no page meanwhile; 0s: never
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    pub give_up_after: Duration,
    /// Serve only faults of the program itself, not those within system calls, as for an ordinary
    /// user
    #[arg(long)]
    pub user_mode_only: bool,
    /// Record no pages, only the summary
    #[arg(long)]
    pub no_record: bool,
    /// Report progress each second
    #[arg(long)]
    pub status: bool,
    /// Do not show the report at the end
    #[arg(long)]
    pub no_report: bool,
    /// Folder for the run; must not exist yet  [default: runs/PROGRAM-pager-1, -2, ...]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM …")]
    pub program: Vec<OsString>,
}
