//! Calls that come again: a loop makes the same call with the same arguments from the same place
//! time after time, and only its stamps are new. Such a call takes two words instead of six, or one
//! if it follows closely on the call before: what a tracer writes is half of what it costs.
//!
//! A call that begins a request is such a call if its request is the next one after the last that
//! was begun. A call that completes requests is one if they are as far behind the last, and had the
//! same messages.
//!
//! Both who writes a log and who reads it remember calls by a place that follows from their words
//! ([`Known`]). A writer forgets them whenever it hands its words on, and says so at the begin of
//! the next piece, so that a piece of a log that is lost takes nothing with it but itself.

use super::{
    CALL_WORDS, COMPLETION_WORDS, Completion, encode_completion, flags, flags_of, kind_and_words,
    kinds,
};

/// Words of a call that comes again.
pub const AGAIN_WORDS: usize = 2;
/// Bits of each of the two times of one that follows closely.
const NEXT_BITS: u32 = 25;
/// Calls that are remembered at a time.
const PLACES: usize = 64;
/// Ticks from enter to exit that fit; a call that takes longer is written whole.
const TICKS_MAX: u64 = u32::MAX as u64;
/// Completions of a call that is remembered.
pub const DONE_MAX: usize = 64;
/// Words of the begin of a piece.
pub const PIECE_WORDS: usize = 2;
/// Word 0 of the begin of a piece; what is no kind or length in it is like nothing else, so that it
/// is known after damage.
const PIECE: u64 = 0x5453_0002_4653_A50A;
/// In word 3 of a call that is remembered: it begins a request.
const BEGINS: u64 = 1 << 32;
/// The fixed part of the words: kind and length.
const HEAD: u64 = kinds::AGAIN as u64 | (AGAIN_WORDS as u64) << 32;

/// The calls that may come again, without their stamps.
pub struct Known {
    /// Words 0, 3, 4 and 5 of each, with [`BEGINS`] for the number of a request; zeros where there
    /// is none.
    calls: [[u64; 4]; PLACES],
    /// Their completions, with requests counted back from the last that had been begun.
    done: [Vec<u64>; PLACES],
    /// When the last call ended; 0 if that is not known.
    exit: u64,
    /// The how-manieth call that was remembered each is; 0 where there is none.
    numbers: [u64; PLACES],
    last: u64,
    /// The last request that was begun; 0 before the first.
    request: u32,
    /// Whether that is not known, because something is missing.
    is_lost: bool,
    /// Whether calls with requests are remembered: not in logs of format 2.
    with_requests: bool,
}

impl Default for Known {
    fn default() -> Known {
        Known {
            calls: [[0; 4]; PLACES],
            done: std::array::from_fn(|_| Vec::new()),
            exit: 0,
            numbers: [0; PLACES],
            last: 0,
            request: 0,
            is_lost: false,
            with_requests: true,
        }
    }
}

impl Known {
    /// What a log of this format remembers.
    pub fn of_format(format: u32) -> Known {
        Known { with_requests: format > 2, ..Known::default() }
    }

    /// Word 0 of a call that goes on, instead of its whole words, if one like it is known; word 1
    /// is its enter.
    #[inline(always)]
    pub fn again(&self, words: &[u64; CALL_WORDS]) -> Option<u64> {
        let [first, _, _, site, message, bytes] = *words;
        let site = self.next_site(site)?;
        let place = place(first, site, message, bytes, std::iter::empty());
        self.again_at(place, [first, site, message, bytes])
    }

    /// The same of a call that has completed requests.
    #[inline]
    pub fn again_with(&self, words: &[u64; CALL_WORDS], done: &[Completion]) -> Option<u64> {
        let [first, site, message, bytes] = without_stamps(words);
        let site = self.next_site(site)?;
        let last = self.request;
        let back = done.iter().flat_map(|one| counted_back(encode_completion(one), last));
        let place = place(first, site, message, bytes, back.clone());
        let again = self.again_at(place, [first, site, message, bytes])?;
        self.done[place].iter().copied().eq(back).then_some(again)
    }

