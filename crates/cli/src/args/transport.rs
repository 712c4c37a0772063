//! `--transport` and the options of each transport, made from the fabric's table.

use super::quantity;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use fabric::{GivenOptions, OptionTakes, TRANSPORTS, TransportKind, TransportOption};
use serde_json::Value;

/// What carries the messages.
pub type Transport = &'static TransportKind;

/// The value of `--transport`.
pub fn transport() -> impl TypedValueParser<Value = Transport> {
    words(TRANSPORTS.iter().map(|kind| (kind.name, kind.about))).try_map(|name| {
        TransportKind::named(&name).ok_or("no transport has this name; see the list in --help")
    })
}

/// Options of whatever transport, as they were given.
#[derive(Clone, Default)]
pub struct TransportArgs {
    /// By name.
    pub given: GivenOptions,
}

impl TransportArgs {
    /// The transport that an option of its own means where none is named.
    pub fn implied(&self) -> Option<Transport> {
        let of_simulated = |name: &String| owner(name).filter(|kind| kind.clock.is_some());
        self.given.keys().find_map(of_simulated)
    }

    /// The settings of this transport, or why these options cannot be.
    pub fn settings(&self, asked: Transport) -> Result<Value, String> {
        let foreign = self.given.keys().find_map(|name| {
            let owner = owner(name)?;
            (owner != asked).then_some((name, owner))
        });
        match foreign {
            Some((name, owner)) => Err(format!(
                "--{name} belongs to transport {0}: add --transport {0}, or leave the option out",
                owner.name
            )),
            None => (asked.settings)(&self.given),
        }
    }
}

fn owner(name: &str) -> Option<Transport> {
    TRANSPORTS.into_iter().find(|kind| kind.options.iter().any(|option| option.name == name))
}

impl Args for TransportArgs {
    fn augment_args(mut command: Command) -> Command {
        for kind in TRANSPORTS.into_iter().filter(|kind| !kind.options.is_empty()) {
            command = command.next_help_heading(format!("Transport {}", kind.name));
            command = command.args(kind.options.iter().map(argument));
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TransportArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<TransportArgs, clap::Error> {
        let mut args = TransportArgs::default();
        args.update_from_arg_matches(matches).map(|()| args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for option in TRANSPORTS.iter().flat_map(|kind| kind.options) {
            if let Some(value) = matches.get_one::<Value>(option.name) {
                self.given.insert(option.name.to_owned(), value.clone());
            }
        }
        Ok(())
    }
}

fn argument(option: &TransportOption) -> Arg {
    let parser = match option.takes {
        OptionTakes::Count(least, most) => {
            ValueParser::new(clap::value_parser!(u64).range(least..=most).map(Value::from))
        }
        OptionTakes::Bytes => ValueParser::new(|text: &str| quantity::bytes(text).map(Value::from)),
        OptionTakes::Duration => ValueParser::new(|text: &str| {
            quantity::duration(text).map(|time| Value::from(time.as_micros() as u64))
        }),
        OptionTakes::Word(choices) => {
            ValueParser::new(words(choices.iter().copied()).map(Value::from))
        }
        OptionTakes::Text(read) => ValueParser::new(read),
    };
    Arg::new(option.name)
        .long(option.name)
        .value_name(option.value)
        .help(option.about)
        .value_parser(parser)
}

fn words(choices: impl Iterator<Item = (&'static str, &'static str)>) -> PossibleValuesParser {
    let value = |(name, about)| PossibleValue::new(name).help(about);
    PossibleValuesParser::new(choices.map(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(line: &str) -> Result<TransportArgs, clap::Error> {
        let command = TransportArgs::augment_args(Command::new("bench"));
        let matches = command.try_get_matches_from(format!("bench {line}").split_whitespace())?;
        TransportArgs::from_arg_matches(&matches)
    }

    #[test]
    fn options_are_read_as_their_rows_say() {
        let line =
            "--timer periodic --period 200us --max-acks 7 --datagram 1K --udp-faults loss=1%";
        let given = given(line).unwrap().given;
        assert_eq!(given["timer"], "periodic");
        assert_eq!(given["period"], 200);
        assert_eq!(given["max-acks"], 7);
        assert_eq!(given["datagram"], 1024);
        assert_eq!(given["udp-faults"]["loss"], 0.01);
    }

    #[test]
    fn what_a_row_does_not_take_is_refused() {
        for wrong in ["--timer never", "--max-acks 0", "--max-acks 1025", "--period 3"] {
            assert!(given(wrong).is_err(), "{wrong}");
        }
        let error = given("--udp-faults lost=1%").err().unwrap().to_string();
        assert!(error.contains("not a fault"), "{error}");
    }

    #[test]
    fn options_of_another_transport_are_refused_with_the_remedy() {
        let args = given("--max-acks 3").unwrap();
        let said = args.settings(&fabric::TCP).unwrap_err();
        assert!(said.contains("belongs to transport udp: add --transport udp"), "{said}");
        assert_eq!(args.settings(&fabric::UDP).unwrap()["max_acks"], 3);
    }
}
