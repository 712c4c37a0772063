//! The timeline of a paged process, as its library wrote it into the run, for who plays it again.

use crate::followed::{Conditions, NoProgram, Program, Recording, play};
use pager::PAGE_BYTES;
use pager_facts::{Line, LineError, Paged, PagerFacts, Way, timeline_name};
use predict::{Direction, Link, Recorded, Transfer, Wait, replay, unexplained_s};
use std::io;
use std::path::{Path, PathBuf};

/// What a page has beside its bytes in a message, about: its slot, its version, its checksum.
const BESIDE_BYTES: u64 = 32;

/// Why a timeline cannot be played again.
#[derive(Debug, thiserror::Error)]
pub enum TimelineError {
    /// It cannot be read.
    #[error(
        "cannot read {}: {source}; a run of --no-record has none, nor one whose disk was full",
        path.display()
    )]
    File { path: PathBuf, source: io::Error },
    /// It is none.
    #[error("{} is not the timeline of a run: {reason}", path.display())]
    Damaged { path: PathBuf, reason: String },
}

/// Pages that come and go when the pager decides anew over the recorded network may differ from
/// those recorded by so much: more, and too little was seen of what the program touches.
const PAGES_OFF_MAX: f64 = 0.1;

/// The recorded run itself, with decisions made anew, may be off by so much more of its time than
/// with those recorded.
const TIME_OFF_MAX: f64 = 0.02;

/// A run that can be played again.
#[derive(Clone, Debug)]
pub struct Course {
    /// Its transfers and waits.
    pub timeline: Recorded,
    /// The program, if it was recorded so that the pager can decide anew; or why not.
    pub program: Result<Program, String>,
    /// Pages that came and went.
    pub pages: u64,
}

impl Course {
    /// Of a process of the run at `run`.
    ///
    /// # Errors
    /// When it has no timeline, as a run without a record.
    pub fn read(run: &Path, pager: &PagerFacts, process: &Paged) -> Result<Course, TimelineError> {
        let timeline = read(run, process.pid, process.seconds.elapsed)?;
        let recording = Recording::read(run, pager, process);
        let program = recording.map(|it| it.program()).map_err(|why: NoProgram| why.to_string());
        Ok(Course { timeline, program, pages: process.page_ins + process.page_outs })
    }

    /// The program, if the pager comes to the same when it decides anew over the recorded network,
    /// in pages and in time; or why decisions must be as recorded.
    ///
    /// # Errors
    /// As said.
    pub fn anew(&self, was: &Link) -> Result<&Program, String> {
        let program = self.program.as_ref().map_err(String::clone)?;
        let turn_s = turn_s(&self.timeline, was, HALF);
        let conditions = Conditions { link: *was, speed: 1.0, turn_s };
        let played = play(program, &conditions).map_err(|stuck| stuck.to_string())?;
        let pages = (played.page_ins + played.page_outs) as f64;
        let pages_off = pages / self.pages.max(1) as f64 - 1.0;
        let time_off = |s: f64| s / self.timeline.elapsed_s - 1.0;
        let (anew, as_recorded) =
            (time_off(played.elapsed_s), time_off(self.as_recorded_s(was, was)));
        if pages_off.abs() <= PAGES_OFF_MAX && anew.abs() <= as_recorded.abs() + TIME_OFF_MAX {
            return Ok(program);
        }
        let than = |off: f64, (less, more): (&str, &str)| {
            format!("{:.1}\u{a0}% {}", 100.0 * off.abs(), if off < 0.0 { less } else { more })
        };
        let time = ("less time", "more time");
        Err(format!(
            "over the network it was recorded on it would then transfer {} pages and take {} than \
            it did, and with its decisions as recorded {}; touches of pages in memory are not \
            seen, and here they matter",
            than(pages_off, ("fewer", "more")),
            than(anew, time),
            than(as_recorded, time)
        ))
    }

