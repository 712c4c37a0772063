//! The command line.

mod bench;
mod collect;
mod compare;
mod config;
#[cfg(test)]
mod documented;
mod engine;
mod explain;
mod export;
mod figure;
mod filter;
mod joining;
mod machine;
mod mpi;
mod pager;
mod predict;
mod quantity;
mod report;
mod reproduce;
mod row;
mod story;
mod study;
mod trace;
mod transport;
mod warp;
mod warp_study;

pub use bench::{
    BackgroundArgs, BenchArgs, Common, Intervention, Receive, RecordTo, Topology, WhenFull,
    WorkloadArgs,
};
pub use collect::CollectArgs;
pub use compare::CompareArgs;
pub use config::Given;
pub use explain::ExplainArgs;
pub use export::ExportArgs;
pub use figure::FigureArgs;
pub use filter::FilterArgs;
pub use joining::JoiningArgs;
pub use machine::{CalibrateArgs, MachineArgs, MachineCheckArgs, MachineCommand};
pub use mpi::{MpiArgs, MpiCommand, TraceArgs};
pub use pager::{
    ArithmeticArgs, PagerArgs, PagerCommand, PagerKeyArgs, PagerServeArgs, PagerServeOptions,
    PagerStudyArgs, PagerSwapArgs, RunArgs, StudyAlternative,
};
pub use predict::{ChangeArgs, Curve as PredictedCurve, Latency, PredictArgs};
pub use report::ReportArgs;
pub use reproduce::ReproduceArgs;
pub use story::StoryArgs;
pub use study::{StudyArgs, StudyPart, StudyTransport};
pub use trace::SocketTraceArgs;
pub use transport::Transport;
pub use warp::{EngineChange, ModelArgs, ModelRun, OtherArgs, WarpArgs, WarpCommon};
pub use warp_study::{StudyTiming, WarpStudyArgs, study_options_first};

