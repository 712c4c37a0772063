//! The timeline of a story in cells of text.

use stats::analysis::Stage;
use stats::story::{Lane, LaneOf};

use super::held::label as held_label;
use crate::palette::name as stage_name;

/// What a lane is called.
pub(super) fn label(what: &LaneOf) -> String {
    match what {
        LaneOf::Stage(stage) => stage_name(*stage).to_owned(),
        LaneOf::Taken { node } => format!("node {node}: took"),
        LaneOf::Cancelled { node } => format!("node {node}: cancelled"),
        LaneOf::Work { node, kind } => format!("node {node}: {}", kind.name()),
        LaneOf::Held { node, cause } => format!("node {node}: {}", held_label(*cause)),
    }
}

/// A lane over a time, in so many cells: full, half, a little; a moment is a stroke.
pub(super) fn cells(lane: &Lane, (from, to): (i64, i64), width: usize) -> String {
    let ns = (to.saturating_sub(from)).max(1) as f64;
    let mut filled = vec![0.0f64; width];
    let place = |time: i64| (time.saturating_sub(from)) as f64 / ns * width as f64;
    for &(begin, end) in &lane.spans {
        let (begin, end) = (place(begin.clamp(from, to)), place(end.clamp(from, to)));
        let first = (begin as usize).min(width.saturating_sub(1));
        let last = (end as usize).min(width.saturating_sub(1));
        for (cell, part) in filled.iter_mut().enumerate().take(last + 1).skip(first) {
            let covered = end.min(cell as f64 + 1.0) - begin.max(cell as f64);
            *part += covered.max(f64::MIN_POSITIVE);
        }
    }
    let glyph = |part: &f64| glyph(*part, full(&lane.what), is_moments(lane));
    filled.iter().map(glyph).collect::<String>().trim_end().to_owned()
}

fn is_moments(lane: &Lane) -> bool {
    lane.spans.iter().all(|(begin, end)| begin == end)
}

fn glyph(part: f64, full: char, is_moments: bool) -> char {
    match part {
        0.0 => ' ',
        _ if is_moments => '╵',
        part if part < 0.15 => '▏',
        part if part < 0.6 => '▌',
        _ => full,
    }
}

/// Without colours the stages differ by their filling, as in a report's bar.
fn full(what: &LaneOf) -> char {
    match what {
        LaneOf::Stage(Stage::SendWait) => '░',
        LaneOf::Stage(Stage::Transit) => '▒',
        _ => '█',
    }
}