    /// How long it takes over each of `links`, recorded over `was`: with the pager's decisions made
    /// anew where that is possible, and as recorded otherwise.
    pub fn over_s(&self, was: &Link, links: &[Link]) -> Vec<f64> {
        let anew = self.anew(was).ok().map(|program| (program, turn_s(&self.timeline, was, HALF)));
        let one = |link: &Link| {
            let played = anew.and_then(|(program, turn_s)| {
                play(program, &Conditions { link: *link, speed: 1.0, turn_s }).ok()
            });
            played.map_or_else(|| self.as_recorded_s(was, link), |played| played.elapsed_s)
        };
        links.iter().map(one).collect()
    }

    /// The same with its decisions as recorded.
    pub fn as_recorded_s(&self, was: &Link, link: &Link) -> f64 {
        replay(&self.timeline, was, link).elapsed_s
    }
}

/// The middle of what is sorted.
pub const HALF: f64 = 0.5;

/// What servers take besides the link, each way: a quantile of what transfers took beyond what the
/// link explains.
pub fn turn_s(timeline: &Recorded, was: &Link, quantile: f64) -> [f64; 2] {
    unexplained_s(timeline, was).map(|more_s| {
        let at = (more_s.len() as f64 * quantile) as usize;
        more_s.get(at.min(more_s.len().saturating_sub(1))).copied().unwrap_or(0.0)
    })
}

/// Of the process `pid` of the run at `run`, which took `elapsed_s`.
///
/// # Errors
/// When there is none, as in a run without a record, or it is damaged.
pub fn read(run: &Path, pid: u32, elapsed_s: f64) -> Result<Recorded, TimelineError> {
    let path = run.join(timeline_name(pid));
    match record::read_text(&path) {
        Ok(text) => {
            parse(&text, elapsed_s).map_err(|reason| TimelineError::Damaged { path, reason })
        }
        Err(source) => Err(TimelineError::File { path, source }),
    }
}

fn parse(text: &str, elapsed_s: f64) -> Result<Recorded, String> {
    let mut run = Recorded { elapsed_s, ..Recorded::default() };
    for line in text.lines() {
        match line.parse().map_err(|error: LineError| error.to_string())? {
            Line::Wait(wait) => run.waits.push(Wait {
                from_s: seconds(wait.from),
                to_s: seconds(wait.to),
                transfer: wait.batch.map(|batch| batch as usize),
            }),
            Line::Batch(batch) => run.transfers.push(Transfer {
                direction: if batch.way == Way::In { Direction::In } else { Direction::Out },
                connection: batch.server,
                bytes: message_bytes(batch.bytes),
                asked_s: seconds(batch.asked),
                done_s: seconds(batch.done),
            }),
        }
    }
    let there = run.transfers.len();
    match run.waits.iter().any(|wait| wait.transfer.is_some_and(|transfer| transfer >= there)) {
        true => Err("a wait refers to a transfer that does not exist".to_owned()),
        false => Ok(run),
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

fn message_bytes(bytes: u64) -> u64 {
    bytes + bytes / PAGE_BYTES as u64 * BESIDE_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_transfers_and_waits() {
        let run = parse("out,0,2000000000,3,8192\nwait,500000000,2100000000,0,\nwait,1,2,,\n", 3.0)
            .expect("right");
        let out = run.transfers[0];
        assert_eq!((out.direction, out.connection, out.bytes), (Direction::Out, 3, 8192 + 64));
        assert_eq!((out.asked_s, out.done_s, run.elapsed_s), (0.0, 2.0, 3.0));
        assert_eq!(run.waits[0], Wait { from_s: 0.5, to_s: 2.1, transfer: Some(0) });
        assert_eq!(run.waits[1].transfer, None);
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in ["in,1,2,3", "wait,1,2,0,", "in,1,x,0,4096"] {
            assert!(parse(text, 1.0).is_err(), "{text}");
        }
    }
}
