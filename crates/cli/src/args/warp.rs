//! Arguments of `fourstamp warp`.

use super::engine::{EngineArgs, Settings};
use super::joining::JoiningArgs;
use super::transport::{Transport, transport};
use super::warp_study::WarpStudyArgs;
use super::{RecordTo, Topology, WhenFull};
use super::{quantity, row};
use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use fabric::Machine;
use models::argument::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use warp::{Row, offered};

/// `fourstamp warp`.
#[derive(Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Results never depend on the number of nodes, on what carries the messages, or on how the engine \
works: --check proves it by running the sequential engine too.

Examples:
  fourstamp warp phold --check               two threads, then in sequence
  fourstamp warp phold --nodes 4 --transport shm --out runs/p
  mpirun -n 4 fourstamp warp phold --transport mpi --out runs/q
  fourstamp warp phold --nodes 4 --listen 10.0.0.1:7000 --wait-for-nodes \\
      --key-file run.key --out runs/r        nodes on other machines join
  fourstamp report runs/p                    where the messages' time went
  fourstamp warp warpnet --data DIR --counts counts.csv --trace trace.csv
  fourstamp warp ping --seq                  the sequential engine alone
  fourstamp warp slooow --config 1988.cfg    options from a configuration file
  fourstamp warp study phold --nodes 1,2,4   speed-up against the nodes

`fourstamp warp phold --help` lists everything that can be set."
)]
pub struct WarpArgs {
    /// Which model.
    #[command(subcommand)]
    pub model: ModelArgs,
}

/// Which model, or what else.
pub enum ModelArgs {
    /// One of [`warp::offered`].
    Model(Box<ModelRun>),
    Other(OtherArgs),
}

