//! Load management: what it goes by, and what it has done.

use crate::{ObjectId, RunError, VirtualTime};
use serde::{Deserialize, Serialize};

/// How load is balanced: the rules and the usual values of the Time Warp Operating System.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Balance {
    /// From one look at the load to the next, ms. The driver keeps it.
    pub interval_ms: u64,
    /// So many looks only measure.
    pub idle_cycles: u32,
    /// A pair of nodes is left alone unless their utilisations differ by more than this, per cent.
    pub threshold_percent: u32,
    /// Instead of that: unless the higher is more than so many times the lower.
    pub ratio: Option<f64>,
    /// Pairs that are looked at, highest with lowest; at most half of the nodes.
    pub pairs_max: u32,
    /// Which part goes.
    pub choice: Choice,
    /// Where it is cut.
    pub split: Split,
    /// Migrations that a node may have under way.
    pub under_way_max: u32,
    /// Parts that go together, where a single one makes little difference. (1 is the original;
    /// ours.)
    pub batch_max: u32,
}

/// Which part goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// The one that leaves the two nodes closest together.
    BestFit,
    /// The same, but instead of the node's busiest the second busiest.
    NextBestFit,
}

/// Where the part is cut that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// After the last state: what is still to be done goes.
    NearFuture,
    /// At the latest message that it has.
    Minimal,
    /// As early as it can be: what it has done and has not committed is undone, and goes.
    None,
    /// After the last state, or so late that about ten messages go.
    LimitMessages,
}

impl Default for Balance {
    fn default() -> Balance {
        Balance {
            interval_ms: 4000,
            idle_cycles: 3,
            threshold_percent: 10,
            ratio: None,
            pairs_max: 8,
            choice: Choice::NextBestFit,
            split: Split::NearFuture,
            under_way_max: 1,
            batch_max: 1,
        }
    }
}

impl Balance {
    /// Whether it can be carried out.
    ///
    /// # Errors
    /// When a number makes no sense.
    pub(crate) fn check(&self) -> Result<(), RunError> {
        let refuse = |reason: &str| Err(RunError::Options { reason: reason.into() });
        match self.ratio {
            _ if self.interval_ms == 0 => {
                refuse("load cannot be compared every 0 ms: give at least 1ms")
            }
            _ if self.under_way_max == 0 || self.pairs_max == 0 || self.batch_max == 0 => refuse(
                "with 0 pairs, migrations or parts at a time, nothing could ever move: give at \
                least 1",
            ),
            Some(ratio) if !(ratio.is_finite() && ratio >= 1.0) => {
                refuse("the ratio of loads above which a part moves must be 1 or more")
            }
            _ => Ok(()),
        }
    }

    /// Whether something is to go from a node with the one utilisation to a node with the other.
    pub(crate) fn calls_for_move(&self, high: i32, low: i32) -> bool {
        match self.ratio {
            Some(ratio) => f64::from(high) > ratio * f64::from(low.max(0)),
            None => i64::from(high) - i64::from(low) > i64::from(self.threshold_percent),
        }
    }

    /// The pairs, (from, to), of nodes with these utilisations: highest with lowest, next highest
    /// with next lowest.
    pub(crate) fn pairs(&self, percents: &[i32]) -> Vec<(u16, u16)> {
        let mut order: Vec<u16> = (0..percents.len() as u16).collect();
        let percent = |node: u16| percents[usize::from(node)];
        order.sort_by_key(|node| (std::cmp::Reverse(percent(*node)), *node));
        let pairs = (order.len() / 2).min(self.pairs_max as usize);
        let paired = order.iter().zip(order.iter().rev()).take(pairs);
        paired
            .filter(|(high, low)| self.calls_for_move(percent(**high), percent(**low)))
            .map(|(h, l)| (*h, *l))
            .collect()
    }

    /// Which of a node's parts go, of these with their utilisations in per cent; the difference of
    /// the two nodes is `difference`.
    pub(crate) fn choose(&self, parts: &[(u32, f64)], difference: f64) -> Vec<u32> {
        let mut useful: Vec<(u32, f64)> =
            parts.iter().copied().filter(|(_, percent)| *percent > 0.0).collect();
        useful.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if useful.len() < 2 {
            // It would only take its load elsewhere.
            return Vec::new();
        }
        let worth = useful.iter().filter(|(_, percent)| *percent * 10.0 >= difference);
        let distance = |percent: f64| (difference - 2.0 * percent).abs();
        let best = worth.clone().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
        match (best, self.choice) {
            (None, _) => self.choose_several(&useful, difference),
            (Some(best), Choice::NextBestFit) if best.0 == useful[0].0 => {
                worth.skip(1).take(1).map(|part| part.0).collect()
            }
            (Some(best), _) => vec![best.0],
        }
    }

