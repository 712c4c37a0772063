//! The report on a terminal: the finding, what was lost, quantiles, where the time went, the shape
//! of the distribution. Fits 80 columns.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use stats::analysis::{Analysis, Bin, Breakdown, By, Group, SizePoint, Stage, Summary};

use crate::charts::launches;
use crate::charts::sizes::{self, JUMP};
use crate::escape;
use crate::facts::Facts;
use crate::finding::{losses, quantile, remarks, stage_shares};
use crate::format::{ColumnUnit, NONE, count_plain, part, plain, size, time};
use crate::headline::trim_lines;
use crate::palette::{ansi, letter, name, title};
use crate::simulation::{headline_sentence, message_sentence, terminal_block};
use crate::{knees, mpi, mpi_terminal, pager, pager_terminal, peaks, population};

/// The report of one run, at most `width` columns wide (80 at least); `colour` adds terminal
/// colours.
pub fn terminal(facts: &Facts, analysis: &Analysis, width: usize, colour: bool) -> String {
    let width = width.clamp(80, 160);
    let paint = Paint { colour };
    let mut blocks = vec![opening(facts, analysis, width, &paint)];
    blocks.extend(terminal_block(facts, analysis));
    blocks.extend(pager_terminal::block(facts, analysis, width));
    blocks.extend(analysis.mpi.iter().flat_map(|mpi| mpi_terminal::blocks(mpi, width)));
    blocks.extend(quantile_table(analysis));
    blocks.extend(share_bar(analysis, width, &paint));
    blocks.extend(sparklines(analysis, width));
    blocks.extend(peaks::terminal_block(analysis, width));
    blocks.extend(analysis.breakdowns.iter().find(|b| b.by == By::Hops).and_then(group_table));
    if analysis.sizes.len() > 1 {
        blocks.push(size_table(analysis, &paint));
    }
    if analysis.launches.launches.len() > 1 {
        let what = if analysis.cycles.is_some() { "cycle times" } else { "end-to-end times" };
        blocks.push(wrapped(&plain(&launches::sentence(&analysis.launches, what)), width));
    }
    blocks.join("\n")
}

/// Terminal colours, or none.
pub(crate) struct Paint {
    pub colour: bool,
}