/// A model with its parameters.
pub struct ModelRun {
    pub row: &'static Row,
    /// The parameters that are given, by name.
    pub given: Vec<(&'static str, Value)>,
    pub common: WarpCommon,
}

/// What is no model.
#[derive(Subcommand)]
pub enum OtherArgs {
    /// Measure models in sequence and on several numbers of nodes: run time, speed-up, efficiency
    Study(Box<WarpStudyArgs>),
    /// Whatever else was written: named in an error.
    #[command(external_subcommand)]
    Unknown(Vec<OsString>),
}

impl Subcommand for ModelArgs {
    fn augment_subcommands(command: Command) -> Command {
        OtherArgs::augment_subcommands(command.subcommands(offered().iter().map(subcommand)))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        ModelArgs::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        offered().iter().any(|row| row.name == name) || OtherArgs::has_subcommand(name)
    }
}

impl FromArgMatches for ModelArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ModelArgs, Error> {
        let called = matches.subcommand().and_then(|(name, matches)| {
            offered().iter().find(|row| row.name == name).map(|row| (row, matches))
        });
        let Some((row, matches)) = called else {
            return OtherArgs::from_arg_matches(matches).map(ModelArgs::Other);
        };
        let given = row::given(row.arguments().into_iter(), matches);
        let common = WarpCommon::from_arg_matches(matches)?;
        Ok(ModelArgs::Model(Box::new(ModelRun { row, given, common })))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = ModelArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

fn subcommand(row: &Row) -> Command {
    let command = Command::new(row.name).next_help_heading(row.heading);
    let command = command.args(row.arguments().into_iter().map(row::argument));
    let command = WarpCommon::augment_args(command).about(row.about);
    if row.notes.is_empty() { command } else { command.after_help(row.notes) }
}

/// An option of the engine that is changed.
#[derive(Clone, Debug)]
pub struct EngineChange {
    /// As it was written.
    pub text: String,
    /// The option.
    pub name: &'static str,
    /// Its other value.
    pub value: Value,
}

/// `max-acks=20`; a switch is its name alone.
fn intervention(text: &str) -> Result<EngineChange, String> {
    let words = ["warp".to_owned(), format!("--{text}")];
    let command = Settings::augment_args(Command::new("warp").disable_help_flag(true));
    let read = command.try_get_matches_from(words);
    let read = read.and_then(|matches| Settings::from_arg_matches(&matches));
    let given = read.ok().and_then(|settings| settings.0.into_iter().next());
    let (name, value) = given.ok_or_else(|| {
        "write an option of the engine and its value as above, without the dashes, e.g. \
        max-acks=20 or cancellation=aggressive"
            .to_owned()
    })?;
    Ok(EngineChange { text: text.to_owned(), name, value })
}

/// What every model takes.
#[derive(Args, Clone)]
#[command(next_help_heading = "Run")]
pub struct WarpCommon {
    /// Nodes  [default: 2; in a job of mpirun or srun its ranks]
    #[arg(short = 'n', long, value_parser = quantity::nodes)]
    pub nodes: Option<u16>,
    /// What carries the messages [default: thread; with --wait-for-nodes tcp; in a job of mpirun or
    /// srun mpi, or tcp without an MPI library]
    #[arg(long, value_parser = transport())]
    pub transport: Option<Transport>,
    /// Simulate on this machine: a file, or one of `fourstamp machine list`
    #[arg(
        long,
        value_name = "MACHINE",
        value_parser = fabric::find_machine,
        conflicts_with = "transport"
    )]
    pub on: Option<Machine>,
    /// Which nodes are linked
    #[arg(long, value_enum, default_value_t = Topology::Mesh)]
    pub topology: Topology,
    /// Largest packet on a hypercube
    #[arg(long, default_value = "1K", value_name = "BYTES", value_parser = quantity::bytes)]
    pub packet: usize,
    /// Run the sequential engine alone
    #[arg(long, conflicts_with_all = ["check", "nodes", "transport", "topology", "on"])]
    pub seq: bool,
    /// Run the sequential engine too, compare the results, and check the model's invariants
    #[arg(long)]
    pub check: bool,
    /// Write each object's committed counts to this file, as CSV
    #[arg(long, value_name = "FILE")]
    pub counts: Option<PathBuf>,
    /// Write all committed events to this file, as CSV
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Write each object's statistics to this file, as CSV, as the Time Warp Operating System did
    #[arg(long, value_name = "FILE")]
    pub xl_stats: Option<PathBuf>,
    /// Take options and placement from a configuration file of the Time Warp Operating System;
    /// options on the command line override it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print the result as CSV: a line of names and a line of values
    #[arg(long)]
    pub csv: bool,
    /// Print the result as JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Record every message, rollback and GVT round into this run folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Record into runs/MODEL-TRANSPORT-1, -2, ...
    #[arg(long)]
    pub record: bool,
    /// Keep rows in memory and write them at the end, or stream them to disk
    #[arg(long, value_enum, default_value_t = RecordTo::Stream)]
    pub record_to: RecordTo,
    /// What happens when a record buffer is full: wait until there is room, or drop rows and count
    /// them
    #[arg(long, value_enum, default_value_t = WhenFull::Block)]
    pub when_full: WhenFull,
    /// Record as it is and with this option changed, launch by launch in turn, and compare, e.g.
    /// max-acks=20
    #[arg(
        long,
        value_name = "OPTION=VALUE",
        value_parser = intervention,
        conflicts_with_all = ["seq", "on", "check", "counts", "trace", "xl_stats", "csv", "json"]
    )]
    pub intervene: Option<EngineChange>,
    /// Launches of each, with --intervene
    #[arg(
        long,
        default_value_t = 5,
        requires = "intervene",
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub launches: u32,
    /// Do not pin nodes to cores
    #[arg(long)]
    pub no_pin: bool,
    /// Give up on a peer that is silent for this long
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = quantity::duration)]
    pub peer_timeout: Duration,
    #[command(flatten)]
    pub joining: JoiningArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_an_option_of_the_engine() {
        let name = |text: &str| intervention(text).map(|change| change.name);
        assert_eq!(name("max-acks=20"), Ok("max-acks"));
        assert_eq!(name("cancellation=aggressive"), Ok("cancellation"));
        assert_eq!(name("no-sendback"), Ok("no-sendback"));
        for wrong in ["", "max-acks", "max-acks=no", "nodes=3", "wait=polling", "help"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
    }
}
