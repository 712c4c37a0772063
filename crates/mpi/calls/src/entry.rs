//! Entries of a rank's call log: whole 64-bit words, one after another.
//!
//! Word 0 of every entry: kind (8 bits), thread (8), operation (16), words in all (16), flags (16),
//! from the lowest bit.
//!
//! A **call** (kind 1) goes on with its enter and exit ticks, then `site` (32 bits) and `request`
//! (32), then, with [`flags::MESSAGE`], `peer` and `tag` (two `i32`), `bytes` (40 bits) and
//! `communicator` (24). What follows are completions of three words: `request` (32 bits) and flags
//! (32), `source` and `tag` (two `i32`), bytes.
//!
//! A call **again** (kind 8) is a call like an earlier one, which word 0 names: kind (8 bits), its
//! place among those remembered (8), the lower half of the ticks from enter to exit (16), words in
//! all (16), the upper half (16). Word 1 is its enter.
//!
//! The **next** call (kind 9) is one that follows closely on the call before, in one word: kind (8
//! bits), its place (6), the ticks from the exit of the call before to its enter (25), those to its
//! exit (25).
//!
//! A **piece** (kind 10) begins where what was said before is not named any more. Word 1 is the
//! last request that was begun.

pub mod files;
mod registered;
mod repeated;

pub use registered::{
    LocalGroup, Location, Neighbours, Site, WindowGroup, decode_exchange, decode_facts,
    encode_exchange, encode_facts, is_sound,
};
pub use repeated::{AGAIN_WORDS, DONE_MAX, Known, PIECE_WORDS, goes_on, left};

/// Codes of the kinds.
pub mod kinds {
    /// Nothing: the end of what was written.
    pub const END: u8 = 0;
    /// A call.
    pub const CALL: u8 = 1;
    /// A communicator: words 1 (id, 32 bits; parent's id, 32), 2 (local size, remote size), then
    /// the world ranks of both groups, two to a word; all ones for a process outside the world.
    pub const COMMUNICATOR: u8 = 2;
    /// A place in the program: words 1 (id, 32 bits; bytes of the path, 32), 2 (offset of the
    /// return address in its file), then the file's path, padded with zeros. With
    /// [`site_flags::LINE`](super::site_flags::LINE) word 2 is a line, and the path is that of a
    /// source file, a zero byte, and the function's name.
    pub const SITE: u8 = 3;
    /// What is known of the rank, as JSON: word 1 is its length in bytes, then the text, padded
    /// with zeros. The last one counts.
    pub const FACTS: u8 = 4;
    /// A clock exchange that this rank began: word 1 the other rank, then the four ticks of
    /// `clock::Exchange`.
    pub const EXCHANGE: u8 = 5;
    /// The neighbours of this rank in a communicator with a topology, as far as they send to it:
    /// words 1 (id, 32 bits; how many, 32), then their ranks in it, two to a word.
    pub const NEIGHBOURS: u8 = 6;
    /// Ranks that the rank has opened epochs of windows for (`MPI_Win_post`, `MPI_Win_start`):
    /// words 1 (id, 32 bits; how many, 32), then their world ranks, two to a word; all ones for a
    /// process outside the world. Each such set of ranks is said once.
    pub const WINDOW_GROUP: u8 = 7;
    /// A call like an earlier one: see [`super::Known`].
    pub const AGAIN: u8 = 8;
    /// The same, soon after the call before.
    pub const NEXT: u8 = 9;
    /// The begin of a piece, in which calls are like earlier ones of the same piece only.
    pub const PIECE: u8 = 10;
}

/// Flags of calls.
pub mod flags {
    /// Words for peer, tag, bytes and communicator follow.
    pub const MESSAGE: u16 = 1;
    /// The call posts a send to `peer` (a rank of the communicator; of its remote group between
    /// groups).
    pub const SENDS: u16 = 2;
    /// The call posts a receive from `peer`. Without a request (0) it has also completed it, and
    /// `peer`, `tag` and `bytes` are those of the message received.
    pub const RECEIVES: u16 = 4;
    /// The receive was posted, or the probe looked, for any source.
    pub const ANY_SOURCE: u16 = 8;
    /// The same for any tag.
    pub const ANY_TAG: u16 = 16;
    /// Not a call of its own but another message of the call before (the receive of a sendrecv, the
    /// other requests of a startall): same enter and exit.
    pub const CONTINUED: u16 = 32;
    /// Polls that found nothing, put together: `enter` of the first, `exit` of the last, `request`
    /// says how many.
    pub const POLLS: u16 = 64;
    /// The call returned an error.
    pub const FAILED: u16 = 128;
    /// The call collects a matched probe: it posts no receive of its own.
    pub const MATCHED: u16 = 256;
    /// The send is synchronous (ssend and its kin): it ends only when the receive has been posted.
    pub const SYNCHRONOUS: u16 = 512;
    /// The receive part of the request was given back before it was complete (request free).
    pub const FREED: u16 = 1024;
    /// Among the polls put together were others than the first: another function, place, or message
    /// looked for.
    pub const MIXED: u16 = 2048;
    /// The call returned an error because its message did not fit; it took the message all the
    /// same.
    pub const TRUNCATED: u16 = 4096;
    /// The message is sent or received in parts (`MPI_Psend_init`): such messages meet only each
    /// other.
    pub const PARTITIONED: u16 = 8192;
    /// The lock of a window is exclusive.
    pub const EXCLUSIVE: u16 = 16384;
}

