//! Times between successive sends, and that time per message served meanwhile.

use plotly::layout::AxisType;
use serde_json::json;
use stats::analysis::{Analysis, SendView, StageView};

use super::bins::{Scale, histogram};
use super::counts::whole_number_bars;
use crate::finding::quantile;
use document::Section;
use document::chart::{Chart, count_axis, layout, log_count_range, mode, time_axis};
use document::time_or_none;

pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    let sends = analysis.sends.as_ref()?;
    let mut section = Section::new("sends", "Between sends", sentence(sends));
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
    section.columns = section.charts.len().clamp(1, 3);
    (!section.charts.is_empty()).then_some(section)
}

fn sentence(sends: &SendView) -> String {
    let median = time_or_none(quantile(&sends.interval.summary, 0.5));
    let per_served = sends.per_served.as_ref().and_then(|view| quantile(&view.summary, 0.5));
    let served = match per_served {
        Some(_) => format!(
            ", {} for each message that the node served meanwhile",
            time_or_none(per_served)
        ),
        None => String::new(),
    };
    format!(
        "The median time from a node's last send to the same node, whatever that was, to the send \
        of a message shown here is \
         {median}{served}."
    )
}

fn times(key: &'static str, title: &str, view: &StageView) -> Chart {
    let axes = layout()
        .x_axis(time_axis("time (log)", AxisType::Log).n_ticks(6))
        .y_axis(count_axis("sends", AxisType::Linear));
    let mut chart = Chart::new(key, 240, format!("Histogram: {title}."), axes).titled(title);
    chart.data.push(histogram(&view.log_bins, Scale::Log, "@b"));
    let largest = view.log_bins.iter().map(|bin| bin.count).max().unwrap_or(1);
    chart.modes = modes(largest);
    chart
}

fn served(served: &[(u64, u64)]) -> Chart {
    let axes = layout()
        .bar_gap(0.05)
        .x_axis(count_axis("messages served between two sends", AxisType::Linear))
        .y_axis(count_axis("sends", AxisType::Linear));
    let label = "Histogram of messages served between two sends.".to_owned();
    let mut chart =
        Chart::new("served", 240, label, axes).titled("Messages served between two sends");
    let ranges: Vec<(u64, u64, u64)> =
        served.iter().map(|(value, n)| (*value, *value, *n)).collect();
    chart.data.push(whole_number_bars(&ranges, "@d"));
    chart.modes = modes(served.iter().map(|(_, n)| *n).max().unwrap_or(1));
    chart
}

fn modes(largest: u64) -> Vec<document::Mode> {
    vec![
        mode("linear", None, json!({})),
        mode("log", None, json!({"yaxis.type": "log", "yaxis.range": log_count_range(largest)})),
    ]
}
