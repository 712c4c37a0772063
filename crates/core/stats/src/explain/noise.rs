//! What the machine does anyway: how often an idle core stands still for as long as messages are
//! late.

use std::collections::BTreeMap;

use record::{Cause, NodeCauses};

use super::question::Question;
use super::sample::Member;
use crate::analysis::{IdleCore, Noise};

/// Idle gaps are looked at from this length on.
const GAP_NS_LEAST: i64 = 1_000;
/// A gap this much shorter than the delay may be what made it: the rest is catching up.
const NEARLY: f64 = 0.8;

/// What each node's core lost while idle, all launches together.
pub(super) fn idle(causes: &[NodeCauses]) -> Vec<IdleCore> {
    let mut of: BTreeMap<u32, IdleCore> = BTreeMap::new();
    for node in causes {
        let empty = IdleCore { node: node.node, spun_ns: 0, lost_ns: 0, gaps: 0, longest_ns: 0 };
        for span in node.spans.iter().filter(|span| span.cause.is_before()) {
            let core = of.entry(node.node).or_insert(empty);
            match span.cause {
                Cause::IdleSpin => {
                    core.spun_ns += span.to_ns - span.from_ns;
                    core.lost_ns += span.amount;
                }
                _ => {
                    core.gaps += 1;
                    core.longest_ns = core.longest_ns.max(span.to_ns - span.from_ns);
                }
            }
        }
    }
    of.into_values().collect()
}

/// The rate of idle gaps that are as long as the group's least delay, beside the rate of its
/// messages; those that are no further apart than that delay may have been held by one gap, and
/// count as one. `count`: how many messages the group has, of which `members` are a sample. `None`
/// where idle cores were not looked at, or not as finely.
pub(super) fn of(
    question: &Question,
    (members, count): (&[Member], u64),
    causes: &[NodeCauses],
    launches: &BTreeMap<u32, (i64, i64)>,
) -> Option<Noise> {
    let delay = question.range_ns.0.saturating_sub(question.median_ns);
    if delay < GAP_NS_LEAST {
        return None;
    }
    let sampled = count as f64 / members.len().max(1) as f64;
    let seen = members
        .chunk_by(|a, b| a.launch == b.launch && b.from_ns - a.from_ns <= delay)
        .count() as f64
        * sampled;
    let least = (NEARLY * delay as f64) as i64;
    let spans = || causes.iter().flat_map(|node| &node.spans);
    let gaps = spans()
        .filter(|span| span.cause == Cause::IdleGap && span.to_ns - span.from_ns >= least)
        .count();
    // Seconds of all cores together: nodes that share a core spin one after the other.
    let spun: Vec<(i64, i64)> = spans()
        .filter(|span| span.cause == Cause::IdleSpin)
        .map(|span| (span.from_ns, span.to_ns))
        .collect();
    let length: f64 = spun.iter().map(|(from, to)| (to - from) as f64).sum();
    let spun_s = length / at_once(&spun) as f64 / 1e9;
    let lasted_s = launches.values().map(|(begin, end)| (end - begin) as f64).sum::<f64>() / 1e9;
    let measured = spun_s > 0.0 && lasted_s > 0.0;
    measured.then(|| Noise { idle_per_s: gaps as f64 / spun_s, seen_per_s: seen / lasted_s })
}

/// How many of these spans there were at the same time, at most; 1 at least.
fn at_once(spans: &[(i64, i64)]) -> usize {
    let at =
        |moment: i64| spans.iter().filter(|(from, to)| *from <= moment && moment < *to).count();
    spans.iter().map(|(from, _)| at(*from)).max().unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_counted_by_who_spun_at_the_same_time() {
        assert_eq!(at_once(&[]), 1);
        assert_eq!(at_once(&[(0, 10), (2, 12), (12, 20), (10, 18)]), 2);
    }
}
