//! A line of words to a command.

use super::lexer::Word;
use super::{Command, ConfigError};
use crate::settings::{self, Number, SIMTIME_MAX};
use std::str::FromStr;

/// The command of a line, which has a word.
///
/// # Errors
/// Where it makes no sense, and what is expected there.
pub(super) fn command(line: &[Word]) -> Result<Command, ConfigError> {
    let name = line[0].text.to_ascii_uppercase();
    let mut arguments = Arguments { line, name: &name, next: 1 };
    if line[0].quoted {
        return Err(line[0].place.error("expected a command, not a string"));
    }
    if let Some(command) = foreign(&name) {
        return Ok(command);
    }
    let command = match arguments.of_the_model()? {
        Some(command) => command,
        None => arguments.of_an_option()?.ok_or_else(|| unknown(&line[0]))?,
    };
    arguments.end()?;
    Ok(command)
}

fn unknown(word: &Word) -> ConfigError {
    word.place.error(format!(
        "'{}' is not a command: a line must begin with one, e.g. OBCREATE, TELL or CUTOFF",
        word.text
    ))
}

struct Arguments<'a> {
    line: &'a [Word],
    name: &'a str,
    next: usize,
}

impl Arguments<'_> {
    fn of_the_model(&mut self) -> Result<Option<Command>, ConfigError> {
        Ok(Some(match self.name {
            "OBCREATE" => {
                let (name, kind) =
                    (self.text("the object's name")?, self.text("the object's type")?);
                let needs_none =
                    name.eq_ignore_ascii_case("stdout") && self.next == self.line.len();
                let node =
                    if needs_none { 0 } else { self.whole("a node's number", 0..=u32::MAX)? };
                Command::Obcreate { name, kind, node }
            }
            "TELL" | "SCHEDULE" => Command::Tell {
                receiver: self.text("the receiver's name")?,
                time: self.real("a simtime", -SIMTIME_MAX..=SIMTIME_MAX)?,
                selector: self.number("a selector, a whole number")?,
                text: if self.next < self.line.len() {
                    self.text("a text")?
                } else {
                    String::new()
                },
            },
            "GO" => Command::Go,
            _ => return Ok(None),
        }))
    }

    fn of_an_option(&mut self) -> Result<Option<Command>, ConfigError> {
        let Some((_, directive)) = settings::directive(self.name) else { return Ok(None) };
        let numbers = directive.takes.iter().map(|number| self.fitting(number));
        let numbers = numbers.collect::<Result<_, _>>()?;
        Ok(Some(Command::Set { name: directive.name, numbers }))
    }

    fn fitting(&mut self, number: &Number) -> Result<f64, ConfigError> {
        let &Number { what, least, most, is_whole } = number;
        match is_whole {
            true => self.whole(what, least as u32..=most as u32).map(f64::from),
            false => self.real(what, least..=most),
        }
    }

    fn text(&mut self, what: &str) -> Result<String, ConfigError> {
        self.word(what).map(|word| word.text.clone())
    }

    fn word(&mut self, what: &str) -> Result<&Word, ConfigError> {
        let last = &self.line[self.line.len() - 1];
        let missing = || {
            // Where it would stand.
            let mut place = last.place.clone();
            let length = last.text.chars().count() + if last.quoted { 2 } else { 0 };
            place.column = place.column.saturating_add(u32::try_from(length).unwrap_or(u32::MAX));
            place.error(format!("{} lacks an argument: expected {what}", self.name))
        };
        let word = self.line.get(self.next).ok_or_else(missing)?;
        self.next += 1;
        Ok(word)
    }

    fn number<T: FromStr>(&mut self, what: &str) -> Result<T, ConfigError> {
        let word = self.word(what)?;
        word.text.parse().map_err(|_| unfit(word, what))
    }

    fn whole(
        &mut self,
        what: &str,
        range: std::ops::RangeInclusive<u32>,
    ) -> Result<u32, ConfigError> {
        let word = self.word(what)?;
        let number = word.text.parse::<u32>().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| unfit(word, what))
    }

    /// A number that is not a number is in no range.
    fn real(
        &mut self,
        what: &str,
        range: std::ops::RangeInclusive<f64>,
    ) -> Result<f64, ConfigError> {
        let word = self.word(what)?;
        let number = word.text.parse::<f64>().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| unfit(word, what))
    }

    fn end(&self) -> Result<(), ConfigError> {
        match self.line.get(self.next) {
            Some(word) => {
                let what =
                    format!("{} takes no more arguments, but there is '{}'", self.name, word.text);
                Err(word.place.error(what))
            }
            None => Ok(()),
        }
    }
}

fn unfit(word: &Word, what: &str) -> ConfigError {
    word.place.error(format!("expected {what}, not '{}'", word.text))
}

/// Commands of the original that mean nothing here, by reason. Their arguments are not looked at.
const FOREIGN: [(&str, &[&str]); 15] = [
    ("objects are not cut into phases by hand", &["PHCREATE", "SPLIT", "MOVE"]),
    ("a message is always received later than it was sent here", &["ALLOWNOW"]),
    ("types have no initialisation of their own here", &["TYPEINIT"]),
    ("a model reads its data before the run, from --data", &["GETFILE", "PUTFILE", "DELFILE"]),
    ("GVT is shown on the progress line only", &["NOGVTOUT"]),
    ("messages use the node's memory budget, set by MEMSIZE or --memory", &["MAXMSGPOOL"]),
    ("objects have no stack of their own here", &["OBJSTKSIZE"]),
    ("payloads may be of any length here", &["PKTLEN"]),
    (
        "GVT is computed from the first event to the last",
        &["TIMEON", "TIMEOFF", "GVTINIT", "GVTSYNC"],
    ),
    ("--nodes says how many nodes there are", &["SUBCUBE"]),
    (
        "--out records every message and every execution into the run folder",
        &[
            "DUMPMLOG",
            "DUMPQLOG",
            "DUMPLOG",
            "IS_DUMPLOG",
            "HOGLOG",
            "CPULOG",
            "EVTLOG",
            "CHKLOG",
            "MEMSTATS",
        ],
    ),
    (
        "--out records every message, every execution and the course of every node into the run \
        folder, without a limit",
        &["MSGLOG", "QUELOG", "FLOWLOG"],
    ),
    ("objects are cut for their load alone, not for long input queues", &["MAXIQLEN"]),
    (
        "it is a switch for the original's own debugging or batches",
        &["NOTABUG", "BATCH", "DLMGRAPH"],
    ),
    (
        "a run has no console",
        &[
            "FILEECHO",
            "NOFILEECHO",
            "HELP",
            "STOP",
            "QUIT",
            "IQ",
            "OQ",
            "SQ",
            "DOCB",
            "SHOWSCHEDQ",
            "ACKS",
            "QUEUES",
            "GVT",
            "LVT",
            "PIQ",
            "MIQ",
            "BPO",
            "BPT",
            "WPO",
            "WPT",
            "MONON",
            "MONOFF",
        ],
    ),
];

fn foreign(name: &str) -> Option<Command> {
    FOREIGN.iter().find_map(|(reason, names)| {
        names.iter().find(|other| **other == name).map(|name| Command::Foreign { name, reason })
    })
}
