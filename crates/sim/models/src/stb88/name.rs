//! Names of objects, packed into a word that orders as their bytes do.
//!
//! Payloads name objects, and bundles are ordered by payloads' bytes. A name is a stem and what
//! follows it: four bits say which stem, seven times four bits each a character. Nothing is looked
//! up to compare two names.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A name, or none (0). Words order as the names' bytes, padded with zeros, do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Name(u32);

/// Bytes of a name in a payload.
pub(super) const NAME_BYTES: usize = 20;

/// In order of their bytes; none is the beginning of another. The first stands for no name.
const STEMS: [&str; 7] = ["", "G", "blue_corps", "blue_div", "distrib", "red_corps", "red_div"];
const RED: u32 = 5;

/// Characters behind a stem.
const CHARACTERS: u32 = 7;
const END: u32 = 0;
/// A comma in a grid's name, a slash in a division's.
const MARK: u32 = 1;
const ZERO: u32 = 2;

/// What kind of object a name can be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A cell of the board.
    Grid,
    /// A corps.
    Corps,
    /// A division.
    Division,
    /// What brings a corps' divisions to their cells.
    Distributor,
}

impl Kind {
    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Grid => "grid",
            Kind::Corps => "corps",
            Kind::Division => "div",
            Kind::Distributor => "distributor",
        }
    }
}

impl Name {
    /// No name.
    pub const NONE: Name = Name(0);

    /// A cell's.
    pub(super) fn grid(column: i64, row: i64) -> Option<Name> {
        Name::parse(&format!("G{column},{row}"))
    }

    /// A name of one of the six stems with one or two numbers behind it. `None`: it is none of
    /// these, or too long.
    pub fn parse(text: &str) -> Option<Name> {
        let stem = (1..STEMS.len()).find(|stem| text.starts_with(STEMS[*stem]))?;
        let rest = &text[STEMS[stem].len()..];
        let mark = mark(stem as u32);
        let mut numbers = rest.split(mark);
        let (first, second) = (numbers.next()?, numbers.next());
        let many = numbers.next().is_some();
        let two = second.is_some();
        let fits = match STEMS[stem] {
            "G" => two,
            "blue_div" | "red_div" => true,
            _ => !two,
        };
        let good =
            |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        if many
            || !fits
            || !good(first)
            || !second.is_none_or(good)
            || rest.len() > CHARACTERS as usize
        {
            return None;
        }
        let code =
            |byte: u8| if byte.is_ascii_digit() { ZERO + u32::from(byte - b'0') } else { MARK };
        let packed = rest.bytes().fold((stem as u32, 28), |(word, shift), byte| {
            let word = if shift == 28 { word << 28 } else { word };
            (word | code(byte) << (shift - 4), shift - 4)
        });
        Some(Name(packed.0))
    }

    /// The name's padded bytes.
    pub(super) fn bytes(self) -> [u8; NAME_BYTES] {
        let mut bytes = [0; NAME_BYTES];
        let stem = STEMS[self.stem() as usize].as_bytes();
        bytes[..stem.len()].copy_from_slice(stem);
        for at in 0..CHARACTERS {
            bytes[stem.len() + at as usize] = match self.0 >> (24 - 4 * at) & 15 {
                END => 0,
                MARK => mark(self.stem()) as u8,
                digit => b'0' + (digit - ZERO) as u8,
            };
        }
        bytes
    }

    /// What [`Name::bytes`] made.
    pub(super) fn of_bytes(bytes: &[u8; NAME_BYTES]) -> Option<Name> {
        let end = bytes.iter().position(|byte| *byte == 0)?;
        if bytes[end..].iter().any(|byte| *byte != 0) {
            return None;
        }
        if end == 0 {
            return Some(Name::NONE);
        }
        Name::parse(std::str::from_utf8(&bytes[..end]).ok()?)
    }

    /// Its word.
    #[inline]
    pub(super) fn word(self) -> u32 {
        self.0
    }

    /// Whether there is none.
    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    #[inline]
    fn stem(self) -> u32 {
        self.0 >> 28
    }

    /// Whether it is of the red side; whatever is not counts as blue.
    #[inline]
    pub(super) fn is_red(self) -> bool {
        self.stem() >= RED
    }

    /// What it names.
    pub fn kind(self) -> Option<Kind> {
        match STEMS[self.stem() as usize] {
            "" => None,
            "G" => Some(Kind::Grid),
            "blue_corps" | "red_corps" => Some(Kind::Corps),
            "distrib" => Some(Kind::Distributor),
            _ => Some(Kind::Division),
        }
    }

    /// The number that ends it.
    pub(super) fn last_number(self) -> i32 {
        let text = self.to_string();
        let digits = text.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
        digits.parse().unwrap_or(0)
    }
}

fn mark(stem: u32) -> char {
    if STEMS[stem as usize] == "G" { ',' } else { '/' }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes();
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or(&[]);
        f.pad(std::str::from_utf8(text).unwrap_or(""))
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub fn names() -> impl Strategy<Value = String> {
        let number = || 0u32..250;
        prop_oneof![
            (0u32..3, number()).prop_map(|(column, row)| format!("G{column},{row}")),
            (number(), number())
                .prop_map(|(division, corps)| format!("blue_div{division}/{corps}")),
            (number(), number()).prop_map(|(division, corps)| format!("red_div{division}/{corps}")),
            number().prop_map(|division| format!("red_div{division}")),
            number().prop_map(|corps| format!("red_corps{corps}")),
            number().prop_map(|corps| format!("blue_corps{corps}")),
            number().prop_map(|corps| format!("distrib{corps}")),
        ]
    }

    proptest! {
        #[test]
        fn words_order_as_bytes_do(a in names(), b in names()) {
            let (x, y) = (Name::parse(&a).unwrap(), Name::parse(&b).unwrap());
            prop_assert_eq!(x.to_string(), a);
            prop_assert_eq!(x.cmp(&y), x.bytes().cmp(&y.bytes()));
            prop_assert_eq!(Name::of_bytes(&x.bytes()), Some(x));
            prop_assert!(Name::NONE < x);
        }

        #[test]
        fn any_bytes_are_taken_or_refused(bytes: [u8; NAME_BYTES]) {
            if let Some(name) = Name::of_bytes(&bytes) {
                prop_assert_eq!(name.bytes(), bytes);
            }
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in
            ["", "G", "G0", "G0,", "G0,1,2", "red_div", "red_div1/", "red_div1/2/3", "red_corps1/2"]
        {
            assert_eq!(Name::parse(text), None, "{text}");
        }
        for text in
            ["green_div1/2", "red_div1000/1000", "red_div-1/2", "distrib", "blue_div1,2", "G0/1"]
        {
            assert_eq!(Name::parse(text), None, "{text}");
        }
        assert!(Name::parse("blue_div999/999").is_some());
    }

    #[test]
    fn parts_of_names() {
        let of = |text| Name::parse(text).unwrap();
        assert!(
            of("red_corps3").is_red() && of("red_div1/2").is_red() && !of("blue_div1/2").is_red()
        );
        assert!(!of("G0,1").is_red() && !Name::NONE.is_red());
        assert_eq!(of("red_div10/18").last_number(), 18);
        assert_eq!((of("blue_corps7").kind(), Name::NONE.kind()), (Some(Kind::Corps), None));
        assert_eq!(Name::NONE.to_string(), "");
    }
}
