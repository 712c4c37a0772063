//! The ring between a node and whoever keeps its rows: one producer, one consumer, no lock.
//!
//! Layout, in words: a head of [`HEAD_WORDS`] words, then `capacity` rows of `stride` words.
//!
//! | Word | Holds | Written by |
//! |---|---|---|
//! | 0 | [`MAGIC`] | maker |
//! | 1 | words of a row | maker |
//! | 2 | rows that fit | maker |
//! | 3, 4 | the run's id, low half first; zeros in memory without a name | maker |
//! | 5 | launch (upper half) and node | maker |
//! | 6 | bytes of the run folder's path, which stands in the last 4096 bytes | maker |
//! | 8 | rows dropped | producer |
//! | 16 | rows pushed, ever | producer, after their words (release) |
//! | 32 | rows taken, ever | consumer, after it has kept them (release) |
//!
//! The words lie in named memory, so that a reader who comes after the producer was killed finds
//! the same thing that a consumer would: rows `taken .. pushed`, each complete. A row that was
//! being written at that moment is not yet counted. The counts that the two sides write lie two
//! cache lines apart, because processors fetch lines in pairs.
//!
//! The producer wraps by a branch, not by a mask: the branch is predicted, and the capacity is then
//! what was asked for and not up to twice as much.

use crate::row::BASE_WORDS;
use memory::Word;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// First word of a ring: "4STMRING" in little-endian bytes.
pub(crate) const MAGIC: u64 = u64::from_le_bytes(*b"4STMRING");
/// Words before the first row.
pub(crate) const HEAD_WORDS: usize = 48;
const STRIDE: usize = 1;
const CAPACITY: usize = 2;
pub(crate) const RUN: usize = 3;
pub(crate) const NODE: usize = 5;
pub(crate) const FOLDER_BYTES: usize = 6;
const DROPPED: usize = 8;
pub(crate) const PUSHED: usize = 16;
pub(crate) const TAKEN: usize = 32;

/// How many rows ahead a line is fetched: far enough to have come when it is wanted.
const ROWS_AHEAD: usize = 4;

/// Memory that a ring can lie in.
pub(crate) trait Words: Send + Sync {
    /// The machine's atomic word, or a model checker's.
    type Word: Word;

    fn words(&self) -> &[Self::Word];

    /// Say that a word will be stored to soon. Only makes it faster.
    fn prefetch_for_writing(&self, _word: usize) {}
}

impl Words for memory::Region {
    type Word = AtomicU64;

    #[inline(always)]
    fn words(&self) -> &[AtomicU64] {
        memory::Region::words(self)
    }

    #[inline(always)]
    fn prefetch_for_writing(&self, word: usize) {
        memory::Region::prefetch_for_writing(self, word);
    }
}

impl<T: Word + Send + Sync> Words for Vec<T> {
    type Word = T;

    fn words(&self) -> &[T] {
        self
    }
}

/// The side that records.
pub(crate) struct Producer<W> {
    memory: Arc<W>,
    /// Rows pushed.
    pushed: u64,
    /// `pushed` may grow to this before the consumer's count must be looked at again.
    limit: u64,
    /// Word of the next row, and the word after the last row.
    at: usize,
    end: usize,
    stride: usize,
    capacity: u64,
}

/// The side that keeps rows: while the producer works, or after it has gone.
pub(crate) struct Consumer<W> {
    memory: Arc<W>,
    taken: u64,
    stride: usize,
    capacity: u64,
}

/// Words that a ring of `capacity` rows needs.
pub(crate) fn words_needed(stride: usize, capacity: u64) -> usize {
    HEAD_WORDS + stride * capacity as usize
}

/// Lay out a ring in zeroed `memory` that has [`words_needed`] words.
pub(crate) fn lay_out<W: Words>(
    memory: Arc<W>,
    stride: usize,
    capacity: u64,
) -> (Producer<W>, Consumer<W>) {
    let end = words_needed(stride, capacity);
    assert!(capacity > 0 && stride >= BASE_WORDS && memory.words().len() >= end);
    let words = memory.words();
    words[STRIDE].store(stride as u64, Ordering::Relaxed);
    words[CAPACITY].store(capacity, Ordering::Relaxed);
    words[0].store(MAGIC, Ordering::Release);
    let consumer = Consumer { memory: memory.clone(), taken: 0, stride, capacity };
    (
        Producer { memory, pushed: 0, limit: capacity, at: HEAD_WORDS, end, stride, capacity },
        consumer,
    )
}

