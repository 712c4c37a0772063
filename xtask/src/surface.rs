//! `cargo xtask surface`: everything that a user of fourstamp can meet, a line each, in a file
//! under version control.
//!
//! The list is made from what the built programs say and write, never from their sources: commands
//! and options from `--help`, sections, charts and tables from the pages of made-up runs, series
//! and columns from the CSV files, keys from `run.json` and its description. So the code can be
//! moved and rewritten, and `--check` still tells whether anything was lost on the way.
//!
//! What it does not see: pages that need a long measurement (the studies), and words outside of
//! headings. The tests beside them look at those.

mod commands;
mod keys;
mod pages;
mod tables;

pub use commands::helps;

use crate::process;
use crate::workspace::{Build, Workspace};
use anyhow::{Context, Result};
use clap::Args;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The list, in the workspace.
const LIST: &str = "xtask/surface.txt";
const BUILD_LIMIT: Duration = Duration::from_secs(3600);

/// What to do with the list.
#[derive(Args, Debug)]
pub struct Options {
    /// Compare with the list that is there instead of writing it: what was lost is an error.
    #[arg(long)]
    check: bool,
    /// Take the debug programs as they were built.
    #[arg(long)]
    built: bool,
}

/// The debug programs that are asked.
struct Programs {
    fourstamp: PathBuf,
    synthetic: PathBuf,
}

/// Writes the list, or compares; whether nothing was lost.
pub fn run(workspace: &Workspace, options: &Options) -> Result<bool> {
    if !options.built {
        process::run(&mut workspace.compile(Build::Tests), BUILD_LIMIT)?;
    }
    let now = collect(workspace)?;
    let list = workspace.root.join(LIST);
    if options.check {
        return check(&list, &now);
    }
    let text: String = now.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&list, text).with_context(|| format!("cannot write {}", list.display()))?;
    println!("{} lines in {LIST}", now.len());
    Ok(true)
}

/// Compares with what is built; whether nothing was lost.
pub fn check_built(workspace: &Workspace) -> Result<bool> {
    process::run(&mut workspace.compile(Build::Tests), BUILD_LIMIT)?;
    check(&workspace.root.join(LIST), &collect(workspace)?)
}

fn check(list: &Path, now: &BTreeSet<String>) -> Result<bool> {
    let text = std::fs::read_to_string(list)
        .with_context(|| format!("cannot read {}: cargo xtask surface", list.display()))?;
    let before: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    now.difference(&before).for_each(|line| println!("new:  {line}"));
    before.difference(now).for_each(|line| println!("lost: {line}"));
    let lost = before.difference(now).count();
    if lost > 0 {
        println!("{lost} lost; if that is meant: cargo xtask surface, and say so in the changelog");
    }
    Ok(lost == 0)
}

/// The list as it is now, sorted.
fn collect(workspace: &Workspace) -> Result<BTreeSet<String>> {
    let built = |name| workspace.built(Build::Tests, name);
    let programs =
        Programs { fourstamp: built("fourstamp"), synthetic: built("examples/synthetic") };
    let made = tempfile::tempdir().context("cannot make a temporary folder")?;
    process::capture(workspace.command(&programs.synthetic, &[]).arg(made.path()))?;
    let mut lines = commands::all(workspace, &programs.fourstamp)?;
    lines.extend(tables::all(workspace, &programs.fourstamp, made.path())?);
    // After the CSV tables, whose folder has a page of a comparison too.
    lines.extend(pages::all(made.path())?);
    lines.extend(keys::all(workspace, made.path())?);
    Ok(lines)
}

/// Numbers are data: `Table of all 17 sizes` is `Table of all # sizes`.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let follows = rest.peek().is_some_and(char::is_ascii_digit);
        // Within a number there may be points and narrow spaces.
        let within =
            out.ends_with('#') && follows && matches!(c, '.' | ',' | '\u{a0}' | '\u{202f}' | ' ');
        match c {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            _ if within => {}
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_fails_and_what_is_new_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list");
        std::fs::write(&list, "option: a --b\noption: a --c\n").unwrap();
        let now = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect();
        assert!(check(&list, &now(&["option: a --b", "option: a --c", "option: d"])).unwrap());
        assert!(!check(&list, &now(&["option: a --b"])).unwrap());
    }

    #[test]
    fn numbers_are_data() {
        assert_eq!(without_numbers("All 1\u{a0}700 sizes, 0.5 s"), "All # sizes, # s");
    }
}
