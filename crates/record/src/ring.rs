//! The ring between a node and whoever keeps its rows: one producer, one consumer, no lock.
//!
//! Layout, in words: a head of [`HEAD_WORDS`] words, then `capacity` rows of `stride` words.
//!
//! | Word | Holds | Written by |
//! |---|---|---|
//! | 0 | [`MAGIC`] | maker |
//! | 1 | words of a row | maker |
//! | 2 | rows that fit | maker |
//! | 8 | rows dropped | producer |
//! | 16 | rows pushed, ever | producer, after their words (release) |
//! | 32 | rows taken, ever | consumer, after it has kept them (release) |
//!
//! The words lie in named memory, so that a reader who comes after the producer was killed finds the same
//! thing that a consumer would: rows `taken .. pushed`, each complete. A row that was being written at that
//! moment is not yet counted. The counts that the two sides write lie two cache lines apart, because processors fetch
//! lines in pairs.
//!
//! The producer wraps by a branch, not by a mask: the branch is predicted, and the capacity is then what was
//! asked for and not up to twice as much.

use crate::row::BASE_WORDS;
use std::sync::Arc;

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU64, Ordering};

/// First word of a ring: "4STMRING" in little-endian bytes.
pub(crate) const MAGIC: u64 = u64::from_le_bytes(*b"4STMRING");
/// Words before the first row.
pub(crate) const HEAD_WORDS: usize = 48;
const STRIDE: usize = 1;
const CAPACITY: usize = 2;
const DROPPED: usize = 8;
const PUSHED: usize = 16;
const TAKEN: usize = 32;

/// Memory that a ring can lie in.
pub(crate) trait Words: Send + Sync {
    fn words(&self) -> &[AtomicU64];
}

#[cfg(not(loom))]
impl Words for memory::Region {
    #[inline(always)]
    fn words(&self) -> &[AtomicU64] {
        memory::Region::words(self)
    }
}

