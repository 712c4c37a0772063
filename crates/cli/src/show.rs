//! Documents as they leave the program: on the terminal, as a page, as CSV, as JSON.

mod study;

pub use study::StudyFolder;

use anyhow::{Error, Result, bail};
use clap::Args;
use document::{Document, Screen};
use record::RecordError;
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Other forms than text for people; every command that reports has them.
#[derive(Args, Clone, Debug, Default)]
pub struct ShowArgs {
    /// Print a table as CSV instead; a name that does not exist lists those that do
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with = "json"
    )]
    pub csv: Option<String>,
    /// Print everything as JSON instead: what is said, all tables, and every figure
    #[arg(long)]
    pub json: bool,
}

impl ShowArgs {
    /// The table that is wanted as CSV, if one is; `first` where none is named.
    pub fn table<'a>(&'a self, first: &'a str) -> Option<&'a str> {
        self.csv.as_deref().map(|name| if name.is_empty() { first } else { name })
    }

    /// Whether people read it.
    pub fn is_text(&self) -> bool {
        self.csv.is_none() && !self.json
    }

    /// Show the document in the form asked for, on standard output. `first` is the table that
    /// `--csv` alone means.
    pub fn show(&self, document: &Document, first: &str) -> Result<()> {
        self.show_with(document, first, || Ok(Map::new()))
    }

    /// The same with figures that only JSON has, besides what the document says.
    pub fn show_with(
        &self,
        document: &Document,
        first: &str,
        figures: impl FnOnce() -> Result<Map<String, Value>>,
    ) -> Result<()> {
        match self.table(first) {
            Some(name) => Ok(document::table_csv(document, name, &mut std::io::stdout().lock())?),
            None if self.json => {
                let mut whole = document::json(document);
                if let Some(said) = whole.as_object_mut() {
                    said.extend(figures()?);
                }
                Ok(writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&whole)?)?)
            }
            None => text(document),
        }
    }
}

/// Figures by their names, as [`ShowArgs::show_with`] takes them.
pub fn figures(of: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(of)? {
        Value::Object(named) => Ok(named),
        other => bail!("expected named figures, found {other}"),
    }
}

/// Print the document for people.
pub fn text(document: &Document) -> Result<()> {
    say(&document::terminal(document, screen(std::io::stdout().is_terminal())))
}

/// The same on standard error, where standard output belongs to another program.
pub fn text_beside(document: &Document) {
    eprint!("{}", document::terminal(document, screen(std::io::stderr().is_terminal())));
}

/// Write to standard output, harmless to a terminal whatever a run folder held; a reader that has
/// gone is an error that `main` knows.
pub fn say(text: &str) -> Result<()> {
    let text = document::fitted(&document::printable(text), columns(std::io::stdout()));
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}

/// Write a line to standard error, in as many as its terminal needs.
pub fn say_beside(line: &str) {
    let line = document::fitted(&format!("{line}\n"), columns(std::io::stderr()));
    // A terminal may be gone, and a log full: that is no reason to fail.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// The columns of a terminal; elsewhere a line may be as long as it likes.
fn columns(of: impl rustix::fd::AsFd) -> usize {
    let size = rustix::termios::tcgetwinsize(of);
    size.map(|size| usize::from(size.ws_col)).ok().filter(|n| *n >= 40).unwrap_or(usize::MAX)
}

/// Write the page of a document so that it appears whole or not at all.
pub fn page(document: &Document, out: &Path) -> Result<()> {
    whole(out, |file| Ok(document::page(document, file)?))
}

/// Write a file so that it appears whole or not at all.
pub fn whole<T>(out: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    record::write_whole(out, write).map_err(|error| unwritten(error, out))
}

/// Why `out` is not there. A run that cannot be read says so itself: no fault of `out`.
pub fn unwritten(error: Error, out: &Path) -> Error {
    if error.chain().any(|cause| cause.is::<RecordError>()) {
        return error;
    }
    error.context(format!(
        "cannot write {}: check that its folder can be written and has space",
        out.display()
    ))
}

/// What the terminal can show: its columns, 80 where there is none; colours unless NO_COLOR is set.
fn screen(is_terminal: bool) -> Screen {
    let columns = columns(std::io::stdout());
    let colour = is_terminal && std::env::var_os("NO_COLOR").is_none();
    Screen { width: if columns == usize::MAX { 80 } else { columns }, colour }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_cannot_be_read_is_no_fault_of_the_file() {
        let said = |error: Error| format!("{:#}", unwritten(error, Path::new("page.html")));
        let full = Error::from(std::io::Error::from(std::io::ErrorKind::StorageFull));
        assert!(said(full).starts_with("cannot write page.html: "));
        let damaged = RecordError::Damaged { path: "run.json".into(), what: "is cut".into() };
        assert!(!said(Error::from(damaged).context("of run a")).contains("page.html"));
    }
}
