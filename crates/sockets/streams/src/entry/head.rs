//! Words of the file's head, and what stands behind them.

use super::HEAD_BYTES;

/// Marks the file: "4stsocks".
pub const MAGIC: u64 = u64::from_le_bytes(*b"4stsocks");
/// Format that this version writes.
pub const FORMAT: u64 = 5;
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
/// Words that mean something by themselves.
pub const WORDS: usize = 8;

/// Where it stands what a process says of itself, in bytes: how long that is, a word, and the text.
const ABOUT_AT: usize = 8 * WORDS;
/// The most bytes of that text.
pub const ABOUT_MAX: usize = HEAD_BYTES - ABOUT_AT - 8;

/// What a process says of itself, where it stands: the place, and the bytes. `None` where it is too
/// long.
pub fn about_in_place(text: &[u8]) -> Option<(usize, Vec<u8>)> {
    let length = (text.len() as u64).to_le_bytes();
    (text.len() <= ABOUT_MAX).then(|| (ABOUT_AT, [&length[..], text].concat()))
}

/// The text in the first bytes of a log, if all of it is there.
pub fn about(head: &[u8]) -> Option<&[u8]> {
    let (length, text) = head.get(ABOUT_AT..)?.split_first_chunk()?;
    text.get(..usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_says_of_itself_is_found_again_and_damage_is_none() {
        let mut page = vec![0; HEAD_BYTES];
        assert_eq!(about(&page), Some(&[][..]));
        let (at, bytes) = about_in_place(b"{}").unwrap();
        page[at..at + bytes.len()].copy_from_slice(&bytes);
        assert_eq!(about(&page), Some(&b"{}"[..]));
        assert_eq!(about(&page[..at + 9]), None);
        assert!(
            about_in_place(&[b'x'; ABOUT_MAX]).is_some_and(|(at, x)| at + x.len() == HEAD_BYTES)
        );
        assert_eq!(about_in_place(&[b'x'; ABOUT_MAX + 1]), None);
        page[at..at + 8].fill(0xff);
        assert_eq!(about(&page), None);
    }
}
