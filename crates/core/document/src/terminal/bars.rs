//! Bars, distributions and lanes in cells of text.

use super::{Screen, line};
use crate::block::{LaneOf, Lanes, Parts, ShareBar, Track};
use crate::colour::Colour;

/// The main bar, and what each colour is.
pub(super) fn share_bars(bars: &[ShareBar], parts: &Parts, screen: Screen) -> String {
    let Some(bar) = bars.iter().find(|bar| bar.main && !bar.parts.is_empty()) else {
        return String::new();
    };
    let legend: Vec<String> = parts
        .iter()
        .map(|(name, colour, figures, _)| {
            let text = line(&format!("{} {name} {figures}", colour.filling()));
            screen.paint(*colour, &text)
        })
        .collect();
    let lines: String = legend.iter().map(|text| format!("  {text}\n")).collect();
    format!("  {}\n{lines}", share_blocks(&bar.parts, screen.width - 4, screen))
}

/// A bar of `width` cells, split by largest remainder so that it is always full.
pub(super) fn share_blocks(
    parts: &[(&'static str, Colour, f64)],
    width: usize,
    screen: Screen,
) -> String {
    let mut cells: Vec<usize> =
        parts.iter().map(|(.., share)| (share * width as f64) as usize).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    let rest = |i: &usize| (parts[*i].2 * width as f64).fract();
    order.sort_by(|a, b| rest(b).total_cmp(&rest(a)));
    let missing = width.saturating_sub(cells.iter().sum());
    for i in order.into_iter().take(missing) {
        cells[i] += 1;
    }
    let painted = |((_, colour, _), n): (&(&str, Colour, f64), usize)| {
        screen.paint(*colour, &colour.filling().to_string().repeat(n))
    };
    parts.iter().zip(cells).map(painted).collect()
}

/// The shape of a distribution. Heights go with the square root of the count: a tenth of the
/// messages must still be seen.
pub(super) fn spark(head: &str, ends: &(String, String), counts: &[u64], width: usize) -> String {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (low, high) = (line(&ends.0), line(&ends.1));
    let room = width.saturating_sub(18 + low.chars().count() + high.chars().count());
    let cells = room.min(counts.len());
    let edge = |i: usize| i * counts.len() / cells.max(1);
    let sums: Vec<u64> = (0..cells).map(|i| counts[edge(i)..edge(i + 1)].iter().sum()).collect();
    let largest = sums.iter().copied().max().unwrap_or(1).max(1) as f64;
    let level = |n: &u64| match n {
        0 => ' ',
        n => LEVELS[((*n as f64 / largest).sqrt() * 7.0).round() as usize],
    };
    let shape: String = sums.iter().map(level).collect();
    format!("  {:<12} {low} {shape} {high}\n", line(head))
}

/// Columns for the lanes' names.
const NAMES: usize = 26;

/// A line a lane.
pub(super) fn lanes(drawing: &Lanes, width: usize) -> String {
    let length = line(&drawing.length);
    let cells = width.saturating_sub(NAMES + 2);
    let room = cells.saturating_sub(1);
    let mut text = format!("{:NAMES$}  0{length:>room$}\n", "");
    for lane in &drawing.lanes {
        let name: String = line(&lane.name).chars().take(NAMES).collect();
        text.push_str(&format!("{name:<NAMES$}  {}\n", lane_cells(lane, cells)));
    }
    text
}

/// A lane in so many cells: full, half, a little; a moment is a stroke.
fn lane_cells(lane: &LaneOf, width: usize) -> String {
    let mut filled = vec![0.0f64; width];
    let last_cell = width.saturating_sub(1);
    for &(begin, end) in &lane.spans {
        let place = |at: f64| at.clamp(0.0, 1.0) * width as f64;
        let (begin, end) = (place(begin), place(end));
        let (first, last) = ((begin as usize).min(last_cell), (end as usize).min(last_cell));
        for (cell, part) in filled.iter_mut().enumerate().take(last + 1).skip(first) {
            let covered = end.min(cell as f64 + 1.0) - begin.max(cell as f64);
            *part += covered.max(f64::MIN_POSITIVE);
        }
    }
    let moments = lane.spans.iter().all(|(begin, end)| begin == end);
    let glyph = |part: &f64| match *part {
        0.0 => ' ',
        _ if moments => '╵',
        part if part < 0.15 => '▏',
        part if part < 0.6 => '▌',
        _ => lane.colour.filling(),
    };
    filled.iter().map(glyph).collect::<String>().trim_end().to_owned()
}

/// A line a bar: its name, its length, what stands at its end.
pub(super) fn tracks(tracks: &[Track], screen: Screen) -> String {
    let whole = |track: &Track| track.parts.iter().map(|(_, _, value, _)| *value).sum::<f64>();
    let longest = tracks.iter().map(whole).fold(f64::MIN_POSITIVE, f64::max);
    let room = screen.width.saturating_sub(NAMES + 14);
    let one = |track: &Track| {
        let name: String = line(&track.name).chars().take(NAMES).collect();
        let cells = (whole(track) / longest * room as f64).round() as usize;
        format!("{name:<NAMES$}  {} {}\n", "█".repeat(cells), line(&track.end))
    };
    tracks.iter().map(one).collect()
}
