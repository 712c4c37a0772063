//! Which rank was blocked for which: a map of rank against rank.

use crate::found::{Blocked, Mpi};

use super::tables;
use document::chart::{Chart, MAP_ROWS_AT_MOST, Square, time_map};
use document::{Block, Section};
use document::{counted, time};

pub(super) fn section(mpi: &Mpi) -> Option<Section> {
    let first = mpi.blocked.first()?;
    let ranks = mpi.blocked.iter().map(|b| b.rank.max(b.by)).max().unwrap_or(0) + 1;
    let all: i64 = mpi.blocked.iter().map(Blocked::total_ns).sum::<i64>() + mpi.blocked_left_out.1;
    let mapped = ranks as usize <= MAP_ROWS_AT_MOST;
    let sentence = format!(
        "Time that ranks were blocked in calls for others, {} in all: in receiving, since the \
        other sent late; in sending, since the other posted its receive late; in collectives, \
        since the other entered late. A moment is counted once, for the rank that was waited for \
        last. The longest, {}, rank {} waited for rank {}.",
        time(all as f64),
        time(first.total_ns() as f64),
        first.rank,
        first.by,
    );
    let mut section = Section::new("mpi-blocked", "Who waits for whom", sentence);
    if mapped {
        section.charts.push(chart(&mpi.blocked, ranks as usize));
    }
    section.blocks.push(Block::Table(tables::blocked(&mpi.blocked)));
    if !mapped {
        let note =
            format!("A map of {} would be too fine to read.", counted(u64::from(ranks), "rank"));
        section.blocks.push(Block::Note(None, note));
    }
    Some(section)
}

fn chart(blocked: &[Blocked], ranks: usize) -> Chart {
    let square = |b: &Blocked| Square {
        at: (b.rank as usize, b.by as usize),
        ns: b.total_ns() as f64,
        text: format!(
            "rank {} waited {} for rank {}\nlate sender {}\nlate receiver {}\n\
            collectives {}",
            b.rank,
            time(b.total_ns() as f64),
            b.by,
            time(b.late_sender_ns as f64),
            time(b.late_receiver_ns as f64),
            time(b.collective_ns as f64)
        ),
    };
    let squares: Vec<Square> = blocked.iter().map(square).collect();
    let label = "Map: time that each rank was blocked for each other.";
    let titles = ["rank waited", "for rank", "blocked"];
    time_map("mpi-blocked-map", label, titles, ranks, &squares)
        .titled("A column with many squares is a rank that many wait for")
}
