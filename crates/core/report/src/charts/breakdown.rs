//! The messages by hops, packets, bytes, pair, kind and launch.

use plotly::common::{Anchor, Orientation};
use plotly::layout::{Axis, AxisType, BarMode, Legend, Margin, TraceOrder};
use stats::analysis::{Analysis, Breakdown, By, Group, Stage, Summary};

use super::Section;
use crate::chart::{Chart, Scale, bars, count_axis, layout, lying, scale_of, stacked, time_axis};
use crate::escape;
use crate::format::{axis_seconds, counted, time};
use crate::palette::{PARTS, class, name, ordered, title, token};
use crate::tables;

/// Groups beyond these would be too thin to read; the table below has them all.
const BARS_AT_MOST: usize = 40;
const AREAS_AT_MOST: usize = 12;

pub(super) fn sections(run: &str, analysis: &Analysis) -> Vec<Section> {
    // Launches have a section of their own.
    analysis
        .breakdowns
        .iter()
        .filter(|b| b.by != By::Launch && !b.groups.is_empty())
        .map(|b| section(run, b))
        .collect()
}

fn section(run: &str, breakdown: &Breakdown) -> Section {
    let words = words(breakdown.by);
    let mut section = Section::new(run, words.key, words.title, words.sentence.to_owned());
    if matches!(breakdown.by, By::Hops | By::Packets)
        && breakdown.groups.iter().any(|g| !g.bins.is_empty())
    {
        section.charts.push(areas(run, breakdown, &words));
    }
    if has_parts(breakdown) {
        let shown = PARTS.iter().filter(|stage| {
            breakdown.groups.iter().any(|group| stage_of(group, **stage).is_some())
        });
        section.legend = shown.map(|s| (title(*s).to_owned(), class(*s).to_owned())).collect();
        section.charts.push(means(run, breakdown, &words));
    }
    section.columns = section.charts.len().clamp(1, 2);
    section.below = tables::groups(breakdown, words.group);
    section
}

struct Words {
    key: &'static str,
    title: &'static str,
    sentence: &'static str,
    group: &'static str,
}

fn words(by: By) -> Words {
    let (key, title, sentence, group) = match by {
        By::Hops => (
            "hops",
            "By hops",
            "Transit by the number of links crossed: equal steps between the peaks are the cost of \
            one hop.",
            "hops",
        ),
        By::Packets => (
            "packets",
            "By packets",
            "Transit by the number of packets that carried the message: equal steps are the cost \
            of one packet.",
            "packets",
        ),
        By::Bytes => ("bytes", "By size", "Where the time went for each message size.", "payload"),
        By::Pair => (
            "pair",
            "By node pair",
            "Where the time went for each pair of nodes; one pair that differs points to a place, \
            not to a program.",
            "from → to",
        ),
        By::Kind => ("kind", "By kind", "Where the time went for each kind of message.", "kind"),
        By::Launch => ("launch", "By launch", "Where the time went in each launch.", "launch"),
    };
    Words { key, title, sentence, group }
}

fn has_parts(breakdown: &Breakdown) -> bool {
    breakdown.groups.iter().any(|group| PARTS.iter().any(|stage| stage_of(group, *stage).is_some()))
}

fn stage_of(group: &Group, stage: Stage) -> Option<&Summary> {
    group.stages.iter().find(|(s, _)| *s == stage).map(|(_, summary)| summary)
}

fn areas(run: &str, breakdown: &Breakdown, words: &Words) -> Chart {
    let scale = breakdown
        .groups
        .iter()
        .find(|g| !g.bins.is_empty())
        .map_or(Scale::Linear, |g| scale_of(&g.bins));
    let (kind, axis) = match scale {
        Scale::Log => (AxisType::Log, "transit time (log)"),
        Scale::Linear => (AxisType::Linear, "transit time"),
    };
    let axes = layout()
        .show_legend(true)
        .legend(
            Legend::new()
                .orientation(Orientation::Horizontal)
                .y(1.02)
                .y_anchor(Anchor::Bottom)
                .trace_order(TraceOrder::Normal),
        )
        .margin(Margin::new().left(56).right(16).top(44).bottom(44))
        .x_axis(time_axis(axis, kind))
        .y_axis(count_axis("messages", AxisType::Linear));
    let label = format!("Stacked histogram of transit time by {}.", words.group);
    let mut chart = Chart::new(format!("{run}-areas-{}", words.key), 320, label, axes)
        .titled("Transit, stacked");
    let shown = breakdown.groups.len().min(AREAS_AT_MOST);
    for (i, group) in breakdown.groups.iter().take(shown).enumerate() {
        let name = match (words.group, group.label.as_str()) {
            (group, "1") => format!("1 {}", group.trim_end_matches('s')),
            (group, label) => format!("{label} {group}"),
        };
        chart.data.push(stacked(&group.bins, &name, &ordered(i, shown)));
    }
    chart
}

fn means(run: &str, breakdown: &Breakdown, words: &Words) -> Chart {
    let shown = &breakdown.groups[..breakdown.groups.len().min(BARS_AT_MOST)];
    let axes = layout()
        .bar_mode(BarMode::Stack)
        .bar_gap(0.25)
        .margin(Margin::new().left(72).right(16).top(10).bottom(44))
        .x_axis(time_axis("mean time", AxisType::Linear))
        .y_axis(
            Axis::new()
                .title(words.group)
                .type_(AxisType::Category)
                .auto_margin(true)
                // First group on top, as in the table.
                .range(vec![shown.len() as f64 - 0.4, -0.6]),
        );
    let height = (90 + 26 * shown.len() as u32).max(210);
    let label = format!("Mean time in each stage by {}.", words.group);
    let mut chart = Chart::new(format!("{run}-means-{}", words.key), height, label, axes)
        .titled("Mean time in each stage");
    for stage in PARTS {
        chart.data.push(stage_bars(shown, stage));
    }
    chart
}

fn stage_bars(groups: &[Group], stage: Stage) -> Box<plotly::Bar<f64, String>> {
    let with: Vec<(&Group, &Summary)> =
        groups.iter().filter_map(|g| Some((g, stage_of(g, stage)?))).collect();
    let x = with.iter().map(|(_, summary)| axis_seconds(summary.mean_ns)).collect();
    let y = with.iter().map(|(group, _)| escape::chart_label(&group.label)).collect();
    let texts = with
        .iter()
        .map(|(group, summary)| {
            format!(
                "{}: mean <b>{}</b> in {}<br>{}",
                escape::chart_label(&group.label),
                time(summary.mean_ns),
                name(stage),
                counted(summary.count, "message")
            )
        })
        .collect();
    lying(bars(x, y, texts, title(stage), token(stage)))
}