/// What is wrong with memory that should hold a ring.
pub(crate) fn reopen<W: Words>(memory: Arc<W>, stride: usize) -> Result<Consumer<W>, &'static str> {
    let words = memory.words();
    if words.len() < HEAD_WORDS || words[0].load(Ordering::Acquire) != MAGIC {
        return Err("is not a record buffer");
    }
    if words[STRIDE].load(Ordering::Relaxed) != stride as u64 {
        return Err("has rows of a different length than its node's sheet says");
    }
    let capacity = words[CAPACITY].load(Ordering::Relaxed);
    let room = ((words.len() - HEAD_WORDS) / stride) as u64;
    let taken = words[TAKEN].load(Ordering::Acquire);
    let pushed = words[PUSHED].load(Ordering::Acquire);
    if capacity == 0 || capacity > room || taken > pushed || pushed - taken > capacity {
        return Err("has counts that contradict each other");
    }
    Ok(Consumer { memory, taken, stride, capacity })
}

impl<W: Words> Producer<W> {
    /// Whether a row fits, as far as this side knows without looking across.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.pushed != self.limit
    }

    /// Look at the consumer's count; whether a row fits now.
    #[cold]
    pub fn look_again(&mut self) -> bool {
        let taken = self.memory.words()[TAKEN].load(Ordering::Acquire);
        self.limit = taken + self.capacity;
        self.has_room()
    }

    /// Record a row. There must be room.
    #[inline(always)]
    pub fn push(&mut self, base: &[u64; BASE_WORDS], extras: &[u64]) {
        debug_assert!(self.has_room() && BASE_WORDS + extras.len() == self.stride);
        let words = self.memory.words();
        let row = &words[self.at..self.at + BASE_WORDS];
        for (word, value) in row.iter().zip(base) {
            word.store(*value, Ordering::Relaxed);
        }
        if !extras.is_empty() {
            let rest = &words[self.at + BASE_WORDS..self.at + self.stride];
            for (word, value) in rest.iter().zip(extras) {
                word.store(*value, Ordering::Relaxed);
            }
        }
        self.pushed += 1;
        words[PUSHED].store(self.pushed, Ordering::Release);
        self.at += self.stride;
        if self.at == self.end {
            self.at = HEAD_WORDS;
        }
        // Rows are stored once and never read here, so each one's line is a miss, and the program's
        // next stores (the answer it sends) would queue up behind it.
        self.memory.prefetch_for_writing(self.at + ROWS_AHEAD * self.stride);
    }

    /// Rows pushed so far.
    pub fn pushed(&self) -> u64 {
        self.pushed
    }

    /// Count a row that did not fit, where a later reader finds it.
    #[cold]
    pub fn count_dropped(&self) {
        let dropped = &self.memory.words()[DROPPED];
        dropped.store(dropped.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Rows dropped so far.
    pub fn dropped(&self) -> u64 {
        self.memory.words()[DROPPED].load(Ordering::Relaxed)
    }
}

impl<W: Words> Consumer<W> {
    /// Rows that wait.
    pub fn waiting(&self) -> u64 {
        self.memory.words()[PUSHED].load(Ordering::Acquire) - self.taken
    }

    /// Rows taken so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Rows dropped so far.
    pub fn dropped(&self) -> u64 {
        self.memory.words()[DROPPED].load(Ordering::Relaxed)
    }

    /// Rows that fit.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Copy up to `rows_max` of the oldest waiting rows to `out`, replacing what is in it. They
    /// stay in the ring until [`Consumer::release`].
    pub fn copy(&self, rows_max: u64, out: &mut Vec<u64>) -> u64 {
        let rows = self.waiting().min(rows_max);
        let words = self.memory.words();
        out.clear();
        for row in self.taken..self.taken + rows {
            let at = HEAD_WORDS + (row % self.capacity) as usize * self.stride;
            out.extend(words[at..at + self.stride].iter().map(|word| word.load(Ordering::Relaxed)));
        }
        rows
    }

    /// Go past the `rows` oldest rows without giving their places back: a reader that may have to
    /// begin again leaves the memory as it found it.
    pub fn pass(&mut self, rows: u64) {
        self.taken += rows;
    }

    /// Give the places of the `rows` oldest rows back to the producer.
    pub fn release(&mut self, rows: u64) {
        self.taken += rows;
        self.memory.words()[TAKEN].store(self.taken, Ordering::Release);
    }
}

#[cfg(test)]
mod models;
#[cfg(test)]
mod tests;
