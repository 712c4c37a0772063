//! Which ranks are whose.

/// Ranks that follow one another: those that are near each other send each other most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    first: u32,
    end: u32,
}

impl Share {
    /// Every rank.
    pub const ALL: Share = Share { first: 0, end: u32::MAX };

    /// Share `at` of `of` among so many ranks.
    pub fn of(at: u32, of: u32, ranks: usize) -> Share {
        let bound = |at: u32| (ranks as u64 * u64::from(at) / u64::from(of.max(1))) as u32;
        let end = if at + 1 >= of { u32::MAX } else { bound(at + 1) };
        Share { first: bound(at), end }
    }

    /// Whether this rank is in it.
    #[inline]
    pub fn owns(self, rank: u32) -> bool {
        self.first <= rank && rank < self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_in_one_share() {
        for (of, ranks) in [(1, 3), (2, 5), (8, 3), (3, 4096)] {
            let shares: Vec<Share> = (0..of).map(|at| Share::of(at, of, ranks)).collect();
            for rank in 0..ranks as u32 + 2 {
                assert_eq!(shares.iter().filter(|share| share.owns(rank)).count(), 1);
            }
        }
        assert!((0..9).all(|rank| Share::ALL.owns(rank)));
    }
}
