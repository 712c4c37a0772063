//! Options of a command from a file in TOML: their names are those of the command, and what each
//! may be is checked by what checks the command line, so that neither is written twice.
//!
//! An option that may be repeated is a list, called with an s; a flag is true or false. Paths begin
//! at the file's folder. Every error names the file, the line, the field and what to do.

use anyhow::{Context, Result, anyhow};
use clap::builder::ValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::any::TypeId;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What was given: values, as they would be typed, by the option's long name.
pub type Given = BTreeMap<String, Vec<OsString>>;

/// What was typed.
pub fn typed(command: &Command, matches: &ArgMatches) -> Given {
    let given =
        |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let values = |arg: &Arg| {
        let raw = matches.get_raw(arg.get_id().as_str()).into_iter().flatten();
        (name(arg), raw.map(OsStr::to_owned).collect())
    };
    command.get_arguments().filter(given).map(values).collect()
}

/// What a file gives.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn read(command: &Command, path: &Path) -> Result<Given> {
    let text = record::read_text(path).with_context(|| {
        format!("cannot read the configuration {}; --config names its file", path.display())
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Reader { command, path, folder, text: &text }.read()
}

/// The same as words of a command line, without a program's name.
pub fn words(command: &Command, given: &Given) -> Vec<OsString> {
    let mut words = Vec::new();
    for arg in command.get_arguments() {
        for value in given.get(&name(arg)).into_iter().flatten() {
            match is_flag(arg) {
                true if value == "true" => words.push(format!("--{}", name(arg)).into()),
                true => {}
                false => words.push(word(arg, value)),
            }
        }
    }
    words
}

/// An option that must be given and is not.
pub fn missing<'a>(command: &'a Command, given: &Given) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| arg.is_required_set() && !given.contains_key(&name(arg)))
}

/// How a command line calls an option, without the dashes.
pub fn name(arg: &Arg) -> String {
    arg.get_long().unwrap_or_default().to_owned()
}

/// How a file calls it.
fn field(arg: &Arg) -> String {
    let plural = if is_list(arg) { "s" } else { "" };
    name(arg) + plural
}

/// What it is, in the words of `--help`.
pub fn about(arg: &Arg) -> String {
    arg.get_help().map(ToString::to_string).unwrap_or_default()
}

fn is_flag(arg: &Arg) -> bool {
    !arg.get_action().takes_values()
}

fn is_list(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

fn is_path(arg: &Arg) -> bool {
    let is = |parser: &ValueParser| parser.type_id() == TypeId::of::<PathBuf>();
    is(arg.get_value_parser())
}

fn word(arg: &Arg, value: &OsStr) -> OsString {
    let mut word = OsString::from(format!("--{}=", name(arg)));
    word.push(value);
    word
}

type Key<'a> = Spanned<Cow<'a, str>>;
type Value<'a> = Spanned<DeValue<'a>>;

struct Reader<'a> {
    command: &'a Command,
    path: &'a Path,
    folder: &'a Path,
    text: &'a str,
}

impl Reader<'_> {
    fn read(&self) -> Result<Given> {
        let table = DeTable::parse(self.text).map_err(|error| {
            let what = error.message().lines().next().unwrap_or("not TOML").to_string();
            self.at(error.span().map_or(0, |span| span.start), &what)
        })?;
        table.get_ref().iter().map(|(key, value)| self.entry(key, value)).collect()
    }

    fn at(&self, offset: usize, what: &str) -> anyhow::Error {
        let line = 1 + self.text[..offset.min(self.text.len())].matches('\n').count();
        anyhow!("{}:{line}: {what}", self.path.display())
    }

    fn entry(&self, key: &Key<'_>, value: &Value<'_>) -> Result<(String, Vec<OsString>)> {
        let asked = key.get_ref().as_ref();
        let Some(arg) = self.command.get_arguments().find(|arg| field(arg) == asked) else {
            let fields: Vec<String> = self.command.get_arguments().map(field).collect();
            let what = format!("no option is called '{asked}'; there are {}", fields.join(", "));
            return Err(self.at(key.span().start, &what));
        };
        let values = match value.get_ref() {
            DeValue::Array(values) if is_list(arg) => {
                values.iter().map(|value| self.value(arg, value)).collect::<Result<_>>()?
            }
            _ if is_list(arg) => return Err(self.wrong(arg, value, "a list: [\"…\", \"…\"]")),
            _ => vec![self.value(arg, value)?],
        };
        Ok((name(arg), values))
    }

    fn value(&self, arg: &Arg, value: &Value<'_>) -> Result<OsString> {
        let text = match value.get_ref() {
            DeValue::Boolean(is) if is_flag(arg) => return Ok(is.to_string().into()),
            _ if is_flag(arg) => return Err(self.wrong(arg, value, "true or false")),
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
            DeValue::Float(number) => number.as_str().to_owned(),
            _ => return Err(self.wrong(arg, value, "a text in quotes or a number")),
        };
        if let Err(why) = check(arg, &text) {
            let (field, about) = (field(arg), about(arg));
            let what = format!("'{field}' cannot be \"{text}\": {why} ({field}: {about})");
            return Err(self.at(value.span().start, &what));
        }
        Ok(if is_path(arg) { self.folder.join(text).into() } else { text.into() })
    }

    fn wrong(&self, arg: &Arg, value: &Value<'_>, but: &str) -> anyhow::Error {
        self.at(value.span().start, &format!("'{}' must be {but}", field(arg)))
    }
}

