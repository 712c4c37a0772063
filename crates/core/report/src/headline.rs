//! Several runs side by side: the table that a tour ends with.

use comfy_table::{CellAlignment, ContentArrangement, Table};
use stats::analysis::{Analysis, Stage};

use crate::escape;
use crate::facts::Facts;
use crate::finding::{largest, quantile, stage_shares, typical_shares};
use crate::format::{count, plain, time, time_or_none};
use crate::tables::{mini_bar, wrap};
use crate::terminal::{bare, share_blocks};

/// What this machine can do at best, measured beside the runs: a cache line between two cores, a
/// plain TCP program.
#[derive(Clone, Debug, PartialEq)]
pub struct Floor {
    /// What was measured.
    pub name: String,
    /// Its median, ns.
    pub p50_ns: i64,
    /// Its 99 % quantile, ns.
    pub p99_ns: i64,
    /// What the figure means: `round trip, polling`.
    pub note: String,
}

/// The figures of one run in the table, in the order of [`HEADS`].
fn figures(analysis: &Analysis) -> [String; 5] {
    let view = analysis.stage(Stage::EndToEnd);
    let at = |p| time_or_none(view.and_then(|view| quantile(&view.summary, p)));
    let largest = time_or_none(view.map(|view| view.summary.max_ns));
    let cycle = analysis.cycles.as_ref().and_then(|view| quantile(&view.summary, 0.5));
    [at(0.5), at(0.99), at(0.999), largest, time_or_none(cycle)]
}

const HEADS: [&str; 5] = ["p50", "p99", "p99.9", "max", "cycle"];

/// The runs side by side for a terminal of at least 80 columns: one row a run, the floor below.
pub fn headline_table(runs: &[(&Facts, &Analysis)], floors: &[Floor], colour: bool) -> String {
    let mut table = bare();
    table.set_content_arrangement(ContentArrangement::Disabled);
    let cycles = runs.iter().any(|(_, analysis)| analysis.cycles.is_some());
    let figures_shown = if cycles { 5 } else { 4 };
    let heads = ["run"].iter().chain(&HEADS[..figures_shown]).chain(&["B▏C▏D"]);
    table.set_header(heads.map(|head| (*head).to_owned()).collect::<Vec<String>>());
    for (facts, analysis) in runs {
        let mut row = vec![short(&facts.title())];
        row.extend(figures(analysis).into_iter().take(figures_shown).map(|text| plain(&text)));
        row.push(share_blocks(&stage_shares(analysis), 8, colour));
        table.add_row(row);
    }
    align(&mut table, figures_shown);
    let mut text = trim_lines(&table.to_string());
    for floor in floors {
        text.push_str(&plain(&escape::terminal(&format!(
            "Floor of this machine: {}",
            floor_words(floor)
        ))));
        text.push('\n');
    }
    text
}

/// `plain TCP 8.90 µs, 12.1 µs at 99 % (round trip, polling)`.
pub(crate) fn floor_words(floor: &Floor) -> String {
    let note = if floor.note.is_empty() { String::new() } else { format!(" ({})", floor.note) };
    let (p50, p99) = (time(floor.p50_ns as f64), time(floor.p99_ns as f64));
    format!("{} {p50}, {p99} at 99\u{a0}%{note}", floor.name)
}

fn align(table: &mut Table, last: usize) {
    for column in table.column_iter_mut().skip(1).take(last) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

/// Names are cut so that the table fits 80 columns; the page has them whole.
fn short(name: &str) -> String {
    let name = escape::terminal(name).replace(" over ", " ");
    if name.chars().count() <= 24 {
        return name;
    }
    name.chars().take(23).chain(['…']).collect()
}

/// Without the spaces that pad the last column.
pub(crate) fn trim_lines(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The same table for the page: one row a run, linked to its section, with a bar that shows where
/// its time went.
pub(crate) fn html_table(runs: &[(String, &Facts, &Analysis)]) -> String {
    let cycles = runs.iter().any(|(_, _, analysis)| analysis.cycles.is_some());
    let shown = if cycles { 5 } else { 4 };
    let heads: String = HEADS[..shown].iter().map(|head| format!("<th scope=col>{head}")).collect();
    let rows: String =
        runs.iter().map(|(id, facts, analysis)| html_row(id, facts, analysis, shown)).collect();
    wrap(&format!(
        "<table class=\"figures headline\"><thead><tr><th scope=col>Run<th scope=col \
        class=barhead>A typical \
         message<th scope=col class=barhead>All time<th scope=col>Most often largest<th \
         scope=col>Largest part of the time<th \
         scope=col>Messages{heads}<tbody>{rows}</table>"
    ))
}

fn html_row(id: &str, facts: &Facts, analysis: &Analysis, shown: usize) -> String {
    let cells: String =
        figures(analysis).iter().take(shown).map(|text| format!("<td>{text}")).collect();
    let [of_messages, of_time] = largest(analysis.finding.as_ref());
    format!(
        "<tr><th scope=row><a href=\"#{id}\">{}</a><td class=barcell>{}<td class=barcell>{}<td \
        class=left>{of_messages}<td \
         class=left>{of_time}<td>{}{cells}",
        escape::html(&facts.title()),
        mini_bar(&typical_shares(analysis)),
        mini_bar(&stage_shares(analysis)),
        count(analysis.messages)
    )
}
