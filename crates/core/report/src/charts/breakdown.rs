//! The messages by hops, packets, bytes, pair, kind and launch.

use plotly::common::{Anchor, Orientation};
use plotly::layout::{Axis, AxisType, BarMode, Legend, Margin, TraceOrder};
use stats::analysis::{Analysis, Breakdown, By, Group, Stage, Summary};

use super::bins::{Scale, scale_of, stacked};
use crate::palette::{PARTS, colour, name, title};
use crate::tables;
use document::Section;
use document::chart::{Chart, bars, count_axis, layout, lying, time_axis};
use document::{axis_seconds, chart_label, counted, ordered, time};

/// Groups beyond these would be too thin to read; the table below has them all.
const BARS_AT_MOST: usize = 40;
const AREAS_AT_MOST: usize = 12;

pub(super) fn sections(analysis: &Analysis) -> Vec<Section> {
    // Launches have a section of their own.
    analysis
        .breakdowns
        .iter()
        .filter(|b| b.by != By::Launch && !b.groups.is_empty())
        .map(section)
        .collect()
}

fn section(breakdown: &Breakdown) -> Section {
    let words = words(breakdown.by);
    let mut section = Section::new(words.key, words.title, words.sentence.to_owned());
    if matches!(breakdown.by, By::Hops | By::Packets)
        && breakdown.groups.iter().any(|g| !g.bins.is_empty())
    {
        section.charts.push(areas(breakdown, &words));
    }
    if has_parts(breakdown) {
        let shown = PARTS.iter().filter(|stage| {
            breakdown.groups.iter().any(|group| stage_of(group, **stage).is_some())
        });
        section.legend = shown.map(|s| (title(*s).to_owned(), colour(*s))).collect();
        section.charts.push(means(breakdown, &words));
    }
    section.columns = section.charts.len().clamp(1, 2);
    section.table(tables::groups(words.table, breakdown, words.group))
}

struct Words {
    key: &'static str,
    /// Its table's name.
    table: &'static str,
    title: &'static str,
    sentence: &'static str,
    group: &'static str,
}

fn words(by: By) -> Words {
    let (key, table, title, sentence, group) = match by {
        By::Hops => (
            "hops",
            "by-hops",
            "By hops",
            "Transit by the number of links crossed: equal steps between the peaks are the cost of \
            one hop.",
            "hops",
        ),
        By::Packets => (
            "packets",
            "by-packets",
            "By packets",
            "Transit by the number of packets that carried the message: equal steps are the cost \
            of one packet.",
            "packets",
        ),
        By::Bytes => (
            "bytes",
            "by-bytes",
            "By size",
            "Where the time went for each message size.",
            "payload",
        ),
        By::Pair => (
            "pair",
            "by-pair",
            "By node pair",
            "Where the time went for each pair of nodes; one pair that differs points to a place, \
            not to a program.",
            "from → to",
        ),
        By::Kind => {
            ("kind", "by-kind", "By kind", "Where the time went for each kind of message.", "kind")
        }
        By::Launch => {
            ("launch", "by-launch", "By launch", "Where the time went in each launch.", "launch")
        }
    };
    Words { key, table, title, sentence, group }
}

fn has_parts(breakdown: &Breakdown) -> bool {
    breakdown.groups.iter().any(|group| PARTS.iter().any(|stage| stage_of(group, *stage).is_some()))
}

fn stage_of(group: &Group, stage: Stage) -> Option<&Summary> {
    group.stages.iter().find(|(s, _)| *s == stage).map(|(_, summary)| summary)
}

fn areas(breakdown: &Breakdown, words: &Words) -> Chart {
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
    let mut chart =
        Chart::new(format!("areas-{}", words.key), 320, label, axes).titled("Transit, stacked");
    let shown = breakdown.groups.len().min(AREAS_AT_MOST);
    for (i, group) in breakdown.groups.iter().take(shown).enumerate() {
        let name = match (words.group, group.label.as_str()) {
            (group, "1") => format!("1 {}", group.trim_end_matches('s')),
            (group, label) => format!("{label} {group}"),
        };
        chart.data.push(stacked(&group.bins, &name, &ordered(i, shown).token()));
    }
    chart
}

fn means(breakdown: &Breakdown, words: &Words) -> Chart {
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
    let mut chart = Chart::new(format!("means-{}", words.key), height, label, axes)
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
    let y = with.iter().map(|(group, _)| chart_label(&group.label)).collect();
    let texts = with
        .iter()
        .map(|(group, summary)| {
            format!(
                "{}: mean <b>{}</b> in {}<br>{}",
                chart_label(&group.label),
                time(summary.mean_ns),
                name(stage),
                counted(summary.count, "message")
            )
        })
        .collect();
    lying(bars(x, y, texts, title(stage), &colour(stage).token()))
}
