//! `fourstamp man`: a manual page a command.

use crate::args::Cli;
use crate::show::say;
use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::io::{self, Write};
use std::path::Path;

/// Write them.
pub fn run(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make {}; choose another folder", folder.display()))?;
    // What `help` says is what the pages say.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let source = format!("Fourstamp {}", env!("CARGO_PKG_VERSION"));
    let mut pages = 0;
    each(&command, &mut |command| {
        let man = Man::new(command.clone()).source(&source).manual("Fourstamp manual");
        let path = folder.join(man.get_filename());
        pages += 1;
        record::write_whole(&path, |out| page(&man, command, out))
            .with_context(|| format!("cannot write {}", path.display()))
    })?;
    let first = folder.join("fourstamp.1");
    say(&format!("{pages} pages in {}; read one: man -l {}\n", folder.display(), first.display()))
}

/// A command, and all below it.
fn each(command: &Command, act: &mut impl FnMut(&Command) -> Result<()>) -> Result<()> {
    act(command)?;
    command.get_subcommands().filter(|one| !one.is_hide_set()).try_for_each(|one| each(one, act))
}

/// As [`Man::render`], which would run the lines of examples together.
fn page(man: &Man, command: &Command, out: &mut dyn Write) -> io::Result<()> {
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.get_subcommands().next().is_some() {
        man.render_subcommands_section(out)?;
    }
    match command.get_after_help() {
        Some(text) => out.write_all(notes(&text.to_string()).as_bytes()),
        None => Ok(()),
    }
}

/// What stands below a command's help: paragraphs are filled, lines that are set in stay lines.
fn notes(text: &str) -> String {
    let mut out = String::from(".SH NOTES\n");
    let mut is_set_in = false;
    for line in text.lines() {
        if line.starts_with(' ') != is_set_in && !line.is_empty() {
            is_set_in = !is_set_in;
            out += if is_set_in { ".nf\n" } else { ".fi\n" };
        }
        match line {
            "" => out += ".PP\n",
            _ => out += &escaped(line),
        }
    }
    if is_set_in {
        out += ".fi\n";
    }
    out
}

/// A line of text that holds no request and no escape.
fn escaped(line: &str) -> String {
    let safe = line.replace('\\', "\\e").replace('-', "\\-");
    let guard = if safe.starts_with(['.', '\'']) { "\\&" } else { "" };
    format!("{guard}{safe}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_stay_lines_and_paragraphs_are_filled() {
        let text = "One\ntwo.\n\nExamples:\n  a -b \\\n    .c\n.end";
        let expected = ".SH NOTES\nOne\ntwo.\n.PP\nExamples:\n.nf\n  a \\-b \\e\n    .c\n.fi\n\
                        \\&.end\n";
        assert_eq!(notes(text), expected);
    }
}
