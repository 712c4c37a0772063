//! Reading a log: whole entries, one after another, from any bytes.
//!
//! Words carry no checksum, because a rank writes them on its hot path. What tells a sound log is
//! that every entry is plausible and ends where the next begins. Where that breaks (a hole after a
//! full disk, a cut), the reader counts the damage and goes on at the next word that looks like a
//! call later than the last.

use crate::entry::{self, CALL_WORDS, COMPLETION_WORDS, Call, Known, kinds};
use crate::list::NAMES;
use std::io::{self, Read};

/// Words read at once.
const CHUNK_WORDS: usize = 1 << 13;
/// After damage a call counts as one only if it is this close to the last one before, in ticks:
/// about ten days of a counter at 5 GHz.
const NEAR_TICKS: i64 = 1 << 52;

/// What was wrong with a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogDamage {
    /// Places at which no entry could be read.
    pub places: u64,
    /// Words passed over there.
    pub words: u64,
    /// Words that were written but are not there.
    pub missing_words: u64,
    /// Entries that refer to what is not known: a request never begun, a communicator never made.
    pub dangling: u64,
}

/// An entry, whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// A call, as if it had come for the first time, and the words of its
    /// [completions](entry::completions).
    Call(&'a Call, &'a [u64]),
    /// The words of another.
    Other(&'a [u64]),
}

/// Entries of a log, read from its words.
pub struct LogReader<R> {
    source: R,
    words: Vec<u64>,
    bytes: Vec<u8>,
    at: usize,
    ended: bool,
    /// Calls that may come again.
    known: Known,
    /// The last one that did, whole.
    whole: Vec<u64>,
    /// The last call, and after how many of its words its completions begin.
    call: Call,
    fixed: usize,
    /// Enter of the last call.
    last: Option<u64>,
    read: u64,
    damage: LogDamage,
}

impl<R: Read> LogReader<R> {
    /// Read the words that come from `source`, a log of this format without its
    /// head.
    pub fn new(source: R, format: u32) -> LogReader<R> {
        LogReader {
            source,
            words: Vec::new(),
            bytes: Vec::new(),
            at: 0,
            ended: false,
            known: Known::of_format(format),
            whole: Vec::new(),
            call: Call::default(),
            fixed: 0,
            last: None,
            read: 0,
            damage: LogDamage::default(),
        }
    }

    /// What was wrong so far.
    pub fn damage(&self) -> LogDamage {
        self.damage
    }

    /// Words read so far.
    pub fn words_read(&self) -> u64 {
        self.read - (self.words.len() - self.at) as u64
    }

