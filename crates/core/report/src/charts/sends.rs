//! Times between successive sends, and that time per message served meanwhile.

use stats::analysis::{Analysis, SendView, StageView};

use super::bins::{Scale, histogram};
use super::counts::whole_number_bars;
use crate::finding::quantile;
use document::chart::{Axis, Chart, Mode, log_counts};
use document::{Colour, Section, time_or_none};

pub(super) fn section(analysis: &Analysis, noun: &str) -> Option<Section> {
    let sends = analysis.sends.as_ref()?;
    let mut section = Section::new("sends", "Between sends", sentence(sends, noun));
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

fn sentence(sends: &SendView, noun: &str) -> String {
    let median = time_or_none(quantile(&sends.interval.summary, 0.5));
    let per_served = sends.per_served.as_ref().and_then(|view| quantile(&view.summary, 0.5));
    let served = match per_served {
        Some(_) => format!(
            ". Divided by the messages that the {noun} served meanwhile, it is {} for each",
            time_or_none(per_served)
        ),
        None => String::new(),
    };
    format!(
        "The median time from a {noun}'s last send to the same {noun}, whatever that was, to the \
        send of a message shown here is {median}{served}."
    )
}

fn times(key: &'static str, title: &str, view: &StageView) -> Chart {
    let axes = (Axis::time("time").log(), Axis::count("sends"));
    let mut chart = Chart::new(key, 240, format!("Histogram: {title}."), axes).titled(title);
    chart.draw(histogram(&view.log_bins, Scale::Log, Colour("b")));
    let largest = view.log_bins.iter().map(|bin| bin.count).max().unwrap_or(1);
    chart.modes = modes(&chart, largest);
    chart
}

fn served(served: &[(u64, u64)]) -> Chart {
    let axes = (Axis::count("messages served between two sends"), Axis::count("sends"));
    let label = "Histogram of messages served between two sends.".to_owned();
    let title = "Messages served between two sends";
    let mut chart = Chart::new("served", 240, label, axes).titled(title).gap(0.05);
    let ranges: Vec<(u64, u64, u64)> =
        served.iter().map(|(value, n)| (*value, *value, *n)).collect();
    chart.draw(whole_number_bars(&ranges, Colour("d")));
    chart.modes = modes(&chart, served.iter().map(|(_, n)| *n).max().unwrap_or(1));
    chart
}

fn modes(chart: &Chart, largest: u64) -> Vec<Mode> {
    let log = chart.mode("log").y(log_counts(Axis::count("sends"), largest));
    vec![chart.mode("linear"), log]
}
