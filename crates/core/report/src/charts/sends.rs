//! Times between successive sends, and that time per message served meanwhile.

use stats::analysis::{Analysis, SendRate, SendView, ServedTime, StageView};

use super::bins::{Scale, histogram};
use super::counts::whole_number_bars;
use crate::finding::quantile;
use crate::story::capital;
use document::chart::{Axis, Chart, Mode, log_counts};
use document::{Block, Cell, Colour, Column, Row, Section, Table, Unit, count, time, time_or_none};

pub(super) fn section(analysis: &Analysis, noun: &str) -> Option<Section> {
    let sends = analysis.sends.as_ref()?;
    let mut section = Section::new("sends", "Between sends", sentence(sends, noun));
    if !sends.interval.log_bins.is_empty() {
        section.charts.push(times("interval", "Time from one send to the next", &sends.interval));
    }
    if let Some(view) = sends.per_served.as_ref().filter(|view| !view.log_bins.is_empty()) {
        section.charts.push(times(
            "per-served",
            "The same, for each message served meanwhile",
            view,
        ));
    }
    if !sends.served.is_empty() {
        section.charts.push(served(&sends.served));
    }
    if let Some(view) = sends.pauses.as_ref().filter(|view| !view.log_bins.is_empty()) {
        section.charts.push(times("pauses", "Pauses on purpose, from send to send", view));
    }
    section.columns = section.charts.len().clamp(1, 3);
    section.blocks.extend(rates_table(sends, noun).map(Block::Table));
    section.blocks.extend(served_table(&sends.by_served).map(Block::Table));
    (!section.charts.is_empty()).then_some(section)
}

/// How fast each node sends: elapsed time over messages.
fn rates_table(sends: &SendView, noun: &str) -> Option<Table> {
    let columns = [
        Column::count("node", capital(noun)),
        Column::text("to", "To"),
        Column::count("messages", "Messages"),
        Column::time("send", "Mean time a send").with_interval(),
        Column::new("messages_per_s", "Messages a second", Unit::Number),
    ];
    let row = |rate: &SendRate| {
        Row::from([
            rate.node.into(),
            rate.to.map_or_else(|| "all".to_owned(), |to| to.to_string()).into(),
            rate.messages.into(),
            Cell::new(rate.mean_ns).between(rate.interval_ns),
            Cell::new(rate.per_s).shown(count(rate.per_s.round() as u64)),
        ])
    };
    let mut note = "Elapsed time over messages, from the first send of a launch to the last; \
        intervals are over launches, of which there must be three."
        .to_owned();
    if sends.pauses.is_some() {
        note.push_str(" Pauses on purpose are left out.");
    }
    let table = Table::new("rates", columns).with(sends.rates.iter().map(row)).noted(Some(note));
    (!table.rows.is_empty()).then_some(table)
}

/// The time of a send by what was served meanwhile, where that varies.
fn served_table(by_served: &[ServedTime]) -> Option<Table> {
    let columns = [
        Column::count("served", "Served"),
        Column::count("sends", "Sends"),
        Column::time("p25", "p25"),
        Column::time("p50", "Median"),
        Column::time("p75", "p75"),
        Column::time("each", "Median for each served"),
    ];
    let row = |at: &ServedTime| -> Row {
        let [p25, p50, p75] = at.quartiles_ns;
        let each = (at.served > 0).then(|| p50 as f64 / at.served as f64);
        let times = [p25, p50, p75].map(Cell::from);
        let cells = [at.served.into(), at.count.into()].into_iter().chain(times);
        cells.chain([each.into()]).collect::<Vec<Cell>>().into()
    };
    let table = Table::new("served-times", columns).with(by_served.iter().map(row));
    (table.rows.len() > 1).then_some(table)
}

/// The fastest and the slowest sender in words, for the first screen.
pub(crate) fn rate_words(analysis: &Analysis, noun: &str) -> Option<String> {
    let rates = &analysis.sends.as_ref()?.rates;
    let mut nodes: Vec<&SendRate> = Vec::new();
    for rate in rates {
        if nodes.last().is_none_or(|last| last.node != rate.node) {
            nodes.push(rate);
        }
    }
    let said = |rate: &SendRate| {
        let per_s = count(rate.per_s.round() as u64);
        format!("{noun} {}: {per_s} messages/s, {} a send", rate.node, time(rate.mean_ns))
    };
    let fastest = nodes.iter().min_by(|a, b| a.mean_ns.total_cmp(&b.mean_ns))?;
    let slowest = nodes.iter().max_by(|a, b| a.mean_ns.total_cmp(&b.mean_ns))?;
    match nodes.len() {
        1 => Some(format!("Sustained rate: {}.", said(fastest))),
        n if n <= 4 => {
            let each: Vec<String> = nodes.iter().map(|rate| said(rate)).collect();
            Some(format!("Sustained rate: {}.", each.join("; ")))
        }
        _ => Some(format!("Sustained rates: from {} to {}.", said(fastest), said(slowest))),
    }
}

fn sentence(sends: &SendView, noun: &str) -> String {
    let median = time_or_none(quantile(&sends.interval.summary, 0.5));
    let per_served = sends.per_served.as_ref().and_then(|view| quantile(&view.summary, 0.5));
    let served = match per_served {
        Some(_) => format!(
            ". Divided by the messages that the {noun} served meanwhile, it is {} for each",
            time_or_none(per_served)
        ),
        None => String::new(),
    };
    format!(
        "The median time from a {noun}'s last send to the same {noun}, whatever that was, to the \
        send of a message shown here is {median}{served}."
    )
}

fn times(key: &'static str, title: &str, view: &StageView) -> Chart {
    let axes = (Axis::time("time").log(), Axis::count("sends"));
    let mut chart = Chart::new(key, 240, format!("Histogram: {title}."), axes).titled(title);
    chart.draw(histogram(&view.log_bins, Scale::Log, Colour("b")));
    let largest = view.log_bins.iter().map(|bin| bin.count).max().unwrap_or(1);
    chart.modes = modes(&chart, largest);
    chart
}

fn served(served: &[(u64, u64)]) -> Chart {
    let axes = (Axis::count("messages served between two sends"), Axis::count("sends"));
    let label = "Histogram of messages served between two sends.".to_owned();
    let title = "Messages served between two sends";
    let mut chart = Chart::new("served", 240, label, axes).titled(title).gap(0.05);
    let ranges: Vec<(u64, u64, u64)> =
        served.iter().map(|(value, n)| (*value, *value, *n)).collect();
    chart.draw(whole_number_bars(&ranges, Colour("d")));
    chart.modes = modes(&chart, served.iter().map(|(_, n)| *n).max().unwrap_or(1));
    chart
}

fn modes(chart: &Chart, largest: u64) -> Vec<Mode> {
    let log = chart.mode("log").y(log_counts(Axis::count("sends"), largest));
    vec![chart.mode("linear"), log]
}
