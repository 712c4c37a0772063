//! A launch of a recipe: its commands one after another, each in a process of its own.

use super::SAID;
use crate::commands::reproduce::folder::{Folder, State};
use crate::studying::limits;
use anyhow::{Context, Result, bail};
use reproduce::{Book, Recipe, Where};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use study::process;

/// One of them.
pub struct Launch<'a> {
    /// The document.
    pub book: &'a Book,
    /// The recipe's name.
    pub name: &'a str,
    /// The recipe.
    pub recipe: &'a Recipe,
    /// Where it is made.
    pub place: &'a Where,
    /// From 1.
    pub number: u32,
    /// The longest that a command may take.
    pub limit: Duration,
}

impl Launch<'_> {
    /// Makes it. What the last of its commands printed is kept.
    pub fn make(&self, folder: &Folder, state: &State) -> Result<()> {
        let own = folder.launch(&self.book.document.id, self.name, self.place.name(), self.number);
        std::fs::create_dir_all(&own)
            .with_context(|| format!("cannot create {}", own.display()))?;
        let path = own.to_str().context("a folder's name is no text")?;
        let launch = state.launch(self.number, path);
        let mut said = String::new();
        for words in self.recipe.commands(self.name, self.place, state.scale, &launch)? {
            said = step(&words, self.limit)?;
        }
        if said.trim_start().starts_with('{') {
            keep(&own.join(SAID), &said)?;
        }
        Ok(())
    }
}

/// One of our own commands; what it printed.
fn step(words: &[String], limit: Duration) -> Result<String> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let mut command = Command::new(program);
    command.args(words);
    // Nobody would note it, or end it, when we are gone.
    rmem::end_with_parent(&mut command);
    let ended = process::watch(command, limits(limit))?;
    if let Some(why) = ended.failure() {
        bail!("{}: {why}", words.iter().take(2).cloned().collect::<Vec<_>>().join(" "));
    }
    Ok(ended.out)
}

fn keep(path: &Path, said: &str) -> Result<()> {
    record::write_whole(path, |out| out.write_all(said.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}