    #[inline(always)]
    fn again_at(&self, place: usize, [first, site, message, bytes]: [u64; 4]) -> Option<u64> {
        let known = &self.calls[place];
        // Word by word: as an array it would be put together in memory, and waited for.
        let differs = known[0] ^ first | known[1] ^ site | known[2] ^ message | known[3] ^ bytes;
        (differs == 0).then_some(HEAD | (place as u64) << 8)
    }

    /// Word 3 as it is remembered; `None` for that of a call whose request is not the next.
    #[inline(always)]
    fn next_site(&self, site: u64) -> Option<u64> {
        let request = (site >> 32) as u32;
        if request == 0 {
            return Some(site);
        }
        (request == self.request.wrapping_add(1)).then_some(begins(site))
    }

    /// The only word of a call that comes again, whose word 0 was `again` while it went on; `None`
    /// if it does not follow closely on the call before, or took long.
    #[inline(always)]
    pub fn next(&self, again: u64, enter: u64, exit: u64) -> Option<u64> {
        let (gap, ticks) = (enter.wrapping_sub(self.exit), exit.wrapping_sub(enter));
        let fits = self.exit != 0 && (gap | ticks) >> NEXT_BITS == 0;
        let place = again & 0xFF00;
        fits.then_some(u64::from(kinds::NEXT) | place | gap << 14 | ticks << (14 + NEXT_BITS))
    }

    /// A call was written, or read, that ended then; 0 if it was not left.
    #[inline(always)]
    pub fn ended(&mut self, exit: u64) {
        self.exit = exit;
    }

    /// A call that comes again, of which this is word 0, was written, or read, and ended then.
    #[inline(always)]
    pub fn came(&mut self, again: u64, exit: u64) {
        self.exit = exit;
        let [_, site, ..] = self.calls[(again >> 8) as usize % PLACES];
        self.request = self.request.wrapping_add((site >> 32) as u32);
    }

    /// A whole call was written, or read, with the words of its completions. Polls still change,
    /// and are not remembered.
    #[inline(always)]
    pub fn remember(
        &mut self,
        words: &[u64; CALL_WORDS],
        done: impl ExactSizeIterator<Item = [u64; COMPLETION_WORDS]> + Clone,
    ) {
        let [first, site, message, bytes] = without_stamps(words);
        let request = (site >> 32) as u32;
        let is_plain = request == 0 && kind_and_words(first).1 == CALL_WORDS && done.len() == 0;
        if flags_of(first) & flags::POLLS != 0 || !self.with_requests && !is_plain {
            return;
        }
        let site = if request == 0 { site } else { begins(site) };
        self.put([first, site, message, bytes], done);
        if request != 0 {
            (self.request, self.is_lost) = (request, false);
        }
    }

    #[inline(always)]
    fn put(
        &mut self,
        call: [u64; 4],
        done: impl ExactSizeIterator<Item = [u64; COMPLETION_WORDS]> + Clone,
    ) {
        if done.len() > DONE_MAX {
            return;
        }
        if self.is_lost && done.len() > 0 {
            // It has the place of a call that may be known, but of which one?
            return self.forget();
        }
        let [first, site, message, bytes] = call;
        let place = if done.len() == 0 {
            let place = place(first, site, message, bytes, std::iter::empty());
            self.done[place].clear();
            place
        } else {
            let last = self.request;
            let back = done.flat_map(|one| counted_back(one, last));
            let place = place(first, site, message, bytes, back.clone());
            self.done[place].clear();
            self.done[place].extend(back);
            place
        };
        self.calls[place] = call;
        self.last += 1;
        self.numbers[place] = self.last;
    }

    /// What tells whether a call, of which this is word 0 when it comes again, is still the one
    /// that is known: a number that is never given again; 0 if none is known.
    #[inline(always)]
    pub fn number(&self, again: u64) -> u64 {
        self.numbers[(again >> 8) as usize % PLACES]
    }

    /// Put the words of the whole call into `out` that the words of one that comes again stand for.
    /// `false` if they are no such words, or if what they repeat is not known.
    #[inline]
    pub fn whole(&self, words: &[u64], out: &mut Vec<u64>) -> bool {
        out.clear();
        let Some((place, enter, exit)) = self.repeated(words) else { return false };
        let Some([first, site, message, bytes]) = self.calls.get(place).copied() else {
            return false;
        };
        let next = u64::from(self.request.wrapping_add(1));
        let site = if site & BEGINS == 0 { site } else { site & !BEGINS | next << 32 };
        out.extend([first, enter, exit, site]);
        if flags_of(first) & flags::MESSAGE != 0 {
            out.extend([message, bytes]);
        }
        for one in self.done[place].chunks_exact(COMPLETION_WORDS) {
            out.extend(counted_back([one[0], one[1], one[2]], self.request));
        }
        first != 0
    }

