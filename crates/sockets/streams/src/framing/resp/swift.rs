//! Messages that are there whole, as nearly all are: found without keeping anything.
//!
//! What is cut, is not allowed, or changes the order of replies is left to whoever looks closely.

/// Digits of a count that is read here.
const DIGITS: usize = 8;
/// Longest line that is read here, with its end.
const LINE: usize = 32;

/// How many bytes a command has: an array of bulk strings, of which the first is nothing special.
pub(super) fn command(bytes: &[u8], is_special: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let (words, mut at) = count(bytes, 0, b'*')?;
    for number in 0..words {
        let (length, start) = count(bytes, at, b'$')?;
        at = ended(bytes, start + length)?;
        if number == 0 && is_special(&bytes[start..start + length]) {
            return None;
        }
    }
    (words > 0).then_some(at)
}

/// How many bytes a reply has.
pub(super) fn reply(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut missing) = (0, 1);
    while missing > 0 {
        missing -= 1;
        match bytes.get(at)? {
            b'$' | b'*' if bytes.get(at + 1..at + 3)? == b"-1" => at = ended(bytes, at + 3)?,
            b'$' => {
                let (length, start) = count(bytes, at, b'$')?;
                at = ended(bytes, start + length)?;
            }
            b'+' | b'-' | b':' => at = line(bytes, at)?,
            b'*' => {
                let (elements, behind) = count(bytes, at, b'*')?;
                (missing, at) = (missing + elements, behind);
            }
            _ => return None,
        }
    }
    Some(at)
}

/// The count behind this letter, and where its line has ended.
#[inline]
fn count(bytes: &[u8], at: usize, kind: u8) -> Option<(usize, usize)> {
    let line = bytes.get(at..at + 4)?;
    let word = u32::from_le_bytes(line.try_into().expect("it has four bytes"));
    let [first, second] = [8, 16].map(|bit| ((word >> bit) as u8).wrapping_sub(b'0'));
    if word as u8 != kind || first > 9 {
        return None;
    }
    // Nearly all have one digit, or two.
    if word >> 16 == u32::from(u16::from_le_bytes(*b"\r\n")) {
        return Some((usize::from(first), at + 4));
    }
    if second <= 9 && word >> 24 == u32::from(b'\r') && bytes.get(at + 4) == Some(&b'\n') {
        return Some((usize::from(10 * first + second), at + 5));
    }
    digits(bytes, at + 1)
}

/// The count that begins here with a digit, and where its line has ended.
fn digits(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut count = 0;
    for (place, byte) in bytes.iter().enumerate().skip(at).take(DIGITS) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return ended(bytes, place).map(|end| (count, end));
        }
        count = count * 10 + usize::from(digit);
    }
    None
}

/// Where a line that begins here has ended.
#[inline]
fn line(bytes: &[u8], at: usize) -> Option<usize> {
    let feed = bytes.get(at..)?.iter().take(LINE).position(|byte| *byte == b'\n')?;
    ended(bytes, (at + feed).checked_sub(1)?)
}

/// Behind the end of a line, which must stand here.
#[inline]
fn ended(bytes: &[u8], at: usize) -> Option<usize> {
    (bytes.get(at..at + 2)? == b"\r\n").then_some(at + 2)
}
