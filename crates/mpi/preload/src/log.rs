//! A rank's log: entries go into a small shared mapping (the tail), and from there to the log's
//! file when it is full.
//!
//! The mapping is a file, so whatever ends the process leaves the entries. Both files begin with a
//! head of 64 bytes; the tail's says how many words of the log come before its contents, and how
//! many of its words count. An append that was cut is told by that.

use calls::entry::files::{FIRST_WORD, HEAD_WORDS, TAIL_MAGIC, USED, format_and_rank, log_head};
use calls::entry::{self, CALL_WORDS, COMPLETION_WORDS, Call, Completion, flags};
use memory::Region;
use record::RunId;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(target_endian = "big")]
compile_error!("the log is little-endian, and its words are written as they lie in memory");

/// Words of the tail, its head with them.
const TAIL_WORDS: usize = 8192;
/// Words of entries that the tail holds; one stays free for the end mark.
const ROOM: usize = TAIL_WORDS - HEAD_WORDS - 1;
/// Most completions in one entry: a call with more is continued in entries that follow.
pub const COMPLETIONS_MAX: usize = 2000;

/// The log of a rank.
pub struct Log {
    tail: Region,
    path: PathBuf,
    file: File,
    /// Words of the tail in use.
    used: usize,
    /// Where the polls that are being put together lie in the tail, and when the last one ended.
    polls: Option<(usize, u64)>,
    /// Polls further apart than this stay apart: the program computes between them.
    apart_ticks: u64,
}

impl Log {
    /// Begin the log of `rank` in the run `run` with the files `stem`.calls and `stem`.tail. Polls
    /// that follow within `apart_ticks` are put together.
    ///
    /// # Errors
    /// When they exist already, or cannot be made.
    pub fn create(
        stem: &Path,
        (run, rank): (Option<RunId>, u32),
        apart_ticks: u64,
    ) -> std::io::Result<Log> {
        let mut file =
            File::options().append(true).create_new(true).open(stem.with_extension("calls"))?;
        file.write_all(&log_head(rank, run).map(u64::to_le_bytes).concat())?;
        let path = stem.with_extension("tail");
        let tail = Region::create(&path, TAIL_WORDS).map_err(std::io::Error::other)?;
        let words = tail.words();
        words[1].store(format_and_rank(rank), Ordering::Relaxed);
        words[0].store(TAIL_MAGIC, Ordering::Release);
        Ok(Log { tail, path, file, used: 0, polls: None, apart_ticks })
    }

    /// Write down a call that is being made, so that a rank that ends in it says where it was. The
    /// next entry takes its place.
    #[inline(always)]
    pub fn pending(&mut self, call: &Call) -> std::io::Result<()> {
        self.make_room(CALL_WORDS)?;
        let (words, length) = entry::encode(call, 0);
        self.store(self.used, &words[..length]);
        Ok(())
    }

    /// Write down a call that has been made.
    #[inline(always)]
    pub fn call(&mut self, call: &Call) -> std::io::Result<()> {
        self.make_room(CALL_WORDS)?;
        let (words, length) = entry::encode(call, 0);
        self.store(self.used, &words[..length]);
        self.commit(length);
        Ok(())
    }

    /// Write down the end of a call of which nothing but its end has changed since it was pending.
    #[inline(always)]
    pub fn ended(&mut self, call: &Call) -> std::io::Result<()> {
        let (words, length) = entry::encode(call, 0);
        let places = &self.entries()[self.used..][..length.min(ROOM - self.used)];
        let is = |place: usize| {
            places.get(place).is_some_and(|at| at.load(Ordering::Relaxed) == words[place])
        };
        // Another thread's call may have taken the place; a flag for failure changes the head.
        if places.len() < length || !(is(0) && is(1)) {
            return self.call(call);
        }
        places[2].store(call.exit, Ordering::Relaxed);
        self.commit(length);
        Ok(())
    }

    /// The same with the requests that it completed.
    pub fn call_with(&mut self, call: &Call, done: &[Completion]) -> std::io::Result<()> {
        let mut rest = Call { flags: flags::CONTINUED, request: 0, ..*call };
        let mut call = call;
        let mut pieces = done.chunks(COMPLETIONS_MAX);
        loop {
            let piece = pieces.next().unwrap_or_default();
            self.make_room(CALL_WORDS + piece.len() * COMPLETION_WORDS)?;
            let (words, mut length) = entry::encode(call, piece.len());
            self.store(self.used, &words[..length]);
            for completion in piece {
                self.store(self.used + length, &entry::encode_completion(completion));
                length += COMPLETION_WORDS;
            }
            self.commit(length);
            if pieces.len() == 0 {
                return Ok(());
            }
            rest.flags = flags::CONTINUED;
            call = &rest;
        }
    }

