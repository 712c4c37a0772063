//! How many units the peer lets us send, and asking it for more.
//!
//! The word that there is room again may be lost. So whoever waits for room asks now and then, less
//! and less often. Pure.

use super::timing::RoundTrips;

/// The room that a peer has given.
pub(super) struct Credit {
    /// Units before this are welcome.
    limit: u64,
    /// When to ask for more; `u64::MAX` while nobody waits for it.
    ask_at: u64,
    asked: u32,
}

impl Credit {
    /// `room`: units that the peer takes before it has said anything.
    pub fn new(room: u64) -> Credit {
        Credit { limit: room, ask_at: u64::MAX, asked: 0 }
    }

    /// Whether the peer has room for the unit with this number.
    #[inline]
    pub fn covers(&self, seq: u64) -> bool {
        seq < self.limit
    }

    /// Somebody waits for room for a unit.
    pub fn is_wanted(&mut self, now: u64, trips: &RoundTrips) {
        if self.ask_at == u64::MAX {
            self.asked = 0;
            self.ask_at = now.saturating_add(trips.patience(1));
        }
    }

    /// The peer has room for all units before `limit`. An older word may come later.
    #[inline]
    pub fn reaches(&mut self, limit: u64) {
        if limit > self.limit {
            (self.limit, self.ask_at) = (limit, u64::MAX);
        }
    }

    /// Whether the peer should be asked for room now. Says so once each time.
    pub fn asks(&mut self, now: u64, trips: &RoundTrips) -> bool {
        if now < self.ask_at {
            return false;
        }
        self.asked += 1;
        self.ask_at = now.saturating_add(trips.patience(self.asked + 1));
        true
    }

    /// When the peer will have to be asked.
    #[inline]
    pub fn deadline(&self) -> u64 {
        self.ask_at
    }
}

#[cfg(test)]
mod tests {
    use super::super::timing::Times;
    use super::*;

    #[test]
    fn who_waits_for_room_asks_less_and_less_often_until_there_is_some() {
        let trips = RoundTrips::new(Times { period: None, first: 100, least: 10, most: 100_000 });
        let mut credit = Credit::new(5);
        assert!(credit.covers(4) && !credit.covers(5));
        assert_eq!(credit.deadline(), u64::MAX, "nobody waits");
        credit.is_wanted(1000, &trips);
        credit.is_wanted(1050, &trips);
        assert_eq!(credit.deadline(), 1100, "from when it was wanted first");
        assert!(!credit.asks(1099, &trips) && credit.asks(1100, &trips));
        assert_eq!(credit.deadline(), 1300);
        assert!(credit.asks(1300, &trips));
        assert_eq!(credit.deadline(), 1700);
        credit.reaches(5);
        assert_eq!(credit.deadline(), 1700, "no news");
        credit.reaches(9);
        assert!(credit.covers(8) && credit.deadline() == u64::MAX);
        credit.reaches(7);
        assert!(credit.covers(8), "an older word");
        credit.is_wanted(2000, &trips);
        assert_eq!(credit.deadline(), 2100);
    }
}
