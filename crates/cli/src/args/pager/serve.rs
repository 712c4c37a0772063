//! `fourstamp pager serve` and `fourstamp pager key`.

use crate::args::config::{self, Given};
use crate::args::quantity;
use anyhow::{Result, bail};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::path::{Path, PathBuf};

/// `fourstamp pager serve`, as typed. What a configuration file says is added each time that it is
/// read.
#[derive(Clone)]
pub struct PagerServeArgs {
    /// The configuration file.
    pub config: Option<PathBuf>,
    typed: Given,
}

/// Where the rest comes from.
#[derive(Args)]
struct ConfigArgs {
    /// Read options from this file, too; those that are typed win
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// What a page server is told, typed or in its file.
#[derive(Args)]
#[command(after_help = "\
Lends memory to programs that page over the network. Each program has its own pages, which no \
other can see and which are freed when it ends; the memory for all of them together is bounded. \
When the server is full or its machine is short of memory, it refuses new pages, and the programs \
use other servers or their disk.

Only programs with the run key may use the server; with several key files, with any of their keys. \
Traffic is encrypted, unless the program is on this machine or says otherwise (`fourstamp pager \
run --plain`, which --require-encryption refuses).

A configuration file has these options by the same names; key-files is a list. Paths in it begin \
at its folder. On SIGHUP the server reads the file and its key files again: it accepts the keys \
that they name from then on, and programs that are connected stay so. If something is wrong with \
them, it says so and goes on as before.

Examples:
  fourstamp pager key run.key       make a key; copy it to the other machines
  fourstamp pager serve --memory 8G --listen 0.0.0.0:7311 --key-file run.key
  fourstamp pager serve --config /etc/fourstamp/pager.toml

where the file says
  memory = \"8G\"
  listen = \"0.0.0.0:7311\"
  key-files = [\"run.key\"]")]
pub struct PagerServeOptions {
    /// Memory to lend to all programs together, e.g. 512M or 8G
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    pub memory: usize,
    /// Where to listen; port 0 picks a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7311")]
    pub listen: String,
    /// File with a run key; may be repeated. Without it, the key in FOURSTAMP_RUN_KEY
    #[arg(long, visible_alias = "key", value_name = "FILE")]
    pub key_file: Vec<PathBuf>,
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
    /// Poll up to this long for the next request before sleeping, where requests usually come as
    /// soon; 0ms: never
    #[arg(long, value_name = "TIME", default_value = "0.15ms", value_parser = quantity::duration)]
    pub spin: std::time::Duration,
    /// Write the address to this file once the server listens
    #[arg(long, value_name = "FILE")]
    pub announce: Option<PathBuf>,
}

impl PagerServeArgs {
    /// What is typed and what the file says now, and the options that this makes.
    ///
    /// # Errors
    /// The first thing that is wrong with the file.
    pub fn read(&self) -> Result<(Given, PagerServeOptions)> {
        let command = options_command();
        let mut given = match &self.config {
            Some(path) => config::read(&command, path)?,
            None => Given::new(),
        };
        given.extend(self.typed.clone());
        if let Some(arg) = config::missing(&command, &given) {
            let name = config::name(arg);
            let file = self.config.as_deref().unwrap_or(Path::new("")).display();
            bail!("{file}: '{name}' is missing: add {name} = \"…\" ({})", config::about(arg));
        }
        let words = config::words(&command, &given);
        let options = command.try_get_matches_from(words);
        let options = options.and_then(|matches| PagerServeOptions::from_arg_matches(&matches))?;
        Ok((given, options))
    }
}

/// The options alone, without where they come from.
fn options_command() -> Command {
    PagerServeOptions::augment_args(Command::new("serve").no_binary_name(true))
}

impl Args for PagerServeArgs {
    fn augment_args(command: Command) -> Command {
        let command = PagerServeOptions::augment_args(ConfigArgs::augment_args(command));
        command.mut_arg("memory", |arg| arg.required(false).required_unless_present("config"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        PagerServeArgs::augment_args(command)
    }
}

impl FromArgMatches for PagerServeArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<PagerServeArgs, clap::Error> {
        let ConfigArgs { config } = ConfigArgs::from_arg_matches(matches)?;
        Ok(PagerServeArgs { config, typed: config::typed(&options_command(), matches) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = PagerServeArgs::from_arg_matches(matches)?;
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("service").join(name)
    }

    #[test]
    fn the_configuration_that_is_shipped_fits_the_unit_that_is_shipped() {
        let args = PagerServeArgs { config: Some(shipped("pager.toml")), typed: Given::default() };
        let (_, options) = args.read().unwrap();
        assert_eq!(options.key_file, [shipped("run.key")]);
        assert!(options.require_encryption);
        let unit = std::fs::read_to_string(shipped("fourstamp-pager.service")).unwrap();
        let most = unit.lines().find_map(|line| line.strip_prefix("MemoryMax=")).unwrap();
        assert_eq!(quantity::bytes(most), Ok(options.memory / 8 * 9), "as its comment says");
    }

    #[test]
    fn no_text_makes_reading_panic() {
        let text = std::fs::read(shipped("pager.toml")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pager.toml");
        for cut in 0..text.len() {
            let mut odd = text.clone();
            odd[cut] = odd[cut].wrapping_mul(29).wrapping_add(7);
            for odd in [&text[..cut], &odd] {
                std::fs::write(&path, odd).unwrap();
                let args = PagerServeArgs { config: Some(path.clone()), typed: Given::default() };
                let _ = args.read();
            }
        }
    }
}
