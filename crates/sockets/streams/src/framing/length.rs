//! A message is a count and so many bytes: `length:4be`. A number behind it is added to the count:
//! `length:4be-4` where the count includes itself, `length:4le+8` where 8 further bytes of a header
//! are not counted.

use super::reason::Reason;
use super::shared::Shared;
use super::step::{Class, Rule, Side, Step};

/// No message is longer. A wrong rule reads counts that are.
const LENGTH_MAX: i128 = 1 << 30;

/// In the middle of a count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    width: u8,
    is_little: bool,
    added: i32,
    /// Bytes of the count so far.
    have: u8,
    count: u64,
}

impl Rule for Length {
    const NAME: &'static str = "length";
    const USAGE: &'static str = "length:N with N of 1, 2, 4 or 8 and be or le, such as length:4be";
    const EXAMPLE: &'static str = "length:4be";
    const HELP: &'static [&'static str] = &[
        "4 bytes (or 1, 2, 8) with the count of the bytes that follow,",
        "big-endian (le: little). length:4be-4: the count includes its",
        "own 4 bytes. length:4be+2: 2 further bytes are not counted.",
    ];
    const ONE_FOR_ONE: bool = false;

    fn new(argument: Option<&str>) -> Option<Length> {
        let argument = argument?;
        let (width, rest) = argument.split_at_checked(1)?;
        let width = width.parse().ok().filter(|width| matches!(width, 1 | 2 | 4 | 8))?;
        let (is_little, added) = match rest.strip_prefix("le") {
            Some(added) => (true, added),
            None => (false, rest.strip_prefix("be").unwrap_or(rest)),
        };
        let is_signed = added.is_empty() || added.starts_with(['+', '-']);
        let added = if added.is_empty() { Some(0) } else { added.parse().ok() };
        let added = added.filter(|_| is_signed)?;
        Some(Length { width, is_little, added, have: 0, count: 0 })
    }

    fn step(&mut self, bytes: &[u8], _: Side, _: &Shared) -> Step {
        let missing = usize::from(self.width - self.have);
        let taken = missing.min(bytes.len());
        for byte in &bytes[..taken] {
            let byte = u64::from(*byte);
            self.count = match self.is_little {
                true => self.count | byte << (8 * self.have),
                false => self.count << 8 | byte,
            };
            self.have += 1;
        }
        if self.have < self.width {
            return Step::Took(taken);
        }
        let follow = i128::from(self.count) + i128::from(self.added);
        (self.have, self.count) = (0, 0);
        match follow {
            0 => Step::End(taken, Class::Paired),
            1..=LENGTH_MAX => Step::PassToEnd(taken, follow as u64, Class::Paired),
            ..0 => Step::Stop(0, Reason::NotThis),
            _ => Step::Stop(0, Reason::TooLong),
        }
    }
}