use crate::show::ShowArgs;
use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Where does message time go? Four stamps on every message, kept and explained.
#[derive(Parser)]
#[command(name = "fourstamp", version, max_term_width = 100)]
#[command(after_help = "\
Every message is stamped four times: ready (your program called send), sent (the network has it), \
arrived (the receiver's network has it), taken (the receiving program has it). The stages between \
them are send wait, transit and receive wait.

A run is a folder: run.json and messages/*.parquet, which DuckDB, pandas and polars read as they \
are.

Examples:
  fourstamp tour                             measure this machine in a minute
  fourstamp bench pingpong --transport tcp   one measurement: round trips
  fourstamp report runs/pingpong-tcp-1       its page, or --terminal, or --csv
  fourstamp explain runs/pingpong-tcp-1      why its slow messages were slow
  fourstamp story runs/pingpong-tcp-1        what held its slowest message
  fourstamp compare runs/a runs/b            is b slower than a?
  fourstamp figure runs/a --what transit     one chart, as you choose it
  fourstamp mpi trace -- mpirun -n 4 ./app   trace an unmodified MPI program
  fourstamp trace --follow -- ./app          trace any program's TCP messages
  fourstamp warp phold --check               a parallel simulation, checked
  fourstamp warp phold --on mark3            the same on a machine of 1988
  fourstamp pager run --local 2G -- ./app    a program larger than its memory
  fourstamp predict runs/a --bandwidth 10x   its time on another network
  fourstamp reproduce 000/A-1                a figure of the source documents
  fourstamp export runs/a --perfetto a.json  a trace for ui.perfetto.dev
  fourstamp doctor                           what this machine can and cannot do
  fourstamp completions bash                 for the shell; see also man DIR")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Measure this machine on every transport, in about a minute, and make one page of it
    Tour(TourArgs),
    /// Measure message times: ping-pong, stream, burst, relay, sweep
    Bench(BenchArgs),
    /// Run a simulation on several nodes at once, with the sequential result: phold, warpnet,
    /// pucks, stb88, ...
    Warp(WarpArgs),
    /// Show where the time of a run's messages went: a page, a terminal report, or CSV
    Report(ReportArgs),
    /// Say what goes with a run's slow messages: peaks, possible causes, periods, stalls of idle
    /// cores
    Explain(ExplainArgs),
    /// Say whether one run is slower than another, with confidence; a gate for CI
    Compare(CompareArgs),
    /// Tell what held a message at each stage: the slowest one, or one that you name
    Story(StoryArgs),
    /// Trace an unmodified MPI program: four stamps for each of its messages
    Mpi(MpiArgs),
    /// Trace any program that talks over sockets: four stamps for each of its messages
    Trace(SocketTraceArgs),
    /// Fetch the logs of a traced MPI program from hosts that do not see the run's folder
    Collect(CollectArgs),
    /// Run a program with memory of other machines, over TCP; lend memory; study the cost
    Pager(PagerArgs),
    /// Say how long a recorded run would take on another machine
    Predict(PredictArgs),
    /// Machines that programs can be simulated on: list, show, make and check them
    Machine(MachineArgs),
    /// Draw one quantity of some messages: by groups, cut by share, several runs on one axes
    Figure(FigureArgs),
    /// Make every figure, table and claim of the documents again, and judge them
    Reproduce(ReproduceArgs),
    /// Write a run for other tools: Perfetto, OTF2, CSV, HdrHistogram, OpenMetrics
    Export(ExportArgs),
    /// Say what this machine can measure, with a one-line remedy for what it cannot
    Doctor(DoctorArgs),
    /// Start the nodes of a benchmark or a simulation, in tmux panes or over ssh, or join a
    /// run elsewhere
    Launch(LaunchArgs),
    /// Be a node: join a run that waits for nodes
    Node(NodeArgs),
    /// Print the shell's completions for commands, options and values
    Completions(CompletionsArgs),
    /// Write the manual pages, one for each command
    Man(ManArgs),
}

/// What a bare `fourstamp` says.
pub const FIRST: &str = "\
Fourstamp shows where the time of every message goes.

Try one of these first:
  fourstamp tour                             measure this machine in a minute
  fourstamp bench pingpong --transport tcp   one measurement: round trips
  fourstamp mpi trace -- mpirun -n 4 ./app   trace your MPI program, unmodified
  fourstamp warp phold --check               a parallel simulation, checked
  fourstamp pager run --local 64M -- ./app   run a program larger than its memory
  fourstamp doctor                           what this machine can and cannot do

All commands: fourstamp --help. One of them: fourstamp tour --help.
";

/// `fourstamp tour`.
#[derive(Args)]
pub struct TourArgs {
    /// Folder for the runs and the page; must not exist yet  [default: runs/tour-1, -2, ...]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Launches of each measurement: fresh processes, interleaved
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub launches: u32,
    /// Make everything this many times shorter: a quick look, not a measurement
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub quick: u64,
    /// Seed of every random choice
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// `fourstamp launch`.
#[derive(Args)]
#[command(after_help = "\
Either start the nodes of a benchmark or a simulation:
  fourstamp launch -n 4 --tmux -- bench stream --all --transport tcp
  fourstamp launch -n 2 --ssh a,b --listen 10.0.0.1:7000 -- \\
      bench pingpong --transport tcp
  fourstamp launch -n 4 --tmux -- warp phold --check
or start nodes here that join a run on another machine, which waits for them there:
  fourstamp bench pingpong --transport tcp --listen 10.0.0.1:7000 \\
      --wait-for-nodes --key-file run.key
  fourstamp launch -n 2 --join 10.0.0.1:7000 --key-file run.key")]
pub struct LaunchArgs {
    /// Nodes to start
    #[arg(short = 'n', long, value_parser = quantity::nodes)]
    pub nodes: u16,
    /// Show each node's output in its own tmux pane
    #[arg(long, conflicts_with = "ssh")]
    pub tmux: bool,
    /// Start the nodes on these hosts, in turn; fourstamp must be on their PATH
    #[arg(long, value_name = "HOST,...", value_delimiter = ',')]
    pub ssh: Vec<String>,
    /// Address to listen on for the nodes; other machines must reach it
    #[arg(long, value_name = "IP:PORT")]
    pub listen: Option<SocketAddr>,
    /// Join the run that waits there instead of starting one
    #[arg(long, value_name = "HOST:PORT", conflicts_with_all = ["ssh", "listen", "benchmark"])]
    pub join: Option<String>,
    /// File with the run key, for --join
    #[arg(long, value_name = "FILE", requires = "join")]
    pub key_file: Option<PathBuf>,
    /// What to run: `bench` or `warp` and its arguments. Nodes of a simulation carry messages over
    /// tcp unless told otherwise
    #[arg(last = true, value_name = "bench|warp …", required_unless_present = "join")]
    pub benchmark: Vec<String>,
}

/// `fourstamp node`.
#[derive(Args)]
#[command(after_help = "\
The run key comes from --key-file (mode 0600) or from the environment variable FOURSTAMP_RUN_KEY. \
It is never an argument, because other users can read the arguments of a process.")]
pub struct NodeArgs {
    /// Where the run waits  [default: as the launch that started this process says]
    #[arg(long, value_name = "HOST:PORT")]
    pub join: Option<String>,
    /// File with the run key
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
}

/// `fourstamp completions`.
#[derive(Args)]
#[command(after_help = "\
Write the output where the shell looks for it, and again after an update:
  fourstamp completions bash \\
      > ~/.local/share/bash-completion/completions/fourstamp
  fourstamp completions fish > ~/.config/fish/completions/fourstamp.fish
  fourstamp completions zsh > ~/.zfunc/_fourstamp
Before compinit, ~/.zshrc must have `fpath+=~/.zfunc`. To try it in the current bash only:
  source <(fourstamp completions bash)")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Shells that can be told what to complete.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Shell {
    /// GNU bash, with the package bash-completion
    Bash,
    /// Z shell
    Zsh,
    /// fish
    Fish,
}

/// `fourstamp man`.
#[derive(Args)]
#[command(after_help = "\
Each command has its own page: that of `fourstamp bench pingpong` is fourstamp-bench-pingpong(1).

Examples:
  fourstamp man ~/.local/share/man/man1    then: man fourstamp-bench
  fourstamp man pages && man -l pages/fourstamp-mpi-trace.1")]
pub struct ManArgs {
    /// Folder for the pages; created if it does not exist
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Arguments of `fourstamp doctor`.
#[derive(clap::Args, Debug)]
pub struct DoctorArgs {
    /// Remove what this user's killed processes left in shared memory and among temporary files,
    /// and the libraries that other builds of fourstamp wrote and no running program has loaded.
    /// Rows that nobody has read are kept
    #[arg(long)]
    pub clean: bool,
    /// As data: the checks, or with --clean the leftovers.
    #[command(flatten)]
    pub show: ShowArgs,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn each(command: &clap::Command, look: &mut impl FnMut(&clap::Command)) {
        look(command);
        command.get_subcommands().for_each(|inner| each(inner, look));
    }

    #[test]
    fn what_takes_a_time_shows_one_with_its_unit() {
        each(&Cli::command(), &mut |command| {
            for argument in command.get_arguments() {
                let takes = argument.get_value_names().unwrap_or_default();
                if !takes.iter().any(|name| name.as_str() == "TIME") {
                    continue;
                }
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                let usual = argument.get_default_values().iter().any(|usual| {
                    usual.to_str().is_some_and(|usual| quantity::duration(usual).is_ok())
                });
                let shown = usual || help.contains("e.g. ") || help.contains("[default: ");
                assert!(shown, "{} --{}: {help}", command.get_name(), argument.get_id());
            }
        });
    }

    #[test]
    fn what_is_to_be_tried_first_can_be_typed() {
        let commands = FIRST.lines().filter_map(|line| line.strip_prefix("  fourstamp "));
        for line in commands {
            let typed = line.split("   ").next().unwrap_or(line);
            let words = ["fourstamp"].into_iter().chain(typed.split_whitespace());
            assert!(Cli::try_parse_from(words).is_ok(), "{typed}");
        }
    }

    #[test]
    fn no_line_of_a_help_text_is_broken_twice() {
        each(&Cli::command(), &mut |command| {
            let Some(text) = command.get_after_help().map(ToString::to_string) else { return };
            let lines: Vec<&str> = text.lines().collect();
            for (line, next) in lines.iter().zip(lines.iter().skip(1).chain([&""])) {
                // A paragraph of one line is broken where the terminal ends; a line among others is
                // not.
                let is_paragraph =
                    !line.starts_with(' ') && (next.is_empty() || next.starts_with(' '));
                assert!(line.len() <= 80 || is_paragraph, "{}: {line}", command.get_name());
            }
        });
    }
}
