//! Words of the file's head.

/// Marks the file: "4stsocks".
pub const MAGIC: u64 = u64::from_le_bytes(*b"4stsocks");
/// Format that this version writes.
pub const FORMAT: u64 = 4;
/// Place of the format.
pub const FORMAT_AT: usize = 1;
/// Place of the run's id, two words.
pub const RUN_AT: usize = 2;
/// Place of what was noticed: see [`noticed`](super::noticed).
pub const NOTICED_AT: usize = 4;
/// Place of the most connections that carried bytes at once without a call that was seen.
pub const UNSEEN_AT: usize = 5;
/// Place of the number of datagram sockets that were used.
pub const DATAGRAM_SOCKETS_AT: usize = 6;
/// Place of when recording stopped for want of space, in ticks; 0 if it did not.
pub const STOPPED_AT: usize = 7;
/// Words that mean something.
pub const WORDS: usize = 8;
