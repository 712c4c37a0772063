//! Tables of the page, and the sections that consist of one.

use stats::analysis::{
    Analysis, Breakdown, Group, SizePoint, SlowMessage, Stage, StageView, Summary,
};
use stats::launches::LAUNCHES_LEAST;

use crate::charts::Section;
use crate::charts::sizes::JUMP;
use crate::escape::html;
use crate::facts::Facts;
use crate::finding::{parts, quantile, remarks};
use crate::format::{NONE, count, part, quantile_name, size, time, time_or_none};
use crate::palette::{PARTS, class, letter, name, title};

/// Quantiles with their intervals, for each stage and for cycles.
pub(crate) fn quantiles_section(run: &str, analysis: &Analysis) -> Option<Section> {
    let columns = columns(analysis);
    if columns.is_empty() {
        return None;
    }
    let sentence = format!(
        "Below each figure is its 95 % interval, {}. Quantiles stop where fewer than ten messages \
        lie beyond them, and those of \
         the stages do not add up to those end to end. The effective count is the number of \
         independent messages that would determine the mean as well.",
        interval_of(analysis.launches.launches.len())
    );
    let mut section = Section::new(run, "quantiles", "Quantiles", sentence);
    section.below = quantile_table(&columns, "messages");
    let remarks = remarks(analysis);
    if !remarks.is_empty() {
        section.below.push_str(&list("remarks", &remarks));
    }
    Some(section)
}

/// What the intervals of so many launches are of.
pub(crate) fn interval_of(launches: usize) -> String {
    match launches {
        0 | 1 => {
            "of this launch alone, by resampling its blocks of messages: another launch may differ \
            by more"
                .to_owned()
        }
        few if few < LAUNCHES_LEAST => format!(
            "of these {few} launches alone, by resampling the blocks of messages of each: fewer \
            than {LAUNCHES_LEAST} do not show how \
             far another launch may differ"
        ),
        _ => "by resampling launches and blocks of messages".to_owned(),
    }
}

/// A column of the quantile table: heading as HTML, and its figures.
fn columns(analysis: &Analysis) -> Vec<(String, &Summary)> {
    let stage = |view: &StageView| {
        format!(
            "<span class=\"swatch {}\"></span>{} <span class=letter>{}</span>",
            class(view.stage),
            title(view.stage),
            letter(view.stage)
        )
    };
    let mut columns: Vec<_> =
        analysis.stages.iter().map(|view| (stage(view), &view.summary)).collect();
    columns.extend(
        analysis
            .cycles
            .iter()
            .map(|view| ("<span class=\"swatch cycle\"></span>Cycle".to_owned(), &view.summary)),
    );
    columns
}

/// One column a heading (as HTML), one row a figure; `what` was counted.
pub(crate) fn quantile_table(columns: &[(String, &Summary)], what: &str) -> String {
    let mut ps: Vec<f64> =
        columns.iter().flat_map(|(_, s)| s.quantiles.iter().map(|q| q.p)).collect();
    ps.sort_by(f64::total_cmp);
    ps.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let mut rows = vec![row("minimum", columns, |s| time(s.min_ns as f64))];
    rows.extend(ps.iter().map(|p| row(&quantile_name(*p), columns, |s| quantile_cell(s, *p))));
    rows.push(row("maximum", columns, |s| time(s.max_ns as f64)));
    rows.push(row("mean", columns, |s| time(s.mean_ns)));
    rows.push(row("standard deviation", columns, |s| time(s.sd_ns)));
    rows.push(row(what, columns, |s| count(s.count)));
    if columns.iter().any(|(_, summary)| summary.effective_count.is_some()) {
        rows.push(row("effective count", columns, |s| {
            s.effective_count.map_or_else(|| NONE.to_owned(), |n| count(n.round() as u64))
        }));
    }
    let heads: String = columns.iter().map(|(head, _)| format!("<th scope=col>{head}")).collect();
    wrap(&format!("<table class=figures><thead><tr><td>{heads}<tbody>{}</table>", rows.concat()))
}

fn row(head: &str, columns: &[(String, &Summary)], cell: impl Fn(&Summary) -> String) -> String {
    let cells: String = columns
        .iter()
        .map(|(_, summary)| {
            format!("<td>{}", if summary.count == 0 { NONE.to_owned() } else { cell(summary) })
        })
        .collect();
    format!("<tr><th scope=row>{head}{cells}")
}

