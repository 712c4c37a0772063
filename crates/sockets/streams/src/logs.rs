//! The logs of a run's processes: their heads, and their entries a piece at a time.

use crate::entry::{Entries, Entry, HEAD_BYTES, head};
use crate::{CloseError, LOG_ENDING, PROCESS_ENDING, ProcessFacts};
use record::{NodeSheet, RunId};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes that are read at once: whole chunks of threads, so that no entry is cut.
const PIECE: usize = 1 << 20;

/// A process that left a log.
pub(crate) struct Process {
    pub sheet: NodeSheet,
    pub facts: ProcessFacts,
    /// The log's head.
    pub head: [u64; head::WORDS],
    path: PathBuf,
}

impl Process {
    /// The process of this sheet; `None` where it left no log.
    pub fn find(
        live: &Path,
        sheet: NodeSheet,
        run: Option<RunId>,
    ) -> Result<Option<Process>, CloseError> {
        let path = live.join(format!("{}.{LOG_ENDING}", sheet.stem()));
        let mut bytes = [0; head::WORDS * 8];
        let read = File::open(&path).and_then(|mut file| file.read_exact(&mut bytes));
        match read {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CloseError::file("read", &path, error)),
            Ok(()) => {}
        }
        let mut head = [0; head::WORDS];
        words_of(&bytes, |at, word| head[at] = word);
        let foreign = |what| Err(CloseError::Foreign { path: path.clone(), what });
        if head[0] != head::MAGIC {
            return foreign("is no log of a traced process; take it away");
        }
        if head[head::FORMAT_AT] != head::FORMAT {
            return foreign("was written by another version; close the run with that version");
        }
        let words = run.map_or([0; 2], RunId::words);
        if head[head::RUN_AT..head::RUN_AT + 2] != words {
            return foreign("is a log of another run; take it away, or bring the right one back");
        }
        let text = std::fs::read(live.join(format!("{}.{PROCESS_ENDING}", sheet.stem())));
        let facts = text.ok().and_then(|text| serde_json::from_slice(&text).ok());
        let facts = facts.unwrap_or(ProcessFacts {
            node: sheet.node,
            name: format!("process {}", sheet.pid),
            pid: sheet.pid,
        });
        Ok(Some(Process { sheet, facts, head, path }))
    }

    /// Go through its entries. Returns how many slots held none.
    pub fn each(&self, mut take: impl FnMut(Entry)) -> Result<u64, CloseError> {
        let failed = |error| CloseError::file("read", &self.path, error);
        let mut file = File::open(&self.path).map_err(failed)?;
        file.seek(SeekFrom::Start(HEAD_BYTES as u64)).map_err(failed)?;
        let (mut bytes, mut words, mut damaged) = (Vec::new(), Vec::new(), 0);
        loop {
            bytes.clear();
            (&mut file).take(PIECE as u64).read_to_end(&mut bytes).map_err(failed)?;
            if bytes.is_empty() {
                return Ok(damaged);
            }
            words.clear();
            words_of(&bytes, |_, word| words.push(word));
            let mut entries = Entries::new(&words);
            entries.by_ref().for_each(&mut take);
            damaged += entries.damaged();
        }
    }
}

fn words_of(bytes: &[u8], mut take: impl FnMut(usize, u64)) {
    for (at, word) in bytes.chunks_exact(8).enumerate() {
        take(at, u64::from_le_bytes(word.try_into().expect("eight bytes")));
    }
}
