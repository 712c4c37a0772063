//! A line of words to a command.

use super::lexer::Word;
use super::{Command, ConfigError};
use std::str::FromStr;

/// Largest number of acknowledgements that the original takes.
const ACKS_MAX: u32 = 100;
/// Longest time between two rounds of anything, s: twelve days.
const SECONDS_MAX: f64 = 1e6;
/// Beyond every simtime of a model.
const SIMTIME_MAX: f64 = 999_999_999.0;

/// The command of a line, which has a word.
///
/// # Errors
/// Where it makes no sense, and what is expected there.
pub(super) fn command(line: &[Word]) -> Result<Command, ConfigError> {
    let name = line[0].text.to_ascii_uppercase();
    let mut arguments = Arguments { line, name: &name, next: 1 };
    if line[0].quoted {
        return Err(line[0].place.error("a command is expected, not a string"));
    }
    if let Some(command) = foreign(&name) {
        return Ok(command);
    }
    let command = arguments.of_the_model()?;
    let command = match command {
        Some(command) => command,
        None => match arguments.of_the_engine()? {
            Some(command) => command,
            None => arguments.of_logs_and_load()?.ok_or_else(|| unknown(&line[0]))?,
        },
    };
    arguments.end()?;
    Ok(command)
}

fn unknown(word: &Word) -> ConfigError {
    word.place.error(format!(
        "'{}' is no command: a line begins with one, as OBCREATE, TELL or CUTOFF",
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
            "CUTOFF" => Command::Cutoff(self.real("a simtime", -SIMTIME_MAX..=SIMTIME_MAX)?),
            "NOSTDOUT" => Command::Nostdout,
            _ => return Ok(None),
        }))
    }

    fn of_the_engine(&mut self) -> Result<Option<Command>, ConfigError> {
        let any = 0..=u32::MAX;
        let (above, positive) = (f64::MIN_POSITIVE, f64::MIN_POSITIVE..=1e9);
        Ok(Some(match self.name {
            "MAXACKS" => Command::Maxacks(self.whole("a number from 1 to 100", 1..=ACKS_MAX)?),
            "MAXNEGACKS" => {
                Command::Maxnegacks(self.whole("a number from 1 to 100", 1..=ACKS_MAX)?)
            }
            "PLIMIT" => Command::Plimit(self.whole("a number from 1", 1..=u32::MAX)?),
            "RECVQLIMIT" => Command::Recvqlimit(self.whole("a number from 1 to 100", 1..=100)?),
            "PENALTY" => Command::Penalty(self.whole("a whole number", any)?),
            "REWARD" => Command::Reward(self.whole("a whole number", any)?),
            "THROTTLE" => Command::Throttle(self.whole("a rule from 0 to 6", 0..=6)?),
            "WINDOW" => Command::Window(self.real("a simtime above 0", above..=SIMTIME_MAX)?),
            "ETHROTTLE" => Command::Ethrottle(self.whole("a whole number", any)?),
            "WSIZE" => Command::Wsize(self.real("a factor above 0", positive)?),
            "TMULT" => Command::Tmult(self.real("a factor from 0", 0.0..=1e9)?),
            "TADD" => Command::Tadd(self.real("ticks above 0", positive)?),
            "AGGRESSIVE" => Command::Aggressive,
            "NOSENDBACK" => Command::Nosendback,
            "MEMSIZE" => Command::Memsize(self.whole("KiB, a whole number from 1", 1..=u32::MAX)?),
            "TIMEVAL" => Command::Timeval(self.real("seconds above 0", 1e-6..=SECONDS_MAX)?),
            "TIMECHG" => Command::Timechg(self.real("a simtime", -SIMTIME_MAX..=SIMTIME_MAX)?),
            _ => return Ok(None),
        }))
    }

    fn of_logs_and_load(&mut self) -> Result<Option<Command>, ConfigError> {
        let entries = 0..=u32::MAX;
        Ok(Some(match self.name {
            "OBJTIMEMODE" => Command::Objtimemode(self.whole("0, 1 or 2", 0..=2)?),
            "PROPDELAY" => Command::Propdelay(self.real("a factor from 0", 0.0..=1e6)?),
            "CRITPATH" => Command::Critpath,
            "MSGLOG" => Command::Msglog(self.whole("a number of entries", entries)?),
            "QUELOG" => Command::Quelog(self.whole("a number of entries", entries)?),
            "FLOWLOG" => Command::Flowlog(self.whole("a number of entries", entries)?),
            "ISLOG" => Command::Islog {
                entries: self.whole("a number of entries", entries)?,
                every_ms: self.whole("ms from 100 to 10000", 100..=10_000)?,
            },
            "DLM" => Command::Dlm,
            "DLMINT" => Command::Dlmint(self.real("seconds above 0", 1e-3..=SECONDS_MAX)?),
            "IDLEDLM" => Command::Idledlm(self.whole("a number of cycles", entries)?),
            "THRESH" => Command::Thresh(self.whole("percent from 0 to 100", 0..=100)?),
            "RATIODLM" => Command::Ratiodlm,
            "MRATIO" => Command::Mratio(self.whole("a whole number", entries)?),
            "MIGRATIONS" => Command::Migrations(self.whole("a number of pairs", entries)?),
            "CHOOSESTRAT" => Command::Choosestrat(self.whole("1 or 2", 1..=2)?),
            "SPLITSTRAT" => Command::Splitstrat(self.whole("a number from 1 to 4", 1..=4)?),
            "MAXOFF" => Command::Maxoff(self.whole("a whole number", entries)?),
            "MAXIQLEN" => {
                Command::Maxiqlen(self.whole("a number of messages from 1", 1..=u32::MAX)?)
            }
            _ => return Ok(None),
        }))
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
            place.error(format!("{} lacks an argument: {what} is expected", self.name))
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
                    format!("{} takes nothing more, but there is '{}'", self.name, word.text);
                Err(word.place.error(what))
            }
            None => Ok(()),
        }
    }
}

fn unfit(word: &Word, what: &str) -> ConfigError {
    word.place.error(format!("{what} is expected, not '{}'", word.text))
}

/// Commands of the original that mean nothing here, by reason. Their arguments are not looked at.
const FOREIGN: [(&str, &[&str]); 13] = [
    ("objects are not cut into phases by hand", &["PHCREATE", "SPLIT", "MOVE"]),
    ("a message is always received later than it was sent here", &["ALLOWNOW"]),
    ("types have no initialisation of their own here", &["TYPEINIT"]),
    ("a model reads its data before the run, from --data", &["GETFILE", "PUTFILE", "DELFILE"]),
    ("GVT is shown on the progress line only", &["NOGVTOUT"]),
    (
        "messages come out of the node's memory budget, as MEMSIZE or --memory gives it",
        &["MAXMSGPOOL"],
    ),
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
