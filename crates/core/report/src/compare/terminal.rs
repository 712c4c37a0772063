//! A comparison on a terminal.

use comfy_table::CellAlignment;
use stats::compare::{Comparison, Difference, Measured};

use super::words::{self, chance, condition, passed, plain_part, stage_name, verdict};
use super::{Compared, ComparedSide, facts, peaks, which_messages};
use crate::escape;
use crate::format::{NONE, count_plain, plain, quantile_name, time};
use crate::headline::trim_lines;
use crate::ratios::{outcome, range, ratio};
use crate::terminal::{bare, wrapped};

/// The comparison, at most `width` columns wide (80 at least); `colour` adds terminal colours.
pub fn compare_terminal(compared: &Compared<'_>, width: usize, colour: bool) -> String {
    let width = width.clamp(80, 160);
    let comparison = compared.comparison;
    let mut blocks = vec![opening(compared, width), answer(comparison, width, colour)];
    blocks.extend(table(comparison, comparison.stage, &comparison.quantiles));
    let apart = facts::apart(compared.a.facts, compared.b.facts);
    blocks.push(how_to_read(comparison, apart.unwrap_or_default(), width));
    let elsewhere = elsewhere(comparison);
    if !elsewhere.is_empty() {
        let head = "Other stages (each on its own; not part of the verdict):\n";
        blocks.push(format!("{head}{elsewhere}"));
    }
    if !comparison.peaks.is_empty() {
        blocks.push(peak_lines(comparison, width));
    }
    if !comparison.conditions.is_empty() {
        blocks.push(conditions(comparison, width));
    }
    blocks.join("\n")
}

fn opening(compared: &Compared<'_>, width: usize) -> String {
    let (launches, messages) = (compared.comparison.launches, compared.comparison.messages);
    let mut text = side_line('A', &compared.a, launches.0, messages.0, width);
    text.push_str(&side_line('B', &compared.b, launches.1, messages.1, width));
    if let Some(which) = which_messages(compared) {
        text.push_str(&wrapped(&plain(&which), width));
    }
    for (name, a, b) in facts::differing(compared) {
        text.push_str(&wrapped(
            &plain(&escape::terminal(&format!("! {name} differs: A {a}, B {b}"))),
            width,
        ));
    }
    for warning in facts::warnings(compared) {
        text.push_str(&wrapped(&plain(&escape::terminal(&format!("! {warning}"))), width));
    }
    text
}

fn side_line(
    letter: char,
    side: &ComparedSide<'_>,
    launches: usize,
    messages: u64,
    width: usize,
) -> String {
    let first = side.facts.first();
    let title = first.map_or_else(String::new, crate::facts::Facts::title);
    let started = first.map_or("", |facts| facts.started.as_str());
    let line = format!(
        "{letter}  {}: {title}, {}, {} times, {started}",
        side.name,
        words::launches(launches),
        count_plain(messages)
    );
    wrapped(&plain(&escape::terminal(&line)), width).replacen(
        &format!("{letter} "),
        &format!("{letter}  "),
        1,
    )
}

fn answer(comparison: &Comparison, width: usize, colour: bool) -> String {
    let text = wrapped(&plain(&verdict(comparison)), width);
    let paint = |line: &str| {
        if colour { format!("\u{1b}[1m{line}\u{1b}[0m\n") } else { format!("{line}\n") }
    };
    text.lines().map(paint).collect()
}

/// One stage's quantiles; `None` where no launch has messages enough.
fn table(comparison: &Comparison, stage: Measured, quantiles: &[Difference]) -> Option<String> {
    if quantiles.is_empty() {
        return None;
    }
    let mut table = bare();
    let level = format!("{} interval", plain(&plain_part(comparison.confidence)));
    table.set_header([
        stage_name(stage).to_owned(),
        "A".into(),
        "B".into(),
        "B/A".into(),
        level,
        "by chance".into(),
        String::new(),
    ]);
    for q in quantiles {
        let cells = [
            quantile_name(q.p),
            plain(&time(q.values_ns.0)),
            plain(&time(q.values_ns.1)),
            plain(&ratio(q.ratio)),
            q.interval.map_or_else(|| NONE.to_owned(), |interval| plain(&range(interval))),
            q.chance.map_or_else(|| NONE.to_owned(), |of| plain(&chance(of))),
            outcome(q.outcome).to_owned(),
        ];
        table.add_row(cells);
    }
    table.column_iter_mut().skip(1).take(5).for_each(|column| {
        column.set_cell_alignment(CellAlignment::Right);
    });
    Some(trim_lines(&table.to_string()))
}

fn how_to_read(comparison: &Comparison, remark: &str, width: usize) -> String {
    let text = format!(
        "Each figure is the geometric mean over the launches of that run. \"By chance\" is how \
        likely such a ratio is between equal \
         runs, corrected for all quantiles of the table. Changes below {} do not matter (--least). \
         {remark}",
        plain_part(comparison.least)
    );
    wrapped(&plain(&text), width)
}

/// The other stages, a line each: their median and p99.
fn elsewhere(comparison: &Comparison) -> String {
    let mut table = bare();
    for (stage, quantiles) in &comparison.elsewhere {
        let cell = |p: f64| {
            let found = quantiles.iter().find(|q| q.p == p);
            found.map_or_else(String::new, |q| {
                let interval = q.interval.map_or_else(String::new, |i| format!(" ({})", range(i)));
                plain(&format!("{} {}{interval}", quantile_name(p), ratio(q.ratio)))
            })
        };
        if !quantiles.is_empty() {
            table.add_row([stage_name(*stage).to_owned(), cell(0.5), cell(0.99)]);
        }
    }
    trim_lines(&table.to_string())
}

fn peak_lines(comparison: &Comparison, width: usize) -> String {
    let line = |found| {
        let [a, b, what] = peaks::row(found);
        wrapped(&plain(&format!("- A {a}; B {b}: {what}")), width)
    };
    format!("Peaks:\n{}", comparison.peaks.iter().map(line).collect::<String>())
}

fn conditions(comparison: &Comparison, width: usize) -> String {
    let mut text = format!(
        "Conditions, together with {} confidence:\n",
        plain(&plain_part(comparison.confidence))
    );
    for checked in &comparison.conditions {
        text.push_str(&wrapped(&plain(&format!("- {}", condition(checked))), width));
    }
    text.push_str(&wrapped(passed(comparison), width));
    text
}
