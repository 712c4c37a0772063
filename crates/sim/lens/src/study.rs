//! A speed-up study: run time and speed-up against nodes, run time against the time of
//! day, efficiency; as the memo of 1991 on the Time Warp Operating System shows them in its figures
//! 1 to 4.

mod charts;

use document::{Block, Cell, Column, Document, Row, Table, Unit, part, time};
use report::build::ratio;
use report::reason_text;
use stats::speedup::Estimate;

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

/// All launches on so many nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedupRow {
    /// How objects were timed; empty where all are timed alike.
    pub timing: String,
    /// Nodes; `None`: in order, without the optimistic engine.
    pub nodes: Option<u16>,
    /// Each of them.
    pub launches: Vec<SpeedupLaunch>,
    /// Run time, s.
    pub seconds: Estimate,
    /// How many times as fast as in order.
    pub speedup: Option<Estimate>,
    /// Committed events of those executed, 0 to 1.
    pub event_efficiency: f64,
    /// Rollbacks, the mean of the launches.
    pub rollbacks: f64,
}

/// One launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedupLaunch {
    /// When it began, seconds of Unix time.
    pub begun_s: f64,
    /// Its run time, s.
    pub seconds: f64,
}

impl SpeedupRow {
    /// Speed-up by nodes.
    pub fn efficiency(&self) -> Option<Estimate> {
        Some(self.speedup?.per(f64::from(self.nodes?)))
    }

    /// As tables call it.
    pub fn name(&self) -> String {
        let nodes = match self.nodes {
            None => "in order".to_owned(),
            Some(1) => "1 node".to_owned(),
            Some(nodes) => format!("{nodes} nodes"),
        };
        if self.timing.is_empty() || self.nodes.is_none() {
            nodes
        } else {
            format!("{nodes}, {}", self.timing)
        }
    }
}

impl SpeedupStudy {
    /// All of it.
    pub fn document(&self) -> Document {
        let mut opening =
            vec![Block::Eyebrow(vec![self.title.clone()]), Block::Finding(self.finding.clone())];
        opening.extend(self.sentences.iter().cloned().map(Block::Lead));
        opening.push(Block::Table(self.table()));
        if !self.remarks.is_empty() {
            opening.push(Block::List(self.remarks.clone()));
        }
        let title = self.title.clone();
        Document { title, opening, sections: charts::sections(self), runs: Vec::new() }
    }

    fn table(&self) -> Table {
        let columns = [
            Column::text("engine", "Engine"),
            Column::count("launches", "Launches"),
            Column::time("time", "Run time").with_interval(),
            Column::new("speedup", "Speed-up", Unit::Ratio).with_interval(),
            Column::share("efficiency", "Efficiency"),
            Column::count("rollbacks", "Rollbacks"),
            Column::share("event_efficiency", "Events that came true"),
        ];
        Table::new("speedup-table", columns).with(self.rows.iter().map(line))
    }

    /// The rows of each way to time objects, with its name.
    fn lines(&self) -> Vec<(&str, Vec<&SpeedupRow>)> {
        let mut lines: Vec<(&str, Vec<&SpeedupRow>)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.nodes.is_some()) {
            match lines.iter_mut().find(|(timing, _)| *timing == row.timing) {
                Some((_, rows)) => rows.push(row),
                None => lines.push((&row.timing, vec![row])),
            }
        }
        lines
    }
}

fn line(row: &SpeedupRow) -> Row {
    let seconds = with_interval(row.seconds, 1e9, time);
    let speedup = row.speedup.map_or_else(Cell::default, |of| with_interval(of, 1.0, ratio));
    let efficiency = row
        .efficiency()
        .map_or_else(Cell::default, |of| Cell::new(of.value).shown(efficiency(of.value)));
    vec![
        Cell::new(row.name()),
        row.launches.len().into(),
        seconds,
        speedup,
        efficiency,
        row.rollbacks.into(),
        row.event_efficiency.into(),
    ]
    .into()
}

/// An estimate with its interval, or with why there is none.
fn with_interval(of: Estimate, scale: f64, words: impl Fn(f64) -> String) -> Cell {
    let cell = Cell::new(of.value * scale).shown(words(of.value * scale));
    match of.interval {
        Ok((low, high)) => cell.between(Some((low * scale, high * scale))),
        Err(reason) => cell.small(format!("no interval: {}", reason_text(reason))),
    }
}

/// A node's part of what the machine does in order: above all of it where nodes are faster than
/// that.
pub(crate) fn efficiency(of: f64) -> String {
    if of < 1.0 { part(of) } else { format!("{:.0}\u{a0}%", of * 100.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::launches::Reason;

    fn row(nodes: Option<u16>, seconds: f64) -> SpeedupRow {
        let estimate = |value: f64| Estimate { value, interval: Ok((value * 0.9, value * 1.1)) };
        SpeedupRow {
            timing: String::new(),
            nodes,
            launches: vec![SpeedupLaunch { begun_s: 1.7e9, seconds }],
            seconds: estimate(seconds),
            speedup: nodes.map(|_| estimate(8.0 / seconds)),
            event_efficiency: 0.75,
            rollbacks: 12.0,
        }
    }

    fn page(study: &SpeedupStudy) -> String {
        let mut page = Vec::new();
        document::page(&study.document(), &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn the_page_has_four_charts_and_the_table() {
        let rows = vec![row(None, 8.0), row(Some(1), 10.0), row(Some(2), 5.0), row(Some(4), 4.0)];
        let study = SpeedupStudy { title: "<x>".into(), cores: 2, rows, ..SpeedupStudy::default() };
        let page = page(&study);
        assert_eq!(page.matches("<section ").count(), 4);
        for wanted in ["&lt;x&gt;", "4 nodes", "1.600×", "80", "2 cores"] {
            assert!(page.contains(wanted), "{wanted}");
        }
    }

    /// Seen: "44 ns to 19079 s", "0.00 to 219336.12", and 83 ms beside 10 ms "over 99.9 % longer".
    #[test]
    fn two_launches_have_no_interval_and_factors_are_factors() {
        let few = |value| Estimate { value, interval: Err(Reason::TooFewLaunches) };
        let launches =
            [0.010, 0.083].map(|seconds| SpeedupLaunch { begun_s: 1.7e9, seconds }).into();
        let base = SpeedupRow { seconds: few(30e-6), ..row(None, 1.0) };
        let slow = SpeedupRow {
            launches,
            seconds: few(0.029),
            speedup: Some(few(0.00104)),
            ..row(Some(1), 1.0)
        };
        let page =
            page(&SpeedupStudy { cores: 2, rows: vec![base, slow], ..SpeedupStudy::default() });
        for wanted in [
            "30.0\u{a0}µs",
            "0.00104×",
            "no interval: too few launches",
            "takes 8.30× as long as the fastest",
        ] {
            assert!(page.contains(wanted), "{wanted}");
        }
    }

    #[test]
    fn a_study_that_was_ended_early_has_a_page_as_well() {
        let study =
            SpeedupStudy { cores: 4, rows: vec![row(None, 8.0)], ..SpeedupStudy::default() };
        assert!(page(&study).contains("in order"));
    }
}
