//! Arguments of clap made from rows ([`models::argument`]), and what was given of them.

use super::quantity;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches};
use models::argument::{Argument, Takes, Value};

/// The argument of a row.
pub fn argument(row: &Argument) -> Arg {
    let mut arg = Arg::new(row.name).long(row.name).help(help(row)).hide(row.is_hidden);
    arg = match parser(row.takes) {
        Some(parser) => arg
            .value_name(row.value_name)
            .value_parser(parser)
            .allow_negative_numbers(matches!(row.takes, Takes::Simtime)),
        None => arg.action(ArgAction::SetTrue),
    };
    if let Some(other) = row.requires {
        arg = arg.requires(other);
    }
    arg.conflicts_with_all(row.conflicts)
}

/// Those of these rows that are given, by name.
pub fn given<'a>(
    rows: impl Iterator<Item = &'a Argument>,
    matches: &ArgMatches,
) -> Vec<(&'static str, Value)> {
    let value = |row: &Argument| match row.takes {
        _ if row.name.is_empty() => None,
        Takes::Nothing => matches.get_flag(row.name).then_some(Value::Number(1.0)),
        _ => matches.get_one::<Value>(row.name).cloned(),
    };
    rows.filter_map(|row| Some((row.name, value(row)?))).collect()
}

fn help(row: &Argument) -> String {
    match row.usual {
        "" => row.help.to_string(),
        usual => format!("{}  [default: {usual}]", row.help),
    }
}

/// What reads the value; a switch has none.
fn parser(takes: Takes) -> Option<ValueParser> {
    Some(match takes {
        Takes::Nothing => return None,
        Takes::OneOf(words) => one_of(words),
        Takes::Whole(least) => {
            let range = clap::value_parser!(u32).range(i64::from(least)..);
            range.map(|number: u32| Value::Whole(u64::from(number))).into()
        }
        Takes::Seed => ValueParser::new(|text: &str| text.parse().map(Value::Whole)),
        Takes::Folder => clap::builder::PathBufValueParser::new().map(Value::Path).into(),
        Takes::Text(check) => {
            ValueParser::new(move |text: &str| check(text).map(|()| Value::Text(text.to_string())))
        }
        Takes::Real | Takes::Work | Takes::Simtime => {
            ValueParser::new(|text: &str| finite(text).map(Value::Number))
        }
        Takes::Bytes => ValueParser::new(|text: &str| {
            quantity::bytes(text).map(|bytes| Value::Number(bytes as f64))
        }),
        Takes::Time => ValueParser::new(|text: &str| {
            quantity::duration(text).map(|time| Value::Number(time.as_secs_f64()))
        }),
        Takes::Rule => ValueParser::new(|text: &str| text.parse().map(Value::Rule)),
    })
}

fn one_of(words: &'static [(&'static str, &'static str)]) -> ValueParser {
    let known = words.iter().map(|(word, help)| PossibleValue::new(*word).help(*help));
    let place = |given: String| words.iter().position(|(word, _)| *word == given);
    PossibleValuesParser::new(known)
        .map(move |given| Value::Number(place(given).unwrap_or(0) as f64))
        .into()
}

fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err("write a number, e.g. 250 or 0.5".into()),
    }
}