    /// Place, enter and exit of a call that comes again.
    #[inline(always)]
    fn repeated(&self, words: &[u64]) -> Option<(usize, u64, u64)> {
        let head = *words.first()?;
        match (kind_and_words(head), words) {
            ((kinds::AGAIN, AGAIN_WORDS), &[_, enter]) => {
                let ticks = head >> 16 & 0xFFFF | head >> 48 << 16;
                let exit = if ticks == 0 { 0 } else { enter.wrapping_add(ticks) };
                Some(((head >> 8 & 0xFF) as usize, enter, exit))
            }
            ((kinds::NEXT, 1), [_]) if self.exit != 0 => {
                let enter = self.exit.wrapping_add(head >> 14 & ((1 << NEXT_BITS) - 1));
                let exit = enter.wrapping_add(head >> (14 + NEXT_BITS));
                Some(((head >> 8 & 0x3F) as usize, enter, exit))
            }
            _ => None,
        }
    }

    /// None is known any more. The words that begin a piece of the log in which that is so.
    pub fn piece(&mut self) -> [u64; PIECE_WORDS] {
        self.forget();
        [PIECE, u64::from(self.request)]
    }

    /// The words that begin a piece were read; `false` if they are others.
    pub fn begin_piece(&mut self, words: &[u64]) -> bool {
        let &[PIECE, request] = words else { return false };
        self.forget();
        (self.request, self.is_lost) = (request as u32, false);
        true
    }

    /// Something is missing: none is known any more, nor which request was the last.
    pub fn lose(&mut self) {
        self.forget();
        self.is_lost = true;
    }

    // Rare, and long where it is inlined.
    #[cold]
    #[inline(never)]
    fn forget(&mut self) {
        self.calls = [[0; 4]; PLACES];
        self.numbers = [0; PLACES];
        self.exit = 0;
    }
}

/// A completion with its request counted back from the last one, and the other way round.
#[inline(always)]
fn counted_back([first, message, bytes]: [u64; 3], last: u32) -> [u64; 3] {
    let back = last.wrapping_sub(first as u32);
    [first >> 32 << 32 | u64::from(back), message, bytes]
}

/// Word 3 of a call that begins a request, as it is remembered.
#[inline(always)]
fn begins(site: u64) -> u64 {
    u64::from(site as u32) | BEGINS
}

/// Words 0, 3, 4 and 5 of a call, the last two as far as it has them.
#[inline(always)]
fn without_stamps(words: &[u64; CALL_WORDS]) -> [u64; 4] {
    let [first, _, _, site, message, bytes] = *words;
    match flags_of(first) & flags::MESSAGE {
        0 => [first, site, 0, 0],
        _ => [first, site, message, bytes],
    }
}

/// Word 0 of a call that comes again, `going_on` while it went on, now that it was left after so
/// many ticks; `None` if those do not fit.
#[inline(always)]
pub fn left(going_on: u64, ticks: u64) -> Option<u64> {
    let fits = ticks.wrapping_sub(1) < TICKS_MAX;
    fits.then_some(going_on | (ticks & 0xFFFF) << 16 | ticks >> 16 << 48)
}

/// Whether these two words are of a call that comes again and was not left.
pub fn goes_on(words: [u64; AGAIN_WORDS]) -> bool {
    words[0] & !0xFF00 == HEAD
}

