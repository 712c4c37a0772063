//! Time between one node's successive sends to one other, and the messages served meanwhile.
//!
//! Rows stand in the receiver's file in the order of taking, and order is kept per pair, so
//! successive rows of a pair are successive sends. Of two sends that lie in different batches the
//! interval is left out: one in tens of thousands, and whether the batches follow each other is not
//! known here.
//!
//! With f messages on their way at one send and g at the next, f + 1 − g were served in between.

use record::{Field, NULL};

use std::collections::HashMap;

use crate::columns::Columns;
use crate::distribution::Distribution;

/// What successive sends show.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sends {
    /// Time from one `sent` to the next.
    pub interval: Distribution,
    /// That time divided by the messages served, where there were any; rounded to the nearest ns.
    pub per_served: Distribution,
    /// Messages served.
    pub served: Distribution,
}

/// Where the last send of each pair of a batch was. Made anew for each batch.
#[derive(Debug, Default)]
pub(crate) struct LastSends {
    by_pair: HashMap<(i64, i64), usize>,
    last: Vec<Send>,
    intervals: Vec<i64>,
    per_served: Vec<i64>,
    served: Vec<i64>,
}

#[derive(Clone, Copy, Debug)]
struct Send {
    sent: i64,
    in_flight: i64,
}

impl Sends {
    /// Take in the next messages of a batch. Each is followed, whatever it is, since the count of
    /// messages under way knows no kinds; what goes in are the times up to those that are
    /// `of_interest`.
    pub fn add(
        &mut self,
        columns: &Columns,
        of_interest: impl Fn(usize) -> bool,
        last: &mut LastSends,
    ) {
        match (columns.shared(Field::Src), columns.shared(Field::Dst)) {
            (Some(src), Some(dst)) => last.follow_one((src, dst), columns, of_interest),
            _ => last.follow_each(columns, of_interest),
        }
        self.interval.add_slice(&last.intervals);
        self.per_served.add_slice(&last.per_served);
        self.served.add_slice(&last.served);
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: &Sends) {
        self.interval.merge(&other.interval);
        self.per_served.merge(&other.per_served);
        self.served.merge(&other.served);
    }
}

impl LastSends {
    /// Forget all pairs: another batch begins.
    pub fn clear(&mut self) {
        self.by_pair.clear();
        self.last.clear();
    }

    fn follow_one(
        &mut self,
        pair: (i64, i64),
        columns: &Columns,
        of_interest: impl Fn(usize) -> bool,
    ) {
        self.restart();
        let at = self.pair(pair);
        for row in 0..columns.rows() {
            let send = Send {
                sent: columns.at(Field::SentNs, row),
                in_flight: columns.at(Field::InFlight, row),
            };
            self.follow(at, send, of_interest(row));
        }
    }

    fn follow_each(&mut self, columns: &Columns, of_interest: impl Fn(usize) -> bool) {
        self.restart();
        let mut like = ((NULL, NULL), 0);
        for row in 0..columns.rows() {
            let pair = (columns.at(Field::Src, row), columns.at(Field::Dst, row));
            if pair != like.0 || self.last.is_empty() {
                like = (pair, self.pair(pair));
            }
            let send = Send {
                sent: columns.at(Field::SentNs, row),
                in_flight: columns.at(Field::InFlight, row),
            };
            self.follow(like.1, send, of_interest(row));
        }
    }

    fn restart(&mut self) {
        self.intervals.clear();
        self.per_served.clear();
        self.served.clear();
    }

    fn pair(&mut self, pair: (i64, i64)) -> usize {
        *self.by_pair.entry(pair).or_insert_with(|| {
            self.last.push(Send { sent: NULL, in_flight: NULL });
            self.last.len() - 1
        })
    }

    #[inline(always)]
    fn follow(&mut self, pair: usize, send: Send, of_interest: bool) {
        let Send { sent, in_flight } = send;
        if sent == NULL {
            return;
        }
        let before = std::mem::replace(&mut self.last[pair], send);
        if before.sent == NULL || !of_interest {
            return;
        }
        let interval = sent.wrapping_sub(before.sent);
        self.intervals.push(interval);
        if before.in_flight == NULL || in_flight == NULL {
            return;
        }
        let served = before.in_flight + 1 - in_flight;
        self.served.push(served);
        if served > 0 {
            self.per_served.push(if served == 1 {
                interval
            } else {
                (interval + served / 2).div_euclid(served)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Values;

    #[test]
    fn pairs_are_followed_apart() {
        let src = [1, 2, 1, 1, 2, 1];
        let sent = [100, 5, 130, NULL, 105, 190];
        let in_flight = [3, 0, 4, 9, 0, 2];
        let columns = Columns::new(6)
            .with(Field::Src, Values::Each(&src))
            .with(Field::Dst, Values::Constant(0))
            .with(Field::SentNs, Values::Each(&sent))
            .with(Field::InFlight, Values::Each(&in_flight));
        let mut sends = Sends::default();
        let mut last = LastSends::default();
        sends.add(&columns.part(0..4), |_| true, &mut last);
        sends.add(&columns.part(4..6), |_| true, &mut last);
        let values =
            |of: &Distribution| of.counters().map(|c| (c.low, c.count)).collect::<Vec<_>>();
        // Node 1: 100 → 130 → 190, in flight 3 → 4 → 2; node 2: 5 → 105, in flight 0 → 0.
        assert_eq!(values(&sends.interval), [(30, 1), (60, 1), (100, 1)]);
        assert_eq!(values(&sends.served), [(0, 1), (1, 1), (3, 1)]);
        assert_eq!(values(&sends.per_served), [(20, 1), (100, 1)]);
        // What was served between two sends does not depend on which messages are looked at.
        let (mut sends, mut last) = (Sends::default(), LastSends::default());
        sends.add(&columns, |row| row == 5, &mut last);
        assert_eq!((values(&sends.interval), values(&sends.served)), (vec![(60, 1)], vec![(3, 1)]));
    }

    #[test]
    fn one_pair_takes_the_short_way_to_the_same_end() {
        let sent: Vec<i64> = (0..1000).map(|i| i * i).collect();
        let in_flight: Vec<i64> = (0..1000).map(|i| (i * 7919) % 13).collect();
        let columns = Columns::new(1000)
            .with(Field::SentNs, Values::Each(&sent))
            .with(Field::InFlight, Values::Each(&in_flight))
            .with(Field::Dst, Values::Constant(0));
        let (one, mut alternating) = (vec![1; 1000], vec![1; 1000]);
        alternating[999] = 2; // Not followed by any, and 999 rows of pair (1, 0) remain.
        let run = |src: &[i64], rows| {
            let (mut sends, mut last) = (Sends::default(), LastSends::default());
            sends.add(
                &columns.with(Field::Src, Values::Each(src)).part(0..rows),
                |_| true,
                &mut last,
            );
            (
                sends.interval.moments().clone(),
                sends.per_served.moments().clone(),
                sends.served.moments().clone(),
            )
        };
        assert_eq!(run(&one, 999), run(&alternating, 1000));
    }
}
