//! What each rank's time went to.

use crate::found::{Activity, Mpi, RankTime};
use plotly::layout::{Axis, AxisType, BarMode, Margin};

use super::tables;
use crate::words::{activity_colour, activity_title};
use document::Section;
use document::chart::{Chart, bars, layout, lying, part_axis};
use document::{counted, part, time};

/// More bars would be too thin to read; the table below has all ranks.
const BARS_AT_MOST: usize = 64;

pub(super) fn section(mpi: &Mpi) -> Option<Section> {
    let calls = mpi.calls.as_ref()?;
    let shown: Vec<&RankTime> =
        calls.ranks.iter().filter(|rank| rank.elapsed_ns > 0).take(BARS_AT_MOST).collect();
    if shown.is_empty() {
        return None;
    }
    let (inside, whole) = calls.ranks.iter().fold((0.0, 0.0), |(inside, whole), rank| {
        let all = rank.elapsed_ns as f64 * rank.threads.max(1) as f64;
        (inside + all - rank.activity_ns[0] as f64, whole + all)
    });
    let sentence = format!(
        "From each rank's first call to the end of its last, {} of the time of all {} was in MPI. \
        A rank that computes longer than \
         the others is one that they wait for.",
        part(inside / whole),
        counted(calls.ranks.len() as u64, "rank")
    );
    let mut section = Section::new("mpi-ranks", "Where each rank's time went", sentence);
    section.legend = Activity::ALL
        .iter()
        .map(|activity| (activity_title(*activity).to_owned(), activity_colour(*activity)))
        .collect();
    section.charts.push(chart(&shown));
    Some(section.table(tables::ranks(&calls.ranks)))
}

fn chart(ranks: &[&RankTime]) -> Chart {
    let mut part_of_time = part_axis("part of the time", AxisType::Linear);
    if ranks.iter().all(|rank| rank.activity_ns[0] >= 0) {
        part_of_time = part_of_time.range(vec![0.0, 1.0]);
    }
    let axes = layout()
        .bar_mode(BarMode::Relative)
        .bar_gap(0.25)
        .margin(Margin::new().left(72).right(16).top(10).bottom(44))
        .x_axis(part_of_time)
        .y_axis(
            Axis::new()
                .title("rank")
                .type_(AxisType::Category)
                .auto_margin(true)
                .range(vec![ranks.len() as f64 - 0.4, -0.6]),
        );
    let height = (90 + 26 * ranks.len() as u32).max(180);
    let label = "Share of each rank's time in computing and in each kind of MPI call.".to_owned();
    let mut chart = Chart::new("mpi-ranks-bars", height, label, axes);
    for activity in Activity::ALL {
        let (title, colour) = (activity_title(activity), activity_colour(activity));
        let ns = |rank: &RankTime| rank.activity_ns[activity as usize] as f64;
        let share =
            |rank: &RankTime| ns(rank) / (rank.elapsed_ns as f64 * rank.threads.max(1) as f64);
        let x = ranks.iter().map(|rank| (share(rank) * 1e5).round() / 1e5).collect();
        let y = ranks.iter().map(|rank| rank.rank.to_string()).collect();
        let text = |rank: &&RankTime| {
            format!(
                "rank {}: <b>{}</b> {title}<br>{}",
                rank.rank,
                part(share(rank)),
                time(ns(rank))
            )
        };
        let texts = ranks.iter().map(text).collect();
        chart.data.push(lying(bars(x, y, texts, title, &colour.token())));
    }
    chart
}