/// Flags of places in the program.
pub mod site_flags {
    /// It is a line of source that an interpreter runs.
    pub const LINE: u16 = 1;
}

/// Flags of completions.
pub mod completion_flags {
    /// It was a receive: source, tag and bytes are those of the message.
    pub const RECEIVED: u32 = 1;
    /// It was cancelled, and truly.
    pub const CANCELLED: u32 = 2;
    /// It ended in an error.
    pub const FAILED: u32 = 4;
    /// The message did not fit: so much of it was received.
    pub const TRUNCATED: u32 = 8;
    /// It was to be cancelled and was given back before it was complete: it may have taken a
    /// message or not.
    pub const UNKNOWN: u32 = 16;
    /// The library did not say how many bytes it received.
    pub const UNSIZED: u32 = 32;
}

/// Polls further apart than this are entries of their own: a program that computes in between would
/// seem to poll all the time.
pub const POLLS_APART_NS: f64 = 50_000.0;

/// `peer` of a call on `MPI_PROC_NULL`, which posts nothing.
pub const NO_PEER: i32 = -1;
/// `peer` of a receive that was posted for any source and has not got a message yet.
pub const ANY_PEER: i32 = -2;
/// `tag` of a receive that was posted for any tag and has not got a message yet.
pub const ANY_TAG: i32 = -1;

/// Id of the communicator of all ranks.
pub const WORLD: u32 = 1;
/// Id of the communicator of a rank with itself.
pub const ITSELF: u32 = 2;
/// Not a communicator that the tracer knows.
pub const UNKNOWN_COMMUNICATOR: u32 = 0;

/// A call, without its completions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Which function: its number in [`crate::list`].
    pub operation: u16,
    /// See [`flags`].
    pub flags: u16,
    /// The thread, counted from 0 in the order of their first calls; 255 for all from there on.
    pub thread: u8,
    /// When it was entered.
    pub enter: u64,
    /// When it was left; 0 for a call that the rank never left.
    pub exit: u64,
    /// The place that called it; 0 if that is not known.
    pub site: u32,
    /// The request that it began, counted from 1 on each rank; 0 for none. For polls their number.
    pub request: u32,
    /// Rank in the communicator, [`NO_PEER`] or [`ANY_PEER`]; root of a collective; target of
    /// one-sided communication.
    pub peer: i32,
    /// Tag, or [`ANY_TAG`]; of a post or a start of a window the id of its group, and 0 if that is
    /// not known.
    pub tag: i32,
    /// Bytes sent or received, below 2^40; of a collective the bytes that this rank contributes.
    pub bytes: u64,
    /// Communicator, by the rank's own numbering, below 2^24.
    pub communicator: u32,
}

/// A request that a call completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Which.
    pub request: u32,
    /// See [`completion_flags`].
    pub flags: u32,
    /// Rank in the request's communicator that the message came from.
    pub source: i32,
    /// Its tag.
    pub tag: i32,
    /// Its bytes.
    pub bytes: u64,
}

/// No entry says more bytes.
pub const BYTES_MAX: u64 = (1 << 40) - 1;
/// Words of a call with a message and without completions: the longest that is common.
pub const CALL_WORDS: usize = 6;
/// Words of a completion.
pub const COMPLETION_WORDS: usize = 3;

/// The words of `call`, and how many of them count; completions may follow, `completions` of them.
#[inline]
pub fn encode(call: &Call, completions: usize) -> ([u64; CALL_WORDS], usize) {
    let words = if call.flags & flags::MESSAGE != 0 { CALL_WORDS } else { CALL_WORDS - 2 };
    let length = words + completions * COMPLETION_WORDS;
    debug_assert!(
        length <= usize::from(u16::MAX) && call.bytes < 1 << 40 && call.communicator < 1 << 24
    );
    let encoded = [
        head(kinds::CALL, call.thread, call.operation, length as u16, call.flags),
        call.enter,
        call.exit,
        u64::from(call.site) | u64::from(call.request) << 32,
        pair(call.peer, call.tag),
        call.bytes | u64::from(call.communicator) << 40,
    ];
    (encoded, words)
}

