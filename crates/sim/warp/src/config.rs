//! Configuration files of the Time Warp Operating System: a command a line.
//!
//! ```text
//! text ── lexer ──► words ── source ──► all files' lines ── parser ──► commands
//! commands ── settings ──► Job
//!         └──── agree ───► names and messages of the model
//! ```
//!
//! Commands that have a meaning here are obeyed; those that have none are named once each, with the
//! reason; what is no command is an error that says where and what was expected. What the command
//! line says comes before what the file says.
//!
//! Source: the Time Warp Operating System 2.7. The engine's own options are in
//! [`timewarp::Options`].

mod agree;
mod balance;
mod command;
mod lexer;
mod parser;
mod source;
mod throttle;

pub use command::Command;

use crate::{Job, settings};
use models::argument::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Where something stands in a file: line and column from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    file: Arc<Path>,
    line: u32,
    column: u32,
}

/// What is wrong in a file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct ConfigError {
    place: Place,
    reason: String,
}

/// A file's commands, those of the files that it includes among them.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigFile {
    commands: Vec<Located>,
}

/// A command, and where it stands.
#[derive(Clone, Debug, PartialEq)]
struct Located {
    command: Command,
    place: Place,
}

impl ConfigFile {
    /// Read a file, with all that it includes.
    ///
    /// # Errors
    /// When one of the files cannot be read or is too large, or what stands in it is no command.
    pub fn read(path: &Path) -> Result<ConfigFile, ConfigError> {
        ConfigFile::read_with(path, &mut source::from_disk)
    }

    /// The same of files that are had from elsewhere; for tests.
    ///
    /// # Errors
    /// See [`ConfigFile::read`].
    pub fn read_with(
        path: &Path,
        open: &mut dyn FnMut(&Path) -> std::io::Result<String>,
    ) -> Result<ConfigFile, ConfigError> {
        let mut commands = Vec::new();
        for line in source::all_lines(path, open)? {
            let place = line[0].place.clone();
            let command = parser::command(&line)?;
            if command == Command::Go {
                break;
            }
            commands.push(Located { command, place });
        }
        Ok(ConfigFile { commands })
    }

    /// The commands, in order.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.commands.iter().map(|located| &located.command)
    }

    /// Obey all that does not need the model. `given` are the options that the command line has
    /// given, by name. Returns what is to be said, a line each.
    ///
    /// # Errors
    /// When commands do not fit together.
    pub fn settle(&self, given: &[&str], job: &mut Job) -> Result<Vec<String>, ConfigError> {
        let mut remarks = Remarks::default();
        for Located { command, place } in &self.commands {
            match command {
                Command::Foreign { name, reason } => {
                    remarks.once(name, place, &format!("{name} is ignored: {reason}"));
                }
                Command::Set { name, numbers } => {
                    let Some((setting, directive)) = settings::directive(name) else { continue };
                    match (setting.overruled(given), (directive.value)(numbers)) {
                        (Some(option), _) => remarks.overruled(name, place, option),
                        (None, Some(value)) => (setting.set)(job, &Value::Number(value)),
                        (None, None) => {}
                    }
                }
                Command::Obcreate { .. } if given.contains(&"placement") => {
                    remarks.overruled("OBCREATE", place, "placement");
                }
                Command::Obcreate { .. } | Command::Tell { .. } | Command::Go => {}
            }
        }
        if !given.contains(&"throttle") {
            throttle::settle(&self.commands, job, &mut remarks)?;
        }
        if !given.contains(&"balance") {
            balance::settle(&self.commands, job);
        }
        Ok(remarks.lines)
    }
}

/// What is to be said, once for each command.
#[derive(Default)]
struct Remarks {
    said: BTreeSet<String>,
    lines: Vec<String>,
}

impl Remarks {
    fn once(&mut self, about: &str, place: &Place, text: &str) {
        if self.said.insert(about.to_string()) {
            self.lines.push(format!("{place}: {text}"));
        }
    }

    fn overruled(&mut self, command: &str, place: &Place, option: &str) {
        let text = format!("{command} does not count, because the command line has --{option}");
        self.once(command, place, &text);
    }
}

impl Place {
    fn error(&self, reason: impl Into<String>) -> ConfigError {
        ConfigError { place: self.clone(), reason: reason.into() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}, column {}", self.file.display(), self.line, self.column)
    }
}
