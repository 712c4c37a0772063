//! Commands, arguments and options with their defaults and possible values, as `--help` has them.

use crate::process;
use crate::workspace::Workspace;
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::Path;

/// An entry's help begins at least so far to the right of its section's name.
const DEEPEST_ENTRY: usize = 6;

/// All commands below the program, each with what it takes.
pub fn all(workspace: &Workspace, program: &Path) -> Result<BTreeSet<String>> {
    let mut lines = BTreeSet::new();
    for (name, help) in helps(workspace, program)? {
        let help = Help::parse(&help);
        lines.insert(format!("command: {name}"));
        lines.extend(help.entries.iter().map(|entry| format!("{}: {name} {entry}", entry.kind())));
    }
    Ok(lines)
}

/// The name of each command and what its `--help` says, those below one after it.
pub fn helps(workspace: &Workspace, program: &Path) -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    let mut waiting = vec![vec!["fourstamp".to_owned()]];
    while let Some(path) = waiting.pop() {
        let mut command = workspace.command(program, &[]);
        let text = process::capture(command.args(&path[1..]).arg("--help"))?;
        let below = Help::parse(&text).commands.into_iter().filter(|below| below != "help").rev();
        waiting.extend(below.map(|below| path.iter().cloned().chain([below]).collect()));
        all.push((path.join(" "), text));
    }
    Ok(all)
}

/// What a command's help lists.
#[derive(Debug, Default, PartialEq)]
struct Help {
    commands: Vec<String>,
    entries: Vec<Entry>,
}

/// An option or argument.
#[derive(Debug, PartialEq)]
struct Entry {
    /// As `-n, --nodes <NODES>`.
    name: String,
    /// Its help in one line.
    help: String,
}

impl Help {
    fn parse(text: &str) -> Help {
        let mut help = Help::default();
        // The name of the section, and how many entries there were before it.
        let (mut section, mut before) = ("", 0);
        for line in text.lines() {
            let indent = line.len() - line.trim_start().len();
            if indent == 0 && !line.is_empty() {
                // What is no capital goes on with a sentence.
                let heading =
                    line.strip_suffix(':').filter(|it| it.starts_with(char::is_uppercase));
                (section, before) = (heading.unwrap_or_default(), help.entries.len());
                continue;
            }
            match section {
                "Commands" if indent == 2 => {
                    help.commands.extend(line.split_whitespace().next().map(str::to_owned));
                }
                "" | "Examples" | "Commands" => {}
                _ => help.entry_line(line.trim_start(), indent, before),
            }
        }
        help
    }

    /// A line of a section of options or arguments.
    fn entry_line(&mut self, line: &str, indent: usize, before: usize) {
        let begins = (1..=DEEPEST_ENTRY).contains(&indent) && line.starts_with(['-', '<', '[']);
        if begins {
            let (name, help) = line.split_once("  ").unwrap_or((line, ""));
            self.entries.push(Entry { name: name.to_owned(), help: help.trim().to_owned() });
        } else if let Some(entry) = self.entries[before..].last_mut() {
            entry.help += " ";
            entry.help += line;
        }
    }
}

impl Entry {
    fn kind(&self) -> &'static str {
        if self.name.starts_with('-') { "option" } else { "argument" }
    }

    /// `[default: …]`, as the help has it.
    fn default(&self) -> Option<&str> {
        let begin = self.help.find("[default: ")?;
        let end = self.help[begin..].find(']')?;
        Some(&self.help[begin..=begin + end])
    }

    /// The names of the values that it takes: `[possible values: a, b]`, or an item each.
    fn values(&self) -> Vec<&str> {
        if let Some((_, listed)) = self.help.split_once("[possible values: ") {
            return listed.split(']').next().unwrap_or_default().split(", ").collect();
        }
        let Some((_, items)) = self.help.split_once("Possible values:") else { return Vec::new() };
        items.split(" - ").skip(1).filter_map(|item| item.split([':', ' ']).next()).collect()
    }
}

/// With its default and its values.
impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        if let Some(default) = self.default() {
            write!(f, " {default}")?;
        }
        match self.values()[..] {
            [] => Ok(()),
            ref values => write!(f, " of {}", values.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        Help::parse(text).entries.iter().map(Entry::to_string).collect()
    }

    #[test]
    fn commands_are_found_and_their_help_is_not_taken_for_one() {
        let text = "Measure\n\nUsage: x <COMMAND>\n\nCommands:\n\
                    \x20 tour   Measure this\n         page\n\
                    \x20 help   Print\n\nOptions:\n  -h, --help  Print help\n\n\
                    Examples:\n  x tour  it\n";
        let help = Help::parse(text);
        assert_eq!(help.commands, ["tour", "help"]);
        assert_eq!(shown(text), ["-h, --help"]);
    }

    #[test]
    fn short_and_long_help_are_read_alike() {
        let short = "Options:\n      --seed <SEED>     Seed of the\n                        x \
                     [default: 1]\n      --csv[=<SERIES>]  Print CSV [possible values: a, b]\n";
        assert_eq!(shown(short), ["--seed <SEED> [default: 1]", "--csv[=<SERIES>] of a, b"]);
        let long = "Arguments:\n  <RUN>...\n          Run folders\n\n\
                    Options:\n      --seed <SEED>\n\
                    \x20         Seed\n\n          Possible values:\n          - one: Of one\n\
                    \x20         - two\n\n          [default: one]\n";
        assert_eq!(shown(long), ["<RUN>...", "--seed <SEED> [default: one] of one, two"]);
    }
}
