//! Where the time of fast and of slow messages went.

use plotly::layout::{AxisType, BarMode};
use serde_json::json;
use stats::analysis::{Analysis, Share, Stage};

use crate::facts::Facts;
use crate::finding::parts;
use crate::finding::tail;
use crate::palette::{colour, name, title};
use document::Section;
use document::chart::{Chart, bars, hidden, layout, mode, part_axis};
use document::{axis_seconds, counted, part, quantile_name, quantile_percent, time};

pub(super) fn section(facts: &Facts, analysis: &Analysis) -> Option<Section> {
    if analysis.shares.is_empty() {
        return None;
    }
    let sentence = "Messages sorted by how long they took, fastest on the left: a colour that \
    grows to the right is \
                    what makes slow messages slow.";
    let sentence = match tail(facts, analysis) {
        Some(tail) => format!("{sentence} {tail}"),
        None => sentence.to_owned(),
    };
    let mut section =
        Section::new("shares", "Where fast and slow messages spend their time", sentence);
    let shown = parts(analysis);
    section.legend = shown.iter().map(|(_, s)| (title(*s).to_owned(), colour(*s))).collect();
    section.charts.push(chart(&analysis.shares, &shown));
    section.page_only = true;
    Some(section)
}

fn chart(shares: &[Share], shown: &[(usize, Stage)]) -> Chart {
    let axes = layout()
        .bar_mode(BarMode::Stack)
        .bar_gap(0.22)
        .x_axis(
            plotly::layout::Axis::new()
                .title("messages by end-to-end time, and their mean")
                .type_(AxisType::Category),
        )
        .y_axis(part_axis("part of the time", AxisType::Linear).range(vec![0.0, 1.0]));
    let label = "Stacked bars: part of send wait, transit and receive wait by end-to-end quantile."
        .to_owned();
    let mut chart = Chart::new("shares", 340, label, axes);
    let names: Vec<String> = shares.iter().map(axis_name).collect();
    for &(i, stage) in shown {
        let parts = shares.iter().map(|share| share_of(share, i)).collect();
        chart.data.push(bars(
            names.clone(),
            parts,
            texts(shares, stage, i),
            title(stage),
            &colour(stage).token(),
        ));
    }
    for &(i, stage) in shown {
        let means = shares.iter().map(|share| axis_seconds(share.stage_mean_ns[i])).collect();
        chart.data.push(hidden(bars(
            names.clone(),
            means,
            texts(shares, stage, i),
            title(stage),
            &colour(stage).token(),
        )));
    }
    let mean = json!({
        "yaxis.title.text": "mean \
        time", "yaxis.tickformat": "~s", "yaxis.ticksuffix": "s", "yaxis.range": null,
        "yaxis.autorange": true,
    });
    let seen = |parts: bool| (0..2 * shown.len()).map(|at| (at < shown.len()) == parts).collect();
    chart.modes = vec![
        mode("part of time", Some(seen(true)), json!({})),
        mode("mean time", Some(seen(false)), mean),
    ];
    chart
}

fn share_of(share: &Share, i: usize) -> f64 {
    let whole: f64 = share.stage_mean_ns.iter().sum();
    if whole > 0.0 { (share.stage_mean_ns[i] / whole * 1e4).round() / 1e4 } else { 0.0 }
}

fn axis_name(share: &Share) -> String {
    let range = if share.from_p <= 0.0 {
        format!("fastest {}", quantile_percent(share.to_p))
    } else if share.to_p >= 1.0 {
        format!("slowest {}", quantile_percent(1.0 - share.from_p))
    } else {
        format!("{}–{}", &quantile_name(share.from_p)[1..], quantile_percent(share.to_p))
    };
    format!("{range}<br>{}", time(share.mean_ns))
}

fn texts(shares: &[Share], stage: Stage, i: usize) -> Vec<String> {
    shares
        .iter()
        .map(|share| {
            format!(
                "<b>{}</b> of {} in {}<br>mean of {} from {} to {}",
                part(share_of(share, i)),
                time(share.mean_ns),
                name(stage),
                counted(share.count, "message"),
                quantile_percent(share.from_p),
                quantile_percent(share.to_p),
            )
        })
        .collect()
}
