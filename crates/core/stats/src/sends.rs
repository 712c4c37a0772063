//! Time between one node's successive sends to one other, and the messages served meanwhile.
//!
//! Rows stand in the receiver's file in the order of taking, and order is kept per pair, so
//! successive rows of a pair are successive sends. Of two sends that lie in different batches the
//! interval is left out: one in tens of thousands, and whether the batches follow each other is not
//! known here.
//!
//! With f messages on their way at one send and g at the next, f + 1 − g were served in between.

use record::{Field, NULL};

use std::collections::{BTreeMap, HashMap};

use crate::analysis::{SERVED_MOST, ServedTime};
use crate::columns::Columns;
use crate::distribution::Distribution;
use crate::rates::{Rates, Span};

/// What successive sends show.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sends {
    /// Time from one `sent` to the next.
    pub interval: Distribution,
    /// That time divided by the messages served, where there were any; rounded to the nearest ns.
    pub per_served: Distribution,
    /// Messages served.
    pub served: Distribution,
    /// Intervals of no less than a pause that the workload makes on purpose.
    pub pauses: Distribution,
    pub rates: Rates,
    by_served: BTreeMap<i64, Distribution>,
}

/// What is known of the sends of a batch beside its columns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SendContext {
    pub launch: u32,
    /// The least pause that the workload makes on purpose, if it does.
    pub pause_ns: Option<i64>,
}

/// Where the last send of each pair of a batch was. Made anew for each batch.
#[derive(Debug, Default)]
pub(crate) struct LastSends {
    by_pair: HashMap<(i64, i64), usize>,
    last: Vec<Send>,
    spans: Vec<Option<Span>>,
    context: SendContext,
    found: Found,
}

/// Of the rows at hand.
#[derive(Debug, Default)]
struct Found {
    intervals: Vec<i64>,
    pauses: Vec<i64>,
    per_served: Vec<i64>,
    served: Vec<i64>,
    /// Intervals by what was served.
    by_served: Vec<Vec<i64>>,
}

/// A send: when, and how many messages were under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Send {
    pub sent: i64,
    pub in_flight: i64,
}

/// What lies between a send and the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub interval: i64,
    /// Messages served; `None` where those under way were not counted.
    pub served: Option<i64>,
}

impl Send {
    /// What lies between this and the next.
    #[inline(always)]
    pub fn until(self, next: Send) -> Sent {
        let is_counted = self.in_flight != NULL && next.in_flight != NULL;
        Sent {
            interval: next.sent.wrapping_sub(self.sent),
            served: is_counted.then(|| self.in_flight + 1 - next.in_flight),
        }
    }
}

impl Sent {
    /// The time over the messages served, where there were any; to the nearest ns.
    #[inline(always)]
    pub fn per_served(self) -> Option<i64> {
        let served = self.served.filter(|served| *served > 0)?;
        Some(match served {
            1 => self.interval,
            _ => (self.interval + served / 2).div_euclid(served),
        })
    }
}

impl Sends {
    /// Take in the next messages of a batch. Each is followed, whatever it is, since the count of
    /// messages under way knows no kinds; what goes in are the times up to those that are
    /// `of_interest`.
    pub fn add(
        &mut self,
        columns: &Columns,
        of_interest: impl Fn(usize) -> bool,
        context: SendContext,
        last: &mut LastSends,
    ) {
        last.context = context;
        match (columns.shared(Field::Src), columns.shared(Field::Dst)) {
            (Some(src), Some(dst)) => last.follow_one((src, dst), columns, of_interest),
            _ => last.follow_each(columns, of_interest),
        }
        let found = &last.found;
        self.interval.add_slice(&found.intervals);
        self.pauses.add_slice(&found.pauses);
        self.per_served.add_slice(&found.per_served);
        self.served.add_slice(&found.served);
        for (served, intervals) in (0..).zip(&found.by_served) {
            if !intervals.is_empty() {
                self.by_served.entry(served).or_default().add_slice(intervals);
            }
        }
        for (pair, at) in &last.by_pair {
            if let Some(span) = last.spans[*at].take() {
                self.rates.add(context.launch, *pair, span);
            }
        }
    }

    /// Quartiles of the time between sends by the number served.
    pub fn by_served(&self) -> Vec<ServedTime> {
        let of = |(served, times): (&i64, &Distribution)| {
            let quartiles_ns = times.quantiles(&[0.25, 0.5, 0.75]).try_into().ok()?;
            Some(ServedTime { served: served.unsigned_abs(), count: times.count(), quartiles_ns })
        };
        self.by_served.iter().filter_map(of).collect()
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: &Sends) {
        self.interval.merge(&other.interval);
        self.per_served.merge(&other.per_served);
        self.served.merge(&other.served);
        self.pauses.merge(&other.pauses);
        self.rates.merge(&other.rates);
        for (served, times) in &other.by_served {
            self.by_served.entry(*served).or_default().merge(times);
        }
    }
}

