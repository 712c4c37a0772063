//! Which rank was blocked for which: a map of rank against rank.

use crate::found::{Blocked, GroupedBy, GroupsBlocked, Mpi, Wait};
use crate::words::wait_title;

use super::tables;
use document::chart::{Chart, MAP_ROWS_AT_MOST, Square, time_map};
use document::{Block, Section};
use document::{counted, time};

pub(super) fn section(mpi: &Mpi) -> Option<Section> {
    let first = mpi.blocked.first()?;
    let ranks = mpi.blocked.iter().map(|b| b.rank.max(b.by)).max().unwrap_or(0) + 1;
    let all: i64 = mpi.blocked.iter().map(Blocked::total_ns).sum::<i64>() + mpi.blocked_left_out.1;
    let mapped = ranks as usize <= MAP_ROWS_AT_MOST;
    let one_sided = mpi.waits.iter().any(|view| view.wait.is_one_sided() && view.count > 0);
    let sentence = format!(
        "Time that ranks were blocked in calls for others, {} in all: in receiving, since the \
        other sent late; in sending, since the other posted its receive late; in collectives, \
        since the other entered late{}. A moment is counted once, for the rank that was waited for \
        last. The longest, {}, rank {} waited for rank {}.",
        time(all as f64),
        if one_sided { one_sided_words() } else { "" },
        time(first.total_ns() as f64),
        first.rank,
        first.by,
    );
    let mut section = Section::new("mpi-blocked", "Who waits for whom", sentence);
    if mapped {
        section.charts.push(chart(&mpi.blocked, ranks as usize));
    }
    section.charts.extend(mpi.groups_blocked.iter().map(groups_chart));
    section.blocks.extend(mpi.groups_blocked.iter().flat_map(of_groups));
    section.blocks.push(Block::Table(tables::blocked(&mpi.blocked)));
    if !mapped && mpi.groups_blocked.is_empty() {
        let note = format!(
            "A map of {} would be too fine to read, and they are of one host and of one kind.",
            counted(u64::from(ranks), "rank")
        );
        section.blocks.push(Block::Note(None, note));
    }
    Some(section)
}

fn one_sided_words() -> &'static str {
    "; in one-sided communication, since the other posted its window, completed its access or \
    released its lock late"
}

fn of_groups(blocked: &GroupsBlocked) -> [Block; 2] {
    let heading = match blocked.by {
        GroupedBy::Host => "Hosts that waited for each other",
        GroupedBy::Kind => "Kinds of ranks that waited for each other",
    };
    [Block::Heading(heading.to_owned()), Block::Table(tables::groups_blocked(blocked))]
}

fn groups_chart(blocked: &GroupsBlocked) -> Chart {
    let name = |at: usize| &blocked.groups[at].0;
    let square = |&(rank, by, ns): &(usize, usize, i64)| Square {
        at: (rank, by),
        ns: ns as f64,
        text: format!("{} waited {} for {}", name(rank), time(ns as f64), name(by)),
    };
    let squares: Vec<Square> = blocked.blocked.iter().map(square).collect();
    let size = blocked.groups.len();
    let (id, label, titles, title) = match blocked.by {
        GroupedBy::Host => (
            "mpi-blocked-hosts-map",
            "Map: time that the ranks of each host were blocked for those of each other.",
            ["host waited", "for host", "blocked"],
            "By host, in the order of their ranks; off the diagonal they waited for another host",
        ),
        GroupedBy::Kind => (
            "mpi-blocked-kinds-map",
            "Map: time that ranks of each kind were blocked for those of each other.",
            ["kind waited", "for kind", "blocked"],
            "By kind of rank, 0 the largest: see Where each rank's time went",
        ),
    };
    time_map(id, label, titles, size, &squares).titled(title)
}

fn chart(blocked: &[Blocked], ranks: usize) -> Chart {
    let told = |b: &Blocked| {
        let shown = |wait: &Wait| !wait.is_one_sided() || b.of(*wait) > 0;
        let waits = Wait::BLOCKING.into_iter().filter(shown);
        let lines = waits.map(|wait| {
            format!("\n{} {}", wait_title(wait).to_lowercase(), time(b.of(wait) as f64))
        });
        lines.collect::<String>()
    };
    let square = |b: &Blocked| Square {
        at: (b.rank as usize, b.by as usize),
        ns: b.total_ns() as f64,
        text: format!(
            "rank {} waited {} for rank {}{}",
            b.rank,
            time(b.total_ns() as f64),
            b.by,
            told(b)
        ),
    };
    let squares: Vec<Square> = blocked.iter().map(square).collect();
    let label = "Map: time that each rank was blocked for each other.";
    let titles = ["rank waited", "for rank", "blocked"];
    time_map("mpi-blocked-map", label, titles, ranks, &squares)
        .titled("A column with many squares is a rank that many wait for")
}
