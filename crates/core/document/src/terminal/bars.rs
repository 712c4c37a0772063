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

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A value along a series, from its least to its most: a cell each, or the mean of neighbours where
/// there are more than find room.
pub(super) fn levels(head: &str, ends: &str, values: &[f64], width: usize) -> String {
    let ends = line(ends);
    let room = width.saturating_sub(18 + ends.chars().count());
    let cells = room.min(values.len());
    let edge = |i: usize| i * values.len() / cells.max(1);
    let mean = |i: usize| {
        let those = &values[edge(i)..edge(i + 1)];
        those.iter().sum::<f64>() / those.len() as f64
    };
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let span = values.iter().copied().fold(least, f64::max) - least;
    // Values that are alike are no mountain.
    let part = |value: f64| if span > least.abs() * 1e-3 { (value - least) / span } else { 0.0 };
    let level = |i: usize| LEVELS[(part(mean(i)) * 7.0).round() as usize];
    let shape: String = (0..cells).map(level).collect();
    format!("  {:<12} {shape}  {ends}\n", line(head))
}

/// The shape of a distribution. Heights go with the square root of the count: a tenth of the
/// messages must still be seen.
pub(super) fn spark(head: &str, ends: &(String, String), counts: &[u64], width: usize) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_from_the_least_to_the_most() {
        let drawn = levels("p50", "1 µs to 8 µs", &[1.0, 8.0, 1.0, 4.5], 80);
        assert_eq!(drawn, "  p50          ▁█▁▅  1 µs to 8 µs\n");
        let alike = levels("p50", "1 µs", &[1000.0, 1000.1], 80);
        assert!(alike.contains("▁▁"), "{alike}");
        let long: Vec<f64> = (0..500).map(f64::from).collect();
        assert!(levels("p50", "0 to 499", &long, 80).chars().count() <= 80);
        assert!(levels("p50", "", &[], 80).ends_with('\n'));
    }
}
