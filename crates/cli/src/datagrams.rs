//! What became of a run's datagrams: counted in its notes and in `udp/`. (The moments at which
//! something was sent again are among what was watched.)

use anyhow::{Context, Result};
use fabric::{UdpCounts, UdpReport};
use launch::LaunchOutcome;
use record::{Holds, SideColumn, SideWriter};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a node comes to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Played {
    /// What it measured.
    pub outcome: bench::Outcome,
    /// What became of its datagrams, over udp.
    pub udp: Option<UdpReport>,
}

/// The reports of a run's nodes.
#[derive(Default)]
pub struct Datagrams {
    nodes: Vec<(u32, u32, UdpReport)>,
}

impl Datagrams {
    /// Take in what the nodes of a launch have told.
    pub fn add(&mut self, launch: u32, outcome: &LaunchOutcome) -> Result<()> {
        for process in &outcome.nodes {
            let played =
                Vec::<Played>::deserialize(&process.outcome).context("what a node came to")?;
            for (node, played) in process.hosted.iter().zip(played) {
                self.nodes.extend(played.udp.map(|report| (launch, u32::from(*node), report)));
            }
        }
        Ok(())
    }

    /// In a few sentences; none of a run without datagrams.
    pub fn notes(&self) -> Vec<String> {
        if self.nodes.is_empty() {
            return Vec::new();
        }
        let mut notes = vec![self.sentence()];
        let mut priorities: Vec<&String> =
            self.nodes.iter().flat_map(|(.., r)| &r.priorities).collect();
        priorities.sort();
        priorities.dedup();
        notes.extend(priorities.into_iter().map(|how| format!("priority: {how}")));
        let not_kept: u64 = self.nodes.iter().map(|(.., report)| report.resent_not_kept).sum();
        if not_kept > 0 {
            notes.push(format!(
                "udp: {not_kept} moments of sending again are counted and not kept one by one"
            ));
        }
        notes
    }

    fn sentence(&self) -> String {
        let sum =
            |of: fn(&UdpCounts) -> u64| self.nodes.iter().map(|(.., r)| of(&r.counts)).sum::<u64>();
        let mut text = format!(
            "udp: {} datagrams sent ({} only to acknowledge), {} received; {} messages sent again \
            ({} by the timer, {} because later ones had come), {} duplicates removed, {} came out \
            of order",
            sum(|c| c.datagrams_sent),
            sum(|c| c.acknowledgements_sent),
            sum(|c| c.datagrams_received),
            sum(UdpCounts::resent),
            sum(|c| c.resent_by_timer),
            sum(|c| c.resent_by_gap),
            sum(|c| c.duplicates_removed),
            sum(|c| c.out_of_order),
        );
        for (count, what) in [
            (sum(|c| c.swallowed), "swallowed by --udp-faults"),
            (sum(|c| c.refused), "refused: no peer made them"),
            (sum(|c| c.beyond_room), "messages beyond the room that was given"),
        ] {
            if count > 0 {
                text.push_str(&format!("; {count} {what}"));
            }
        }
        text
    }

    /// Write `udp/counts-LAUNCH-NODE.parquet` of a closed run.
    pub fn write(&self, run: &Path) -> Result<()> {
        for (launch, node, report) in &self.nodes {
            write_counts(run, (*launch, *node), &report.counts)?;
        }
        Ok(())
    }
}

fn write_counts(run: &Path, (launch, node): (u32, u32), counts: &UdpCounts) -> Result<()> {
    let values = [
        ("datagrams_sent", counts.datagrams_sent),
        ("datagrams_received", counts.datagrams_received),
        ("acknowledgements_sent", counts.acknowledgements_sent),
        ("resent_by_timer", counts.resent_by_timer),
        ("resent_by_gap", counts.resent_by_gap),
        ("duplicates_removed", counts.duplicates_removed),
        ("out_of_order", counts.out_of_order),
        ("beyond_room", counts.beyond_room),
        ("swallowed", counts.swallowed),
        ("refused", counts.refused),
    ];
    let columns = values.map(|(name, _)| SideColumn { name, holds: Holds::Numbers });
    let path = run.join(format!("udp/counts-{launch}-{node}.parquet"));
    let mut table = SideWriter::create(&path, &columns, launch, node)?;
    table.push(&values.map(|(_, value)| value as i64))?;
    table.finish()?;
    Ok(())
}