fn quantile_cell(summary: &Summary, p: f64) -> String {
    let Some(quantile) = summary.quantiles.iter().find(|q| (q.p - p).abs() < 1e-9) else {
        return NONE.to_owned();
    };
    let value = time(quantile.value_ns as f64);
    match quantile.interval_ns {
        Some((low, high)) => {
            format!("{value}<small>{} to {}</small>", time(low as f64), time(high as f64))
        }
        None => value,
    }
}

/// The slowest messages, one row each.
pub(crate) fn slowest_section(run: &str, analysis: &Analysis) -> Option<Section> {
    let slow = &analysis.slowest[..analysis.slowest.len().min(10)];
    let shown = parts(analysis);
    if slow.is_empty() {
        return None;
    }
    let heading =
        if slow.len() == 10 { "The ten slowest messages" } else { "The slowest messages" };
    let sentence = "Each with its identity (launch, source node, number), so that it can be found \
    in the run folder.";
    let mut section = Section::new(run, "slowest", heading, sentence.to_owned());
    let rows: String = slow.iter().map(|message| slow_row(message, &shown)).collect();
    section.below = wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Message<th scope=col>From → to<th \
        scope=col>Payload<th \
         scope=col>Ready at<th scope=col>End to end{}<th scope=col>Where its time \
         went<tbody>{rows}</table>",
        shown
            .iter()
            .map(|(_, s)| format!(
                "<th scope=col><span class=\"swatch {}\"></span>{}",
                class(*s),
                title(*s)
            ))
            .collect::<String>()
    ));
    Some(section)
}

fn slow_row(message: &SlowMessage, shown: &[(usize, Stage)]) -> String {
    let stages = std::iter::once(0).chain(shown.iter().map(|(at, _)| at + 1));
    let times: String =
        stages.map(|stage| format!("<td>{}", time_or_none(message.stage_ns[stage]))).collect();
    format!(
        "<tr><th scope=row>{} · {} · {}<td>{} → {}<td>{}<td>{}{times}<td class=barcell>{}",
        message.launch,
        message.src,
        message.seq,
        message.src,
        message.dst,
        size(message.bytes),
        time(message.ready_ns as f64),
        mini_bar(&message_shares(message))
    )
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

/// A small bar of the three stages, with its parts in words for those who cannot see it.
pub(crate) fn mini_bar(shares: &[(Stage, f64)]) -> String {
    if shares.is_empty() {
        return NONE.to_owned();
    }
    let words: Vec<String> =
        shares.iter().map(|(s, share)| format!("{} {}", name(*s), part(*share))).collect();
    let parts: String = shares
        .iter()
        .filter(|(_, share)| *share > 0.0)
        .map(|(stage, share)| {
            format!("<i class=\"{}\" style=\"flex-grow:{:.4}\"></i>", class(*stage), share)
        })
        .collect();
    let words = words.join(", ");
    format!("<span class=minibar role=img aria-label=\"{words}\" title=\"{words}\">{parts}</span>")
}

/// Figures of each group of a breakdown, folded away when there are many.
pub(crate) fn groups(breakdown: &Breakdown, by: &str) -> String {
    let heads: String = [Stage::EndToEnd]
        .iter()
        .chain(&PARTS)
        .filter(|stage| breakdown.groups.iter().any(|g| summary_of(g, **stage).is_some()))
        .map(|stage| {
            let title = title(*stage);
            format!(
                "<th scope=col><span class=\"swatch {}\"></span>{title} p50<th scope=col>p99",
                class(*stage)
            )
        })
        .collect();
    let rows: String = breakdown.groups.iter().map(|group| group_row(group, breakdown)).collect();
    let table = wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>{by}<th \
        scope=col>Messages{heads}<tbody>{rows}</table>"
    ));
    let left_out = match breakdown.left_out {
        (0, _) => String::new(),
        (groups, messages) => format!(
            "<p class=note>{} more groups with {} messages are not shown.</p>",
            count(groups),
            count(messages)
        ),
    };
    if breakdown.groups.len() <= 8 {
        return table + &left_out;
    }
    format!(
        "<details class=fold><summary>Table of all {} groups</summary>{table}</details>{left_out}",
        breakdown.groups.len()
    )
}

