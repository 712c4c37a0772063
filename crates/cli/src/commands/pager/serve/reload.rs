//! A server that reads its configuration and its key files again while it runs.

use super::keys::{Keys, connections};
use crate::args::{Given, PagerServeArgs};
use crate::failure::one_line;
use crate::notify::Manager;
use crate::show::say_beside;
use anyhow::Result;
use fabric::KeyRing;
use rmem::PageServer;
use std::collections::BTreeSet;
use std::io::{Write, stdout};
use std::sync::Arc;

/// The one option that a running server takes over.
const KEYS: &str = "key-file";

/// What is read again, and who is to know.
pub struct Reload {
    pub args: PagerServeArgs,
    /// What the server was started with.
    pub started: Given,
    pub ring: KeyRing,
    pub server: Arc<PageServer>,
    pub manager: Manager,
}

impl Reload {
    /// Read all of it. The keys change together, or not at all.
    pub fn again(&self) {
        self.manager.reloading();
        let status = match self.read() {
            Ok(said) => {
                // A service outlives whoever reads what it prints.
                let _ = writeln!(stdout(), "reloaded: {said}");
                said
            }
            Err(error) => {
                let said = format!("not reloaded, the keys are as before: {}", one_line(&error));
                say_beside(&format!("fourstamp: {said}"));
                said
            }
        };
        self.manager.ready(&status);
    }

    fn read(&self) -> Result<String> {
        let (given, options) = self.args.read()?;
        let keys = Keys::read(&options.key_file)?;
        self.ring.replace(keys.keys.clone())?;
        let differs = |name: &&str| self.started.get(*name) != given.get(*name);
        let names: BTreeSet<&str> =
            self.started.keys().chain(given.keys()).map(String::as_str).collect();
        let fixed: Vec<&str> =
            names.into_iter().filter(|name| *name != KEYS).filter(differs).collect();
        if !fixed.is_empty() {
            say_beside(&format!("fourstamp: {}", needs_restart(&fixed)));
        }
        Ok(self.accepted(&keys))
    }

    /// Which keys are accepted, and how many connections hold each.
    fn accepted(&self, keys: &Keys) -> String {
        let (counts, others) = self.server.connections_by_key(&keys.keys);
        let accepts = format!("accepts {}", keys.with_connections(&counts));
        match others {
            0 => accepts,
            _ => format!(
                "{accepts}; {} with a key that is no longer accepted, until their programs end",
                connections(others)
            ),
        }
    }
}

fn needs_restart(names: &[&str]) -> String {
    let (changed, them) = match names {
        [_] => ("has changed", "it"),
        _ => ("have changed", "them"),
    };
    format!("{} {changed}; restart the server to use {them}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_restart_is_named() {
        assert_eq!(needs_restart(&["memory"]), "memory has changed; restart the server to use it");
        let said = "listen, memory have changed; restart the server to use them";
        assert_eq!(needs_restart(&["listen", "memory"]), said);
    }
}
