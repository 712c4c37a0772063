//! The figure of a paging study: completion times of alternatives as stacked bars, with what was
//! predicted marked on them.

use document::{Block, Cell, Column, Document, Row, Section, Table, Track, time};

use crate::parts::{colour, part_text};
use pager_facts::{PagedPart, PagedSeconds};

/// A study's figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyFigure {
    /// Of the window and the page.
    pub title: String,
    /// What to see, a line each.
    pub sentences: Vec<String>,
    /// In the order in which they are shown; those of one group follow one another.
    pub bars: Vec<Bar>,
    /// What was left out, and why.
    pub remarks: Vec<String>,
}

/// An alternative's completion time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// What the program was given, such as `24 MiB`.
    pub group: String,
    /// The alternative.
    pub name: String,
    /// Median of what was measured, with its parts.
    pub seconds: PagedSeconds,
    /// The tick that the processor's time is counted in; 0 where it is measured.
    pub tick_s: f64,
    /// The fastest and the slowest launch.
    pub range_s: (f64, f64),
    /// What was predicted for it, from other runs.
    pub predicted_s: Option<f64>,
}

impl StudyFigure {
    /// All of it.
    pub fn document(&self) -> Document {
        let mut opening = vec![Block::Finding(self.title.clone())];
        opening.extend(self.sentences.iter().cloned().map(Block::Lead));
        if !self.remarks.is_empty() {
            opening.push(Block::List(self.remarks.clone()));
        }
        let groups = self.bars.chunk_by(|a, b| a.group == b.group);
        Document {
            title: self.title.clone(),
            opening,
            sections: groups.map(section).collect(),
            runs: Vec::new(),
        }
    }
}

fn section(bars: &[Bar]) -> Section {
    let mut section = Section::new("alternatives", bars[0].group.as_str(), "");
    section.blocks.push(Block::Tracks(bars.iter().map(track).collect()));
    section.table(table(bars))
}

/// Name, bar and time.
fn track(bar: &Bar) -> Track {
    let part = |part: PagedPart| {
        (part.name, colour(&part), part.seconds.max(0.0), part_text(&part, bar.tick_s))
    };
    Track {
        name: bar.name.clone(),
        parts: bar.seconds.parts().map(part).into(),
        mark: bar.predicted_s.map(|s| (s, format!("predicted {}", time(s * 1e9)))),
        end: time(bar.seconds.elapsed * 1e9),
    }
}

fn table(bars: &[Bar]) -> Table {
    let mut columns = vec![
        Column::text("alternative", "Alternative"),
        Column::time("median", "Median"),
        Column::time("fastest", "Fastest"),
        Column::time("slowest", "Slowest"),
        Column::time("predicted", "Predicted"),
    ];
    let parts = PagedSeconds::default().parts();
    columns.extend(parts.map(|part| Column::time(part.key, part.name).coloured(colour(&part))));
    Table::new("alternatives", columns).with(bars.iter().map(row))
}

fn row(bar: &Bar) -> Row {
    let ns = |s: f64| Cell::new(s * 1e9);
    let head = [
        bar.name.as_str().into(),
        ns(bar.seconds.elapsed),
        ns(bar.range_s.0),
        ns(bar.range_s.1),
        predicted(bar),
    ];
    let part = |part: &PagedPart| ns(part.seconds).shown(part_text(part, bar.tick_s));
    let parts = bar.seconds.parts();
    head.into_iter().chain(parts.iter().map(part)).collect::<Vec<Cell>>().into()
}

/// With how far it is from what was measured.
fn predicted(bar: &Bar) -> Cell {
    let Some(s) = bar.predicted_s else { return Cell::default() };
    let elapsed = bar.seconds.elapsed.max(f64::MIN_POSITIVE);
    Cell::new(s * 1e9).small(format!("{:+.1} %", 100.0 * (s / elapsed - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(group: &str, name: &str, user: f64, network: f64) -> Bar {
        let seconds =
            PagedSeconds { elapsed: user + network, user, network, ..PagedSeconds::default() };
        let (group, name, predicted_s) = (group.into(), name.into(), Some(2.5));
        Bar { group, name, seconds, tick_s: 0.01, range_s: (1.0, 2.0), predicted_s }
    }

    #[test]
    fn bars_are_parts_of_their_groups_longest() {
        let bars = vec![
            bar("1 MiB", "disk", 2.0, 8.0),
            bar("1 MiB", "<i>", 2.0, 0.0),
            bar("2 MiB", "disk", 4.0, 4.0),
        ];
        let figure = StudyFigure { title: "FFT".into(), bars, ..StudyFigure::default() };
        let mut page = Vec::new();
        document::page(&figure.document(), &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert_eq!(page.matches("<section ").count(), 2);
        for wanted in [
            "<i class=\"undo\" style=\"width:80.000%\"",
            "left:25.000%",
            "-75.0 %",
            "&lt;i&gt;",
            "<td>below\u{a0}10.0\u{a0}ms",
            "<i class=\"work\" style=\"width:50.000%\"",
        ] {
            assert!(page.contains(wanted), "{wanted}");
        }
        assert!(!page.contains("<script"));
    }
}
