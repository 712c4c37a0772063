//! The options of a run and its engine, as [`warp::settings`] lists them: arguments of clap made
//! from its rows.

use super::Receive;
use super::row;
use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use models::argument::Value;
use warp::settings::{Group, SETTINGS};

/// How the engine works.
#[derive(Args, Clone)]
#[command(next_help_heading = "Engine (none of it changes results)")]
pub struct EngineArgs {
    #[command(flatten)]
    pub settings: Settings,
    /// How a node without work waits: polling occupies its core
    #[arg(long, value_enum, default_value_t = Receive::Blocking)]
    pub wait: Receive,
}

/// The settings that are given, by name.
#[derive(Clone)]
pub struct Settings(pub Vec<(&'static str, Value)>);

impl Settings {
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|(name, _)| *name).collect()
    }
}

impl Args for Settings {
    fn augment_args(command: Command) -> Command {
        let rows = SETTINGS.iter().filter(|setting| !setting.argument.name.is_empty());
        rows.fold(command, |command, setting| {
            let argument = row::argument(&setting.argument);
            command.arg(match setting.group {
                Group::Run => argument.help_heading("Run"),
                Group::Engine => argument,
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Settings::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Settings, Error> {
        let arguments = SETTINGS.iter().map(|setting| &setting.argument);
        Ok(Settings(row::given(arguments, matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Settings::from_arg_matches(matches)?;
        Ok(())
    }
}