    /// The next entry; `None` at the end.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn next_entry(&mut self) -> io::Result<Option<Entry<'_>>> {
        let mut passed = 0u64;
        loop {
            if !self.have(1)? {
                self.note(passed);
                return Ok(None);
            }
            if let Some(length) = self.length_here(passed > 0)? {
                self.note(passed);
                let from = self.at;
                self.at += length;
                let kind = entry::kind_and_words(self.words[from]).0;
                if kind == kinds::PIECE {
                    passed = 0;
                    continue;
                }
                let words = &self.words[from..from + length];
                return Ok(Some(match kind {
                    kinds::AGAIN | kinds::NEXT => {
                        Entry::Call(&self.call, &self.whole[self.fixed..])
                    }
                    kinds::CALL => Entry::Call(&self.call, &words[self.fixed..]),
                    _ => Entry::Other(words),
                }));
            }
            if passed == 0 {
                // What is missing may have been what the next ones repeat.
                self.known.lose();
            }
            self.at += 1;
            passed += 1;
        }
    }

    fn note(&mut self, passed: u64) {
        self.damage.places += u64::from(passed > 0);
        self.damage.words += passed;
    }

    /// Length of the entry that begins here, if one does. After damage only a call that follows the
    /// last one counts.
    fn length_here(&mut self, after_damage: bool) -> io::Result<Option<usize>> {
        let (kind, length) = entry::kind_and_words(self.words[self.at]);
        if length == 0 || !(kinds::CALL..=kinds::PIECE).contains(&kind) {
            return Ok(None);
        }
        let begins = matches!(kind, kinds::CALL | kinds::PIECE);
        if after_damage && !begins || !self.have(length)? {
            return Ok(None);
        }
        let mut words = &self.words[self.at..self.at + length];
        if matches!(kind, kinds::AGAIN | kinds::NEXT) {
            if !self.known.whole(words, &mut self.whole) {
                return Ok(None);
            }
            words = &self.whole;
        } else if kind == kinds::PIECE {
            return Ok(self.known.begin_piece(words).then_some(length));
        } else if kind != kinds::CALL {
            return Ok(entry::is_sound(words).then_some(length));
        }
        let Some((call, done)) = entry::decode(words).filter(|(call, _)| is_plausible(call)) else {
            return Ok(None);
        };
        let near = |last: u64| (0..NEAR_TICKS).contains(&(call.enter.wrapping_sub(last) as i64));
        if after_damage && !self.last.is_none_or(near) {
            return Ok(None);
        }
        self.last = Some(call.enter);
        (self.call, self.fixed) = (call, words.len() - done.len());
        if kind == kinds::CALL {
            self.known.ended(call.exit);
            remember(&mut self.known, words.split_at(self.fixed));
        } else {
            self.known.came(self.words[self.at], call.exit);
        }
        Ok(Some(length))
    }

    /// Have so many words from here in the buffer, if there are so many.
    #[inline]
    fn have(&mut self, words: usize) -> io::Result<bool> {
        while self.words.len() - self.at < words {
            if self.ended {
                return Ok(false);
            }
            self.fill(words)?;
        }
        Ok(true)
    }

    #[cold]
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        self.words.drain(..self.at);
        self.at = 0;
        let bytes = wanted.max(CHUNK_WORDS) * 8;
        if self.bytes.len() < bytes {
            self.bytes.resize(bytes, 0);
        }
        let got = read_all(&mut self.source, &mut self.bytes[..bytes])?;
        self.ended = got < bytes;
        let whole = self.bytes[..got].chunks_exact(8);
        self.words
            .extend(whole.map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))));
        self.read += (got / 8) as u64;
        Ok(())
    }
}