fn summary_of(group: &Group, stage: Stage) -> Option<&Summary> {
    group.stages.iter().find(|(s, _)| *s == stage).map(|(_, summary)| summary)
}

fn group_row(group: &Group, breakdown: &Breakdown) -> String {
    let messages = group.stages.iter().map(|(_, summary)| summary.count).max().unwrap_or(0);
    let cells: String = [Stage::EndToEnd]
        .iter()
        .chain(&PARTS)
        .filter(|stage| breakdown.groups.iter().any(|g| summary_of(g, **stage).is_some()))
        .map(|stage| {
            let summary = summary_of(group, *stage);
            let at = |p| time_or_none(summary.and_then(|s| quantile(s, p)));
            format!("<td>{}<td>{}", at(0.5), at(0.99))
        })
        .collect();
    format!("<tr><th scope=row>{}<td>{}{cells}", html(&group.label), count(messages))
}

/// Sizes of a sweep, jumps marked.
pub(crate) fn sizes(sizes: &[SizePoint]) -> String {
    let rows: String = sizes
        .iter()
        .enumerate()
        .map(|(i, point)| {
            let jumped = i > 0 && point.jump > JUMP;
            let jump = if i == 0 {
                NONE.to_owned()
            } else {
                format!("{:+.1}\u{a0}%", point.jump * 100.0).replace('-', "−")
            };
            format!(
                "<tr{}><th scope=row>{}<td>{}<td>{}<td>{}<td>{}<td>{jump}",
                if jumped { " class=jump" } else { "" },
                size(point.bytes),
                count(point.count),
                time(point.min_ns as f64),
                time(point.p50_ns as f64),
                time(point.p99_ns as f64),
            )
        })
        .collect();
    let table = wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Payload<th scope=col>Count<th \
        scope=col>Fastest<th \
         scope=col>p50<th scope=col>p99<th scope=col>Median over the size \
         before<tbody>{rows}</table>"
    ));
    format!(
        "<details class=fold><summary>Table of all {} sizes</summary>{table}</details>",
        sizes.len()
    )
}

/// Everything about how the run came about.
pub(crate) fn facts_section(run: &str, facts: &Facts) -> Section {
    let sentence = "How this run came about, in full; the same stands in its run.json.";
    let mut section = Section::new(run, "facts", "The run", sentence.to_owned());
    let mut pairs: Vec<(String, String)> = vec![
        ("Command".to_owned(), facts.command.clone()),
        ("Started".to_owned(), facts.started.clone()),
        ("Program".to_owned(), facts.program.clone()),
    ];
    pairs.extend(facts.parameters.iter().cloned());
    let mut body = format!(
        "<div class=pairs>{}{}",
        block("What ran", &pairs),
        block("Machine", &facts.machine)
    );
    body.push_str("</div>");
    if let Some(outcome) = &facts.outcome {
        body.push_str(&format!(
            "<div class=pairs>{}</div>",
            block("Result, as the engine counted", &outcome.said)
        ));
    }
    if !facts.clock.models.is_empty() {
        body.push_str("<h4>Clock models</h4>");
        body.push_str(&list("plain", &facts.clock.models));
    }
    if !facts.notes.is_empty() {
        body.push_str("<h4>Notes</h4>");
        body.push_str(&list("plain", &facts.notes));
    }
    section.below = body;
    section
}

fn block(title: &str, pairs: &[(String, String)]) -> String {
    let rows: String = pairs
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("<div><dt>{}</dt><dd>{}</dd></div>", html(name), html(value)))
        .collect();
    format!("<div><h4>{title}</h4><dl>{rows}</dl></div>")
}

/// A list of lines from outside.
pub(crate) fn list(class: &str, lines: &[String]) -> String {
    let items: String = lines.iter().map(|line| format!("<li>{}</li>", html(line))).collect();
    format!("<ul class={class}>{items}</ul>")
}

/// Wide tables scroll within themselves on narrow screens.
pub(crate) fn wrap(table: &str) -> String {
    format!("<div class=scroll tabindex=0>{table}</div>")
}