    /// A poll that found nothing. Polls in a row become one entry.
    #[inline(always)]
    pub fn poll(&mut self, call: &Call) -> std::io::Result<()> {
        let call = Call { flags: call.flags | flags::POLLS, request: 1, ..*call };
        if let Some((at, exit)) = self.polls
            && call.enter.wrapping_sub(exit) <= self.apart_ticks
            && self.poll_again(at, &call)
        {
            self.polls = Some((at, call.exit));
            return Ok(());
        }
        self.make_room(CALL_WORDS)?;
        let at = self.used;
        self.call(&call)?;
        self.polls = Some((at, call.exit));
        Ok(())
    }

    /// One poll more for the entry at `at`. `false`: its count is full.
    #[inline(always)]
    fn poll_again(&self, at: usize, call: &Call) -> bool {
        const MIXED: u64 = (flags::MIXED as u64) << 48;
        let entry = &self.entries()[at..];
        let word = |place: usize| entry[place].load(Ordering::Relaxed);
        // The upper half of word 3 counts, the lower is the place that called.
        let polls = word(3);
        if polls >> 32 == u64::from(u32::MAX) {
            return false;
        }
        let (words, length) = entry::encode(call, 0);
        let same = word(0) & !MIXED == words[0]
            && polls as u32 == words[3] as u32
            && (4..length).all(|place| word(place) == words[place]);
        if !same {
            entry[0].store(word(0) | MIXED, Ordering::Relaxed);
        }
        entry[2].store(call.exit, Ordering::Relaxed);
        entry[3].store(polls + (1 << 32), Ordering::Relaxed);
        true
    }

    /// An entry of another kind, already encoded.
    pub fn entry(&mut self, words: &[u64]) -> std::io::Result<()> {
        if words.len() > ROOM {
            self.flush()?;
            return self.write(words);
        }
        self.make_room(words.len())?;
        self.store(self.used, words);
        self.commit(words.len());
        Ok(())
    }

    /// All entries are written: append the tail and remove it. Nothing may be written afterwards.
    pub fn finish(&mut self) -> std::io::Result<()> {
        self.flush()?;
        Region::remove(&self.path)
    }

    #[inline(always)]
    fn make_room(&mut self, words: usize) -> std::io::Result<()> {
        if self.used + words > ROOM { self.flush() } else { Ok(()) }
    }