impl Words for Vec<AtomicU64> {
    fn words(&self) -> &[AtomicU64] {
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
pub(crate) fn lay_out<W: Words>(memory: Arc<W>, stride: usize, capacity: u64) -> (Producer<W>, Consumer<W>) {
    let end = words_needed(stride, capacity);
    assert!(capacity > 0 && stride >= BASE_WORDS && memory.words().len() >= end);
    let words = memory.words();
    words[STRIDE].store(stride as u64, Ordering::Relaxed);
    words[CAPACITY].store(capacity, Ordering::Relaxed);
    words[0].store(MAGIC, Ordering::Release);
    let consumer = Consumer { memory: memory.clone(), taken: 0, stride, capacity };
    (Producer { memory, pushed: 0, limit: capacity, at: HEAD_WORDS, end, stride, capacity }, consumer)
}

/// What is wrong with memory that should hold a ring.
pub(crate) fn reopen<W: Words>(memory: Arc<W>, stride: usize) -> Result<Consumer<W>, &'static str> {
    let words = memory.words();
    if words.len() < HEAD_WORDS || words[0].load(Ordering::Acquire) != MAGIC {
        return Err("is not a record buffer");
    }
    if words[STRIDE].load(Ordering::Relaxed) != stride as u64 {
        return Err("holds rows of another length than its node's sheet says");
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

    /// Copy up to `rows_max` of the oldest waiting rows to `out`, replacing what is in it. They stay in the
    /// ring until [`Consumer::release`].
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

    /// Go past the `rows` oldest rows without giving their places back: a reader that may have to begin again
    /// leaves the memory as it found it.
    pub fn pass(&mut self, rows: u64) {
        self.taken += rows;
    }

    /// Give the places of the `rows` oldest rows back to the producer.
    pub fn release(&mut self, rows: u64) {
        self.taken += rows;
        self.memory.words()[TAKEN].store(self.taken, Ordering::Release);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ring(stride: usize, capacity: u64) -> (Producer<Vec<AtomicU64>>, Consumer<Vec<AtomicU64>>) {
        let words = (0..words_needed(stride, capacity)).map(|_| AtomicU64::new(0)).collect();
        lay_out(Arc::new(words), stride, capacity)
    }

    proptest! {
        /// Against a queue: pushes and takes in any order, and a reader who comes afterwards.
        #[test]
        fn a_ring_is_a_bounded_queue(capacity in 1u64..9, extras in 0usize..3, steps in prop::collection::vec((any::<bool>(), 1u64..6), 0..60)) {
            let stride = BASE_WORDS + extras;
            let (mut producer, mut consumer) = ring(stride, capacity);
            let mut queue = std::collections::VecDeque::new();
            let (mut next, mut out) = (0, Vec::new());
            for (push, times) in steps {
                if push {
                    for _ in 0..times {
                        let fits = producer.has_room() || producer.look_again();
                        prop_assert_eq!(fits, (queue.len() as u64) < capacity);
                        if fits {
                            producer.push(&[next; BASE_WORDS], &vec![next; extras]);
                            queue.push_back(next);
                        } else {
                            producer.count_dropped();
                        }
                        next += 1;
                    }
                } else {
                    let rows = consumer.copy(times, &mut out);
                    for row in out.chunks(stride) {
                        prop_assert_eq!(row, vec![queue.pop_front().unwrap(); stride]);
                    }
                    consumer.release(rows);
                }
            }
            let memory = consumer.memory.clone();
            prop_assert_eq!(producer.pushed() + producer.dropped(), next);
            drop((producer, consumer));
            let late = reopen(memory, stride).unwrap();
            prop_assert_eq!(late.copy(u64::MAX, &mut out) as usize, queue.len());
            prop_assert_eq!(queue, out.chunks(stride).map(|row| row[0]).collect::<Vec<_>>());
        }

        #[test]
        fn noise_is_never_taken_for_a_ring(mut words in prop::collection::vec(any::<u64>(), 0..200), lie in 0usize..3) {
            // The first words right, so that the counts are what is looked at.
            let begin = [MAGIC, BASE_WORDS as u64, 4];
            let right = if words.len() < 3 { 0 } else { lie + 1 };
            words[..right].copy_from_slice(&begin[..right]);
            let memory: Vec<AtomicU64> = words.into_iter().map(AtomicU64::new).collect();
            if let Ok(found) = reopen(Arc::new(memory), BASE_WORDS) {
                prop_assert!(found.waiting() <= found.capacity());
            }
        }
    }
}

/// Every interleaving of the protocol: `RUSTFLAGS="--cfg loom" cargo test --release -p fourstamp-record --lib ring`.
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::thread;

    const CAPACITY: u64 = 2;
    const ROWS: u64 = 3;

    fn ring() -> (Producer<Vec<AtomicU64>>, Consumer<Vec<AtomicU64>>) {
        let words = (0..words_needed(BASE_WORDS, CAPACITY)).map(|_| AtomicU64::new(0)).collect();
        lay_out(Arc::new(words), BASE_WORDS, CAPACITY)
    }

    fn push_all(mut producer: Producer<Vec<AtomicU64>>) -> u64 {
        let mut pushed = 0;
        for row in 1..=ROWS {
            if producer.has_room() || producer.look_again() {
                producer.push(&[row; BASE_WORDS], &[]);
                pushed += 1;
            }
        }
        pushed
    }

    /// Rows that rise, each whole: never a word of one row among those of another.
    fn check(out: &[u64], above: &mut u64) {
        for row in out.chunks(BASE_WORDS) {
            assert!(row[0] > *above && row.iter().all(|word| *word == row[0]), "a torn row: {row:?}");
            *above = row[0];
        }
    }

    #[test]
    fn the_consumer_sees_whole_rows_in_order_while_the_ring_wraps() {
        loom::model(|| {
            let (producer, mut consumer) = ring();
            let node = thread::spawn(move || push_all(producer));
            let (mut out, mut above, mut taken) = (Vec::new(), 0, 0);
            for _ in 0..2 {
                let rows = consumer.copy(u64::MAX, &mut out);
                check(&out, &mut above);
                consumer.release(rows);
                taken += rows;
            }
            let pushed = node.join().expect("the node ends");
            taken += consumer.copy(u64::MAX, &mut out);
            check(&out, &mut above);
            assert_eq!(taken, pushed);
        });
    }

    #[test]
    fn whoever_looks_at_a_moment_of_a_kill_finds_whole_rows() {
        loom::model(|| {
            let (producer, mut consumer) = ring();
            let memory = consumer.memory.clone();
            let node = thread::spawn(move || push_all(producer));
            let mut out = Vec::new();
            let rows = consumer.copy(1, &mut out);
            consumer.release(rows);
            // The consumer has gone, as in a kill; the producer is stopped by not being looked at any more. While it
            // has room left, what it pushes goes to places that this reader does not read.
            if consumer.taken() == 0
                && let Ok(late) = reopen(memory, BASE_WORDS)
            {
                late.copy(u64::MAX, &mut out);
                check(&out, &mut 0);
            }
            node.join().expect("the node ends");
        });
    }
}
