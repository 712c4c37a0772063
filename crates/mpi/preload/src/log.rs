//! A rank's log: entries go into a small shared mapping (the tail), and from there to the log's
//! file when it is full.
//!
//! The mapping is a file, so whatever ends the process leaves the entries. Both files begin with a
//! head of 64 bytes; the tail's says how many words of the log come before its contents, and how
//! many of its words count. An append that was cut is told by that.

use calls::entry::files::{FIRST_WORD, HEAD_WORDS, TAIL_MAGIC, USED, format_and_rank, log_head};
use calls::entry::{
    self, AGAIN_WORDS, CALL_WORDS, COMPLETION_WORDS, Call, Completion, DONE_MAX, Known, flags,
};
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
    /// Calls in the tail that may come again.
    known: Known,
    /// Polls further apart than this stay apart: the program computes between them.
    apart_ticks: u64,
}

/// How a call that is being made was written down.
#[derive(Clone, Copy, Default)]
pub struct Pending {
    /// Its word 0; 0 if it could not be written.
    head: u64,
    /// Of the call that it repeats ([`Known::number`]); 0 for one that lies there whole.
    number: u64,
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
        allowed((TAIL_WORDS * size_of::<u64>()) as u64)?;
        let mut file =
            File::options().append(true).create_new(true).open(stem.with_extension("calls"))?;
        file.write_all(&log_head(rank, run).map(u64::to_le_bytes).concat())?;
        let path = stem.with_extension("tail");
        let tail = Region::create(&path, TAIL_WORDS).map_err(std::io::Error::other)?;
        let words = tail.words();
        words[1].store(format_and_rank(rank), Ordering::Relaxed);
        words[0].store(TAIL_MAGIC, Ordering::Release);
        let known = Known::default();
        let mut log = Log { tail, path, file, used: 0, polls: None, known, apart_ticks };
        log.begin_piece();
        Ok(log)
    }

    /// Write down a call that is being made, so that a rank that ends in it says where it was. The
    /// next entry takes its place.
    #[inline(always)]
    pub fn pending(&mut self, call: &Call) -> std::io::Result<()> {
        self.begun(call).map(drop)
    }

    /// The same for a call whose entry will say nothing else, but for its end: what
    /// [`Log::left`] wants to know. A request is not begun before the call has been left.
    #[inline(always)]
    pub fn begun(&mut self, call: &Call) -> std::io::Result<Pending> {
        debug_assert_eq!(call.request, 0);
        let at = self.place()?;
        let (words, length) = entry::encode(call, 0);
        if length == CALL_WORDS
            && let Some(again) = self.known.again(&words)
        {
            self.store(at, &[again, call.enter]);
            return Ok(Pending { head: again, number: self.known.number(again) });
        }
        self.store(at, &words[..length]);
        Ok(Pending { head: words[0], number: 0 })
    }

    /// The same for a call like one that began as `pending`. `false`: nothing was written, because
    /// the log does not know such a call any more.
    #[inline(always)]
    pub fn begun_again(&mut self, pending: Pending, enter: u64) -> bool {
        let at = self.used;
        let is_known = pending.number != 0 && self.known.number(pending.head) == pending.number;
        if !is_known || at > ROOM - CALL_WORDS {
            return false;
        }
        self.store(at, &[pending.head, enter]);
        true
    }

    /// Write down the end of a call that began as `pending`. `false`: it must be written whole.
    #[inline(always)]
    pub fn left(&mut self, pending: Pending, enter: u64, exit: u64) -> bool {
        let (at, words) = (self.used, self.words());
        if at > ROOM - CALL_WORDS || pending.head == 0 {
            return false;
        }
        let (head, second) = (&words[HEAD_WORDS + at], &words[HEAD_WORDS + at + 1]);
        // Another thread's call may have taken the place.
        if head.load(Ordering::Relaxed) != pending.head || second.load(Ordering::Relaxed) != enter {
            return false;
        }
        if pending.number == 0 {
            return self.left_whole(exit);
        }
        let is_written = self.came_again(at, pending.head, enter, exit);
        if is_written {
            self.known.ended(exit);
        }
        is_written
    }

    /// Write down a call that comes again, with this word 0 while it went on, in as few words as it
    /// takes; what is known is not told. `false`: it must be written whole.
    #[inline(always)]
    fn came_again(&mut self, at: usize, again: u64, enter: u64, exit: u64) -> bool {
        let length = if let Some(next) = self.known.next(again, enter, exit) {
            self.store(at, &[next]);
            1
        } else if let Some(left) = entry::left(again, exit.wrapping_sub(enter)) {
            self.store(at, &[left, enter]);
            AGAIN_WORDS
        } else {
            return false;
        };
        self.commit(at + length);
        true
    }

    /// The same of a call that lies there whole.
    fn left_whole(&mut self, exit: u64) -> bool {
        let at = self.used;
        let Some(places) = self.entries()[at..].first_chunk::<CALL_WORDS>() else { return false };
        places[2].store(exit, Ordering::Relaxed);
        let words = places.each_ref().map(|place| place.load(Ordering::Relaxed));
        let (_, length) = entry::kind_and_words(words[0]);
        self.known.ended(exit);
        self.known.remember(&words, std::iter::empty());
        self.commit(at + length);
        true
    }

    /// Write down a call that has been made.
    #[inline(always)]
    pub fn call(&mut self, call: &Call) -> std::io::Result<()> {
        let at = self.place()?;
        let (words, length) = entry::encode(call, 0);
        if length == CALL_WORDS
            && let Some(again) = self.known.again(&words)
            && self.came_again(at, again, call.enter, call.exit)
        {
            self.known.came(again, call.exit);
            return Ok(());
        }
        self.known.ended(call.exit);
        self.known.remember(&words, std::iter::empty());
        self.store(at, &words[..length]);
        self.commit(at + length);
        Ok(())
    }

    /// The same with the requests that it completed.
    pub fn call_with(&mut self, call: &Call, done: &[Completion]) -> std::io::Result<()> {
        let at = self.place()?;
        if done.len() <= DONE_MAX
            && let Some(again) = self.known.again_with(&entry::encode(call, done.len()).0, done)
            && self.came_again(at, again, call.enter, call.exit)
        {
            self.known.came(again, call.exit);
            return Ok(());
        }
        let mut rest = Call { flags: flags::CONTINUED, request: 0, ..*call };
        let mut call = call;
        let mut pieces = done.chunks(COMPLETIONS_MAX);
        loop {
            let piece = pieces.next().unwrap_or_default();
            self.make_room(CALL_WORDS + piece.len() * COMPLETION_WORDS)?;
            let (words, mut length) = entry::encode(call, piece.len());
            self.known.ended(call.exit);
            self.known.remember(&words, piece.iter().map(entry::encode_completion));
            self.store(self.used, &words[..length]);
            for completion in piece {
                self.store(self.used + length, &entry::encode_completion(completion));
                length += COMPLETION_WORDS;
            }
            self.commit(self.used + length);
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
    fn poll_again(&mut self, at: usize, call: &Call) -> bool {
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
        self.known.ended(call.exit);
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
        self.commit(self.used + words.len());
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

    /// Where a call without completions has room.
    #[inline(always)]
    fn place(&mut self) -> std::io::Result<usize> {
        if self.used <= ROOM - CALL_WORDS {
            return Ok(self.used);
        }
        self.flush()?;
        Ok(self.used)
    }

    #[cold]
    fn flush(&mut self) -> std::io::Result<()> {
        let words = &self.entries()[..self.used];
        // SAFETY: the words are initialised memory that lives as long as the mapping, and nobody
        // stores into them meanwhile: the rank's state is taken (`Tracer::with`), and other
        // processes only read.
        let bytes =
            unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), size_of_val(words)) };
        allowed(self.file.metadata()?.len() + bytes.len() as u64)?;
        (&self.file).write_all(bytes)?;
        self.tail.words()[FIRST_WORD].fetch_add(self.used as u64, Ordering::Release);
        // In this order: a process that ends in between leaves a log that is longer than
        // `first_word` says, and is cut there.
        self.tail.words()[USED].store(0, Ordering::Release);
        self.used = 0;
        self.entries()[0].store(0, Ordering::Relaxed);
        self.begin_piece();
        Ok(())
    }

    /// What is in the tail from here on says all by itself.
    fn begin_piece(&mut self) {
        let words = self.known.piece();
        self.store(self.used, &words);
        self.commit(self.used + words.len());
    }

    /// Append an entry that is larger than the tail.
    fn write(&mut self, words: &[u64]) -> std::io::Result<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        allowed(self.file.metadata()?.len() + bytes.len() as u64)?;
        self.file.write_all(&bytes)?;
        self.tail.words()[FIRST_WORD].fetch_add(words.len() as u64, Ordering::Release);
        Ok(())
    }

    /// The tail, whose length is then known where it is looked at.
    #[inline(always)]
    fn words(&self) -> &[AtomicU64; TAIL_WORDS] {
        match self.tail.words().first_chunk() {
            Some(words) => words,
            None => unreachable!("it was made with so many words"),
        }
    }

    #[inline(always)]
    fn entries(&self) -> &[AtomicU64] {
        &self.words()[HEAD_WORDS..]
    }

    #[inline(always)]
    fn store(&self, at: usize, words: &[u64]) {
        let places = &self.entries()[at..at + words.len()];
        let mut pairs = places.iter().zip(words);
        let head = pairs.next();
        pairs.for_each(|(place, word)| place.store(*word, Ordering::Relaxed));
        // Last: until then the end mark is there, for whoever finds what a killed rank has left.
        if let Some((place, word)) = head {
            place.store(*word, Ordering::Release);
        }
    }

    /// The words up to `used` are entries. What follows is marked as the end first: it may look
    /// like an entry.
    #[inline(always)]
    fn commit(&mut self, used: usize) {
        let words = self.words();
        words[HEAD_WORDS + used].store(0, Ordering::Relaxed);
        words[USED].store(used as u64, Ordering::Release);
        self.used = used;
        self.polls = None;
    }
}

/// An error if a log may not have so many bytes: to write more would end the rank.
fn allowed(bytes: u64) -> std::io::Result<()> {
    match interpose::limit::allows_file_of(bytes) {
        true => Ok(()),
        false => Err(std::io::Error::other("a file may not be so long here (ulimit -f)")),
    }
}

#[cfg(test)]
mod tests;
