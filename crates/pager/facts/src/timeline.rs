//! The timeline of a paged process: what was asked for and came, and when the program stood still
//! for it. From it a model can play the run again over another link.
//!
//! A line an event, in the order in which they ended, five fields between commas, times in ns since
//! the run began: `in,asked,done,server,bytes` and `out,…` for a batch of pages,
//! `wait,from,to,transfer,` for a time in which the program waited.

use std::fmt;
use std::str::FromStr;

/// The name of the file of a process, in the run's folder.
pub fn timeline_name(pid: u32) -> String {
    format!("course-{pid}.csv")
}

/// Which way pages went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the program.
    In,
    /// To a server.
    Out,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Pages went.
    Batch(Batch),
    /// The program waited.
    Wait(Wait),
}

/// Pages that went together, to a server or from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Which way.
    pub way: Way,
    /// Which of the configuration's servers.
    pub server: u32,
    /// When the pager wanted it ...
    pub asked: u64,
    /// ... and when the answer was here.
    pub done: u64,
    /// Of the pages.
    pub bytes: u64,
}

/// A time in which the program waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// When somebody began to.
    pub from: u64,
    /// When nobody did any more.
    pub to: u64,
    /// Which of the batches ended it, from 0; `None` if the page was at hand.
    pub batch: Option<u64>,
}

/// A line that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError(String);

impl fmt::Display for LineError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "`{}` is not a line of a timeline", self.0)
    }
}

impl std::error::Error for LineError {}

impl Line {
    /// The same, with another unit of time.
    pub fn in_unit(self, unit: impl Fn(u64) -> u64) -> Line {
        match self {
            Line::Batch(batch) => {
                Line::Batch(Batch { asked: unit(batch.asked), done: unit(batch.done), ..batch })
            }
            Line::Wait(wait) => {
                Line::Wait(Wait { from: unit(wait.from), to: unit(wait.to), ..wait })
            }
        }
    }

    fn parse(line: &str) -> Option<Line> {
        let fields: Vec<&str> = line.split(',').collect();
        let [what, begin, end, which, bytes] = fields[..] else { return None };
        let (begin, end) = (begin.parse().ok()?, end.parse().ok()?);
        let way = match what {
            "in" => Way::In,
            "out" => Way::Out,
            "wait" => {
                let batch = if which.is_empty() { None } else { Some(which.parse().ok()?) };
                return Some(Line::Wait(Wait { from: begin, to: end, batch }));
            }
            _ => return None,
        };
        let (server, bytes) = (which.parse().ok()?, bytes.parse().ok()?);
        Some(Line::Batch(Batch { way, server, asked: begin, done: end, bytes }))
    }
}

impl FromStr for Line {
    type Err = LineError;

    fn from_str(line: &str) -> Result<Line, LineError> {
        Line::parse(line).ok_or_else(|| LineError(line.to_owned()))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Line::Batch(Batch { way, server, asked, done, bytes }) => {
                let way = if way == Way::In { "in" } else { "out" };
                write!(to, "{way},{asked},{done},{server},{bytes}")
            }
            Line::Wait(Wait { from, to: until, batch: Some(batch) }) => {
                write!(to, "wait,{from},{until},{batch},")
            }
            Line::Wait(Wait { from, to: until, batch: None }) => {
                write!(to, "wait,{from},{until},,")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let batch = Batch { way: Way::Out, server: 3, asked: 100, done: 200, bytes: 4096 };
        let waits = [Some(1), None].map(|batch| Line::Wait(Wait { from: 270, to: 310, batch }));
        let incoming = Line::Batch(Batch { way: Way::In, ..batch });
        for (line, text) in [
            (Line::Batch(batch), "out,100,200,3,4096"),
            (incoming, "in,100,200,3,4096"),
            (waits[0], "wait,270,310,1,"),
            (waits[1], "wait,270,310,,"),
        ] {
            assert_eq!(line.to_string(), text);
            assert_eq!(text.parse(), Ok(line));
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in ["in,1,2,3", "wait,1,2,x,", "swap,1,2,3,4", "in,1,x,0,4096", "in,1,2,-1,4096"] {
            assert_eq!(text.parse::<Line>(), Err(LineError(text.to_owned())));
        }
    }
}