/// Whether the command line would take this value.
fn check(arg: &Arg, value: &str) -> Result<(), String> {
    let probe = Command::new("probe").no_binary_name(true).arg(arg.clone());
    let error = match probe.try_get_matches_from([word(arg, OsStr::new(value))]) {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    Err(error.source().map_or_else(|| "it is empty".to_owned(), ToString::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::value_parser;

    fn command() -> Command {
        let size = |text: &str| match text.strip_suffix('M') {
            Some(number) => number.parse::<usize>().map_err(|error| error.to_string()),
            None => Err("write megabytes, e.g. 8M".to_owned()),
        };
        Command::new("test").args([
            Arg::new("size").long("size").required(true).value_parser(size).help("How much"),
            Arg::new("count").long("count").value_parser(value_parser!(u16)).help("How many"),
            Arg::new("strict").long("strict").action(ArgAction::SetTrue),
            Arg::new("key")
                .long("key-file")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf)),
        ])
    }

    fn parse(text: &str) -> Result<Vec<String>> {
        let (command, path) = (command(), Path::new("etc/a.toml"));
        let reader = Reader { command: &command, path, folder: Path::new("etc"), text };
        let words = words(&command, &reader.read()?);
        Ok(words.into_iter().map(|word| word.into_string().unwrap()).collect())
    }

    #[test]
    fn a_file_is_the_words_that_would_be_typed() {
        let text = "size = \"8M\" # as typed\ncount = 12\nstrict = true\n\
            key-files = [\"new\", \"/old\"]\n";
        let words =
            ["--size=8M", "--count=12", "--strict", "--key-file=etc/new", "--key-file=/old"];
        assert_eq!(parse(text).unwrap(), words);
        assert_eq!(parse("strict = false\nkey-files = []").unwrap(), [""; 0]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_and_its_remedy() {
        for (text, said) in [
            ("\nsize = ", "etc/a.toml:2: "),
            ("count = 1\nsizes = \"8M\"", "etc/a.toml:2: no option is called 'sizes'; there are"),
            ("[size]\na = 1", "etc/a.toml:1: 'size' must be a text in quotes or a number"),
            ("size = 8", "'size' cannot be \"8\": write megabytes, e.g. 8M (size: How much)"),
            ("size = \"\"", "'size' cannot be \"\""),
            ("count = -1", "'count' cannot be \"-1\""),
            ("count = 70000", "70000 is not in 0..=65535"),
            ("count = 0x10", "'count' must be a text in quotes or a number"),
            ("strict = \"yes\"", "'strict' must be true or false"),
            ("key-files = \"one\"", "'key-files' must be a list"),
            ("key-files = [\"one\",\n 2, \"\"]", "etc/a.toml:2: 'key-files' cannot be \"\""),
            ("key-file = \"one\"", "no option is called 'key-file'"),
            ("count = 1\ncount = 2", "etc/a.toml:2: duplicate key"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with("etc/a.toml:") && error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_typed_is_found_and_defaults_are_not() {
        let command = command().mut_arg("count", |arg| arg.default_value("5"));
        let matches = command.clone().get_matches_from(["test", "--size", "1M", "--strict"]);
        let given = typed(&command, &matches);
        assert_eq!(words(&command, &given), ["--size=1M", "--strict"]);
        assert!(missing(&command, &given).is_none());
        assert_eq!(missing(&command, &Given::new()).map(name).as_deref(), Some("size"));
    }
}
