//! The connections of a run, a row each: who made them and when, and how much they carried. The
//! number of a connection is the one that its messages have.

use crate::ends::End;
use crate::entry::Birth;
use crate::transport::Transport;
use record::{Holds, NULL, RecordError, SideColumn, SideReader, SideWriter};
use std::path::{Path, PathBuf};

/// A connection. A number that is not known is null ([`record::NULL`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Its number.
    pub number: i64,
    /// Whether a network may be between its ends: it is no Unix-domain socket and no pipe.
    pub is_tcp: bool,
    /// At which the asker's requests came, over TCP.
    pub port: i64,
    /// The end that connected; of a pipe the one that is written.
    pub asker: Maker,
    /// The other end.
    pub answerer: Maker,
    /// Bytes that each end wrote: the asker, the answerer.
    pub bytes: [i64; 2],
}

/// How an end of a connection came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maker {
    /// The process that was first to use it.
    pub node: i64,
    /// The thread that called `connect` or `accept`.
    pub thread: i64,
    /// That call was entered, ns on the timeline; null where none was seen.
    pub enter_ns: i64,
    /// It returned, ns on the timeline.
    pub exit_ns: i64,
}

const COLUMNS: [SideColumn; 13] = [
    SideColumn { name: "connection", holds: Holds::Numbers },
    SideColumn { name: "transport", holds: Holds::Names(&["local", "tcp"]) },
    SideColumn { name: "port", holds: Holds::FewNumbers },
    SideColumn { name: "asker", holds: Holds::FewNumbers },
    SideColumn { name: "connect_thread", holds: Holds::FewNumbers },
    SideColumn { name: "connect_ns", holds: Holds::Numbers },
    SideColumn { name: "connected_ns", holds: Holds::Numbers },
    SideColumn { name: "answerer", holds: Holds::FewNumbers },
    SideColumn { name: "accept_thread", holds: Holds::FewNumbers },
    SideColumn { name: "accept_ns", holds: Holds::Numbers },
    SideColumn { name: "accepted_ns", holds: Holds::Numbers },
    SideColumn { name: "asked_bytes", holds: Holds::Numbers },
    SideColumn { name: "answered_bytes", holds: Holds::Numbers },
];

impl Connection {
    /// Of these ends, the one that asks first; the same twice where the other is not known.
    pub(crate) fn of(number: usize, ends: [&End; 2], is_half: bool) -> Connection {
        let accepted = ends[1].birth == Some(Birth::Accepted);
        let [mut asker, mut answerer] = ends.map(Maker::of);
        let mut bytes = ends.map(|end| end.sent.bytes as i64);
        if is_half {
            // What the other wrote there is what this one has read.
            let read = ends[0].received.bytes as i64;
            let other = if accepted { &mut asker } else { &mut answerer };
            *other = Maker::UNKNOWN;
            bytes[usize::from(!accepted)] = read;
        }
        let is_tcp = ends[0].transport == Transport::Tcp;
        let port = if accepted { ends[1].local.port } else { ends[0].peer.port };
        let port = if is_tcp { i64::from(port) } else { NULL };
        Connection { number: number as i64, is_tcp, port, asker, answerer, bytes }
    }

    fn row(&self) -> [i64; COLUMNS.len()] {
        let Connection { asker, answerer, .. } = self;
        [
            self.number,
            i64::from(self.is_tcp),
            self.port,
            asker.node,
            asker.thread,
            asker.enter_ns,
            asker.exit_ns,
            answerer.node,
            answerer.thread,
            answerer.enter_ns,
            answerer.exit_ns,
            self.bytes[0],
            self.bytes[1],
        ]
    }

    fn of_row(row: [i64; COLUMNS.len()]) -> Connection {
        let maker = |at: usize| Maker {
            node: row[at],
            thread: row[at + 1],
            enter_ns: row[at + 2],
            exit_ns: row[at + 3],
        };
        Connection {
            number: row[0],
            is_tcp: row[1] == 1,
            port: row[2],
            asker: maker(3),
            answerer: maker(7),
            bytes: [row[11], row[12]],
        }
    }
}

impl Maker {
    const UNKNOWN: Maker = Maker { node: NULL, thread: NULL, enter_ns: NULL, exit_ns: NULL };

    fn of(end: &End) -> Maker {
        let called = matches!(end.birth, Some(Birth::Connected | Birth::Accepted));
        let called = called && end.made.thread != 0;
        let known = |value| if called { value } else { NULL };
        Maker {
            node: end.node.into(),
            thread: known(end.made.thread.into()),
            enter_ns: known(end.made.at[0]),
            exit_ns: known(end.made.at[1]),
        }
    }
}

/// Write those of the run at `run`, if there are any.
///
/// # Errors
/// When the file cannot be written; nothing of it stays then.
pub(crate) fn write(run: &Path, all: impl Iterator<Item = Connection>) -> Result<(), RecordError> {
    let mut all = all.peekable();
    if all.peek().is_none() {
        return Ok(());
    }
    let mut table = SideWriter::create(&file(run), &COLUMNS, 0, 0)?;
    all.try_for_each(|one| table.push(&one.row()))?;
    table.finish().map(|_| ())
}

/// Go through those of the run at `run`; `false`: it has no table of them, as an older one.
///
/// # Errors
/// When the table is damaged.
pub fn each(run: &Path, mut take: impl FnMut(&Connection)) -> Result<bool, RecordError> {
    if !file(run).exists() {
        return Ok(false);
    }
    let mut table = SideReader::open(&file(run), &COLUMNS)?;
    for group in 0..table.groups() {
        let read = table.read(group)?;
        let row = |at: usize| std::array::from_fn(|column| read[column][at]);
        (0..table.group_rows(group)).for_each(|at| take(&Connection::of_row(row(at))));
    }
    Ok(true)
}

fn file(run: &Path) -> PathBuf {
    run.join("sockets/connections.parquet")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_come_back_as_they_were_written() {
        let run = tempfile::tempdir().unwrap();
        let maker = |node| Maker { node, thread: 70 + node, enter_ns: 5, exit_ns: 9 };
        let one = Connection {
            number: 3,
            is_tcp: true,
            port: 80,
            asker: maker(1),
            answerer: Maker { thread: NULL, enter_ns: NULL, exit_ns: NULL, ..maker(2) },
            bytes: [10, 20],
        };
        let all = [one, Connection { is_tcp: false, port: NULL, asker: Maker::UNKNOWN, ..one }];
        assert!(!each(run.path(), |_| unreachable!()).unwrap());
        write(run.path(), all.into_iter()).unwrap();
        let mut found = Vec::new();
        assert!(each(run.path(), |one| found.push(*one)).unwrap());
        assert_eq!(found, all);
    }
}
