//! Where the time of fast and of slow messages went.

use stats::analysis::{Analysis, Share, Stage};

use crate::facts::Facts;
use crate::finding::parts;
use crate::finding::tail;
use crate::palette::{colour, name, title};
use document::chart::{Axis, Bars, Chart};
use document::{Section, axis_seconds, counted, part, quantile_name, quantile_percent, time};

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
    let of_names = Axis::names("messages by end-to-end time, and their mean");
    let axes = (of_names, Axis::part("part of the time").range(0.0, 1.0));
    let label = "Stacked bars: part of send wait, transit and receive wait by end-to-end quantile."
        .to_owned();
    let mut chart = Chart::new("shares", 340, label, axes).stacked(0.22);
    let names: Vec<String> = shares.iter().map(axis_name).collect();
    let mean = |share: &Share, i: usize| axis_seconds(share.stage_mean_ns[i]);
    for value in [share_of, mean] {
        for &(i, stage) in shown {
            let values: Vec<f64> = shares.iter().map(|share| value(share, i)).collect();
            let bars = Bars::new(names.clone(), values, colour(stage));
            chart.draw(bars.tips(texts(shares, stage, i)));
        }
    }
    let seen = |parts: bool| (0..2 * shown.len()).map(move |at| (at < shown.len()) == parts);
    let mean_time = chart.mode("mean time").seeing(seen(false)).y(Axis::time("mean time"));
    chart.modes = vec![chart.mode("part of time").seeing(seen(true)), mean_time];
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
    format!("{range}\n{}", time(share.mean_ns))
}

fn texts(shares: &[Share], stage: Stage, i: usize) -> Vec<String> {
    shares
        .iter()
        .map(|share| {
            format!(
                "{} of {} in {}\nmean of {} from {} to {}",
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
