//! A speed-up study: run times in order and on nodes, speed-ups, efficiency, run time against the
//! time of day; as the memo of 1991 on the Time Warp Operating System shows them in its figures 1
//! to 4.

mod charts;
mod effects;
mod finding;
mod setup;
mod tables;

pub use setup::{SpeedupSetup, Style, THIS_BUILD, Varied};

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
    /// Model by model, the sequential run of each first, then by line and nodes.
    pub rows: Vec<SpeedupRow>,
    /// What failed or was left out.
    pub remarks: Vec<String>,
}

/// All launches of one setup.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedupRow {
    /// How the model ran.
    pub setup: SpeedupSetup,
    /// How it is named and drawn.
    pub style: Style,
    /// Each of them.
    pub launches: Vec<Launch<Summary>>,
    /// Run time, s.
    pub seconds: Estimate,
    /// How many times as fast as in order.
    pub speedup: Option<Estimate>,
    /// How many times as long as with the first build, of the others.
    pub relative: Option<Estimate>,
    /// Committed events of those executed, 0 to 1, the mean of the launches.
    pub event_efficiency: f64,
    /// Rollbacks, the mean of the launches.
    pub rollbacks: f64,
}

impl SpeedupRow {
    /// `None` where nothing was measured.
    fn new(
        (setup, results): &(SpeedupSetup, Results<Summary>),
        style: Style,
        measured: &[(SpeedupSetup, Results<Summary>)],
    ) -> Option<SpeedupRow> {
        let seconds = |summary: &Summary| summary.seconds;
        let of = |wanted: &SpeedupSetup| measured.iter().find(|(setup, _)| setup == wanted);
        let (transport, timing) = ("", "");
        let in_order = of(&SpeedupSetup { nodes: None, transport, timing, ..setup.clone() });
        let in_order = in_order.filter(|_| setup.nodes.is_some());
        let first = measured.first().map(|(setup, _)| setup.build.clone()).unwrap_or_default();
        let by_first = of(&SpeedupSetup { build: first, ..setup.clone() });
        let by_first = by_first.filter(|(first, _)| first.build != setup.build);
        Some(SpeedupRow {
            setup: setup.clone(),
            style,
            launches: results.launches.clone(),
            seconds: results.typical(seconds)?,
            speedup: in_order.and_then(|(_, in_order)| in_order.ratio(results, seconds)),
            relative: by_first.and_then(|(_, by_first)| results.ratio(by_first, seconds)),
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
        self.style.varied.name(&self.setup)
    }
}

impl SpeedupStudy {
    /// Of these launches, on a machine of so many cores.
    pub fn new(cores: u32, measured: &[(SpeedupSetup, Results<Summary>)]) -> SpeedupStudy {
        let setups: Vec<SpeedupSetup> = measured.iter().map(|(setup, _)| setup.clone()).collect();
        let styles = measured.iter().zip(Style::all(&setups));
        let row = |(one, style): (&_, _)| SpeedupRow::new(one, style, measured);
        let rows: Vec<SpeedupRow> = styles.filter_map(row).collect();
        let mut sentences = finding::of_each_model(&rows);
        sentences.extend(effects::sentences(&rows));
        sentences.push(limit(cores));
        if rows.iter().any(|row| row.launches.len() < LAUNCHES_LEAST) {
            sentences.push(format!(
                "Below {LAUNCHES_LEAST} launches of each there is no interval: give --launches 5."
            ));
        }
        let varied = Varied::among(&setups);
        let failed = |(setup, results): &(SpeedupSetup, Results<Summary>)| {
            let why = &results.failures.last()?.why;
            Some(format!("{}: a launch failed: {why}", varied.key(setup)))
        };
        let names = listed(&models(&rows));
        SpeedupStudy {
            title: format!("{names} · speed-up study · Fourstamp"),
            finding: finding::headline(&rows),
            sentences,
            cores,
            remarks: measured.iter().filter_map(failed).collect(),
            rows,
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

    /// The rows on nodes, line by line, each with its name.
    fn lines(&self) -> Vec<(String, Vec<&SpeedupRow>)> {
        let mut lines: Vec<(String, Vec<&SpeedupRow>)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.setup.nodes.is_some()) {
            match lines.iter_mut().find(|(_, rows)| rows[0].setup.is_line_of(&row.setup)) {
                Some((_, rows)) => rows.push(row),
                None => lines.push((row.style.varied.line(&row.setup), vec![row])),
            }
        }
        lines
    }

    /// What was measured of one model.
    fn of_model(&self, model: &str) -> SpeedupStudy {
        let rows = self.rows.iter().filter(|row| row.setup.model == model);
        let alone =
            |row: &SpeedupRow| SpeedupRow { style: row.style.of_one_model(), ..row.clone() };
        SpeedupStudy { rows: rows.map(alone).collect(), ..self.clone() }
    }
}

/// The models of these rows, in their order.
fn models(rows: &[SpeedupRow]) -> Vec<&str> {
    let mut models: Vec<&str> = Vec::new();
    for row in rows {
        if !models.contains(&&*row.setup.model) {
            models.push(&row.setup.model);
        }
    }
    models
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
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
