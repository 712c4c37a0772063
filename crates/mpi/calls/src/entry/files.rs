//! The heads of a rank's two files, the log and its tail: words of 64 bits, as entries are.

use record::RunId;

/// Words of either head.
pub const HEAD_WORDS: usize = 8;
/// Word 0 of a log.
pub const LOG_MAGIC: u64 = u64::from_le_bytes(*b"4STCALLS");
/// Word 0 of a tail.
pub const TAIL_MAGIC: u64 = u64::from_le_bytes(*b"4STCTAIL");
/// Format of log and tail: the lower half of word 1, whose upper half is the rank. Format 1 had no
/// calls that come again, format 2 none that begin or complete requests, and no begins of pieces.
pub const FORMAT: u32 = 3;
/// Word of a tail that says how many words of the log come before its contents.
pub const FIRST_WORD: usize = 2;
/// Word of a tail that says how many words it holds.
pub const USED: usize = 3;

/// Word 1 of either.
pub fn format_and_rank(rank: u32) -> u64 {
    u64::from(FORMAT) | u64::from(rank) << 32
}

/// Words of a log's head that name its run; zeros where nobody knew.
pub const RUN: [usize; 2] = [4, 5];

/// The head of a log of the run `run`.
pub fn log_head(rank: u32, run: Option<RunId>) -> [u64; HEAD_WORDS] {
    let mut head = [0; HEAD_WORDS];
    (head[0], head[1]) = (LOG_MAGIC, format_and_rank(rank));
    [head[RUN[0]], head[RUN[1]]] = run.map_or([0; 2], RunId::words);
    head
}

/// The run that a log's head names.
pub fn run_of(head: &[u64; HEAD_WORDS]) -> Option<RunId> {
    let words = RUN.map(|word| head[word]);
    (words != [0; 2]).then(|| RunId::of_words(words))
}
