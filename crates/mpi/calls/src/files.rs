//! A rank's log and tail, as the tracer left them, as one stream of words.
//!
//! While a rank runs, its newest words are in the tail, a shared mapping that outlives the process.
//! The tail says how many words of the log come before it. A log that is longer was cut off between
//! writing and saying so: the tail holds those words too. After the last word in use there may be
//! one more call: the one in which the rank was when it ended.

use crate::CloseError;
use crate::entry::files::{FIRST_WORD, FORMAT, HEAD_WORDS, LOG_MAGIC, TAIL_MAGIC, USED, run_of};
use crate::entry::{self, AGAIN_WORDS, kinds};
use crate::log::LogReader;
use record::RunId;
use std::fs::File;
use std::io::{self, Chain, Cursor, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Logs that are kept open at once; of more, each is opened for each piece.
const KEPT_OPEN: usize = 128;

const HEAD_BYTES: usize = HEAD_WORDS * 8;

/// Where the words of one rank are.
#[derive(Clone, Debug)]
pub(crate) struct RankFiles {
    log: PathBuf,
    /// Words of the log that count.
    log_words: u64,
    format: u32,
    tail: Vec<u8>,
    /// Words that the tail says were written but that the log lacks.
    pub missing_words: u64,
    /// What was odd about the files.
    pub faults: Vec<String>,
}

/// The words of a rank as bytes.
pub(crate) type RankBytes = Chain<LogBytes, Cursor<Vec<u8>>>;

/// The bytes of a log, of which `left` are to be read from `at` on.
pub(crate) struct LogBytes {
    path: PathBuf,
    at: u64,
    left: u64,
    /// Kept open between two pieces, where there are descriptors enough.
    file: Option<File>,
    keeps: bool,
}

impl Read for LogBytes {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let wanted = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if wanted == 0 {
            return Ok(0);
        }
        let file = match self.file.take() {
            Some(file) => file,
            None => record::open_input(&self.path)?,
        };
        let read = file.read_at(&mut bytes[..wanted], self.at)?;
        self.at += read as u64;
        self.left -= read as u64;
        self.file = Some(file).filter(|_| self.keeps);
        Ok(read)
    }
}

impl RankFiles {
    /// Look at the files of the rank whose files begin with `stem`. `None` when it left no log.
    /// A log that another run, or a newer version, has written is refused: once the run is closed
    /// it would be gone.
    pub fn find(
        live: &Path,
        stem: &str,
        run: Option<RunId>,
    ) -> Result<Option<RankFiles>, CloseError> {
        let log = live.join(format!("{stem}.calls"));
        let bytes = match std::fs::metadata(&log) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CloseError::file("read", &log, error)),
        };
        let mut faults = Vec::new();
        let format = check_head(&log, run, &mut faults)?;
        let there = if format.is_some() { bytes.saturating_sub(HEAD_BYTES as u64) / 8 } else { 0 };
        let format = format.unwrap_or(FORMAT);
        let mut files =
            RankFiles { log, log_words: there, format, tail: Vec::new(), missing_words: 0, faults };
        files.take_tail(&live.join(format!("{stem}.tail")))?;
        Ok(Some(files))
    }

    /// Words to read.
    pub fn words(&self) -> u64 {
        self.log_words + (self.tail.len() / 8) as u64
    }

    /// Read them from the beginning, together with so many other logs.
    pub fn read(&self, logs: usize) -> LogReader<RankBytes> {
        let log = LogBytes {
            path: self.log.clone(),
            at: HEAD_BYTES as u64,
            left: self.log_words * 8,
            file: None,
            keeps: logs <= KEPT_OPEN,
        };
        LogReader::new(log.chain(Cursor::new(self.tail.clone())), self.format)
    }

    /// The log's path, for errors.
    pub fn path(&self) -> &Path {
        &self.log
    }

    fn take_tail(&mut self, path: &Path) -> Result<(), CloseError> {
        let bytes = match record::read_input(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(CloseError::file("read", path, error)),
        };
        match Tail::parse(&bytes) {
            Ok(tail) => {
                self.missing_words = tail.first_word.saturating_sub(self.log_words);
                self.log_words = self.log_words.min(tail.first_word);
                self.tail = tail.words.to_vec();
            }
            Err(what) => self.faults.push(format!("{} {what}", name(path))),
        }
        Ok(())
    }
}

