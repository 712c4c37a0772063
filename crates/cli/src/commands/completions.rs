//! `fourstamp completions`: what a shell needs to complete commands and options.

use crate::args::{Cli, Shell};
use clap::{Arg, Command, CommandFactory};
use clap_complete::{generate, shells};
use std::io::Write;

/// Print it.
pub fn run(shell: Shell) -> anyhow::Result<()> {
    std::io::stdout().write_all(&script(shell))?;
    Ok(())
}

fn script(shell: Shell) -> Vec<u8> {
    let (mut command, mut script) = (Cli::command(), Vec::new());
    match shell {
        Shell::Bash => generate(shells::Bash, &mut command, "fourstamp", &mut script),
        Shell::Zsh => generate(shells::Zsh, &mut command, "fourstamp", &mut script),
        Shell::Fish => {
            generate(shells::Fish, &mut command, "fourstamp", &mut script);
            script.extend(words_for_fish(&command, &[]).bytes());
        }
    }
    script
}

/// The words that an argument without a name may be, which the generator leaves out for fish:
/// `fourstamp completions bash`. `path` names the command from the second word on.
fn words_for_fish(command: &Command, path: &[&str]) -> String {
    let condition = match path {
        [] => String::new(),
        [name] => format!("__fish_fourstamp_using_subcommand {name}"),
        [name, rest @ ..] => format!(
            "__fish_fourstamp_using_subcommand {name}; and __fish_seen_subcommand_from {}",
            rest.join(" ")
        ),
    };
    let choices = |argument: &Arg| {
        let line = |value: &clap::builder::PossibleValue| {
            let about = value.get_help().map(ToString::to_string).unwrap_or_default();
            let about = about.replace(['\'', '"', '\\', '$'], "");
            format!("{}\\t'{about}'", value.get_name())
        };
        let values = argument.get_possible_values();
        values.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    let one =
        |words: String| format!("complete -c fourstamp -n \"{condition}\" -f -a \"{words}\"\n");
    let own = command.get_positionals().map(choices).filter(|words| !words.is_empty()).map(one);
    let inner = command.get_subcommands().map(|inner| {
        let path: Vec<&str> = path.iter().copied().chain([inner.get_name()]).collect();
        words_for_fish(inner, &path)
    });
    own.chain(inner).collect()
}
