//! When a message had arrived, and how well that is known.
//!
//! The kernel's stamp of a read is that of the last buffer that the read touched. The kernel joins
//! buffers that wait in a queue, and gives them the latest stamp. So the stamp is the arrival of
//! the message that ends where the read ends, if nothing behind it can have come before that
//! moment: the read emptied the queue, or the next message was not yet ready. For every other
//! message that the read took, the stamp is the latest moment, and the call that wrote it the
//! earliest; it is put where messages of its connection usually are, as far as that allows.

use record::{How, NULL};

/// The moment a message arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// ns on the timeline; null when nothing is known.
    pub at: i64,
    /// It was at most so far from there, ns; null where it was observed.
    pub error: i64,
    pub how: How,
}

/// What is known of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// The call that wrote it was entered.
    pub enter: i64,
    /// It cannot have come later.
    pub latest: i64,
    /// The kernel's stamp of the read that took it, where that is exact for this message.
    pub exact: Option<i64>,
}

impl Arrival {
    pub const UNKNOWN: Arrival = Arrival { at: NULL, error: NULL, how: How::Bracketed };

    /// As observed.
    pub fn observed(at: i64) -> Arrival {
        Arrival { at, error: NULL, how: How::Observed }
    }
}

/// When a message arrived. `transit` is how long the last observed one of its connection was on its
/// way; it is that of this one afterwards.
pub(crate) fn arrival(known: Known, transit: &mut Option<i64>) -> Arrival {
    if let Some(at) = known.exact {
        *transit = Some(at - known.enter);
        return Arrival::observed(at);
    }
    if known.latest < known.enter {
        return Arrival::UNKNOWN;
    }
    let middle = (known.latest - known.enter) / 2;
    let at = transit.map_or(known.enter + middle, |transit| {
        (known.enter + transit).clamp(known.enter, known.latest)
    });
    let error = (at - known.enter).max(known.latest - at);
    Arrival { at, error, how: How::Bracketed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_observed_lies_within_its_interval() {
        let known = Known { enter: 100, latest: 900, exact: None };
        let mut transit = None;
        assert_eq!(arrival(known, &mut transit).at, 500);
        let exact = Known { exact: Some(130), ..known };
        assert_eq!(arrival(exact, &mut transit), Arrival::observed(130));
        let next = arrival(known, &mut transit);
        assert_eq!((next.at, next.error, next.how), (130, 770, How::Bracketed));
        let short = Known { latest: 110, ..known };
        assert_eq!(arrival(short, &mut transit).at, 110);
        let never = Known { latest: 99, ..known };
        assert_eq!(arrival(never, &mut transit), Arrival::UNKNOWN);
    }
}
