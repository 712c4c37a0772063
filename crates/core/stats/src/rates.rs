//! How fast nodes send: from the first of a launch to the last, and how many that were.
//!
//! This is the sustained rate, elapsed over count: all that slows a sender is in it, unlike in the
//! median time between sends. Pauses that a workload makes on purpose are taken out.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::{SendRate, Spell};
use crate::student::critical;

/// The sends of a pair of nodes in one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub messages: u64,
    pub first: i64,
    pub last: i64,
    /// Time between sends that follow each other within a batch of rows, and how many do.
    pub between_ns: i64,
    pub between: u64,
    /// Pauses on purpose, which are not in that.
    pub pauses: u64,
}

/// By launch, sender and receiver.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rates {
    spans: BTreeMap<(u32, i64, i64), Span>,
}

/// Pairs that are kept; beyond, those with the largest numbers are left out.
const PAIRS_MOST: usize = 4096;
const OUTSIDE: f64 = 0.05;

impl Rates {
    /// Take in sends of a pair.
    pub fn add(&mut self, launch: u32, (from, to): (i64, i64), span: Span) {
        let known = self.spans.entry((launch, from, to)).or_insert(Span::begins(span.first));
        *known = known.with(&span);
        if self.spans.len() > PAIRS_MOST {
            self.spans.pop_last();
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: &Rates) {
        for ((launch, from, to), span) in &other.spans {
            self.add(*launch, (*from, *to), *span);
        }
    }

    /// Each node to all others, then each of its pairs where it has several.
    pub fn rates(&self) -> Vec<SendRate> {
        let nodes: BTreeSet<i64> = self.spans.keys().map(|(_, from, _)| *from).collect();
        nodes.into_iter().flat_map(|node| self.of_node(node)).collect()
    }

    fn of_node(&self, node: i64) -> Vec<SendRate> {
        let of_node = self.spans.iter().filter(|((_, from, _), _)| *from == node);
        let mut all: BTreeMap<u32, Span> = BTreeMap::new();
        let mut pairs: BTreeMap<i64, BTreeMap<u32, Span>> = BTreeMap::new();
        for ((launch, _, to), span) in of_node {
            all.entry(*launch).and_modify(|known| *known = known.with(span)).or_insert(*span);
            pairs.entry(*to).or_default().insert(*launch, *span);
        }
        let several = pairs.len() > 1;
        let alone = pairs.keys().next().copied().filter(|_| !several);
        let whole = rate(node, alone, &all);
        let each = pairs.iter().filter(|_| several);
        whole.into_iter().chain(each.filter_map(|(to, of)| rate(node, Some(*to), of))).collect()
    }
}

impl Span {
    /// Before the first of its sends.
    pub fn begins(at: i64) -> Span {
        Span { messages: 0, first: at, last: at, between_ns: 0, between: 0, pauses: 0 }
    }

    /// A send more.
    #[inline(always)]
    pub fn sends(&mut self, at: i64) {
        self.messages += 1;
        self.first = self.first.min(at);
        self.last = self.last.max(at);
    }

    /// So long after the one before.
    #[inline(always)]
    pub fn follows(&mut self, ns: i64) {
        self.between += 1;
        self.between_ns += ns;
    }

    fn with(self, other: &Span) -> Span {
        Span {
            messages: self.messages + other.messages,
            first: self.first.min(other.first),
            last: self.last.max(other.last),
            between_ns: self.between_ns + other.between_ns,
            between: self.between + other.between,
            pauses: self.pauses + other.pauses,
        }
    }