/// The words of a completion.
#[inline]
pub fn encode_completion(completion: &Completion) -> [u64; COMPLETION_WORDS] {
    let first = u64::from(completion.request) | u64::from(completion.flags) << 32;
    [first, pair(completion.source, completion.tag), completion.bytes]
}

/// Word 0 of an entry.
#[inline]
pub fn head(kind: u8, thread: u8, operation: u16, words: u16, flags: u16) -> u64 {
    u64::from(kind)
        | u64::from(thread) << 8
        | u64::from(operation) << 16
        | u64::from(words) << 32
        | u64::from(flags) << 48
}

/// Kind and length in words of the entry that begins with `word`.
#[inline]
pub fn kind_and_words(word: u64) -> (u8, usize) {
    let kind = word as u8;
    (kind, if kind == kinds::NEXT { 1 } else { usize::from((word >> 32) as u16) })
}

/// Flags of the entry that begins with `word`.
#[inline]
pub fn flags_of(word: u64) -> u16 {
    (word >> 48) as u16
}

/// Read a call back; `None` if the words, which are those of the whole entry, are no call.
#[inline]
pub fn decode(words: &[u64]) -> Option<(Call, &[u64])> {
    let head = *words.first()?;
    let flags = flags_of(head);
    let has_message = flags & flags::MESSAGE != 0;
    let fixed = if has_message { CALL_WORDS } else { CALL_WORDS - 2 };
    let (kind, length) = kind_and_words(head);
    if kind != kinds::CALL || length != words.len() || words.len() < fixed {
        return None;
    }
    let completions = &words[fixed..];
    if !completions.len().is_multiple_of(COMPLETION_WORDS) {
        return None;
    }
    let mut call = Call {
        operation: (head >> 16) as u16,
        flags,
        thread: (head >> 8) as u8,
        enter: words[1],
        exit: words[2],
        site: words[3] as u32,
        request: (words[3] >> 32) as u32,
        ..Call::default()
    };
    if has_message {
        (call.peer, call.tag) = unpair(words[4]);
        call.bytes = words[5] & ((1 << 40) - 1);
        call.communicator = (words[5] >> 40) as u32;
    }
    Some((call, completions))
}

/// The completions in what [`decode`] left over.
#[inline]
pub fn completions(words: &[u64]) -> impl Iterator<Item = Completion> + '_ {
    words.chunks_exact(COMPLETION_WORDS).map(|words| {
        let (source, tag) = unpair(words[1]);
        Completion {
            request: words[0] as u32,
            flags: (words[0] >> 32) as u32,
            source,
            tag,
            bytes: words[2],
        }
    })
}

fn pair(low: i32, high: i32) -> u64 {
    u64::from(low as u32) | u64::from(high as u32) << 32
}

fn unpair(word: u64) -> (i32, i32) {
    (word as u32 as i32, (word >> 32) as u32 as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        fn a_call()(
            (operation, flags, thread, site, request) in any::<(u16, u16, u8, u32, u32)>(),
            (enter, exit, peer, tag) in any::<(u64, u64, i32, i32)>(),
            bytes in 0u64..1 << 40,
            communicator in 0u32..1 << 24,
        ) -> Call {
            let none = Call::default();
            let call = Call { operation, flags, thread, enter, exit, site, request, ..none };
            match flags & flags::MESSAGE {
                0 => call,
                _ => Call { peer, tag, bytes, communicator, ..call },
            }
        }
    }

    prop_compose! {
        fn a_completion()(
            (request, flags, source, tag, bytes) in any::<(u32, u32, i32, i32, u64)>(),
        ) -> Completion {
            Completion { request, flags, source, tag, bytes }
        }
    }

    proptest! {
        #[test]
        fn a_call_comes_back_with_its_completions(
            call in a_call(), done in proptest::collection::vec(a_completion(), 0..5),
        ) {
            let (encoded, words) = encode(&call, done.len());
            let mut log = encoded[..words].to_vec();
            done.iter().for_each(|one| log.extend(encode_completion(one)));
            prop_assert_eq!(kind_and_words(log[0]), (kinds::CALL, log.len()));
            let (read, rest) = decode(&log).unwrap();
            prop_assert_eq!(read, call);
            prop_assert_eq!(completions(rest).collect::<Vec<_>>(), done);
            prop_assert!(decode(&log[..log.len() - 1]).is_none());
        }
    }
}
