//! Which rank was blocked for which: a map of rank against rank.

use crate::found::{Blocked, Mpi};
use plotly::layout::{Axis, AxisType, Margin};
use serde_json::{Value, json};

use super::tables;
use document::chart::{Chart, Raw, layout};
use document::{Block, Section};
use document::{counted, time};

/// With more ranks than this the squares of a map are too small to read.
const RANKS_AT_MOST: u32 = 64;

pub(super) fn section(mpi: &Mpi) -> Option<Section> {
    let first = mpi.blocked.first()?;
    let ranks = mpi.blocked.iter().map(|b| b.rank.max(b.by)).max().unwrap_or(0) + 1;
    let all: i64 = mpi.blocked.iter().map(Blocked::total_ns).sum::<i64>() + mpi.blocked_left_out.1;
    let mapped = ranks <= RANKS_AT_MOST;
    let sentence = format!(
        "Time that ranks were blocked in calls for others, {} in all: as receivers since the other \
        sent late, as senders since the \
         other posted its receive late. Most of all, {}, rank {} waited for rank {}.{}",
        time(all as f64),
        time(first.total_ns() as f64),
        first.rank,
        first.by,
        if mapped { " A column with many squares is a rank that many wait for." } else { "" }
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
    let axis = |title: &str| {
        let axis = Axis::new().title(title).type_(AxisType::Linear).zero_line(false);
        if ranks <= 16 { axis.dtick(1.0) } else { axis.dtick(4.0) }
    };
    let axes = layout()
        .margin(Margin::new().left(60).right(16).top(10).bottom(48))
        .x_axis(axis("for rank").range(vec![-0.5, ranks as f64 - 0.5]))
        .y_axis(axis("rank waited").range(vec![ranks as f64 - 0.5, -0.5]));
    let height = (120 + 16 * ranks as u32).clamp(280, 760);
    let label = "Map: time that each rank was blocked for each other.".to_owned();
    let mut chart = Chart::new("mpi-blocked-map", height, label, axes);
    chart.data.push(Box::new(Raw(map(blocked, ranks))));
    chart
}

/// The squares; their colour goes with the logarithm of the time, since a few pairs often wait a
/// thousand times as long as others.
fn map(blocked: &[Blocked], ranks: usize) -> Value {
    let mut z = vec![vec![None; ranks]; ranks];
    let mut texts = vec![vec![String::new(); ranks]; ranks];
    for b in blocked.iter().filter(|b| b.total_ns() > 0) {
        let (rank, by) = (b.rank as usize, b.by as usize);
        z[rank][by] = Some(((b.total_ns() as f64 / 1e9).log10() * 1e3).round() / 1e3);
        texts[rank][by] = format!(
            "rank {rank} waited <b>{}</b> for rank {by}<br>late sender {}<br>late receiver {}",
            time(b.total_ns() as f64),
            time(b.late_sender_ns as f64),
            time(b.late_receiver_ns as f64)
        );
    }
    let numbers: Vec<usize> = (0..ranks).collect();
    let known = || z.iter().flatten().flatten().copied();
    let (low, high) =
        (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
    let (values, names) = ticks(low, high);
    json!({
        "type": "heatmap", "x": numbers, "y": numbers, "z": z, "text": texts,
        "hoverinfo": "text", "xgap": 1, "ygap": 1,
        "zmin": low - 0.3, "zmax": high.max(low + 0.3),
        "colorscale": [[0.0, "@s7"], [0.25, "@s5"], [0.5, "@s4"], [0.75, "@s2"], [1.0, "@s0"]],
        "colorbar": {
            "tickvals": values, "ticktext": names, "thickness": 12, "outlinewidth": 0,
            "title": {"text": "blocked"},
        },
    })
}

/// Whole decades, or the two ends where there are none between.
fn ticks(low: f64, high: f64) -> (Vec<f64>, Vec<String>) {
    let decades: Vec<f64> = (low.ceil() as i32..=high.floor() as i32).map(f64::from).collect();
    let values = if decades.len() > 1 { decades } else { vec![low, high] };
    let names = values.iter().map(|value| time(10f64.powf(*value) * 1e9)).collect();
    (values, names)
}
