//! The figure of document 004: one program with its data in different places. Completion times of
//! the alternatives as stacked bars, with what was predicted marked on them.

mod alternative;
mod crossing;
mod prediction;
mod row;
mod tables;

#[cfg(test)]
mod tests;

use document::{Block, Document, Section, Track, time};

use crate::parts::{colour, part_text};
use pager_facts::PagedPart;
use prediction::predicted_s;
use report::ratio_text;

pub use alternative::Alternative;
pub use row::{PagedLaunch, StudyRow};

/// What was measured.
#[derive(Default)]
pub struct PagingStudy {
    /// The program's name.
    pub program: String,
    /// How often it does each unit of computing; 1 as it is.
    pub slow: u32,
    /// All launches of each alternative with each size; those of a size follow one another.
    pub rows: Vec<StudyRow>,
    /// What was left out, and why.
    pub remarks: Vec<String>,
}

impl PagingStudy {
    /// All of it.
    pub fn document(&self) -> Document {
        let title = format!(
            "{} · where its data are, and where its time goes · Fourstamp",
            self.program.to_uppercase()
        );
        let mut opening = vec![Block::Finding(title.clone())];
        opening.extend(self.sentences().into_iter().map(Block::Lead));
        let failures = self.rows.iter().filter_map(StudyRow::failure);
        let remarks: Vec<String> = self.remarks.iter().cloned().chain(failures).collect();
        if !remarks.is_empty() {
            opening.push(Block::List(remarks));
        }
        let scripts = [
            tables::launches(&self.program, &self.rows),
            prediction::table(&self.rows),
            crossing::table(&self.rows),
        ];
        opening.extend(scripts.map(Block::Table));
        let sections = self.sizes().filter_map(|rows| self.section(rows)).collect();
        Document { title, opening, sections, runs: Vec::new() }
    }

    fn sizes(&self) -> impl Iterator<Item = &[StudyRow]> {
        self.rows.chunk_by(|a, b| a.size_bytes == b.size_bytes)
    }

    /// What to see, a line each.
    fn sentences(&self) -> Vec<String> {
        let mut sentences: Vec<String> = self.sizes().filter_map(against_swap).collect();
        sentences.extend(prediction::sentence(&self.rows));
        sentences.extend(self.sizes().filter_map(crossing::sentence));
        sentences.extend(self.sizes().filter_map(|rows| waiting(rows, self.slow)));
        sentences
    }

    /// The alternatives with one size; `None` where nothing was measured.
    fn section(&self, rows: &[StudyRow]) -> Option<Section> {
        let measured: Vec<&StudyRow> = rows.iter().filter(|row| row.middle().is_some()).collect();
        let first = measured.first()?;
        let (size, local) = (first.size_text(), first.local_bytes >> 20);
        let title = format!("{size} of data, {local} MiB local");
        let mut section = Section::new("alternatives", title, "");
        let tracks = measured.iter().filter_map(|row| track(row, &self.rows)).collect();
        section.blocks.push(Block::Tracks(tracks));
        let section = section.table(tables::alternatives(&measured, &self.rows));
        Some(section.table(tables::parts(&measured)))
    }
}

/// Parity logging against the kernel's swap, where both were measured with this size.
fn against_swap(rows: &[StudyRow]) -> Option<String> {
    let of = |alternative| rows.iter().find(|row| row.alternative == alternative);
    let (ours, swap) = (of(Alternative::ParityLog)?, of(Alternative::Swap)?);
    let times = ours.middle()?.seconds.elapsed / swap.middle()?.seconds.elapsed;
    Some(format!(
        "With {} the median launch takes {} as long with parity logging ({} launches) as with the \
        kernel's swap ({}).",
        ours.size_text(),
        ratio_text(times),
        ours.results.launches.len(),
        swap.results.launches.len()
    ))
}

/// The document's program waited for bytes 0.79 times as long as it computed.
const DOCUMENT_WAITING: f64 = 52.556 / 66.138;

/// How waiting for bytes and computing go together over the slowest link.
fn waiting(rows: &[StudyRow], slow: u32) -> Option<String> {
    let slowest = rows.iter().filter_map(|row| match row.alternative {
        Alternative::Network(bits) => Some((bits, row)),
        _ => None,
    });
    let (bits, row) = slowest.min_by_key(|(bits, _)| *bits)?;
    let ratio = row.middle()?.waiting_over_work()?;
    let slowed = match slow {
        1 => String::new(),
        times => format!(" (each unit of computing done {times} times)"),
    };
    let like = (ratio * f64::from(slow) / DOCUMENT_WAITING).round();
    let hint = match like {
        like if like >= 1.0 && like != f64::from(slow) => {
            format!("; with --slow {like:.0} it would be about that")
        }
        _ => String::new(),
    };
    Some(format!(
        "With {} over {} the program waits for bytes {ratio:.2} times as long as it computes\
        {slowed}; in 1996 it was {DOCUMENT_WAITING:.2}{hint}.",
        row.size_text(),
        Alternative::Network(bits).name(),
    ))
}

/// Name, bar and time.
fn track(row: &StudyRow, rows: &[StudyRow]) -> Option<Track> {
    let middle = row.middle()?;
    let part = |part: PagedPart| {
        (part.name, colour(&part), part.seconds.max(0.0), part_text(&part, middle.tick_s))
    };
    Some(Track {
        name: row.alternative.name(),
        parts: middle.seconds.parts().map(part).into(),
        mark: predicted_s(row, rows).map(|s| (s, format!("predicted {}", time(s * 1e9)))),
        end: time(middle.seconds.elapsed * 1e9),
    })
}
