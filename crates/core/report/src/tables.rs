//! Tables of messages, and the sections that consist of one.

use document::Block;
use document::{Cell, Column, Pairs, Row, Section, Table, Unit, Value, count, quantile_name};
use stats::analysis::{
    Analysis, Breakdown, Group, SizePoint, SlowMessage, Stage, StageView, Summary,
};
use stats::launches::LAUNCHES_LEAST;

use crate::entry::Entry;
use crate::facts::Facts;
use crate::finding::{parts, quantile, remarks};
use crate::opening;
use crate::palette::{self, CYCLE, PARTS, colour, key, letter, name, title};
use crate::population::population_words;
use crate::story::{self, Told};

/// Medians that rise by more than this over the next smaller size are marked.
pub(crate) const JUMP: f64 = 0.25;

/// Quantiles with their intervals, for each stage and for cycles.
pub(crate) fn quantiles_section(facts: &Facts, analysis: &Analysis) -> Option<Section> {
    let rows = measured(analysis);
    if rows.is_empty() {
        return None;
    }
    let sentence = format!(
        "Each figure with its 95 % interval, {}. Quantiles stop where fewer than ten messages lie \
        beyond them, and those of the stages do not add up to those end to end. The effective \
        count is the number of independent messages that would determine the mean as well.",
        interval_of(facts, analysis)
    );
    let mut table = quantile_table("quantiles", rows, "messages");
    table.columns.push(Column::text("messages", "").data());
    for row in &mut table.rows {
        let cycle = row.cells[0].value == Value::Text("cycle".to_owned());
        let which = population_words(facts, &analysis.population);
        row.cells.push(if cycle { "whole cycles".into() } else { which.into() });
    }
    let mut section = Section::new("quantiles", "Quantiles", sentence).table(table);
    let remarks = remarks(analysis);
    if !remarks.is_empty() {
        section.blocks.push(Block::List(remarks));
    }
    Some(section)
}

/// What the intervals of so many launches are of.
pub(crate) fn interval_of(facts: &Facts, analysis: &Analysis) -> String {
    match analysis.launches.launches.len() {
        _ if facts.clock.simulated => {
            "by resampling its blocks of messages; time was simulated, so another launch is the \
            same"
                .to_owned()
        }
        0 | 1 => {
            "of this launch alone, by resampling its blocks of messages: another launch may differ \
            by more"
                .to_owned()
        }
        few if few < LAUNCHES_LEAST => format!(
            "of these {few} launches alone, by resampling the blocks of messages of each: fewer \
            than {LAUNCHES_LEAST} do not show how far another launch may differ"
        ),
        _ => "by resampling launches and blocks of messages".to_owned(),
    }
}

/// The stages and the cycle, each with its figures.
fn measured(analysis: &Analysis) -> Vec<(Cell, &Summary)> {
    let stage = |view: &StageView| {
        let name = format!("{} {}", letter(view.stage), name(view.stage));
        Cell::new(key(view.stage)).shown(name).coloured(colour(view.stage))
    };
    let mut rows: Vec<_> =
        analysis.stages.iter().map(|view| (stage(view), &view.summary)).collect();
    let cycle = || Cell::new("cycle").shown("  whole cycle").coloured(CYCLE);
    rows.extend(analysis.cycles.iter().map(|view| (cycle(), &view.summary)));
    rows
}

/// Quantiles that a narrow terminal shows.
const USUAL: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// Quantiles that have a column, with the names of the columns; all that an analysis has.
const QUANTILES: [(f64, &str); 11] = [
    (0.1, "p10"),
    (0.25, "p25"),
    (0.5, "p50"),
    (0.75, "p75"),
    (0.9, "p90"),
    (0.95, "p95"),
    (0.99, "p99"),
    (0.999, "p99.9"),
    (0.9999, "p99.99"),
    (0.99999, "p99.999"),
    (0.999_999, "p99.9999"),
];