/// Read until the buffer is full or the source has ended.
fn read_all(source: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < bytes.len() {
        match source.read(&mut bytes[got..]) {
            Ok(0) => break,
            Ok(read) => got += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

/// Remember a call, of which these are the words and those of its completions.
#[inline(always)]
fn remember(known: &mut Known, (words, done): (&[u64], &[u64])) {
    match words.first_chunk::<CALL_WORDS>() {
        Some(words) if done.is_empty() => known.remember(words, std::iter::empty()),
        _ => remember_with(known, words, done),
    }
}

#[inline(never)]
fn remember_with(known: &mut Known, words: &[u64], done: &[u64]) {
    let mut fixed = [0; CALL_WORDS];
    fixed[..words.len()].copy_from_slice(words);
    let done = done.chunks_exact(COMPLETION_WORDS).map(|one| [one[0], one[1], one[2]]);
    known.remember(&fixed, done);
}

fn is_plausible(call: &Call) -> bool {
    let left = call.exit == 0 || call.exit.wrapping_sub(call.enter) as i64 >= 0;
    usize::from(call.operation) < NAMES.len() && left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::files::FORMAT;
    use proptest::prelude::*;

    fn bytes_of(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn call_at(at: u64) -> Call {
        Call { enter: at, exit: at + 3, flags: entry::flags::MESSAGE, ..Call::default() }
    }

    fn call(at: u64) -> Vec<u64> {
        let (words, length) = entry::encode(&call_at(at), 0);
        words[..length].to_vec()
    }

    fn read(words: &[u64]) -> (Vec<u64>, LogDamage) {
        let bytes = bytes_of(words);
        let mut reader = LogReader::new(bytes.as_slice(), FORMAT);
        let mut enters = Vec::new();
        while let Some(entry) = reader.next_entry().unwrap() {
            let Entry::Call(call, _) = entry else { panic!("{entry:?} is no call") };
            enters.push(call.enter);
        }
        (enters, reader.damage())
    }

    #[test]
    fn a_hole_is_counted_and_what_follows_is_read() {
        let mut words = call(10);
        words.extend([0; 100]);
        words.extend(call(20));
        let (enters, damage) = read(&words);
        assert_eq!(enters, [10, 20]);
        assert_eq!((damage.places, damage.words), (1, 100));
    }

    /// A call from the place of [`call`] once more.
    fn again(at: u64) -> Vec<u64> {
        let mut known = Known::default();
        known.remember(&call(0).try_into().unwrap(), std::iter::empty());
        let again = known.again(&call(at).try_into().unwrap()).unwrap();
        vec![entry::left(again, 3).unwrap(), at]
    }

    /// The same when the call before was that of `before`.
    fn next(at: u64, before: u64) -> Vec<u64> {
        let mut known = Known::default();
        known.remember(&call(0).try_into().unwrap(), std::iter::empty());
        known.ended(before + 3);
        let again = known.again(&call(at).try_into().unwrap()).unwrap();
        vec![known.next(again, at, at + 3).unwrap()]
    }

    #[test]
    fn a_call_that_comes_again_is_read_whole() {
        let words = [call(10), again(20), next(30, 20), next(40, 30), again(50)].concat();
        let bytes = bytes_of(&words);
        let mut reader = LogReader::new(bytes.as_slice(), FORMAT);
        for at in [10, 20, 30, 40, 50] {
            assert_eq!(reader.next_entry().unwrap(), Some(Entry::Call(&call_at(at), &[])));
        }
        assert_eq!(reader.next_entry().unwrap(), None);
        assert_eq!(reader.words_read(), 12);
    }

    #[test]
    fn after_damage_nothing_comes_again_before_it_has_come_whole() {
        let words = [call(10), vec![0; 2], next(15, 10), again(20), call(30), again(40)].concat();
        let (enters, damage) = read(&words);
        assert_eq!(enters, [10, 30, 40]);
        assert_eq!((damage.places, damage.words), (1, 5));
        assert_eq!(read(&again(20)), (vec![], LogDamage { places: 1, words: 2, ..damage }));
    }

    #[test]
    fn in_a_log_of_format_2_requests_take_no_place() {
        let begins = |site| entry::encode(&Call { site, request: 1, ..call_at(20) }, 0).0;
        // One that would have the place of the other call.
        let takes_it = |other: &[u64; CALL_WORDS]| {
            let mut known = Known::default();
            known.remember(&call(0).try_into().unwrap(), std::iter::empty());
            known.remember(other, std::iter::empty());
            known.again(&call(30).try_into().unwrap()).is_none()
        };
        let other = (1..).map(begins).find(takes_it).unwrap();
        let bytes = bytes_of(&[&call(10)[..], &other, &again(30)].concat());
        for (format, calls) in [(2, 3), (3, 2)] {
            let mut reader = LogReader::new(bytes.as_slice(), format);
            for _ in 0..2 {
                reader.next_entry().unwrap();
            }
            let is_it = reader.next_entry().unwrap() == Some(Entry::Call(&call_at(30), &[]));
            assert_eq!(is_it, calls == 3, "format {format}");
        }
    }

    #[test]
    fn an_entry_longer_than_a_chunk_is_read_whole() {
        let completions = 20_000;
        let (fixed, length) =
            entry::encode(&Call { enter: 1, exit: 2, ..Call::default() }, completions);
        let mut words = fixed[..length].to_vec();
        words.resize(length + completions * entry::COMPLETION_WORDS, 7);
        words.extend(call(5));
        assert_eq!(read(&words).0, [1, 5]);
    }

    proptest! {
        #[test]
        fn a_log_cut_anywhere_gives_the_entries_before_the_cut(
            calls in 1usize..50, cut in 0usize..300,
        ) {
            let words: Vec<u64> = (0..calls as u64).flat_map(|at| call(at * 10)).collect();
            let cut = cut.min(words.len());
            let (enters, damage) = read(&words[..cut]);
            prop_assert_eq!(enters.len(), cut / 6);
            prop_assert_eq!(damage.words as usize, cut % 6);
        }

        #[test]
        fn any_words_are_read_to_their_end(
            words in proptest::collection::vec(any::<u64>(), 0..200),
        ) {
            let bytes = bytes_of(&words);
            let mut reader = LogReader::new(bytes.as_slice(), FORMAT);
            let mut sound = 0;
            while let Some(entry) = reader.next_entry().unwrap() {
                sound += match entry {
                    Entry::Call(call, done) => entry::encode(call, 0).1 + done.len(),
                    Entry::Other(words) => words.len(),
                } as u64;
            }
            prop_assert_eq!(sound + reader.damage().words, words.len() as u64);
            prop_assert_eq!(reader.words_read(), words.len() as u64);
        }
    }
}