impl LastSends {
    /// Forget all pairs: another batch begins.
    pub fn clear(&mut self) {
        self.by_pair.clear();
        self.last.clear();
        self.spans.clear();
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
        let Found { intervals, pauses, per_served, served, by_served } = &mut self.found;
        for values in [intervals, pauses, per_served, served] {
            values.clear();
        }
        by_served.iter_mut().for_each(Vec::clear);
    }

    fn pair(&mut self, pair: (i64, i64)) -> usize {
        *self.by_pair.entry(pair).or_insert_with(|| {
            self.last.push(Send { sent: NULL, in_flight: NULL });
            self.spans.push(None);
            self.last.len() - 1
        })
    }

    #[inline(always)]
    fn follow(&mut self, pair: usize, send: Send, of_interest: bool) {
        if send.sent == NULL {
            return;
        }
        let before = std::mem::replace(&mut self.last[pair], send);
        if !of_interest {
            return;
        }
        self.spans[pair].get_or_insert(Span::begins(send.sent)).sends(send.sent);
        if before.sent == NULL {
            return;
        }
        let between = before.until(send);
        if self.context.pause_ns.is_some_and(|pause| between.interval >= pause) {
            self.found.pauses.push(between.interval);
            self.spans[pair].iter_mut().for_each(|span| span.pauses += 1);
            return;
        }
        self.found.intervals.push(between.interval);
        self.spans[pair].iter_mut().for_each(|span| span.follows(between.interval));
        self.found.serve(between);
    }
}

impl Found {
    #[inline(always)]
    fn serve(&mut self, between: Sent) {
        let Some(served) = between.served else { return };
        self.served.push(served);
        if (0..=SERVED_MOST).contains(&served) {
            let at = served as usize;
            if self.by_served.len() <= at {
                self.by_served.resize_with(at + 1, Vec::new);
            }
            self.by_served[at].push(between.interval);
        }
        self.per_served.extend(between.per_served());
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
        sends.add(&columns.part(0..4), |_| true, SendContext::default(), &mut last);
        sends.add(&columns.part(4..6), |_| true, SendContext::default(), &mut last);
        let values =
            |of: &Distribution| of.counters().map(|c| (c.low, c.count)).collect::<Vec<_>>();
        // Node 1: 100 → 130 → 190, in flight 3 → 4 → 2; node 2: 5 → 105, in flight 0 → 0.
        assert_eq!(values(&sends.interval), [(30, 1), (60, 1), (100, 1)]);
        assert_eq!(values(&sends.served), [(0, 1), (1, 1), (3, 1)]);
        assert_eq!(values(&sends.per_served), [(20, 1), (100, 1)]);
        // What was served between two sends does not depend on which messages are looked at.
        let (mut sends, mut last) = (Sends::default(), LastSends::default());
        sends.add(&columns, |row| row == 5, SendContext::default(), &mut last);
        assert_eq!((values(&sends.interval), values(&sends.served)), (vec![(60, 1)], vec![(3, 1)]));
    }

    #[test]
    fn pauses_stand_apart_and_times_go_with_what_was_served() {
        // Bursts of three, 8 apart, a pause of 1000 after each; the whole burst is served in it.
        let sent = [0, 8, 16, 1016, 1024, 1032];
        let in_flight = [0, 0, 1, 0, 1, 1];
        let columns = Columns::new(6)
            .with(Field::Src, Values::Constant(2))
            .with(Field::Dst, Values::Constant(3))
            .with(Field::SentNs, Values::Each(&sent))
            .with(Field::InFlight, Values::Each(&in_flight));
        let (mut sends, mut last) = (Sends::default(), LastSends::default());
        let context = SendContext { launch: 0, pause_ns: Some(1000) };
        sends.add(&columns, |_| true, context, &mut last);
        assert_eq!((sends.interval.count(), sends.pauses.count()), (4, 1));
        assert_eq!(sends.interval.moments().max, 8);
        let by: Vec<(u64, u64, [i64; 3])> =
            sends.by_served().iter().map(|at| (at.served, at.count, at.quartiles_ns)).collect();
        assert_eq!(by, [(0, 2, [8; 3]), (1, 2, [8; 3])]);
        let [rate] = &sends.rates.rates()[..] else { panic!("one pair") };
        assert_eq!((rate.mean_ns, rate.messages, rate.pauses), (8.0, 6, 1));
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
                SendContext::default(),
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
