//! What several launches can tell of the next one, and what they cannot.
//!
//! An interval between launches rests on how these launches differ. Two of them say next to nothing
//! of that: Student's t with one degree of freedom is 12.7, and intervals from 44 ns to 19,079 s
//! come of it. So there is none below three, and none that is so wide that it says nothing.

use serde::{Deserialize, Serialize};

/// Launches below which there is no interval.
pub const LAUNCHES_LEAST: usize = 3;
/// The factor between the ends of an interval beyond which it says nothing.
pub const FACTOR_MOST: f64 = 100.0;

/// Why nothing is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Fewer than [`LAUNCHES_LEAST`] launches, of either side.
    TooFewLaunches,
    /// Fewer than [`LAUNCHES_LEAST`] earlier runs.
    TooFewRuns,
    /// Too few messages in a launch.
    TooFewMessages,
    /// These launches differ too much.
    SpreadTooWide,
    /// Taken alone it differs; of so many figures one may do so by chance.
    OneOfSeveral,
    /// There is a difference, but it may be smaller or larger than the least that matters.
    CloseToLeast,
}

/// The ends of an interval of times or ratios, `half` on either side of `log` on the log scale; so
/// neither is negative.
pub(crate) fn on_log_scale(log: f64, half: f64) -> Result<(f64, f64), Reason> {
    // A NaN says nothing either.
    if 2.0 * half <= FACTOR_MOST.ln() {
        Ok(((log - half).exp(), (log + half).exp()))
    } else {
        Err(Reason::SpreadTooWide)
    }
}

/// The same of a ratio: however wide, an interval without 1 says which of the two is larger.
pub(crate) fn of_ratio(log: f64, half: f64) -> Result<(f64, f64), Reason> {
    if half < log.abs() {
        Ok(((log - half).exp(), (log + half).exp()))
    } else {
        on_log_scale(log, half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_positive_and_says_something() {
        let (low, high) = on_log_scale(2.0_f64.ln(), 2.0_f64.ln()).unwrap();
        assert!((low - 1.0).abs() < 1e-12 && (high - 4.0).abs() < 1e-12);
        assert_eq!(on_log_scale(0.0, 3.0), Err(Reason::SpreadTooWide));
        assert_eq!(on_log_scale(0.0, f64::NAN), Err(Reason::SpreadTooWide));
        assert_eq!(of_ratio(1.0, 3.0), Err(Reason::SpreadTooWide));
        assert!(of_ratio(93.0_f64.ln(), 3.0).is_ok_and(|(low, _)| low > 1.0), "surely larger");
    }
}
