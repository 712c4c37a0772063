//! What a run's transport counted: in its notes and in `TRANSPORT/counts-LAUNCH-NODE.parquet`. (The
//! moments at which something was sent again are among what was watched.)

use anyhow::{Context, Result};
use fabric::{TransportKind, TransportReport};
use launch::LaunchOutcome;
use record::{Holds, SideColumn, SideWriter};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// What a node comes to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Played {
    /// What it measured.
    pub outcome: bench::Outcome,
    /// What its transport counted.
    pub counted: Option<TransportReport>,
}

/// The reports of a run's nodes.
pub struct Counted {
    kind: &'static TransportKind,
    nodes: Vec<(u32, u32, TransportReport)>,
}

impl Counted {
    /// Of no node yet.
    pub fn new(kind: &'static TransportKind) -> Counted {
        Counted { kind, nodes: Vec::new() }
    }

    /// Take in what the nodes of a launch have told.
    pub fn add(&mut self, launch: u32, outcome: &LaunchOutcome) -> Result<()> {
        for process in &outcome.nodes {
            let played = Vec::<Played>::deserialize(&process.outcome)
                .context("cannot read a node's result")?;
            for (node, played) in process.hosted.iter().zip(played) {
                self.nodes.extend(played.counted.map(|report| (launch, u32::from(*node), report)));
            }
        }
        Ok(())
    }

    /// In a few sentences; none where nothing is counted.
    pub fn notes(&self) -> Vec<String> {
        if self.nodes.is_empty() {
            return Vec::new();
        }
        let remarks: BTreeSet<&String> = self.nodes.iter().flat_map(|(.., r)| &r.remarks).collect();
        std::iter::once(self.sentence()).chain(remarks.into_iter().cloned()).collect()
    }

    fn sentence(&self) -> String {
        let sum = |at| self.nodes.iter().filter_map(|(.., r)| r.counts.get(at)).sum::<u64>();
        let counters = self.kind.counters.iter().enumerate().map(|(at, of)| (sum(at), of));
        let said = counters.filter(|(count, of)| *count > 0 || !of.if_any);
        let said: Vec<String> = said.map(|(count, of)| format!("{count} {}", of.words)).collect();
        format!("{}: {}", self.kind.name, said.join(", "))
    }

    /// Write the tables of a closed run.
    pub fn write(&self, run: &Path) -> Result<()> {
        let column = |name| SideColumn { name, holds: Holds::Numbers };
        let columns: Vec<_> = self.kind.counters.iter().map(|of| column(of.name)).collect();
        for (launch, node, report) in &self.nodes {
            let name = format!("{}/counts-{launch}-{node}.parquet", self.kind.name);
            let mut table = SideWriter::create(&run.join(name), &columns, *launch, *node)?;
            let counts = columns.iter().enumerate().map(|(at, _)| report.counts.get(at));
            table
                .push(&counts.map(|c| c.map_or(record::NULL, |c| *c as i64)).collect::<Vec<_>>())?;
            table.finish()?;
        }
        Ok(())
    }
}