/// Where a call is remembered.
#[inline(always)]
fn place(
    first: u64,
    site: u64,
    message: u64,
    bytes: u64,
    done: impl Iterator<Item = u64>,
) -> usize {
    // Fibonacci hashing of what tells calls apart: function, place, peer, tag, bytes.
    let mixed = first >> 16 ^ site ^ message.rotate_left(13) ^ bytes.rotate_left(29);
    let mixed = done.fold(mixed, |mixed, word| mixed.rotate_left(23) ^ word);
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Call, encode, flags};

    fn words(call: Call) -> [u64; CALL_WORDS] {
        encode(&Call { flags: call.flags | flags::MESSAGE, ..call }, 0).0
    }

    fn whole(known: &Known, words: &[u64]) -> Option<[u64; CALL_WORDS]> {
        let mut whole = Vec::new();
        known.whole(words, &mut whole).then(|| whole.try_into().expect("six words"))
    }

    const CALL: Call = Call {
        operation: 7,
        flags: flags::SENDS,
        thread: 2,
        enter: 1000,
        exit: 1300,
        site: 5,
        request: 0,
        peer: 3,
        tag: 9,
        bytes: 64,
        communicator: 1,
    };

    #[test]
    fn a_call_that_comes_again_is_the_same_but_for_its_stamps() {
        let mut known = Known::default();
        assert_eq!(known.again(&words(CALL)), None, "the first time");
        known.remember(&words(CALL), std::iter::empty());
        let again = known.again(&words(CALL)).expect("the same");
        let expected = |exit| Some(words(Call { enter: 2000, exit, ..CALL }));
        assert!(goes_on([again, 2000]));
        assert_eq!(whole(&known, &[again, 2000]), expected(0));
        for ticks in [1, 0x1_2345, TICKS_MAX] {
            let left = left(again, ticks).expect("it fits");
            assert_eq!(whole(&known, &[left, 2000]), expected(2000 + ticks));
            assert!(!goes_on([left, 2000]));
        }
        assert_eq!((left(again, 0), left(again, TICKS_MAX + 1)), (None, None));
    }

    #[test]
    fn a_call_that_follows_closely_takes_one_word() {
        const FITS: u64 = (1 << NEXT_BITS) - 1;
        let mut known = Known::default();
        known.remember(&words(CALL), std::iter::empty());
        let again = known.again(&words(CALL)).expect("the same");
        assert_eq!(known.next(again, 2000, 2001), None, "nothing is known to have ended");
        known.ended(1300);
        for (gap, ticks) in [(0, 0), (0, FITS), (FITS, 0), (77, 1234)] {
            let (enter, exit) = (1300 + gap, 1300 + gap + ticks);
            let word = known.next(again, enter, exit).expect("it fits");
            assert_eq!(kind_and_words(word), (kinds::NEXT, 1));
            assert_eq!(whole(&known, &[word]), Some(words(Call { enter, exit, ..CALL })));
        }
        let next = known.next(again, 2000, 3000).expect("it fits");
        for (enter, exit) in [(1299, 1400), (1301 + FITS, 1400 + FITS), (1300, 1301 + FITS)] {
            assert_eq!(known.next(again, enter, exit), None, "{enter} {exit}");
        }
        known.ended(0);
        assert_eq!(whole(&known, &[next]), None);
    }

    #[test]
    fn what_differs_in_anything_is_written_whole() {
        let mut known = Known::default();
        known.remember(&words(CALL), std::iter::empty());
        for other in [
            Call { operation: 8, ..CALL },
            Call { flags: flags::SENDS | flags::FAILED, ..CALL },
            Call { thread: 0, ..CALL },
            Call { site: 6, ..CALL },
            Call { request: 1, ..CALL },
            Call { peer: 4, ..CALL },
            Call { tag: 8, ..CALL },
            Call { bytes: 65, ..CALL },
            Call { communicator: 2, ..CALL },
        ] {
            assert_eq!(known.again(&words(other)), None, "{other:?}");
        }
    }

    #[test]
    fn polls_are_not_remembered_and_what_was_forgotten_is_not_known() {
        let mut known = Known::default();
        let polls = words(Call { flags: flags::POLLS, request: 1, ..CALL });
        known.remember(&polls, std::iter::empty());
        assert_eq!(known.again(&polls), None);
        known.remember(&words(CALL), std::iter::empty());
        let again = known.again(&words(CALL)).expect("the same");
        let number = known.number(again);
        known.remember(&words(CALL), std::iter::empty());
        assert!(number > 0 && known.number(again) > number);
        known.forget();
        assert_eq!(known.number(again), 0);
        assert_eq!((whole(&known, &[again, 1]), known.again(&words(CALL))), (None, None));
        assert_eq!(whole(&known, &[HEAD | 200 << 8, 1]), None, "no such place");
    }
}
