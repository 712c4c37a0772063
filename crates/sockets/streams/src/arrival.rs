//! When a message had arrived, and how well that is known.
//!
//! The kernel's stamp of a read is that of the last buffer that the read touched. The kernel joins
//! buffers that wait in a queue, and gives them the latest stamp. So the stamp is the arrival of
//! the message that ends where the read ends, if nothing behind it can have come before that
//! moment: the read emptied the queue, or the next message was not yet ready. For every other
//! message that the read took, the stamp is the latest moment, and the call that wrote it the
//! earliest; it is put where messages of its connection and its size usually are, as far as that
//! allows.

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

/// How long messages of a connection were on their way: of each size, in powers of two, the last
/// one that was observed. The sizes ascend.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usual(Vec<(u32, i64)>);

impl Usual {
    /// Where messages of this size are, or would be.
    fn place(&self, bytes: u64) -> (u32, Result<usize, usize>) {
        let size = bytes.checked_ilog2().map_or(0, |log| log + 1);
        (size, self.0.binary_search_by_key(&size, |(size, _)| *size))
    }

    fn learn(&mut self, bytes: u64, transit: i64) {
        match self.place(bytes) {
            (_, Ok(at)) => self.0[at].1 = transit,
            (size, Err(at)) => self.0.insert(at, (size, transit)),
        }
    }

    /// How long a message of so many bytes is taken to have been on its way, at most `longest`. A
    /// larger one takes no less time than a smaller one: where none of its size was observed, it is
    /// the middle of what that leaves.
    fn of(&self, bytes: u64, longest: i64) -> i64 {
        let known = |(_, transit): &(u32, i64)| (*transit).clamp(0, longest);
        match self.place(bytes).1 {
            Ok(at) => known(&self.0[at]),
            Err(at) => {
                let least = self.0[..at].last().map_or(0, known);
                let most = self.0.get(at).map_or(longest, known).max(least);
                least + (most - least) / 2
            }
        }
    }
}

/// When a message of so many bytes arrived.
pub(crate) fn arrival(known: Known, bytes: u64, usual: &mut Usual) -> Arrival {
    if let Some(at) = known.exact {
        usual.learn(bytes, at - known.enter);
        return Arrival::observed(at);
    }
    if known.latest < known.enter {
        return Arrival::UNKNOWN;
    }
    let at = known.enter + usual.of(bytes, known.latest - known.enter);
    let error = (at - known.enter).max(known.latest - at);
    Arrival { at, error, how: How::Bracketed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_observed_lies_within_its_interval() {
        let known = Known { enter: 100, latest: 900, exact: None };
        let mut usual = Usual::default();
        assert_eq!(arrival(known, 10, &mut usual).at, 500);
        let exact = Known { exact: Some(130), ..known };
        assert_eq!(arrival(exact, 10, &mut usual), Arrival::observed(130));
        let next = arrival(known, 10, &mut usual);
        assert_eq!((next.at, next.error, next.how), (130, 770, How::Bracketed));
        let short = Known { latest: 110, ..known };
        assert_eq!(arrival(short, 10, &mut usual).at, 110);
        let never = Known { latest: 99, ..known };
        assert_eq!(arrival(never, 10, &mut usual), Arrival::UNKNOWN);
    }

    #[test]
    fn a_message_is_put_where_those_of_its_size_are() {
        let known = Known { enter: 100, latest: 900, exact: None };
        let mut usual = Usual::default();
        arrival(Known { exact: Some(120), ..known }, 1, &mut usual);
        // It takes at least as long as the small one, and how much longer is not known.
        assert_eq!(arrival(known, 1 << 20, &mut usual).at, 510);
        arrival(Known { exact: Some(700), ..known }, 1 << 20, &mut usual);
        assert_eq!(arrival(known, (1 << 20) + 5000, &mut usual).at, 700);
        assert_eq!(arrival(known, 1 << 10, &mut usual).at, 410, "between the two");
        assert_eq!(arrival(known, 1 << 40, &mut usual).at, 800);
        assert_eq!(arrival(known, 1, &mut usual).at, 120);
    }
}
