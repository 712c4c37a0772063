//! What a number is, and so how people read it.

use crate::format::{
    byte_rate, count, part, points, rate, ratio, signed_part, six_figures, size, time,
};

/// What the numbers of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Words, or a number that is a name: a rank, a site.
    Text,
    /// A number without a unit, such as a virtual time: six figures.
    Number,
    /// How many.
    Count,
    /// A time, ns.
    Ns,
    /// A time, s: of programs and launches.
    Seconds,
    /// A size, bytes.
    Bytes,
    /// A part of a whole, 0 to 1.
    Share,
    /// A difference as a part of what it is against: `+48 %`.
    Change,
    /// A difference of parts, in percentage points: `+5.0`.
    Points,
    /// How many times as much.
    Ratio,
    /// How often a second.
    PerSecond,
    /// Bytes a second.
    BytesPerSecond,
}

impl Unit {
    /// The number as people read it, with its unit.
    pub fn show(self, value: f64) -> String {
        match self {
            Unit::Text => format!("{value}"),
            Unit::Number => six_figures(value),
            Unit::Count if value < 0.0 => format!("−{}", count(-value.round() as u64)),
            Unit::Count => count(value.round() as u64),
            Unit::Ns | Unit::Seconds => time(value * self.ns().unwrap_or(1.0)),
            Unit::Bytes => size(value.max(0.0) as u64),
            Unit::Share => part(value),
            Unit::Change => signed_part(value),
            Unit::Points => points(value),
            Unit::Ratio => ratio(value),
            Unit::PerSecond => rate(value),
            Unit::BytesPerSecond => byte_rate(value),
        }
    }

    /// The nanoseconds that one of a unit of time holds.
    pub(crate) fn ns(self) -> Option<f64> {
        match self {
            Unit::Ns => Some(1.0),
            Unit::Seconds => Some(1e9),
            _ => None,
        }
    }

    /// What stands behind the key of a column in CSV and JSON: `blocked_ns`. A key that is the
    /// unit's own name has nothing behind it.
    pub(crate) fn suffix(self, key: &str) -> &'static str {
        match self {
            Unit::Seconds if key == "seconds" => "",
            Unit::Bytes if key == "bytes" => "",
            Unit::Ns => "_ns",
            Unit::Seconds => "_s",
            Unit::Bytes => "_bytes",
            Unit::PerSecond => "_per_s",
            Unit::BytesPerSecond => "_bytes_per_s",
            _ => "",
        }
    }

    /// Whether its values stand on the left, as words do.
    pub(crate) fn is_words(self) -> bool {
        self == Unit::Text
    }
}