/// The contents of a tail.
struct Tail<'a> {
    first_word: u64,
    words: &'a [u8],
}

impl Tail<'_> {
    fn parse(bytes: &[u8]) -> Result<Tail<'_>, &'static str> {
        if bytes.len() < HEAD_BYTES {
            return Err("is shorter than its header");
        }
        if word(bytes, 0) != TAIL_MAGIC || word(bytes, 1) as u32 > FORMAT {
            return Err("is not the tail of a log in a format that this version reads");
        }
        let (first_word, used) = (word(bytes, FIRST_WORD), word(bytes, USED));
        let words = &bytes[HEAD_BYTES..];
        if used > (words.len() / 8) as u64 {
            return Err("says that more of it is in use than there is");
        }
        let used = used as usize + call_in_progress(words, used as usize);
        Ok(Tail { first_word, words: &words[..used * 8] })
    }
}

/// Words of the call that was entered and never left, after those in use.
fn call_in_progress(words: &[u8], used: usize) -> usize {
    if words.len() < (used + 1) * 8 {
        return 0;
    }
    let (kind, length) = entry::kind_and_words(word(words, used));
    if kind == kinds::AGAIN && words.len() >= (used + AGAIN_WORDS) * 8 {
        let goes_on = entry::goes_on([word(words, used), word(words, used + 1)]);
        return if goes_on { AGAIN_WORDS } else { 0 };
    }
    if kind != kinds::CALL || length > entry::CALL_WORDS || words.len() < (used + length) * 8 {
        return 0;
    }
    let entry: Vec<u64> = (used..used + length).map(|at| word(words, at)).collect();
    match entry::decode(&entry) {
        Some((call, _)) if call.exit == 0 => length,
        _ => 0,
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at * 8..at * 8 + 8].try_into().expect("eight bytes"))
}

/// The format of a file that begins as a log does. An empty or short one does not: its rank ended
/// before it wrote a word.
fn check_head(
    path: &Path,
    expected: Option<RunId>,
    faults: &mut Vec<String>,
) -> Result<Option<u32>, CloseError> {
    let failed = |error| CloseError::file("read", path, error);
    let mut bytes = Vec::new();
    record::open_input(path)
        .map_err(failed)?
        .take(HEAD_BYTES as u64)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() < HEAD_BYTES || word(&bytes, 0) != LOG_MAGIC {
        faults.push(format!("{} does not begin as a log does", name(path)));
        return Ok(None);
    }
    let head: [u64; HEAD_WORDS] = std::array::from_fn(|at| word(&bytes, at));
    let (path, format) = (path.to_path_buf(), head[1] as u32);
    if format > FORMAT {
        return Err(CloseError::Newer { path, found: format, known: FORMAT });
    }
    match (run_of(&head), expected) {
        (Some(found), Some(expected)) if found != expected => {
            Err(CloseError::OtherRun { path, found, expected })
        }
        _ => Ok(Some(format)),
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Call, Known, encode, flags};

    #[test]
    fn a_call_that_was_not_left_counts_also_when_it_comes_again() {
        let call = Call { flags: flags::MESSAGE, ..Call::default() };
        let mut known = Known::default();
        known.remember(&encode(&call, 0).0, std::iter::empty());
        let again = known.again(&encode(&call, 0).0).expect("the same");
        let left = entry::left(again, 1000).expect("it fits");
        for (head, expected) in [(again, AGAIN_WORDS), (left, 0)] {
            let tail: Vec<u8> =
                [head, 1000, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
            assert_eq!(call_in_progress(&tail, 0), expected);
            assert_eq!(call_in_progress(&tail[..8], 0), 0, "cut");
        }
    }
}
