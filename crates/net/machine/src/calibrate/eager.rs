//! Up to which size messages of MPI go at once, as benchmarks over MPI have tried.

use super::NO_LIMIT;
use crate::{Basis, Constant};
use serde::{Deserialize, Serialize};

/// What was tried with receives that were not posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EagerBounds {
    /// The largest message that went at once, bytes.
    pub at_once_bytes: u64,
    /// The smallest that waited for its receive, bytes; `None`: none that was tried.
    pub waits_bytes: Option<u64>,
}

/// The limit; `None` where nobody tried. What went at once did so for certain: the largest counts.
pub(super) fn limit(seen: &[EagerBounds], runs: &str) -> Option<Constant> {
    let before = |waits: u64| waits.saturating_sub(1) as f64;
    let most = |one: &EagerBounds| one.waits_bytes.map_or(NO_LIMIT, before);
    let least = seen.iter().map(|one| one.at_once_bytes).min()?;
    let largest = seen.iter().map(|one| one.at_once_bytes).max()?;
    let highest = seen.iter().map(most).fold(0.0, f64::max);
    let value =
        if seen.iter().all(|one| one.waits_bytes.is_none()) { NO_LIMIT } else { largest as f64 };
    Some(Constant {
        range: Some([least as f64, highest.max(largest as f64)]),
        basis: Basis::Measured,
        source: format!("{runs}: messages sent with no receive posted"),
        ..Constant::of(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(at_once_bytes: u64, waits_bytes: Option<u64>) -> EagerBounds {
        EagerBounds { at_once_bytes, waits_bytes }
    }

    #[test]
    fn a_limit_is_as_wide_as_what_was_tried() {
        let of = |seen: &[EagerBounds]| {
            limit(seen, "a").map(|found| (found.value, found.range.unwrap()))
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[tried(4056, Some(4057))]), Some((4056.0, [4056.0, 4056.0])));
        // In the second somebody was kept waiting by something else.
        let twice = [tried(4056, Some(4057)), tried(3000, Some(3001))];
        assert_eq!(of(&twice), Some((4056.0, [3000.0, 4056.0])));
        assert_eq!(of(&[tried(1 << 22, None)]), Some((NO_LIMIT, [4_194_304.0, NO_LIMIT])));
    }
}
