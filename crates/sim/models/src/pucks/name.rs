//! Who is who: names of sectors, cushions and pucks, in four bytes.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Length of a name in a payload.
pub(super) const BYTES: usize = 20;

/// What an object is. In the order of the names' first letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// A piece of the table's edge.
    Cushion,
    /// A disc.
    Puck,
    /// A rectangle of the table.
    Sector,
}

/// An object's name. Ordered as its text is: numbers have a fixed width, so they compare like their
/// digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Name {
    kind: Kind,
    /// Row of a sector, side of a cushion, 0 for a puck.
    first: u8,
    /// Column of a sector, place of a cushion, number of a puck.
    second: u16,
}

impl Kind {
    /// What tables call it.
    pub const fn text(self) -> &'static str {
        match self {
            Kind::Cushion => "cushion",
            Kind::Puck => "puck",
            Kind::Sector => "sector",
        }
    }
}

impl Name {
    /// Rows, columns, and places along a side: two digits.
    pub const PLACES_MAX: u32 = 100;
    /// Pucks: four digits.
    pub const PUCKS_MAX: u32 = 10_000;
    /// Sides of a table: west, north, east, south.
    pub const SIDES: u8 = 4;

    /// A puck, by its number below 10000.
    pub const fn puck(number: u16) -> Name {
        Name { kind: Kind::Puck, first: 0, second: number }
    }

    /// A sector, by row and column below 100.
    pub const fn sector(row: u8, column: u8) -> Name {
        Name { kind: Kind::Sector, first: row, second: column as u16 }
    }

    /// A cushion, by side (0 west, 1 north, 2 east, 3 south) and place along it below 100.
    pub const fn cushion(side: u8, place: u8) -> Name {
        Name { kind: Kind::Cushion, first: side, second: place as u16 }
    }

    /// What the object is.
    #[inline]
    pub fn kind(self) -> Kind {
        self.kind
    }

    /// Row of a sector, side of a cushion.
    #[inline]
    pub fn row(self) -> u8 {
        self.first
    }

    /// Column of a sector, place of a cushion, number of a puck.
    #[inline]
    pub fn column(self) -> u16 {
        self.second
    }

    /// What separates simultaneous predictions of different objects.
    #[inline]
    pub(super) fn number(self) -> u32 {
        match self.kind {
            Kind::Cushion => 1000 * u32::from(self.first) + 10 * u32::from(self.second) + 10,
            Kind::Puck | Kind::Sector => u32::from(self.second),
        }
    }

    /// `None`: no object is called that.
    pub fn parse(text: &str) -> Option<Name> {
        if let Some(number) = text.strip_prefix("puck") {
            return digits(number, 4).map(Name::puck);
        }
        let (kind, numbers) = text.split_once('_')?;
        let (first, second) = numbers.split_once('_')?;
        let second = digits(second, 2)? as u8;
        match kind {
            "sector" => Some(Name::sector(digits(first, 2)? as u8, second)),
            "cushion" => {
                let side = digits(first, 1)? as u8;
                (side < Name::SIDES).then_some(Name::cushion(side, second))
            }
            _ => None,
        }
    }

    /// In a payload. Every handled message's digest needs it, so nothing is formatted here.
    #[inline]
    pub(super) fn bytes(self) -> [u8; BYTES] {
        let digit = |number: u16, unit: u16| b'0' + (number / unit % 10) as u8;
        let (first, second) = (u16::from(self.first), self.second);
        let (mut bytes, end) = match self.kind {
            Kind::Cushion => (*b"cushion_0_00\0\0\0\0\0\0\0\0", 12),
            Kind::Puck => (*b"puck0000\0\0\0\0\0\0\0\0\0\0\0\0", 8),
            Kind::Sector => (*b"sector_00_00\0\0\0\0\0\0\0\0", 12),
        };
        match self.kind {
            Kind::Cushion => bytes[8] = digit(first, 1),
            Kind::Puck => (bytes[4], bytes[5]) = (digit(second, 1000), digit(second, 100)),
            Kind::Sector => (bytes[7], bytes[8]) = (digit(first, 10), digit(first, 1)),
        }
        (bytes[end - 2], bytes[end - 1]) = (digit(second, 10), digit(second, 1));
        bytes
    }

    pub(super) fn decode(bytes: &[u8; BYTES]) -> Option<Name> {
        let end = bytes.iter().position(|byte| *byte == 0)?;
        let (text, padding) = bytes.split_at_checked(end)?;
        let name = Name::parse(std::str::from_utf8(text).ok()?)?;
        padding.iter().all(|byte| *byte == 0).then_some(name)
    }
}

/// A number of exactly so many digits.
fn digits(text: &str, count: usize) -> Option<u16> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())?
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Name { kind, first, second } = self;
        match kind {
            Kind::Cushion => write!(f, "cushion_{first}_{second:02}"),
            Kind::Puck => write!(f, "puck{second:04}"),
            Kind::Sector => write!(f, "sector_{first:02}_{second:02}"),
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub fn names() -> impl Strategy<Value = Name> {
        let place = || prop_oneof![0u8..3, 0u8..100];
        prop_oneof![
            prop_oneof![0u16..3, 0u16..10_000].prop_map(Name::puck),
            (place(), place()).prop_map(|(row, column)| Name::sector(row, column)),
            (0u8..4, place()).prop_map(|(side, place)| Name::cushion(side, place)),
        ]
    }

    proptest! {
        #[test]
        fn names_are_ordered_like_their_text(a in names(), b in names()) {
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
            prop_assert_eq!(Name::parse(&a.to_string()), Some(a));
            prop_assert_eq!(Name::decode(&a.bytes()), Some(a));
            prop_assert!(a.bytes().starts_with(a.to_string().as_bytes()));
        }
    }

    #[test]
    fn other_texts_name_nobody() {
        for text in [
            "",
            "puck",
            "puck001",
            "puck00001",
            "puck-001",
            "sector_1_01",
            "sector_01",
            "cushion_4_00",
            "cushion_0_0x",
            "ball_00_00",
            "puck0001 ",
        ] {
            assert_eq!(Name::parse(text), None, "{text}");
        }
        assert_eq!(Name::cushion(3, 15).number(), 3160);
        assert_eq!(size_of::<Option<Name>>(), 4);
    }
}
