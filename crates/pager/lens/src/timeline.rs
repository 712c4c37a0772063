//! The timeline of a paged process, as its library wrote it into the run, for who plays it again.

use pager::PAGE_BYTES;
use pager_facts::{Line, LineError, Way, timeline_name};
use predict::{Direction, Recorded, Transfer, Wait};
use std::io;
use std::path::{Path, PathBuf};

/// What a page has beside its bytes in a message, about: its slot, its version, its checksum.
const BESIDE_BYTES: u64 = 32;

/// Why a timeline cannot be played again.
#[derive(Debug, thiserror::Error)]
pub enum TimelineError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// It is none.
    #[error("{} is not the timeline of a run: {reason}", path.display())]
    Damaged { path: PathBuf, reason: String },
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
