//! What each rank's time went to.

use crate::found::{Activity, Mpi, RankTime};

use super::tables;
use crate::words::{activity_colour, activity_title};
use document::chart::{Axis, Bars, Chart};
use document::{Section, counted, part, time};

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
    let mut part_of_time = Axis::part("part of the time");
    if ranks.iter().all(|rank| rank.activity_ns[0] >= 0) {
        part_of_time = part_of_time.range(0.0, 1.0);
    }
    let axes = (part_of_time, Axis::names("rank").downwards());
    let height = (90 + 26 * ranks.len() as u32).max(180);
    let label = "Share of each rank's time in computing and in each kind of MPI call.".to_owned();
    let mut chart = Chart::new("mpi-ranks-bars", height, label, axes).stacked(0.25);
    for activity in Activity::ALL {
        let title = activity_title(activity);
        let ns = |rank: &RankTime| rank.activity_ns[activity as usize] as f64;
        let share =
            |rank: &RankTime| ns(rank) / (rank.elapsed_ns as f64 * rank.threads.max(1) as f64);
        let x: Vec<f64> = ranks.iter().map(|rank| (share(rank) * 1e5).round() / 1e5).collect();
        let y: Vec<String> = ranks.iter().map(|rank| rank.rank.to_string()).collect();
        let tip = |rank: &&RankTime| {
            format!("rank {}: {} {title}\n{}", rank.rank, part(share(rank)), time(ns(rank)))
        };
        let tips = ranks.iter().map(tip).collect();
        chart.draw(Bars::lying(x, y, activity_colour(activity)).tips(tips));
    }
    chart
}
