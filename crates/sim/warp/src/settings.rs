//! The options of a run and its engine, each in one row: the argument, its help text, what it sets,
//! and the commands of a configuration file that say the same ([`SETTINGS`], in
//! `settings/table.rs`). A new option is a field of [`timewarp::Options`] and a row. What
//! `run.json` says of an option is that field, serialised.

mod table;

pub use table::SETTINGS;
pub(crate) use table::SIMTIME_MAX;

use crate::Job;
use models::argument::{Argument, Value};
use timewarp::{Balance, Search, Timing};

/// An option: all that is known of it.
pub struct Setting {
    /// How a command line says it.
    pub argument: Argument,
    /// Under which heading the help text has it.
    pub group: Group,
    /// What it does.
    pub set: fn(&mut Job, &Value),
    /// The commands of a configuration file that say the same, and do not count where it is given.
    pub commands: &'static [Directive],
    /// Other options, by name, where these commands do not count either.
    pub beside: &'static [&'static str],
}

/// What an option is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The run.
    Run,
    /// How the engine works, which changes no result.
    Engine,
}

/// A command of a configuration file that sets an option.
#[derive(Debug)]
pub struct Directive {
    /// As the reference writes it.
    pub name: &'static str,
    /// The numbers behind it.
    pub takes: &'static [Number],
    /// The option's value, in the unit of its argument; `None`: its numbers mean something only
    /// together with those of other commands, see `config::throttle` and `config::balance`.
    pub value: fn(&[f64]) -> Option<f64>,
}

/// A number behind a command.
#[derive(Debug)]
pub struct Number {
    /// What is expected, in words.
    pub what: &'static str,
    /// The smallest that is taken.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// Whether it must be whole.
    pub is_whole: bool,
}

impl Setting {
    /// The first of the options given, by name, where its commands do not count.
    pub(crate) fn overruled<'a>(&self, given: &[&'a str]) -> Option<&'a str> {
        let name = self.argument.name;
        given.iter().find(|given| **given == name || self.beside.contains(given)).copied()
    }
}

/// The command of that name, and what it sets.
pub(crate) fn directive(name: &str) -> Option<(&'static Setting, &'static Directive)> {
    SETTINGS.iter().find_map(|setting| {
        setting.commands.iter().find(|it| it.name == name).map(|directive| (setting, directive))
    })
}

/// Unacknowledged messages with a search of the receive queue: the queue would have no bound
/// otherwise.
const ACKS_WITH_SEARCH: u32 = 20;

impl Job {
    /// Put what a command line has given, by name, over what is there, and settle what follows from
    /// that.
    pub fn settle(&mut self, given: &[(&'static str, Value)]) {
        let value = |setting: &Setting| {
            given.iter().find(|(name, _)| *name == setting.argument.name).map(|(_, value)| value)
        };
        for setting in SETTINGS {
            if let Some(value) = value(setting) {
                (setting.set)(self, value);
            }
        }
        let engine = &mut self.engine;
        if engine.search != Search::All {
            engine.max_acks = engine.max_acks.or(Some(ACKS_WITH_SEARCH));
        }
        let is_timing_given = given.iter().any(|(name, _)| *name == "timing");
        if engine.timing == Timing::None && !is_timing_given {
            engine.timing = match engine.balance {
                Some(_) => Timing::Wall,
                None if engine.stretch > 1.0 || engine.causes => Timing::Process,
                None => Timing::None,
            };
        }
    }

    /// How load is balanced: from now on it is.
    fn balance(&mut self) -> &mut Balance {
        self.engine.balance.get_or_insert_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModelSpec;
    use models::argument::Takes;
    use std::collections::HashSet;
    use timewarp::Throttle;

    fn job() -> Job {
        Job::new(ModelSpec::of(&models::PingOptions { stop: 1.0 }))
    }

    #[test]
    fn each_name_is_there_once() {
        let arguments = SETTINGS.iter().map(|it| it.argument.name).filter(|name| !name.is_empty());
        let commands = SETTINGS.iter().flat_map(|it| it.commands).map(|it| it.name);
        let mut seen = HashSet::new();
        assert!(arguments.chain(commands).all(|name| seen.insert(name)), "{seen:?}");
        let known = |name: &str| SETTINGS.iter().any(|other| other.argument.name == name);
        for setting in SETTINGS {
            let named = setting.beside.iter().chain(setting.argument.conflicts);
            assert!(named.chain(&setting.argument.requires).all(|name| known(name)));
        }
    }

    /// What the help text says holds if nobody says otherwise, does.
    #[test]
    fn the_usual_value_is_the_usual_one() {
        for Setting { argument, set, .. } in SETTINGS {
            let value = match argument.takes {
                Takes::OneOf(words) => words.iter().position(|(word, _)| *word == argument.usual),
                Takes::Whole(_) => argument.usual.parse().ok(),
                _ => None,
            };
            let Some(value) = value else { continue };
            let mut usual = job();
            if argument.requires.is_some() {
                usual.settle(&[("balance", Value::Number(1.0))]);
            }
            let mut job = usual.clone();
            set(&mut job, &Value::Number(value as f64));
            assert_eq!(job, usual, "{}", argument.name);
        }
    }

    #[test]
    fn what_is_given_brings_what_it_needs() {
        let settled = |given: &[(&'static str, Value)]| {
            let mut job = job();
            job.settle(given);
            job.engine
        };
        let (one, usual) = (|| Value::Number(1.0), job().engine);
        assert_eq!(settled(&[]), usual);
        assert_eq!(settled(&[("plimit", one())]).max_acks, Some(ACKS_WITH_SEARCH));
        assert_eq!(
            settled(&[("plimit", one()), ("max-acks", Value::Number(3.0))]).max_acks,
            Some(3)
        );
        assert_eq!(settled(&[("balance", one())]).timing, Timing::Wall);
        assert_eq!(settled(&[("critical-path", one())]).timing, Timing::Process);
        let refused = settled(&[("timing", Value::Number(0.0)), ("critical-path", one())]);
        assert!(refused.check().is_err());
        let rule = Throttle::Undone;
        assert_eq!(settled(&[("throttle", Value::Rule(rule))]).throttle, rule);
    }
}