    /// No part alone is worth it: the busiest of which all together carry half the difference at
    /// most.
    fn choose_several(&self, useful: &[(u32, f64)], difference: f64) -> Vec<u32> {
        if self.batch_max == 1 {
            return Vec::new();
        }
        let mut carried = 0.0;
        let fits = |part: &&(u32, f64)| {
            carried += part.1;
            carried <= difference / 2.0
        };
        useful.iter().take(self.batch_max as usize).take_while(fits).map(|part| part.0).collect()
    }
}

/// A node's load as one look at it found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadCycle {
    /// Which look, counted from 1.
    pub cycle: u32,
    /// Which node.
    pub node: u16,
    /// GVT there, simtime.
    pub gvt: f64,
    /// Effective utilisation, per cent: work done less work undone, over time. Below 0 where more
    /// was undone.
    pub percent: i32,
    /// When, ns of the node's clock.
    pub when_ns: u64,
}

/// A part of an object that went to another node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Migration {
    /// Which object.
    pub object: u32,
    /// From where.
    pub from: u16,
    /// Where to.
    pub to: u16,
    /// Where it was cut: simtime and the two sequence fields.
    pub cut: (f64, u32, u32),
    /// GVT then, simtime.
    pub gvt: f64,
    /// When, ns of the node's clock.
    pub when_ns: u64,
    /// The look at the load that called for it; 0: it was forced.
    pub cycle: u32,
    /// Utilisation of the two nodes, and of the part, per cent.
    pub percents: (i32, i32, f64),
}

impl Migration {
    pub(crate) fn new(
        object: ObjectId,
        (from, to): (u16, u16),
        cut: VirtualTime,
        gvt: VirtualTime,
    ) -> Migration {
        let (cut, gvt) = ((cut.simtime(), cut.seq1(), cut.seq2()), gvt.simtime());
        Migration {
            object: object.0,
            from,
            to,
            cut,
            gvt,
            when_ns: 0,
            cycle: 0,
            percents: (0, 0, 0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_goes_with_the_lowest() {
        let balance = Balance { pairs_max: 2, ..Balance::default() };
        assert_eq!(balance.pairs(&[50, 90, 10, 70, 30]), [(1, 2), (3, 4)]);
        assert_eq!(
            Balance { pairs_max: 1, ..balance.clone() }.pairs(&[50, 90, 10, 70, 30]),
            [(1, 2)]
        );
        // The middle one of three has no partner, and equal ones need none.
        assert_eq!(balance.pairs(&[0, 50, 100]), [(2, 0)]);
        assert_eq!(balance.pairs(&[40, 50]), []);
        assert_eq!(balance.pairs(&[-40, 50]), [(1, 0)]);
        assert_eq!(balance.pairs(&[7]), []);
    }

    #[test]
    fn a_ratio_replaces_the_difference() {
        let balance = Balance { ratio: Some(2.0), ..Balance::default() };
        assert!(
            balance.calls_for_move(5, 2)
                && !balance.calls_for_move(100, 50)
                && balance.calls_for_move(1, -9)
        );
    }

    #[test]
    fn the_part_goes_that_leaves_them_closest() {
        let best = Balance { choice: Choice::BestFit, ..Balance::default() };
        let next = Balance::default();
        let parts = [(0, 50.0), (1, 22.0), (2, 15.0), (3, 3.0)];
        assert_eq!(best.choose(&parts, 40.0), [1]);
        assert_eq!(next.choose(&parts, 40.0), [1], "it is not the busiest");
        assert_eq!(best.choose(&parts, 90.0), [0]);
        assert_eq!(next.choose(&parts, 90.0), [1], "the busiest stays");
        assert_eq!(best.choose(&[(0, 50.0), (1, -1.0)], 50.0), [], "it is the only useful one");
        assert_eq!(
            best.choose(&[(0, 4.0), (1, 4.0)], 50.0),
            [],
            "none makes a tenth of the difference"
        );
    }

    #[test]
    fn several_go_where_none_alone_is_worth_it() {
        let several = Balance { batch_max: 4, ..Balance::default() };
        let parts: Vec<(u32, f64)> = (0..20).map(|part| (part, 2.0)).collect();
        assert_eq!(several.choose(&parts, 40.0), [0, 1, 2, 3]);
        assert_eq!(
            Balance { batch_max: 100, ..several }.choose(&parts, 30.0).len(),
            7,
            "half the difference"
        );
    }

    #[test]
    fn numbers_that_make_no_sense_are_refused() {
        let wrong = [
            Balance { interval_ms: 0, ..Balance::default() },
            Balance { under_way_max: 0, ..Balance::default() },
            Balance { pairs_max: 0, ..Balance::default() },
            Balance { batch_max: 0, ..Balance::default() },
            Balance { ratio: Some(f64::NAN), ..Balance::default() },
            Balance { ratio: Some(0.5), ..Balance::default() },
        ];
        assert_eq!(Balance::default().check(), Ok(()));
        assert!(
            wrong.iter().all(|balance| matches!(balance.check(), Err(RunError::Options { .. })))
        );
    }
}
