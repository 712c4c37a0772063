//! What was measured: as the page shows it, as a table, and as CSV.

use comfy_table::{CellAlignment, Table, presets};
use report::{SpeedupLaunch, SpeedupRow, SpeedupStudy};
use stats::speedup::{Estimate, ratio, typical};
use warp::Summary;

/// All launches of one thing.
pub struct Row {
    /// Nodes; `None`: in order.
    pub nodes: Option<u16>,
    /// How objects are timed; empty where only one way is measured.
    pub timing: &'static str,
    /// What launches are told beside the model's words.
    pub words: Vec<String>,
    pub launches: Vec<Launch>,
    /// Why a launch failed: the last of them.
    pub failed: Option<String>,
}

/// One launch.
pub struct Launch {
    pub round: u32,
    /// Seconds of Unix time.
    pub begun_s: f64,
    pub summary: Summary,
}

impl Row {
    /// Nothing measured yet.
    pub fn new(nodes: Option<u16>, timing: &'static str, words: Vec<String>) -> Row {
        Row { nodes, timing, words, launches: Vec::new(), failed: None }
    }

    /// For the names of files.
    pub fn key(&self) -> String {
        match (self.nodes, self.timing) {
            (None, _) => "sequential".into(),
            (Some(nodes), "") => format!("nodes-{nodes}"),
            (Some(nodes), timing) => format!("nodes-{nodes}-{timing}"),
        }
    }

    /// A launch has failed.
    pub fn fail(&mut self, why: &anyhow::Error) {
        self.failed = Some(crate::failure::one_line(why));
    }

    fn seconds(&self) -> Vec<f64> {
        self.launches.iter().map(|launch| launch.summary.seconds).collect()
    }

    fn mean(&self, figure: impl Fn(&Summary) -> f64) -> f64 {
        self.launches.iter().map(|launch| figure(&launch.summary)).sum::<f64>() / self.launches.len() as f64
    }

    /// `None` where nothing was measured.
    fn shown(&self, in_order: &[f64]) -> Option<SpeedupRow> {
        let seconds = self.seconds();
        Some(SpeedupRow {
            timing: self.timing.into(),
            nodes: self.nodes,
            launches: self
                .launches
                .iter()
                .map(|launch| SpeedupLaunch { begun_s: launch.begun_s, seconds: launch.summary.seconds })
                .collect(),
            seconds: typical(&seconds)?,
            speedup: self.nodes.and_then(|_| ratio(in_order, &seconds)),
            event_efficiency: self.mean(|summary| summary.efficiency),
            rollbacks: self.mean(|summary| summary.rollbacks as f64),
        })
    }
}

/// All of it, with what to see in it.
pub fn study(model: &str, cores: u32, rows: &[Row]) -> SpeedupStudy {
    let in_order = rows.iter().find(|row| row.nodes.is_none()).map(Row::seconds).unwrap_or_default();
    let shown: Vec<SpeedupRow> = rows.iter().filter_map(|row| row.shown(&in_order)).collect();
    let fewest = shown.iter().map(|row| row.launches.len()).min().unwrap_or(0);
    let mut sentences = vec![format!(
        "This machine has {cores} cores: beyond {cores} nodes no further speed-up can be expected."
    )];
    if fewest < 2 {
        sentences.push("Intervals need two launches or more: give --launches.".into());
    }
    let failed = |row: &Row| Some(format!("{}: a launch failed: {}", row.key(), row.failed.as_ref()?));
    SpeedupStudy {
        title: format!("{model} · speed-up study · Fourstamp"),
        finding: finding(model, &shown),
        sentences,
        cores,
        rows: shown,
        remarks: rows.iter().filter_map(failed).collect(),
    }
}

