//! A message is a count and so many bytes: `length:4be`. A number behind it is added to the count:
//! `length:4be-4` where the count includes itself, `length:4le+8` where 8 further bytes of a header
//! are not counted. `length:8le@16` has 16 bytes of a header before the count.

use super::reason::Reason;
use super::shared::Shared;
use super::step::{Class, Rule, Side, Step};

/// No message is longer. A wrong rule reads counts that are.
const LENGTH_MAX: i128 = 1 << 30;

/// No header is longer before its count.
const BEFORE_MAX: u16 = 4096;

/// In the middle of a header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// Bytes before the count.
    before: u16,
    width: u8,
    is_little: bool,
    added: i32,
    /// Bytes of what comes before the count so far, and of the count.
    passed: u16,
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
        "length:8le@16: 16 bytes of a header come before the count.",
    ];
    const ONE_FOR_ONE: bool = false;

    fn new(argument: Option<&str>) -> Option<Length> {
        let argument = argument?;
        let (width, rest) = argument.split_at_checked(1)?;
        let width = width.parse().ok().filter(|width| matches!(width, 1 | 2 | 4 | 8))?;
        let (is_little, rest) = match rest.strip_prefix("le") {
            Some(rest) => (true, rest),
            None => (false, rest.strip_prefix("be").unwrap_or(rest)),
        };
        let (before, added) = header(rest)?;
        let is_signed = added.is_empty() || added.starts_with(['+', '-']);
        let added = if added.is_empty() { Some(0) } else { added.parse().ok() };
        let added = added.filter(|_| is_signed)?;
        Some(Length { before, width, is_little, added, passed: 0, have: 0, count: 0 })
    }

    fn step(&mut self, bytes: &[u8], _: Side, _: &Shared) -> Step {
        if self.passed < self.before {
            let taken = bytes.len().min(usize::from(self.before - self.passed));
            self.passed += taken as u16;
            return Step::Took(taken);
        }
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
        (self.passed, self.have, self.count) = (0, 0, 0);
        match follow {
            0 => Step::End(taken, Class::Paired),
            1..=LENGTH_MAX => Step::PassToEnd(taken, follow as u64, Class::Paired),
            ..0 => Step::Stop(0, Reason::NotThis),
            _ => Step::Stop(0, Reason::TooLong),
        }
    }
}

/// What stands behind the count's form: `@16` and the rest; 0 bytes where there is none.
fn header(text: &str) -> Option<(u16, &str)> {
    let Some(text) = text.strip_prefix('@') else { return Some((0, text)) };
    let digits = text.find(['+', '-']).unwrap_or(text.len());
    let (before, rest) = text.split_at(digits);
    let are_digits = before.bytes().all(|byte| byte.is_ascii_digit());
    let before = before.parse().ok().filter(|before| are_digits && *before <= BEFORE_MAX)?;
    Some((before, rest))
}
