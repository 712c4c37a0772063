//! A speed-up study: run time and speed-up against nodes, run time against the time of
//! day, efficiency; as the memo of 1991 on the Time Warp Operating System shows them in its figures
//! 1 to 4.

mod charts;
mod finding;
mod tables;

use document::{Block, Document, part};
use stats::launches::LAUNCHES_LEAST;
use stats::speedup::Estimate;
use study::{Launch, Results};
use warp::Summary;

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpeedupStudy {
    /// Of the window.
    pub title: String,
    /// The first heading: what was found.
    pub finding: String,
    /// Further sentences below it.
    pub sentences: Vec<String>,
    /// Cores of the machine.
    pub cores: u32,
    /// The sequential run first, then by timing and nodes.
    pub rows: Vec<SpeedupRow>,
    /// What failed or was left out.
    pub remarks: Vec<String>,
}

/// How the model runs: in order, or on so many nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpeedupSetup {
    /// Nodes; `None`: in order, without the optimistic engine.
    pub nodes: Option<u16>,
    /// How objects are timed; empty where all are timed alike.
    pub timing: &'static str,
}

/// All launches of one setup.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedupRow {
    /// How the model ran.
    pub setup: SpeedupSetup,
    /// Each of them.
    pub launches: Vec<Launch<Summary>>,
    /// Run time, s.
    pub seconds: Estimate,
    /// How many times as fast as in order.
    pub speedup: Option<Estimate>,
    /// Committed events of those executed, 0 to 1, the mean of the launches.
    pub event_efficiency: f64,
    /// Rollbacks, the mean of the launches.
    pub rollbacks: f64,
}

impl SpeedupSetup {
    /// For the names of files.
    pub fn key(self) -> String {
        match (self.nodes, self.timing) {
            (None, _) => "sequential".into(),
            (Some(nodes), "") => format!("nodes-{nodes}"),
            (Some(nodes), timing) => format!("nodes-{nodes}-{timing}"),
        }
    }

    /// As tables call it.
    pub fn name(self) -> String {
        let nodes = match self.nodes {
            None => return "in order".to_owned(),
            Some(1) => "1 node".to_owned(),
            Some(nodes) => format!("{nodes} nodes"),
        };
        if self.timing.is_empty() { nodes } else { format!("{nodes}, {}", self.timing) }
    }

    /// The engine that runs it.
    fn engine(self) -> &'static str {
        if self.nodes.is_some() { "optimistic" } else { "sequential" }
    }
}

impl SpeedupRow {
    /// `None` where nothing was measured.
    fn new(
        setup: SpeedupSetup,
        results: &Results<Summary>,
        in_order: &Results<Summary>,
    ) -> Option<SpeedupRow> {
        let seconds = |summary: &Summary| summary.seconds;
        Some(SpeedupRow {
            setup,
            launches: results.launches.clone(),
            seconds: results.typical(seconds)?,
            speedup: setup.nodes.and_then(|_| in_order.ratio(results, seconds)),
            event_efficiency: results.mean(|summary| summary.efficiency),
            rollbacks: results.mean(|summary| summary.rollbacks as f64),
        })
    }

    /// Speed-up by nodes.
    pub fn efficiency(&self) -> Option<Estimate> {
        Some(self.speedup?.per(f64::from(self.setup.nodes?)))
    }

    /// As tables call it.
    pub fn name(&self) -> String {
        self.setup.name()
    }
}

impl SpeedupStudy {
    /// Of a model's launches, on a machine of so many cores.
    pub fn new(
        model: &str,
        cores: u32,
        measured: &[(SpeedupSetup, Results<Summary>)],
    ) -> SpeedupStudy {
        let nothing = Results::default();
        let in_order = measured.iter().find(|(setup, _)| setup.nodes.is_none());
        let in_order = in_order.map_or(&nothing, |(_, results)| results);
        let row = |(setup, results): &_| SpeedupRow::new(*setup, results, in_order);
        let rows: Vec<SpeedupRow> = measured.iter().filter_map(row).collect();
        let mut sentences = vec![limit(cores)];
        if rows.iter().any(|row| row.launches.len() < LAUNCHES_LEAST) {
            sentences.push(format!(
                "Below {LAUNCHES_LEAST} launches of each there is no interval: give --launches 5."
            ));
        }
        let failed = |(setup, results): &(SpeedupSetup, Results<Summary>)| {
            let why = &results.failures.last()?.why;
            Some(format!("{}: a launch failed: {why}", setup.key()))
        };
        SpeedupStudy {
            title: format!("{model} · speed-up study · Fourstamp"),
            finding: finding::sentence(model, &rows),
            sentences,
            cores,
            rows,
            remarks: measured.iter().filter_map(failed).collect(),
        }
    }

    /// All of it. The charts' sentences are about the charts: a terminal does without.
    pub fn document(&self) -> Document {
        let mut opening =
            vec![Block::Eyebrow(vec![self.title.clone()]), Block::Finding(self.finding.clone())];
        opening.extend(self.sentences.iter().cloned().map(Block::Lead));
        opening.push(Block::Table(tables::speedup(self)));
        if !self.remarks.is_empty() {
            opening.push(Block::List(self.remarks.clone()));
        }
        opening.push(Block::Table(tables::launches(self)));
        let mut sections = charts::sections(self);
        sections.iter_mut().for_each(|section| section.page_only = true);
        Document { title: self.title.clone(), opening, sections, runs: Vec::new() }
    }

    /// The rows of each way to time objects, with its name.
    fn lines(&self) -> Vec<(&str, Vec<&SpeedupRow>)> {
        let mut lines: Vec<(&str, Vec<&SpeedupRow>)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.setup.nodes.is_some()) {
            match lines.iter_mut().find(|(timing, _)| *timing == row.setup.timing) {
                Some((_, rows)) => rows.push(row),
                None => lines.push((row.setup.timing, vec![row])),
            }
        }
        lines
    }
}

/// What no number of nodes can exceed.
fn limit(cores: u32) -> String {
    let noun = if cores == 1 { "core" } else { "cores" };
    format!(
        "This machine has {cores} {noun}: more nodes than that cannot be expected to be faster."
    )
}

/// A node's part of what the machine does in order: above all of it where nodes are faster than
/// that.
pub(crate) fn efficiency(of: f64) -> String {
    if of < 1.0 { part(of) } else { format!("{:.0}\u{a0}%", of * 100.0) }
}

#[cfg(test)]
mod tests;
