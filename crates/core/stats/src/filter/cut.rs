//! A share of the messages, by rank: the fastest 99.9 %, or those between 95 and 99.9 %.
//!
//! Ranks are exact. Messages of equal time are ranked, too: the one that was ready earlier is the
//! faster, then that of the lower source, then that of the lower number. So a share is as many
//! messages as it says, to the nearest whole one, also on a clock that ticks coarsely.

use std::fmt;

use record::{Field, NULL};
use serde::{Deserialize, Serialize};

use crate::columns::Columns;
use crate::compare::Measured;
use crate::stages::stamps_of;

/// A share of the messages that the rest of a filter takes, by the time of one stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The stage whose time ranks them; end to end where none is named.
    pub stage: Option<Measured>,
    /// The share of the fastest that is left out.
    pub from: Share,
    /// The share of the fastest at whose end it ends.
    pub to: Share,
    /// Between which messages of a run that is; not known before the run was read.
    pub bounds: Option<Bounds>,
}

/// The messages at the ends of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Messages that were ranked.
    pub of: u64,
    /// The slowest of those that are left out before it.
    pub above: Option<RankKey>,
    /// The slowest that is taken, where slower ones are not.
    pub up_to: Option<RankKey>,
}

/// What messages are ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RankKey {
    /// Time in the stage.
    pub ns: i64,
    /// When it was ready.
    pub ready_ns: i64,
    /// Source.
    pub src: i64,
    /// Number among the messages of its source.
    pub seq: i64,
}

/// A part of a whole in billionths, so that what people write is what is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "f64", into = "f64")]
pub struct Share(u64);

const WHOLE: u64 = 1_000_000_000;

impl Cut {
    /// The stage whose time ranks messages.
    pub fn stage(&self) -> Measured {
        self.stage.unwrap_or(Measured::EndToEnd)
    }

    /// Of so many ranked messages, those after the first rank, up to the second.
    pub fn ranks(&self, of: u64) -> (u64, u64) {
        (self.from.of(of), self.to.of(of))
    }

    /// Whether the message or cycle in this row is taken; all that have the stage, as long as the
    /// ends are not known.
    pub(crate) fn takes(&self, columns: &Columns, row: usize) -> bool {
        let Some(key) = RankKey::of(self.stage(), columns, row) else { return false };
        self.bounds.is_none_or(|bounds| {
            bounds.above.is_none_or(|above| key > above)
                && bounds.up_to.is_none_or(|up_to| key <= up_to)
        })
    }
}

impl RankKey {
    /// The key of the message in this row; `None` where it lacks the stage.
    pub(crate) fn of(stage: Measured, columns: &Columns, row: usize) -> Option<RankKey> {
        let at = |field| columns.at(field, row);
        let known = |value: i64| if value == NULL { -1 } else { value };
        let (end, begin) = stamps_of(stage);
        let (end, begin) = (at(end), at(begin));
        (end != NULL && begin != NULL).then(|| RankKey {
            ns: end.wrapping_sub(begin),
            ready_ns: known(at(Field::ReadyNs)),
            src: known(at(Field::Src)),
            seq: known(at(Field::Seq)),
        })
    }

    /// The same as numbers in the order of their weight.
    pub(crate) fn digits(self) -> [i64; 4] {
        [self.ns, self.ready_ns, self.src, self.seq]
    }

    pub(crate) fn of_digits([ns, ready_ns, src, seq]: [i64; 4]) -> RankKey {
        RankKey { ns, ready_ns, src, seq }
    }
}

impl Share {
    /// Nothing.
    pub const NONE: Share = Share(0);
    /// All.
    pub const ALL: Share = Share(WHOLE);

    /// A percentage: `99.66`, with up to seven decimals; `None` where it is no number, and for
    /// more than a whole.
    pub fn of_percent(text: &str) -> Option<Share> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = !whole.is_empty() && digits(whole) && digits(decimals);
        if !is_number || whole.len() > 3 || decimals.len() > 7 {
            return None;
        }
        let billionths: u64 = format!("{whole}{decimals:0<7}").parse().ok()?;
        Some(Share(billionths)).filter(|share| *share <= Share::ALL)
    }

    /// So many of `all`, to the nearest.
    pub fn of(self, all: u64) -> u64 {
        let billionths = u128::from(self.0) * u128::from(all);
        ((billionths + u128::from(WHOLE) / 2) / u128::from(WHOLE)) as u64
    }

    /// The part that it is, 0 to 1.
    pub fn part(self) -> f64 {
        self.0 as f64 / WHOLE as f64
    }
}

/// As a percentage without its sign: `99.66`.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, decimals) = (self.0 / (WHOLE / 100), self.0 % (WHOLE / 100));
        match decimals {
            0 => write!(f, "{whole}"),
            _ => write!(f, "{whole}.{}", format!("{decimals:07}").trim_end_matches('0')),
        }
    }
}

impl From<f64> for Share {
    fn from(part: f64) -> Share {
        Share((part.clamp(0.0, 1.0) * WHOLE as f64).round() as u64)
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> f64 {
        share.part()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_what_was_written() {
        for text in ["0", "95", "99.9", "99.64", "0.0000001", "100"] {
            let share = Share::of_percent(text).map(|share| share.to_string());
            assert_eq!(share.as_deref(), Some(text));
        }
        for wrong in ["", ".", "-1", "100.0000001", "101", "1e1", "99.99999999", "a", "1.-2"] {
            assert_eq!(Share::of_percent(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_share_is_the_nearest_number_of_messages() {
        let of = |text, all| Share::of_percent(text).map(|share| share.of(all));
        assert_eq!(of("95", 51_424), Some(48_853));
        assert_eq!(of("99.96", 52_050), Some(52_029));
        assert_eq!(of("100", u64::MAX), Some(u64::MAX));
        assert_eq!(of("50", 1), Some(1));
        assert_eq!(of("49.9999999", 1), Some(0));
    }
}