    #[cold]
    fn flush(&mut self) -> std::io::Result<()> {
        let words = &self.entries()[..self.used];
        // SAFETY: the words are initialised memory that lives as long as the mapping, and nobody
        // stores into them meanwhile: the rank's state is taken (`Tracer::with`), and other
        // processes only read.
        let bytes =
            unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), size_of_val(words)) };
        (&self.file).write_all(bytes)?;
        self.tail.words()[FIRST_WORD].fetch_add(self.used as u64, Ordering::Release);
        // In this order: a process that ends in between leaves a log that is longer than
        // `first_word` says, and is cut there.
        self.tail.words()[USED].store(0, Ordering::Release);
        self.used = 0;
        self.entries()[0].store(0, Ordering::Relaxed);
        self.polls = None;
        Ok(())
    }

    /// Append an entry that is larger than the tail.
    fn write(&mut self, words: &[u64]) -> std::io::Result<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.file.write_all(&bytes)?;
        self.tail.words()[FIRST_WORD].fetch_add(words.len() as u64, Ordering::Release);
        Ok(())
    }

    #[inline(always)]
    fn entries(&self) -> &[AtomicU64] {
        &self.tail.words()[HEAD_WORDS..]
    }

    #[inline(always)]
    fn store(&self, at: usize, words: &[u64]) {
        let places = &self.entries()[at..at + words.len()];
        places.iter().zip(words).for_each(|(place, word)| place.store(*word, Ordering::Relaxed));
    }

    /// The `length` words behind the last entry are an entry. What follows is marked as the end
    /// first: it may look like an entry.
    #[inline(always)]
    fn commit(&mut self, length: usize) {
        self.used += length;
        self.entries()[self.used].store(0, Ordering::Relaxed);
        self.tail.words()[USED].store(self.used as u64, Ordering::Release);
        self.polls = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(folder: &Path) -> Log {
        Log::create(&folder.join("launch-0-node-3"), (None, 3), 8).unwrap()
    }

    /// The words of the log and of the tail behind it.
    fn words(folder: &Path) -> Vec<u64> {
        let read = |ending: &str| {
            let bytes = std::fs::read(folder.join("launch-0-node-3").with_extension(ending))
                .unwrap_or_default();
            bytes
                .chunks(8)
                .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
                .collect::<Vec<_>>()
        };
        let (log, tail) = (read("calls"), read("tail"));
        let mut all = log[HEAD_WORDS..].to_vec();
        if !tail.is_empty() {
            assert_eq!(all.len() as u64, tail[FIRST_WORD]);
            all.extend(&tail[HEAD_WORDS..][..tail[USED] as usize]);
        }
        all
    }

    fn calls(words: &[u64]) -> Vec<(Call, Vec<Completion>)> {
        let (mut calls, mut at) = (Vec::new(), 0);
        while at < words.len() {
            let (_, length) = entry::kind_and_words(words[at]);
            let (call, rest) = entry::decode(&words[at..at + length]).unwrap();
            calls.push((call, entry::completions(rest).collect()));
            at += length;
        }
        calls
    }

    #[test]
    fn entries_come_back_in_order_before_and_after_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = log(folder.path());
        for enter in 1..5000 {
            log.call(&Call { enter, exit: enter + 1, flags: flags::MESSAGE, ..Call::default() })
                .unwrap();
        }
        let enters =
            |words: &[u64]| calls(words).iter().map(|(call, _)| call.enter).collect::<Vec<_>>();
        assert_eq!(
            enters(&words(folder.path())),
            (1..5000).collect::<Vec<_>>(),
            "while it goes on"
        );
        log.finish().unwrap();
        assert_eq!(enters(&words(folder.path())), (1..5000).collect::<Vec<_>>(), "after the end");
    }

    #[test]
    fn a_call_with_many_completions_is_continued() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = log(folder.path());
        let done: Vec<Completion> =
            (1..=50_000).map(|request| Completion { request, ..Completion::default() }).collect();
        log.call_with(&Call { enter: 1, exit: 2, ..Call::default() }, &done).unwrap();
        log.finish().unwrap();
        let calls = calls(&words(folder.path()));
        assert_eq!(calls.len(), 25);
        assert!(calls.iter().skip(1).all(|(call, _)| call.flags == flags::CONTINUED));
        assert_eq!(calls.into_iter().flat_map(|(_, done)| done).collect::<Vec<_>>(), done);
    }

    #[test]
    fn polls_in_a_row_are_one_entry_until_something_else_or_a_pause_comes() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = log(folder.path());
        let call = |enter| Call { enter, exit: enter + 1, ..Call::default() };
        (10..15).for_each(|enter| log.poll(&call(enter)).unwrap());
        log.call(&call(20)).unwrap();
        [30, 31, 41].into_iter().for_each(|enter| log.poll(&call(enter)).unwrap());
        let seen: Vec<_> = calls(&words(folder.path()))
            .iter()
            .map(|(call, _)| (call.flags, call.enter, call.exit, call.request))
            .collect();
        let polls = |enter, exit, many| (flags::POLLS, enter, exit, many);
        assert_eq!(seen, [polls(10, 15, 5), (0, 20, 21, 0), polls(30, 32, 2), polls(41, 42, 1)]);
    }

    #[test]
    fn polls_for_different_things_are_marked() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = log(folder.path());
        let poll =
            |(tag, at)| Call { enter: at, exit: at, flags: flags::MESSAGE, tag, ..Call::default() };
        [(7, 1), (7, 2)].into_iter().for_each(|one| log.poll(&poll(one)).unwrap());
        let flags_now = |folder: &Path| calls(&words(folder))[0].0.flags;
        assert_eq!(flags_now(folder.path()), flags::MESSAGE | flags::POLLS);
        [(8, 3), (7, 4)].into_iter().for_each(|one| log.poll(&poll(one)).unwrap());
        assert_eq!(flags_now(folder.path()), flags::MESSAGE | flags::POLLS | flags::MIXED);
        assert_eq!(calls(&words(folder.path()))[0].0.request, 4, "one entry all the same");
    }

    #[test]
    fn a_pending_call_lies_behind_the_used_words_and_gives_way() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = log(folder.path());
        log.pending(&Call { enter: 5, ..Call::default() }).unwrap();
        assert!(words(folder.path()).is_empty());
        assert_eq!(log.entries()[1].load(Ordering::Relaxed), 5);
        log.call(&Call { enter: 5, exit: 6, ..Call::default() }).unwrap();
        assert_eq!(calls(&words(folder.path())).len(), 1);
        assert_eq!(log.entries()[4].load(Ordering::Relaxed), 0, "the end is marked");
    }
}
