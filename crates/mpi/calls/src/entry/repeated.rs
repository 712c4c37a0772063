//! Calls that come again: a loop makes the same call with the same arguments from the same place
//! time after time, and only its stamps are new. Such a call takes two words instead of six, or one
//! if it follows closely on the call before: what a tracer writes is half of what it costs.
//!
//! Both who writes a log and who reads it remember calls by a place that follows from their words
//! ([`Known`]). A writer forgets them whenever it hands its words on, so that a piece of a log that
//! is lost takes nothing with it but itself.

use super::{CALL_WORDS, kind_and_words, kinds};

/// Words of a call that comes again.
pub const AGAIN_WORDS: usize = 2;
/// Bits of each of the two times of one that follows closely.
const NEXT_BITS: u32 = 25;
/// Calls that are remembered at a time.
const PLACES: usize = 64;
/// Ticks from enter to exit that fit; a call that takes longer is written whole.
const TICKS_MAX: u64 = u32::MAX as u64;
/// The fixed part of the words: kind and length.
const HEAD: u64 = kinds::AGAIN as u64 | (AGAIN_WORDS as u64) << 32;

/// The calls that may come again, without their stamps.
pub struct Known {
    /// Words 0, 3, 4 and 5 of each; zeros where there is none.
    calls: [[u64; 4]; PLACES],
    /// When the last call ended; 0 if that is not known.
    exit: u64,
    /// The how-manieth call that was remembered each is; 0 where there is none.
    numbers: [u64; PLACES],
    last: u64,
}

impl Default for Known {
    fn default() -> Known {
        Known { calls: [[0; 4]; PLACES], exit: 0, numbers: [0; PLACES], last: 0 }
    }
}

impl Known {
    /// Word 0 of a call that goes on, instead of its whole words, if one like it is known; word 1
    /// is its enter.
    #[inline(always)]
    pub fn again(&self, words: &[u64; CALL_WORDS]) -> Option<u64> {
        let [first, _, _, site, message, bytes] = *words;
        let place = place(first, site, message, bytes);
        let known = &self.calls[place];
        // Word by word: as an array it would be put together in memory, and waited for.
        let differs = known[0] ^ first | known[1] ^ site | known[2] ^ message | known[3] ^ bytes;
        (differs == 0).then_some(HEAD | (place as u64) << 8)
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

    /// A whole call was written, or read. One that begins a request has a number of its own, and
    /// polls still change.
    #[inline(always)]
    pub fn remember(&mut self, words: &[u64; CALL_WORDS]) {
        let [first, _, _, site, message, bytes] = *words;
        if site >> 32 == 0 {
            let place = place(first, site, message, bytes);
            self.calls[place] = [first, site, message, bytes];
            self.last += 1;
            self.numbers[place] = self.last;
        }
    }

    /// What tells whether a call, of which this is word 0 when it comes again, is still the one
    /// that is known: a number that is never given again; 0 if none is known.
    #[inline(always)]
    pub fn number(&self, again: u64) -> u64 {
        self.numbers[(again >> 8) as usize % PLACES]
    }

    /// The whole call that the words of one that comes again stand for; `None` if they are no such
    /// words, or if what they repeat is not known.
    #[inline]
    pub fn whole(&self, words: &[u64]) -> Option<[u64; CALL_WORDS]> {
        let head = *words.first()?;
        let (place, enter, exit) = match (kind_and_words(head), words) {
            ((kinds::AGAIN, AGAIN_WORDS), &[_, enter]) => {
                let ticks = head >> 16 & 0xFFFF | head >> 48 << 16;
                (head >> 8 & 0xFF, enter, if ticks == 0 { 0 } else { enter.wrapping_add(ticks) })
            }
            ((kinds::NEXT, 1), [_]) if self.exit != 0 => {
                let enter = self.exit.wrapping_add(head >> 14 & ((1 << NEXT_BITS) - 1));
                (head >> 8 & 0x3F, enter, enter.wrapping_add(head >> (14 + NEXT_BITS)))
            }
            _ => return None,
        };
        let [first, site, message, bytes] = *self.calls.get(place as usize)?;
        (first != 0).then_some([first, enter, exit, site, message, bytes])
    }

    /// None is known any more.
    pub fn forget(&mut self) {
        *self = Known { last: self.last, ..Known::default() };
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
fn place(first: u64, site: u64, message: u64, bytes: u64) -> usize {
    // Fibonacci hashing of what tells calls apart: function, place, peer, tag, bytes.
    let mixed = first >> 16 ^ site ^ message.rotate_left(13) ^ bytes.rotate_left(29);
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Call, encode, flags};

    fn words(call: Call) -> [u64; CALL_WORDS] {
        encode(&Call { flags: call.flags | flags::MESSAGE, ..call }, 0).0
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
        known.remember(&words(CALL));
        let again = known.again(&words(CALL)).expect("the same");
        let expected = |exit| Some(words(Call { enter: 2000, exit, ..CALL }));
        assert!(goes_on([again, 2000]));
        assert_eq!(known.whole(&[again, 2000]), expected(0));
        for ticks in [1, 0x1_2345, TICKS_MAX] {
            let left = left(again, ticks).expect("it fits");
            assert_eq!(known.whole(&[left, 2000]), expected(2000 + ticks));
            assert!(!goes_on([left, 2000]));
        }
        assert_eq!((left(again, 0), left(again, TICKS_MAX + 1)), (None, None));
    }

    #[test]
    fn a_call_that_follows_closely_takes_one_word() {
        const FITS: u64 = (1 << NEXT_BITS) - 1;
        let mut known = Known::default();
        known.remember(&words(CALL));
        let again = known.again(&words(CALL)).expect("the same");
        assert_eq!(known.next(again, 2000, 2001), None, "nothing is known to have ended");
        known.ended(1300);
        for (gap, ticks) in [(0, 0), (0, FITS), (FITS, 0), (77, 1234)] {
            let (enter, exit) = (1300 + gap, 1300 + gap + ticks);
            let word = known.next(again, enter, exit).expect("it fits");
            assert_eq!(kind_and_words(word), (kinds::NEXT, 1));
            assert_eq!(known.whole(&[word]), Some(words(Call { enter, exit, ..CALL })));
        }
        let next = known.next(again, 2000, 3000).expect("it fits");
        for (enter, exit) in [(1299, 1400), (1301 + FITS, 1400 + FITS), (1300, 1301 + FITS)] {
            assert_eq!(known.next(again, enter, exit), None, "{enter} {exit}");
        }
        known.ended(0);
        assert_eq!(known.whole(&[next]), None);
    }

    #[test]
    fn what_differs_in_anything_is_written_whole() {
        let mut known = Known::default();
        known.remember(&words(CALL));
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
        known.remember(&polls);
        assert_eq!(known.again(&polls), None);
        known.remember(&words(CALL));
        let again = known.again(&words(CALL)).expect("the same");
        let number = known.number(again);
        known.remember(&words(CALL));
        assert!(number > 0 && known.number(again) > number);
        known.forget();
        assert_eq!(known.number(again), 0);
        assert_eq!((known.whole(&[again, 1]), known.again(&words(CALL))), (None, None));
        assert_eq!(known.whole(&[HEAD | 200 << 8, 1]), None, "no such place");
    }
}
