//! A program with a simulation model of its own: the command, with that model instead of ours.
//!
//! `bank --nodes 4 --check` is `fourstamp warp bank --nodes 4 --check`, and `bank study --nodes
//! 1,2` is `fourstamp warp study bank --nodes 1,2`; what begins with another verb of the command is
//! that verb, so that nodes find their way in, and `bank report RUN` works.

use crate::args::Cli;
use clap::CommandFactory;
use models::Recipe;
use std::ffi::{OsStr, OsString};
use std::process::ExitCode;
use warp::Row;

/// Be the command with this model. Its nodes are processes of the calling program, started anew
/// with other arguments: so this is all that its `main` does.
pub fn simulate<R: Recipe>() -> ExitCode {
    warp::offer(vec![Row::of::<R>()].leak());
    crate::run(whole(R::NAME, std::env::args_os()))
}

/// What was typed, as the command has it.
fn whole(model: &str, mut typed: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let program = typed.next().unwrap_or_else(|| model.into());
    let typed: Vec<OsString> = typed.collect();
    let first = typed.first().and_then(|word| word.to_str()).unwrap_or_default();
    let (verbs, left): (&[&str], _) = match first {
        "study" => (&["warp", "study", model], &typed[1..]),
        verb if Cli::command().find_subcommand(verb).is_some() => (&[], &typed[..]),
        _ => (&["warp", model], &typed[..]),
    };
    let verbs = verbs.iter().map(OsStr::new).map(OsStr::to_owned);
    [program].into_iter().chain(verbs).chain(left.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_for_the_model_unless_it_is_a_verb() {
        let whole = |typed: &str| {
            let words = whole("bank", typed.split(' ').map(OsString::from));
            let words: Vec<String> =
                words.into_iter().map(|word| word.into_string().unwrap_or_default()).collect();
            words.join(" ")
        };
        assert_eq!(whole("bank"), "bank warp bank");
        assert_eq!(whole("./bank --nodes 4 --check"), "./bank warp bank --nodes 4 --check");
        assert_eq!(whole("bank study -n 1,2"), "bank warp study bank -n 1,2");
        for verb in ["bank node --join x", "bank warp bank --csv", "bank report runs/a"] {
            assert_eq!(whole(verb), verb);
        }
    }
}