/// A row for each name, with its figures; `what` was counted. The page shows names side by side.
pub fn quantile_table(id: &'static str, rows: Vec<(Cell, &Summary)>, what: &'static str) -> Table {
    let quantile = |(p, key): &(f64, &'static str)| {
        let column = Column::time(key, quantile_name(*p)).with_interval();
        if USUAL.contains(p) { column } else { column.wide() }
    };
    let mut columns = vec![
        Column::text("stage", ""),
        Column::count("n", what).wide(),
        Column::time("min", "min"),
    ];
    columns.extend(QUANTILES.iter().map(quantile));
    columns.extend([
        Column::time("max", "max"),
        Column::time("mean", "mean"),
        Column::time("sd", "standard deviation").wide(),
        Column::count("effective_n", "effective count").wide(),
    ]);
    let row = |(name, summary): (Cell, &Summary)| -> Row {
        let known = |value: f64| Cell::from((summary.count > 0).then_some(value));
        let mut cells = vec![name, summary.count.into(), known(summary.min_ns as f64)];
        cells.extend(QUANTILES.iter().map(|(p, _)| quantile_cell(summary, *p)));
        cells.extend([
            known(summary.max_ns as f64),
            known(summary.mean_ns),
            known(summary.sd_ns),
            summary.effective_count.into(),
        ]);
        cells.into()
    };
    let mut table = Table::new(id, columns).with(rows.into_iter().map(row));
    table.turned = true;
    table
}

fn quantile_cell(summary: &Summary, p: f64) -> Cell {
    let found = summary.quantiles.iter().find(|q| (q.p - p).abs() < 1e-9);
    found.map_or_else(Cell::default, |quantile| {
        let ends = quantile.interval_ns.map(|(low, high)| (low as f64, high as f64));
        Cell::new(quantile.value_ns).between(ends)
    })
}

/// The slowest messages, one row each.
/// One of which the story is `told` leads to it.
pub(crate) fn slowest_section(
    entry: &Entry<'_>,
    analysis: &Analysis,
    told: &[Told],
) -> Option<Section> {
    let slow = &analysis.slowest[..analysis.slowest.len().min(10)];
    let shown = parts(analysis);
    if slow.is_empty() {
        return None;
    }
    let heading =
        if slow.len() == 10 { "The ten slowest messages" } else { "The slowest messages" };
    let sentence = format!(
        "Each with its identity (launch, source {}, number), by which it can be found in the run \
         folder.{} For what held one of them: fourstamp story {} --message {}",
        entry.facts.product.noun,
        if told.is_empty() { "" } else { " Those that are links have their story below." },
        shell_words::quote(entry.path),
        identity(&slow[0])
    );
    let mut columns = vec![
        Column::text("message", "Message"),
        Column::text("pair", "From → to"),
        Column::new("payload", "Payload", Unit::Bytes).wide(),
        Column::time("ready", "Ready at").wide(),
        Column::time("end_to_end", "End to end"),
    ];
    columns.extend(shown.iter().map(|(_, stage)| stage_column(*stage)));
    columns.push(Column::text("shares", "Where its time went").wide());
    let rows = slow.iter().map(|message| slow_row(message, &shown, told));
    let table = Table::new("slowest-messages", columns).with(rows);
    let mut section = Section::new("slowest", heading, sentence).table(table);
    section.blocks.extend(told.iter().skip(1).filter_map(story::fold).map(Block::Fold));
    Some(section)
}

fn stage_column(stage: Stage) -> Column {
    let key = match stage {
        Stage::EndToEnd => "end_to_end",
        Stage::SendWait => "send_wait",
        Stage::Transit => "transit",
        Stage::ReceiveWait => "receive_wait",
    };
    Column::time(key, title(stage)).coloured(colour(stage))
}

fn slow_row(message: &SlowMessage, shown: &[(usize, Stage)], told: &[Told]) -> Row {
    let name = identity(message);
    let mut cells: Vec<Cell> = vec![
        match story::place(told, &name) {
            Some(place) => Cell::new(name).leads_to(place),
            None => name.into(),
        },
        format!("{} → {}", message.src, message.dst).into(),
        message.bytes.into(),
        message.ready_ns.into(),
        message.stage_ns[0].into(),
    ];
    cells.extend(shown.iter().map(|(at, _)| Cell::from(message.stage_ns[at + 1])));
    cells.push(Value::Parts(palette::parts(&message_shares(message))).into());
    cells.into()
}

/// As `story --message` takes it.
fn identity(message: &SlowMessage) -> String {
    format!("{}:{}:{}", message.launch, message.src, message.seq)
}

/// Widths of the message's little bar; negative stages have none.
fn message_shares(message: &SlowMessage) -> Vec<(Stage, f64)> {
    let times: Vec<f64> =
        message.stage_ns[1..].iter().map(|ns| ns.unwrap_or(0).max(0) as f64).collect();
    let whole: f64 = times.iter().sum();
    if whole <= 0.0 {
        return Vec::new();
    }
    PARTS.iter().zip(times).map(|(stage, ns)| (*stage, ns / whole)).collect()
}

