//! `fourstamp trace`.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use streams::framing::PortRule;

/// `fourstamp trace`.
#[derive(Args)]
#[command(after_help = after_help())]
pub struct SocketTraceArgs {
    /// Folder for the run; must not exist yet  [default: runs/PROGRAM-trace-1, -2, ...]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Trace the program's child processes, too, and theirs
    #[arg(long)]
    pub follow: bool,
    /// Trace pipes, too, between the program's processes: implies --follow. Who joins a run does so
    /// if the run does
    #[arg(long, conflicts_with = "join")]
    pub pipes: bool,
    /// What a message is on connections to this port: 7000=resp, 80=http, 9000=length:4be; see
    /// below. May be given several times. Who joins a run has its rules
    #[arg(long, value_name = "PORT=RULE", value_delimiter = ',', conflicts_with = "join")]
    pub frame: Vec<PortRule>,
    /// Take part in this run, which another `fourstamp trace` has begun and which still goes on
    #[arg(long, value_name = "RUN", conflicts_with = "out")]
    pub join: Option<PathBuf>,
    /// Leave the logs as they are when the program ends: programs on other hosts are traced, too,
    /// and `--merge` puts all of it together
    #[arg(long, conflicts_with_all = ["join", "merge"])]
    pub logs_only: bool,
    /// Trace nothing: make one run of what was recorded with `--logs-only` on several hosts
    #[arg(
        long, value_name = "RUN,RUN", value_delimiter = ',',
        conflicts_with_all = ["join", "follow", "frame", "pipes", "program"]
    )]
    pub merge: Vec<PathBuf>,
    /// Do not print the report at the end
    #[arg(long)]
    pub no_report: bool,
    /// The program, with its arguments
    #[arg(last = true, required_unless_present = "merge", value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

fn after_help() -> String {
    format!("{BEFORE_RULES}{}{BEHIND_RULES}", streams::framing::help())
}

const BEFORE_RULES: &str = "\
A library is loaded before the program (LD_PRELOAD), which sees the calls on its TCP and \
Unix-domain stream sockets. Both ends of a connection count its bytes, so the write that ends at \
byte n and the read that takes byte n are one message: no protocol has to be known, and TLS does \
not matter. A message is what one call wrote; --frame says otherwise for a port. Where it says \
nothing, HTTP/1 and Redis are known by their first byte, and the report says so.

Both ends must be traced for all four stamps; of a connection with one traced end the stamps of \
that end are kept. A server that is traced alone shows how long requests lie in its sockets \
before it reads them.

Examples:
  fourstamp trace -- redis-server --port 7000       in one terminal, and
  fourstamp trace --join runs/redis-server-trace-1 -- redis-benchmark -p 7000
  fourstamp trace --follow -- ./start-all.sh        with all child processes
  fourstamp report runs/redis-server-trace-1        its page
  fourstamp trace --logs-only --out runs/a -- ./server    on one host,
  fourstamp trace --logs-only --out runs/b -- ./client    on another, then
  fourstamp trace --merge runs/a,runs/b                   where both were copied
  fourstamp trace --frame 7000=resp -- redis-server --port 7000
  fourstamp trace --pipes -- sh -c 'python3 make.py | python3 take.py'

Rules of --frame: what a message is on connections to a port
";

const BEHIND_RULES: &str = "\
The n-th request of a connection then belongs to its n-th answer, also where \
a client sends many at once. Where bytes do not follow the rule, each call is a \
message from there on, and the report says so.

The run is closed when the last of the commands that take part in it ends. The program keeps its \
input, output, signals and exit code; the report goes to standard error. What was logged \
survives kill -9.

With --pipes, pipes and FIFOs are connections of one direction. The C library moves bytes of \
printf, fgets and their like by calls of its own, which are not seen: the messages of such a pipe \
are not matched, and the report says so. Most programs of a shell script are of that kind.

Not seen, and said where it is noticed: statically linked programs, Go programs, io_uring, \
other system calls without the C library, sockets used through C's stdio, datagrams.";
