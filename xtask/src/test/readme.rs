//! The README's commands, as pasted and in order: one that fails there fails here.
//!
//! A command is a line that begins with `$ ` in a block of kind `console`, with the lines that it
//! goes on in (`\`). What stands below it is what it may print, and is not compared: times differ.
//! A block below the line `<!-- set-up -->` is what every machine does once, and this one has done.

use super::tally::Tally;
use crate::mpi::as_root_too;
use crate::process::{self, on_path};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

const SET_UP: &str = "<!-- set-up -->";
/// What the README promises of each command that says nothing else, s; machines with other work
/// are given more.
const PROMISED: Duration = Duration::from_secs(15);
const LIMIT: Duration = Duration::from_secs(300);

/// Run all of them in an empty folder beside the examples.
pub fn run(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let text = fs::read_to_string(workspace.root.join("README.md"))?;
    let commands = commands(&text);
    if commands.is_empty() {
        bail!("README.md has no command");
    }
    let folder = workspace.fresh("readme")?;
    symlink(workspace.root.join("examples"), folder.join("examples"))?;
    for command in &commands {
        if command.contains("mpi") && on_path("mpicc").is_none() {
            tally.skip(format!("no MPI library: {command}"))?;
            continue;
        }
        let took = paste(workspace, &folder, command)?;
        let note = if took > PROMISED { ", longer than the README's 15 s" } else { "" };
        println!("{:6.1} s  {command}{note}", took.as_secs_f64());
        tally.passed += 1;
    }
    Ok(())
}

/// Run a command in a shell that finds `fourstamp`.
fn paste(workspace: &Workspace, folder: &Path, command: &str) -> Result<Duration> {
    let program = workspace.finished();
    let beside = program.parent().context("the program lies in a folder")?;
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = workspace.command("bash", &["-euo", "pipefail", "-c", command]);
    shell.current_dir(folder).env("PATH", format!("{}:{path}", beside.display()));
    as_root_too(&mut shell);
    let begin = Instant::now();
    process::capture_within(&mut shell, LIMIT)
        .with_context(|| format!("README.md: `{command}` fails"))?;
    Ok(begin.elapsed())
}

/// The commands of a text, each as one line of shell.
fn commands(text: &str) -> Vec<String> {
    let (mut commands, mut open) = (Vec::<String>::new(), false);
    let (mut pasted, mut goes_on, mut before) = (false, false, "");
    for line in text.lines() {
        if line.starts_with("```") {
            pasted = !open && line == "```console" && before != SET_UP;
            (open, goes_on) = (!open, false);
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| pasted) {
            commands.push(command.to_owned());
            goes_on = command.ends_with('\\');
        } else if goes_on && let Some(command) = commands.last_mut() {
            command.truncate(command.len() - 1);
            command.push_str(line.trim_start());
            goes_on = command.ends_with('\\');
        }
        if !line.trim().is_empty() {
            before = line;
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_what_a_reader_would_paste() {
        let text = "\
            $ not in a block\n```console\n$ one --a \\\n    --b\noutput\n$ two\n```\n\
            <!-- set-up -->\n```console\n$ once\n```\n```rust\n$ no\n```\n\
            ```console\n$ three\n```\n";
        assert_eq!(commands(text), ["one --a --b", "two", "three"]);
    }
}