    /// Time in which it sent, and the sends that took it. Where there are pauses, of sends that
    /// follow each other: what a pause that is in two batches took is not known.
    fn spell(&self) -> Option<Spell> {
        let spell = match self.pauses {
            0 => Spell { ns: self.last - self.first, sends: self.messages.saturating_sub(1) },
            _ => Spell { ns: self.between_ns, sends: self.between },
        };
        (spell.sends > 0).then_some(spell)
    }
}

fn rate(node: i64, to: Option<i64>, launches: &BTreeMap<u32, Span>) -> Option<SendRate> {
    let spells: Vec<Spell> = launches.values().filter_map(Span::spell).collect();
    let (ns, sends) =
        spells.iter().fold((0, 0), |sum, spell| (sum.0 + spell.ns, sum.1 + spell.sends));
    if sends == 0 || ns <= 0 {
        return None;
    }
    let mean_ns = ns as f64 / sends as f64;
    Some(SendRate {
        node,
        to,
        messages: launches.values().map(|span| span.messages).sum(),
        pauses: launches.values().map(|span| span.pauses).sum(),
        mean_ns,
        interval_ns: interval(&spells),
        per_s: 1e9 / mean_ns,
    })
}

/// 95 % of Student's t over the launches' means; `None` for fewer than three.
fn interval(spells: &[Spell]) -> Option<(f64, f64)> {
    let means: Vec<f64> = spells.iter().map(|spell| spell.ns as f64 / spell.sends as f64).collect();
    let n = means.len() as f64;
    if means.len() < 3 {
        return None;
    }
    let mean = means.iter().sum::<f64>() / n;
    let squares: f64 = means.iter().map(|one| (one - mean).powi(2)).sum();
    let half = critical(OUTSIDE, n - 1.0) * (squares / (n - 1.0) / n).sqrt();
    Some((mean - half, mean + half))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(messages: u64, first: i64, last: i64) -> Span {
        Span { messages, last, ..Span::begins(first) }
    }

    #[test]
    fn a_rate_is_elapsed_over_count_whatever_the_order() {
        // 1,001 sends in 14 ms, in two parts, in either order.
        let parts = [span(500, 0, 6_986_000), span(501, 7_000_000, 14_000_000)];
        for order in [[0, 1], [1, 0]] {
            let (mut one, mut other) = (Rates::default(), Rates::default());
            one.add(0, (3, 4), parts[order[0]]);
            other.add(0, (3, 4), parts[order[1]]);
            one.merge(&other);
            let [rate] = &one.rates()[..] else { panic!("{one:?}") };
            assert_eq!((rate.node, rate.to, rate.messages), (3, Some(4), 1001));
            assert!((rate.mean_ns - 14_000.0).abs() < 1e-9, "{rate:?}");
            assert!((rate.per_s - 71_428.57).abs() < 0.01, "{rate:?}");
        }
    }

    #[test]
    fn pauses_and_the_time_between_launches_are_not_sending() {
        let mut rates = Rates::default();
        for launch in 0..3 {
            let begin = i64::from(launch) * 1_000_000_000;
            // Two bursts of five: 8 µs a send, 10 ms between the bursts.
            let burst = Span {
                between_ns: 8 * 8_000,
                between: 8,
                pauses: 1,
                ..span(10, begin, begin + 10_000_000 + 8 * 8_000)
            };
            rates.add(launch, (0, 1), burst);
        }
        let [rate] = &rates.rates()[..] else { panic!("{rates:?}") };
        assert!((rate.mean_ns - 8000.0).abs() < 1e-9 && rate.pauses == 3, "{rate:?}");
        assert_eq!(rate.interval_ns, Some((8000.0, 8000.0)), "all launches are the same");
    }

    #[test]
    fn a_node_with_several_partners_is_a_row_and_one_for_each() {
        let mut rates = Rates::default();
        rates.add(0, (0, 1), span(11, 0, 1000));
        rates.add(0, (0, 2), span(10, 50, 950));
        let rates = rates.rates();
        let means: Vec<(Option<i64>, f64)> = rates.iter().map(|r| (r.to, r.mean_ns)).collect();
        assert_eq!(means, [(None, 50.0), (Some(1), 100.0), (Some(2), 100.0)]);
        // A single message has no rate.
        let mut alone = Rates::default();
        alone.add(0, (0, 1), span(1, 5, 5));
        assert!(alone.rates().is_empty());
    }
}