impl Paint {
    pub fn bold(&self, text: &str) -> String {
        if self.colour { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn warn(&self, text: &str) -> String {
        if self.colour { format!("\u{1b}[1;33m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    pub fn stage(&self, stage: Stage, text: &str) -> String {
        match ansi(stage) {
            Some(code) if self.colour => format!("\u{1b}[38;5;{code}m{text}\u{1b}[0m"),
            _ => text.to_owned(),
        }
    }
}

fn opening(facts: &Facts, analysis: &Analysis, width: usize, paint: &Paint) -> String {
    let many = pager::counts(facts, analysis).map_or_else(
        || {
            vec![
                counted(facts.nodes as u64, "node"),
                counted(facts.launches as u64, "launch"),
                counted(analysis.messages, "message"),
            ]
        },
        |counts| counts.map(|text| plain(&text)).to_vec(),
    );
    let what = [escape::terminal(&facts.title()), escape::terminal(facts.topology_besides_title())];
    let what: Vec<String> = what.into_iter().filter(|text| !text.is_empty()).chain(many).collect();
    let mut text = facts
        .mpi
        .as_ref()
        .map_or_else(String::new, |mpi| wrapped(&plain(&mpi.first_line()), width));
    text.push_str(&wrapped(&what.join(", "), width));
    text.push_str(&which_messages(facts, analysis, width));
    text.push('\n');
    text.push_str(&painted(&wrapped(&plain(&headline_sentence(facts, analysis)), width), |line| {
        paint.bold(line)
    }));
    if let Some(messages) = message_sentence(facts, analysis) {
        text.push_str(&wrapped(&plain(&messages), width));
    }
    if let Some(tail) = mpi::tail(facts, analysis) {
        text.push_str(&wrapped(&plain(&tail), width));
    }
    text.push_str(&lost_block(facts, analysis, width, paint));
    for note in &facts.notes {
        text.push_str(&wrapped(&format!("Note: {}", escape::terminal(note)), width));
    }
    text
}

/// Which messages all that follows is about.
pub(crate) fn which_messages(facts: &Facts, analysis: &Analysis, width: usize) -> String {
    let mut text =
        wrapped(&plain(&format!("Messages: {}.", population::line(facts, analysis))), width);
    if let Some(remark) = population::remark(facts, analysis) {
        text.push_str(&wrapped(&plain(&remark), width));
    }
    text
}

fn counted(n: u64, noun: &str) -> String {
    let ending = match (n, noun) {
        (1, _) => "",
        (_, "launch") => "es",
        _ => "s",
    };
    format!("{} {noun}{ending}", count_plain(n))
}

fn lost_block(facts: &Facts, analysis: &Analysis, width: usize, paint: &Paint) -> String {
    let lost = losses(facts, analysis);
    let mut text = String::new();
    if lost.is_empty() {
        text.push_str(if population::leaves_out(analysis) {
            "Nothing was lost; of the messages shown, no stamp is missing or out of order.\n"
        } else {
            "Nothing was lost, and no stamp is missing or out of order.\n"
        });
    }
    for line in &lost {
        let line = wrapped(&format!("! {}", plain(&escape::terminal(line))), width);
        text.push_str(&painted(&line, |line| paint.warn(line)));
    }
    let of_calls = facts.mpi.as_ref().map_or_else(Vec::new, |mpi| mpi.remarks());
    for line in remarks(analysis).iter().chain(&of_calls) {
        text.push_str(&wrapped(&format!("- {}", plain(&escape::terminal(line))), width));
    }
    text
}

/// Colour each line by itself, so that a pager that cuts lines keeps the colour right.
fn painted(text: &str, paint: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| format!("{}\n", paint(line))).collect()
}

/// A table without lines.
pub(crate) fn bare() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table
}

const COLUMNS: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];

/// Stages A to D and cycles: one unit a column, so that figures line up.
fn quantile_table(analysis: &Analysis) -> Option<String> {
    let mut rows: Vec<(String, &Summary)> = analysis
        .stages
        .iter()
        .map(|view| (format!("{} {}", letter(view.stage), name(view.stage)), &view.summary))
        .collect();
    rows.extend(analysis.cycles.iter().map(|view| ("  whole cycle".to_owned(), &view.summary)));
    if rows.is_empty() {
        return None;
    }
    let mut columns: Vec<(String, Vec<Option<f64>>)> = Vec::new();
    let all = |get: &dyn Fn(&Summary) -> Option<f64>| {
        rows.iter().map(|(_, s)| get(s)).collect::<Vec<_>>()
    };
    columns.push(("min".to_owned(), all(&|s| Some(s.min_ns as f64))));
    for (head, p) in COLUMNS {
        columns.push((head.to_owned(), all(&|s| quantile(s, p).map(|ns| ns as f64))));
    }
    columns.push(("max".to_owned(), all(&|s| Some(s.max_ns as f64))));
    columns.push(("mean".to_owned(), all(&|s| Some(s.mean_ns))));
    let heads = rows.iter().map(|(head, _)| head.clone()).collect();
    Some(table_of_times("", heads, columns))
}

/// A table with one row a head, in which each column of times has one unit.
fn table_of_times(
    corner: &str,
    heads: Vec<String>,
    mut columns: Vec<(String, Vec<Option<f64>>)>,
) -> String {
    // Quantiles that nothing here has enough messages for.
    columns.retain(|(_, times)| times.iter().any(Option::is_some));
    let mut table = bare();
    let units: Vec<ColumnUnit> =
        columns.iter().map(|(_, times)| ColumnUnit::of(times.iter().copied().flatten())).collect();
    let titles =
        columns.iter().zip(&units).map(|((head, _), unit)| format!("{head} {}", unit.unit.name));
    table.set_header(std::iter::once(corner.to_owned()).chain(titles).collect::<Vec<String>>());
    for (i, head) in heads.into_iter().enumerate() {
        let cells = columns.iter().zip(&units).map(|((_, times), unit)| {
            times[i].map_or_else(|| NONE.to_owned(), |ns| unit.number(ns))
        });
        table.add_row(std::iter::once(head).chain(cells).collect::<Vec<String>>());
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    trim_lines(&table.to_string())
}

/// The bar of the three stages, and what each colour is.
fn share_bar(analysis: &Analysis, width: usize, paint: &Paint) -> Option<String> {
    let shares = stage_shares(analysis);
    if shares.is_empty() {
        return None;
    }
    let legend: Vec<String> = shares
        .iter()
        .map(|(stage, share)| {
            let text = format!("{} {} {}", block(*stage), name(*stage), plain(&part(*share)));
            paint.stage(*stage, &text)
        })
        .collect();
    Some(format!(
        "  {}\n  {}\n",
        share_blocks(&shares, width - 4, paint.colour),
        legend.join("   ")
    ))
}

/// Without colours the stages differ by their filling.
fn block(stage: Stage) -> char {
    match stage {
        Stage::EndToEnd | Stage::ReceiveWait => '█',
        Stage::SendWait => '░',
        Stage::Transit => '▒',
    }
}

/// A bar of `width` cells, split by largest remainder so that it is always full.
pub(crate) fn share_blocks(shares: &[(Stage, f64)], width: usize, colour: bool) -> String {
    let paint = Paint { colour };
    let mut cells: Vec<usize> =
        shares.iter().map(|(_, share)| (share * width as f64) as usize).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    let rest = |i: &usize| (shares[*i].1 * width as f64).fract();
    order.sort_by(|a, b| rest(b).total_cmp(&rest(a)));
    let missing = width.saturating_sub(cells.iter().sum());
    for i in order.into_iter().take(missing) {
        cells[i] += 1;
    }
    shares
        .iter()
        .zip(cells)
        .map(|((stage, _), n)| paint.stage(*stage, &block(*stage).to_string().repeat(n)))
        .collect()
}

/// The shape of the end-to-end and the cycle distribution, on a log scale of time.
fn sparklines(analysis: &Analysis, width: usize) -> Option<String> {
    let end_to_end = analysis.stage(Stage::EndToEnd);
    let views = end_to_end
        .into_iter()
        .map(|v| (title(v.stage), v))
        .chain(analysis.cycles.iter().map(|v| ("Whole cycle", v)));
    let lines: Vec<String> = views
        .filter(|(_, view)| view.log_bins.len() > 1)
        .map(|(head, view)| sparkline(head, &view.log_bins, width))
        .collect();
    (!lines.is_empty()).then(|| lines.concat())
}

pub(crate) fn sparkline(head: &str, bins: &[Bin], width: usize) -> String {
    let (low, high) = (bins[0].from, bins[bins.len() - 1].to);
    let (low, high) = (plain(&time(low)), plain(&time(high)));
    let cells =
        width.saturating_sub(18 + low.chars().count() + high.chars().count()).min(bins.len());
    format!("  {head:<12} {low} {} {high}\n", spark(bins, cells))
}

/// Heights go with the square root of the count: a tenth of the messages must still be seen.
fn spark(bins: &[Bin], cells: usize) -> String {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let sums: Vec<u64> = (0..cells)
        .map(|i| {
            bins[i * bins.len() / cells..(i + 1) * bins.len() / cells]
                .iter()
                .map(|bin| bin.count)
                .sum()
        })
        .collect();
    let largest = sums.iter().copied().max().unwrap_or(1).max(1) as f64;
    sums.iter()
        .map(|n| match n {
            0 => ' ',
            n => LEVELS[((*n as f64 / largest).sqrt() * 7.0).round() as usize],
        })
        .collect()
}

fn group_table(breakdown: &Breakdown) -> Option<String> {
    let groups = &breakdown.groups[..breakdown.groups.len().min(12)];
    let at = |stage: Stage, p: f64| -> Vec<Option<f64>> {
        groups.iter().map(|g| group_quantile(g, stage, p).map(|ns| ns as f64)).collect()
    };
    let columns = vec![
        ("transit p50".to_owned(), at(Stage::Transit, 0.5)),
        ("p99".to_owned(), at(Stage::Transit, 0.99)),
        ("end to end p50".to_owned(), at(Stage::EndToEnd, 0.5)),
        ("p99".to_owned(), at(Stage::EndToEnd, 0.99)),
    ];
    let heads = groups.iter().map(|group| hops(&group.label)).collect();
    (!groups.is_empty()).then(|| table_of_times("", heads, columns))
}

fn hops(label: &str) -> String {
    format!("{} hop{}", escape::terminal(label), if label == "1" { "" } else { "s" })
}

fn group_quantile(group: &Group, stage: Stage, p: f64) -> Option<i64> {
    let (_, summary) = group.stages.iter().find(|(s, _)| *s == stage)?;
    quantile(summary, p)
}

/// Sizes of a sweep; where there are many, those around jumps and an even choice of the others.
fn size_table(analysis: &Analysis, paint: &Paint) -> String {
    let what = if analysis.cycles.is_some() { "cycle time" } else { "end-to-end time" };
    let shown = chosen_sizes(&analysis.sizes, 24);
    let get = |f: &dyn Fn(&SizePoint) -> i64| {
        shown.iter().map(|point| Some(f(point) as f64)).collect::<Vec<_>>()
    };
    let columns = vec![
        ("min".to_owned(), get(&|s| s.min_ns)),
        ("p50".to_owned(), get(&|s| s.p50_ns)),
        ("p99".to_owned(), get(&|s| s.p99_ns)),
    ];
    let heads = shown.iter().map(|point| plain(&size(point.bytes))).collect();
    let table = table_of_times(what, heads, columns);
    let mut lines = table.lines();
    let mut text = format!("{}  jump\n", lines.next().unwrap_or_default());
    for (line, point) in lines.zip(&shown) {
        let jump = if point.jump > JUMP {
            paint.warn(&format!("  {:+.0} %", point.jump * 100.0))
        } else {
            String::new()
        };
        text.push_str(&format!("{line}{jump}\n"));
    }
    match &analysis.sweep {
        Some(sweep) => text.push_str(&format!("\n{}", knees::terminal_block(sweep, what, 80))),
        None => text.push_str(&wrapped(&plain(&sizes::sentence(&analysis.sizes, what)), 80)),
    }
    text
}

fn chosen_sizes(sizes: &[SizePoint], at_most: usize) -> Vec<&SizePoint> {
    let step = sizes.len().div_ceil(at_most);
    let jumps = |i: usize| i > 0 && sizes[i].jump > JUMP;
    (0..sizes.len())
        .filter(|&i| {
            i % step == 0
                || i + 1 == sizes.len()
                || jumps(i)
                || (i + 1 < sizes.len() && jumps(i + 1))
        })
        .map(|i| &sizes[i])
        .collect()
}

/// Text in lines of at most `width` columns.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let len = word.chars().count();
        if column > 0 && column + 1 + len > width {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += len;
    }
    out.push('\n');
    out
}
