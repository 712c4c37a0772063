//! Queue lengths and messages in flight.

use plotly::layout::AxisType;
use serde_json::json;
use stats::analysis::{Analysis, CountView, Counted};

use document::Section;
use document::chart::{Chart, bars, count_axis, layout, log_count_range, mode};
use document::count;

pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    let views: Vec<&CountView> =
        analysis.counts.iter().filter(|view| !view.bars.is_empty()).collect();
    if views.is_empty() {
        return None;
    }
    let sentence = "What a message met on its way: long queues mean that the receiver is the \
    bottleneck, many in flight \
                    that the sender runs ahead of it.";
    let mut section = Section::new("queues", "Queues and messages in flight", sentence.to_owned());
    section.columns = views.len().min(2);
    section.charts = views.iter().map(|view| chart(view)).collect();
    section.page_only = true;
    Some(section)
}

fn chart(view: &CountView) -> Chart {
    let (key, name) = names(view.of);
    let label = format!("Histogram of {name}: mean {:.1}, largest {}.", view.mean, count(view.max));
    let axes = layout()
        .bar_gap(0.05)
        .x_axis(count_axis(name, AxisType::Linear))
        .y_axis(count_axis("messages", AxisType::Linear));
    let mut chart = Chart::new(key, 250, label, axes).titled(format!(
        "{name}: mean {:.1}, largest {}",
        view.mean,
        count(view.max)
    ));
    chart.data.push(whole_number_bars(&view.bars, "@a"));
    let largest = view.bars.iter().map(|bar| bar.2).max().unwrap_or(1);
    chart.modes = vec![
        mode("linear", None, json!({})),
        mode(
            "semi-log",
            None,
            json!({"yaxis.type": "log", "yaxis.range": log_count_range(largest)}),
        ),
    ];
    chart
}

/// Bars over ranges (inclusive) of whole numbers.
pub(super) fn whole_number_bars(
    ranges: &[(u64, u64, u64)],
    colour: &str,
) -> Box<plotly::Bar<f64, u64>> {
    let x = ranges.iter().map(|(from, to, _)| (*from as f64 + *to as f64) / 2.0).collect();
    let y = ranges.iter().map(|(_, _, n)| *n).collect();
    let texts = ranges
        .iter()
        .map(|(from, to, n)| {
            let range = if from == to {
                count(*from)
            } else {
                format!("{} to {}", count(*from), count(*to))
            };
            format!("{range}: <b>{}</b> times", count(*n))
        })
        .collect();
    bars(x, y, texts, "", colour)
}

fn names(counted: Counted) -> (&'static str, &'static str) {
    match counted {
        Counted::QueueLength => ("queue-length", "messages in the receive queue at arrival"),
        Counted::InFlight => ("in-flight", "messages in flight at the send"),
        Counted::OnNodeWaited => ("on-node-waited", "on-node messages handled while it waited"),
    }
}