fn finding(model: &str, rows: &[SpeedupRow]) -> String {
    let speedups = rows.iter().filter_map(|row| Some((row, row.speedup?)));
    let Some((row, best)) = speedups.max_by(|a, b| a.1.value.total_cmp(&b.1.value)) else {
        return format!("{model} was measured in order only.");
    };
    let interval =
        best.interval.map_or(String::new(), |(low, high)| format!(" (95 %: {low:.2} to {high:.2})"));
    match best.value > 1.0 {
        true => format!(
            "{model} is fastest on {}: {:.2} times as fast as in order{interval}.",
            row.name(),
            best.value
        ),
        false => format!(
            "{model} is fastest in order; the best on nodes ({}) is {:.2} times as fast{interval}.",
            row.name(),
            best.value
        ),
    }
}

/// For people.
pub fn text(study: &SpeedupStudy) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "",
        "launches",
        "seconds",
        "95 %",
        "speed-up",
        "95 %",
        "efficiency",
        "rollbacks",
        "events that came true",
    ]);
    for row in &study.rows {
        let efficiency = row.efficiency().map_or("-".into(), |it| format!("{:.1} %", it.value * 100.0));
        table.add_row(vec![
            row.name(),
            row.launches.len().to_string(),
            format!("{:.3}", row.seconds.value),
            interval(Some(row.seconds), 3),
            row.speedup.map_or("-".into(), |it| format!("{:.2}", it.value)),
            interval(row.speedup, 2),
            efficiency,
            format!("{:.0}", row.rollbacks),
            format!("{:.1} %", row.event_efficiency * 100.0),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.lines().map(|line| line.trim_end().to_string()).collect::<Vec<_>>().join("\n")
}

fn interval(estimate: Option<Estimate>, decimals: usize) -> String {
    let of = estimate.and_then(|it| it.interval);
    of.map_or("-".into(), |(low, high)| format!("{low:.decimals$} to {high:.decimals$}"))
}

/// The table for programs; what is unknown is empty.
pub fn csv(study: &SpeedupStudy) -> String {
    let mut text = "engine,timing,nodes,launches,seconds,seconds_low,seconds_high,speedup,speedup_low,speedup_high,efficiency,\
                    efficiency_low,efficiency_high,rollbacks,event_efficiency\n"
        .to_string();
    for row in &study.rows {
        let [seconds, speedup, efficiency] = [Some(row.seconds), row.speedup, row.efficiency()].map(fields);
        text.push_str(&format!(
            "{},{},{},{},{seconds},{speedup},{efficiency},{:.1},{:.6}\n",
            engine(row.nodes),
            row.timing,
            row.nodes.unwrap_or(1),
            row.launches.len(),
            row.rollbacks,
            row.event_efficiency
        ));
    }
    text
}

fn fields(estimate: Option<Estimate>) -> String {
    let Some(Estimate { value, interval }) = estimate else { return ",,".into() };
    let ends = interval.map_or(",".into(), |(low, high)| format!("{low:.6},{high:.6}"));
    format!("{value:.6},{ends}")
}

fn engine(nodes: Option<u16>) -> &'static str {
    if nodes.is_some() { "optimistic" } else { "sequential" }
}

/// Every launch, for programs.
pub fn launches_csv(rows: &[Row]) -> String {
    let mut text =
        "engine,timing,nodes,launch,begun_unix_s,seconds,events,messages,executed,rolled_back,rollbacks,\
                    anti_messages,sendbacks,efficiency,off_node_share,gvt_rounds,memory_peak\n"
            .to_string();
    for row in rows {
        for Launch { round, begun_s, summary: s } in &row.launches {
            text.push_str(&format!(
                "{},{},{},{round},{begun_s:.3},{:.6},{},{},{},{},{},{},{},{:.6},{:.6},{},{}\n",
                engine(row.nodes),
                row.timing,
                row.nodes.unwrap_or(1),
                s.seconds,
                s.events,
                s.messages,
                s.executed,
                s.rolled_back,
                s.rollbacks,
                s.anti_messages,
                s.sendbacks,
                s.efficiency,
                s.off_node_share,
                s.gvt_rounds,
                s.memory_peak
            ));
        }
    }
    text
}