/// Columns of the median and the 99 % quantile of each stage.
const GROUP_COLUMNS: [(Stage, &str, &str); 4] = [
    (Stage::EndToEnd, "end_to_end_p50", "end_to_end_p99"),
    (Stage::SendWait, "send_wait_p50", "send_wait_p99"),
    (Stage::Transit, "transit_p50", "transit_p99"),
    (Stage::ReceiveWait, "receive_wait_p50", "receive_wait_p99"),
];

/// Figures of each group of a breakdown, folded away when there are many.
pub fn groups(id: &'static str, breakdown: &Breakdown, by: &str) -> Table {
    let known = |stage: &Stage| breakdown.groups.iter().any(|g| summary_of(g, *stage).is_some());
    let shown: Vec<_> = GROUP_COLUMNS.iter().filter(|(stage, ..)| known(stage)).collect();
    let mut columns = vec![Column::text("group", by), Column::count("messages", "Messages")];
    for (stage, p50, p99) in &shown {
        let head = format!("{} p50", title(*stage));
        let pair = [Column::time(p50, head).coloured(colour(*stage)), Column::time(p99, "p99")];
        // A narrow terminal has room for the whole and for what the network did.
        let wide = matches!(stage, Stage::SendWait | Stage::ReceiveWait);
        columns.extend(pair.map(|column| if wide { column.wide() } else { column }));
    }
    let row = |group: &Group| -> Row {
        let messages = group.stages.iter().map(|(_, summary)| summary.count).max().unwrap_or(0);
        let times = shown.iter().flat_map(|(stage, ..)| {
            let summary = summary_of(group, *stage);
            [0.5, 0.99].map(|p| Cell::from(summary.and_then(|s| quantile(s, p))))
        });
        let head = [group.label.as_str().into(), messages.into()];
        head.into_iter().chain(times).collect::<Vec<Cell>>().into()
    };
    let left_out = match breakdown.left_out {
        (0, _) => None,
        (groups, messages) => Some(format!(
            "{} more groups with {} messages are not shown.",
            count(groups),
            count(messages)
        )),
    };
    Table::new(id, columns)
        .with(breakdown.groups.iter().map(row))
        .folded_above(8, |groups| format!("Table of all {groups} groups"))
        .noted(left_out)
}

fn summary_of(group: &Group, stage: Stage) -> Option<&Summary> {
    group.stages.iter().find(|(s, _)| *s == stage).map(|(_, summary)| summary)
}

/// The 99 % quantile of a size; `None` where fewer than ten lie beyond it, as in other tables.
pub(crate) fn p99(point: &SizePoint) -> Option<i64> {
    (point.count >= 1000).then_some(point.p99_ns)
}

/// Sizes of a sweep, jumps marked.
pub(crate) fn sizes(sizes: &[SizePoint]) -> Table {
    let columns = [
        Column::new("payload", "Payload", Unit::Bytes),
        Column::count("count", "Count"),
        Column::time("min", "Fastest"),
        Column::time("p50", "p50"),
        Column::time("p99", "p99"),
        Column::new("jump", "Median over the size before", Unit::Change),
    ];
    let row = |(at, point): (usize, &SizePoint)| -> Row {
        let cells: Vec<Cell> = vec![
            point.bytes.into(),
            point.count.into(),
            point.min_ns.into(),
            point.p50_ns.into(),
            p99(point).into(),
            (at > 0).then_some(point.jump).into(),
        ];
        Row::from(cells).marked(at > 0 && point.jump > JUMP)
    };
    Table::new("by-size", columns)
        .with(sizes.iter().enumerate().map(row))
        .folded_above(0, |sizes| format!("Table of all {sizes} sizes"))
}

/// Everything about how the run came about.
pub(crate) fn facts_section(facts: &Facts) -> Section {
    let sentence = "All parameters (also in run.json).";
    let mut section = Section::new("facts", "The run", sentence);
    let mut pairs: Vec<(String, String)> = vec![
        ("Command".to_owned(), facts.command.clone()),
        ("Started".to_owned(), facts.started.clone()),
        ("Recorded by".to_owned(), facts.program.clone()),
    ];
    pairs.extend(facts.parameters.iter().cloned());
    let mut groups =
        vec![Pairs::new("What ran", pairs), Pairs::new("Machine", facts.machine.clone())];
    groups.push(opening::clock(facts));
    if let Some((head, pairs)) = &facts.product.results {
        groups.push(Pairs::new(*head, pairs.clone()));
    }
    section.blocks.push(Block::Pairs(groups));
    for (heading, lines) in [("Clock models", &facts.clock.models), ("Notes", &facts.notes)] {
        if !lines.is_empty() {
            section.blocks.push(Block::Heading(heading.to_owned()));
            section.blocks.push(Block::List(lines.clone()));
        }
    }
    section
}
