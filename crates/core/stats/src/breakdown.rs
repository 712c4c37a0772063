//! The messages by hops, packets, bytes, pair, kind and launch, as they are shown.

use record::Kind;

use crate::analysis::{Breakdown, By, Group, Stage, Summary};
use crate::bins;
use crate::distribution::GroupDistribution;
use crate::groupings::Groupings;
use crate::groups::{self, Grouping, Key};
use crate::stages::STAGES;
use crate::summary::summary;

/// Bins that the groups of a breakdown share.
const BINS: usize = 60;

/// The breakdowns by what varies.
pub(crate) fn breakdowns(groupings: &mut Groupings) -> Vec<Breakdown> {
    let all = [By::Hops, By::Packets, By::Bytes, By::Pair, By::Kind, By::Launch];
    let one = |by| {
        Some(groupings.by(by))
            .filter(|grouping| grouping.varies())
            .map(|grouping| breakdown(by, grouping))
    };
    all.into_iter().filter_map(one).collect()
}

fn breakdown(by: By, grouping: &Grouping) -> Breakdown {
    let binned: Vec<GroupDistribution> =
        grouping.groups().map(|(_, group)| transit_or_whole(group)).collect();
    let filled = binned.iter().map(GroupDistribution::moments).filter(|moments| moments.count > 0);
    let (low, high) =
        filled.fold((i64::MAX, i64::MIN), |(low, high), m| (low.min(m.min), high.max(m.max)));
    let edges = if low > high {
        Vec::new()
    } else {
        bins::log_edges(low, high, BINS, |edge| GroupDistribution::width_at(edge) as i64)
    };
    let group = |((key, group), of): ((Key, &groups::Group), &GroupDistribution)| Group {
        key,
        label: label(by, key),
        stages: stages(group),
        bins: bins::count_between(of.counters(), &edges),
    };
    Breakdown {
        by,
        groups: grouping.groups().zip(&binned).map(group).collect(),
        left_out: grouping.left_out(),
    }
}

fn stages(group: &groups::Group) -> Vec<(Stage, Summary)> {
    let filled = STAGES.iter().zip(&group.stages).filter(|(_, of)| of.count() > 0);
    filled.map(|(&stage, of)| (stage, summary(of))).collect()
}

fn transit_or_whole(group: &groups::Group) -> GroupDistribution {
    let mut of = group.stages[2].clone();
    of.merge(&group.within_node);
    of
}

fn label(by: By, key: Key) -> String {
    let kind = |code: i64| u8::try_from(code).ok().and_then(Kind::from_code);
    match by {
        By::Pair => format!("{} → {}", key.0, key.1),
        By::Kind => {
            kind(key.0).map_or_else(|| format!("kind {}", key.0), |kind| kind.name().to_owned())
        }
        By::Hops | By::Packets | By::Bytes | By::Launch => key.0.to_string(),
    }
}
