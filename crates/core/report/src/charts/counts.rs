//! Queue lengths and messages in flight.

use stats::analysis::{Analysis, CountView, Counted};

use document::chart::{Axis, Bars, Chart, log_counts};
use document::{Colour, Section, count};

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
    let axes = (Axis::count(name), Axis::count("messages"));
    let title = format!("{name}: mean {:.1}, largest {}", view.mean, count(view.max));
    let mut chart = Chart::new(key, 250, label, axes).titled(title).gap(0.05);
    chart.draw(whole_number_bars(&view.bars, Colour("a")));
    let largest = view.bars.iter().map(|bar| bar.2).max().unwrap_or(1);
    let semi_log = chart.mode("semi-log").y(log_counts(Axis::count("messages"), largest));
    chart.modes = vec![chart.mode("linear"), semi_log];
    chart
}

/// Bars over ranges (inclusive) of whole numbers.
pub(super) fn whole_number_bars(ranges: &[(u64, u64, u64)], colour: Colour) -> Bars {
    let x: Vec<f64> =
        ranges.iter().map(|(from, to, _)| (*from as f64 + *to as f64) / 2.0).collect();
    let y: Vec<u64> = ranges.iter().map(|(_, _, n)| *n).collect();
    let tip = |(from, to, n): &(u64, u64, u64)| {
        let end = if from == to { String::new() } else { format!(" to {}", count(*to)) };
        format!("{}{end}: {} times", count(*from), count(*n))
    };
    Bars::new(x, y, colour).tips(ranges.iter().map(tip).collect())
}

fn names(counted: Counted) -> (&'static str, &'static str) {
    match counted {
        Counted::QueueLength => ("queue-length", "messages in the receive queue at arrival"),
        Counted::InFlight => ("in-flight", "messages in flight at the send"),
        Counted::OnNodeWaited => ("on-node-waited", "on-node messages handled while it waited"),
    }
}
