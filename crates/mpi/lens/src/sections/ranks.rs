//! What each rank's time went to.

use crate::found::{Activity, Kind, Mpi, RankTime};

use super::tables;
use crate::words::{activity_colour, activity_title, kind_name};
use document::chart::{Axis, Bars, Chart};
use document::{Block, Section, counted, part, time};

/// More bars would be too thin to read: then there is one for each kind of rank. The table below
/// has all ranks.
const BARS_AT_MOST: usize = 64;

/// A bar: what it is of, the part of each activity, and what is said of a part.
struct Bar {
    name: String,
    parts: [f64; Activity::ALL.len()],
    tips: [String; Activity::ALL.len()],
}

pub(super) fn section(mpi: &Mpi) -> Option<Section> {
    let calls = mpi.calls.as_ref()?;
    let shown = calls.ranks.iter().filter(|rank| rank.elapsed_ns > 0);
    let by_kind = shown.clone().count() > BARS_AT_MOST;
    let bars: Vec<Bar> = match by_kind {
        true => calls.kinds.iter().map(of_kind).collect(),
        false => shown.map(of_rank).collect(),
    };
    if bars.is_empty() {
        return None;
    }
    let (inside, whole) = calls.ranks.iter().fold((0.0, 0.0), |(inside, whole), rank| {
        let all = rank.elapsed_ns as f64 * rank.threads.max(1) as f64;
        (inside + all - rank.activity_ns[0] as f64, whole + all)
    });
    let mut sentence = format!(
        "From each rank's first call to the end of its last, {} of the time of all {} was in MPI. \
        A rank that computes longer than \
         the others is one that they wait for.",
        part(inside / whole),
        counted(calls.ranks.len() as u64, "rank")
    );
    if by_kind {
        sentence.push_str(&alike(&calls.kinds));
    }
    let mut section = Section::new("mpi-ranks", "Where each rank's time went", sentence);
    section.legend = Activity::ALL
        .iter()
        .map(|activity| (activity_title(*activity).to_owned(), activity_colour(*activity)))
        .collect();
    section.charts.push(chart(&bars, if by_kind { "kind of rank" } else { "rank" }));
    if by_kind {
        section.blocks.push(Block::Table(tables::kinds(&calls.kinds)));
    }
    Some(section.table(tables::ranks(&calls.ranks)))
}

/// Who is like whom, in a sentence.
fn alike(kinds: &[Kind]) -> String {
    let apart = kinds.iter().map(|kind| kind.apart).fold(0.0, f64::max);
    let ranks: usize = kinds.iter().map(|kind| kind.ranks.len()).sum();
    format!(
        " There are too many ranks for a bar each: the {ranks} are taken together in {} by what \
        they spend their time on. In no activity does a rank differ from the typical one of its \
        kind by more than {} of the time.",
        counted(kinds.len() as u64, "kind"),
        part(apart)
    )
}

fn of_rank(rank: &RankTime) -> Bar {
    let whole = rank.elapsed_ns as f64 * rank.threads.max(1) as f64;
    let tip = |activity: Activity| {
        let ns = rank.activity_ns[activity as usize] as f64;
        let title = activity_title(activity);
        format!("rank {}: {} {title}\n{}", rank.rank, part(ns / whole), time(ns))
    };
    Bar {
        name: rank.rank.to_string(),
        parts: rank.activity_ns.map(|ns| ns as f64 / whole),
        tips: Activity::ALL.map(tip),
    }
}

fn of_kind(kind: &Kind) -> Bar {
    let name = kind_name(kind);
    let tip = |activity: Activity| {
        let of = part(kind.parts[activity as usize]);
        format!("{name}: {of} {} on average", activity_title(activity))
    };
    Bar { parts: kind.parts, tips: Activity::ALL.map(tip), name }
}

fn chart(bars: &[Bar], title: &str) -> Chart {
    let mut part_of_time = Axis::part("part of the time");
    if bars.iter().all(|bar| bar.parts[0] >= 0.0) {
        part_of_time = part_of_time.range(0.0, 1.0);
    }
    let axes = (part_of_time, Axis::names(title).downwards());
    let height = (90 + 26 * bars.len() as u32).max(180);
    let label = "Share of each rank's time in computing and in each kind of MPI call.".to_owned();
    let mut chart = Chart::new("mpi-ranks-bars", height, label, axes).stacked(0.25);
    for activity in Activity::ALL {
        let share = |bar: &Bar| (bar.parts[activity as usize] * 1e5).round() / 1e5;
        let x: Vec<f64> = bars.iter().map(share).collect();
        let y: Vec<String> = bars.iter().map(|bar| bar.name.clone()).collect();
        let tips = bars.iter().map(|bar| bar.tips[activity as usize].clone()).collect();
        chart.draw(Bars::lying(x, y, activity_colour(activity)).tips(tips));
    }
    chart
}
