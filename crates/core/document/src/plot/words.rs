//! Words in a chart: how wide they are, and where they find room.
//!
//! Nobody tells how wide a text will be in the reader's font, so widths are estimated from above:
//! what is placed with these widths does not overlap in any of the fonts that the page names.

use crate::chart::Side;

/// Size of a chart's letters, CSS pixels.
pub(super) const SIZE: f64 = 12.0;
/// From one line of a label to the next.
pub(super) const LINE: f64 = 14.0;

/// Width of a line at [`SIZE`], CSS pixels.
pub(crate) fn width(text: &str) -> f64 {
    text.chars().map(|c| part_of_size(c) * SIZE).sum()
}

fn part_of_size(c: char) -> f64 {
    match c {
        '\u{202f}' => 0.25,
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.34,
        ' ' | '\u{a0}' | 'f' | 'r' | 't' | '(' | ')' | '-' | '/' => 0.43,
        '0'..='9' | 'a'..='l' | 'n'..='v' | 'x'..='z' | '–' | 'µ' => 0.64,
        'A'..='L' | 'N'..='V' | 'X'..='Z' => 0.74,
        'm' | 'w' | 'M' | 'W' | '%' | '×' | '→' => 0.95,
        c if c.is_ascii() => 0.7,
        // Other scripts may be as wide as they are high.
        _ => 1.05,
    }
}

/// The text cut to a width, with an ellipsis for what is left out.
pub(super) fn cut(text: &str, room: f64) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut left = room - width("…");
    let fits = |c: &char| {
        left -= part_of_size(*c) * SIZE;
        left >= 0.0
    };
    text.chars().take_while(fits).collect::<String>() + "…"
}

/// Lines that are no wider than `room` where there are spaces to break at.
pub(super) fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in text.split('\n') {
        let mut line = String::new();
        for word in part.split(' ') {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if !line.is_empty() && width(&longer) > room {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            } else {
                line = longer;
            }
        }
        lines.push(line);
    }
    lines
}

/// A rectangle in CSS pixels: left, top, right, bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Place {
    pub(super) fn overlaps(&self, other: &Place) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

/// A text that wants to stand above a point, or beside it.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// The point, CSS pixels within the plot.
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) lines: Vec<String>,
    pub(super) side: Side,
}

/// From a point to its words.
const GAP: f64 = 8.0;

impl Label {
    /// Where it stands in a plot of this size, clear of `bars` and of those `placed` before it;
    /// `None` where it finds no room.
    pub(super) fn find(&self, size: (f64, f64), bars: &[Place], placed: &[Place]) -> Option<Place> {
        let wide = self.lines.iter().map(|line| width(line)).fold(0.0, f64::max);
        let high = LINE * self.lines.len() as f64;
        if wide > size.0 {
            return None;
        }
        let left = match self.side {
            Side::Above => self.x - wide / 2.0,
            Side::Left => self.x - GAP - wide,
            Side::Right => self.x + GAP,
        };
        let left = left.clamp(0.0, size.0 - wide);
        let right = left + wide;
        let under = bars.iter().filter(|bar| bar.left < right && left < bar.right);
        let floor = match self.side {
            Side::Above => under.map(|bar| bar.top).fold(self.y, f64::min) - GAP,
            _ => self.y + high / 2.0,
        };
        let place = Place { left, top: floor - high, right, bottom: floor };
        let free = place.top >= -GAP && !placed.iter().any(|other| other.overlaps(&place));
        free.then_some(place)
    }
}
