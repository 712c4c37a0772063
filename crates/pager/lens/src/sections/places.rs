//! Which lines of the program caused its faults.

use document::{Cell, Column, Row, Section, Table, count, counted, part};
use pager_facts::{CodePlace, FaultPlace, Paged};
use std::collections::BTreeMap;

/// Lines that are listed, and at most so many that a sentence speaks of.
const LISTED: usize = 10;
/// Most of them, for the sentence.
const MOST: f64 = 0.9;

/// What is listed as one.
#[derive(Debug, PartialEq)]
struct Line {
    /// `matrix.c:41`; without debug information the file of the code.
    place: String,
    function: String,
    /// The functions of libraries in which its pages were touched, the most frequent one first.
    through: Vec<String>,
    /// Whether it is a line of source.
    known: bool,
    faults: u64,
}

pub(super) fn section(process: &Paged) -> Option<Section> {
    let sampled = &process.sampled;
    let lines = lines(&sampled.places);
    let first = lines.first()?;
    let sentence = sentence(&lines, sampled.faults, process.faults.hard);
    let note = (!lines.iter().take(LISTED).all(|line| line.known)).then(|| {
        "A program that is built with debug information (-g) has its lines named here.".to_owned()
    });
    let through = !first.through.is_empty() || lines.iter().any(|line| !line.through.is_empty());
    let table = table(&lines, sampled.faults, through).noted(note);
    Some(Section::new("pager-places", "Where in the program", sentence).table(table))
}

/// The most frequent ones first.
fn lines(places: &[FaultPlace]) -> Vec<Line> {
    let mut found: BTreeMap<(String, String, bool), BTreeMap<String, u64>> = BTreeMap::new();
    for place in places {
        let (spot, through) = match &place.called_from {
            Some(from) => (from, named(&place.at)),
            None => (&place.at, String::new()),
        };
        let key = (line_of(spot), function_of(spot), spot.line.is_some());
        *found.entry(key).or_default().entry(through).or_default() += place.faults;
    }
    let line = |((place, function, known), through): (_, BTreeMap<String, u64>)| {
        let faults = through.values().sum();
        let mut through: Vec<_> =
            through.into_iter().filter(|(name, _)| !name.is_empty()).collect();
        through.sort_by_key(|(_, faults)| std::cmp::Reverse(*faults));
        let through = through.into_iter().map(|(name, _)| name).collect();
        Line { place, function, through, known, faults }
    };
    let mut lines: Vec<Line> = found.into_iter().map(line).collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.faults));
    lines
}

/// What is true of those that were looked at; the table has intervals for all.
fn sentence(lines: &[Line], looked_at: u64, all: u64) -> String {
    let whole = looked_at.max(1) as f64;
    let (mut sum, mut many) = (0, 0);
    for line in lines.iter().take(LISTED) {
        (sum, many) = (sum + line.faults, many + 1);
        if sum as f64 >= MOST * whole {
            break;
        }
    }
    let what = if lines[..many].iter().all(|line| line.known) { "line" } else { "place" };
    let of = part(sum as f64 / whole);
    let chosen = match looked_at < all {
        true => format!(", chosen at random among {}", count(all)),
        false => String::new(),
    };
    format!(
        "Of {} that fetched a page{chosen}, {of} were at {}.",
        counted(looked_at, "fault"),
        counted(many as u64, what)
    )
}

fn table(lines: &[Line], looked_at: u64, through: bool) -> Table {
    let mut columns = vec![Column::text("place", "Line"), Column::text("function", "Function")];
    columns.extend(through.then(|| Column::text("through", "Through")));
    columns.push(Column::count("faults", "Looked at"));
    columns.push(Column::share("share", "Of all").with_interval());
    let row = |line: &Line| -> Row {
        let mut cells: Vec<Cell> = vec![line.place.as_str().into(), line.function.as_str().into()];
        cells.extend(through.then(|| line.through.join(", ").into()));
        cells.push(line.faults.into());
        let share = Cell::from(line.faults as f64 / looked_at.max(1) as f64);
        cells.push(share.between(Some(interval(line.faults, looked_at))));
        cells.into()
    };
    Table::new("paged-places", columns).with(lines.iter().take(LISTED).map(row))
}

/// Where the part of all lies with a probability of 95 %, of which `some` of `many` are a sample
/// (Wilson 1927).
fn interval(some: u64, many: u64) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    let (n, p) = (many.max(1) as f64, some as f64 / many.max(1) as f64);
    let middle = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + Z * Z / n;
    (((middle - half) / whole).max(0.0), ((middle + half) / whole).min(1.0))
}

fn line_of(spot: &CodePlace) -> String {
    match (spot.file.as_str(), spot.line) {
        ("", _) | (_, None) if spot.object.is_empty() => "made while it ran".to_owned(),
        ("", _) | (_, None) if spot.function.is_empty() => {
            format!("{}+{:#x}", last(&spot.object), spot.offset)
        }
        ("", _) | (_, None) => last(&spot.object).to_owned(),
        (file, Some(line)) => format!("{}:{line}", last(file)),
    }
}

fn function_of(spot: &CodePlace) -> String {
    if spot.function.is_empty() { "–".to_owned() } else { spot.function.clone() }
}

/// `memcpy (libc.so.6)`.
fn named(spot: &CodePlace) -> String {
    match (spot.function.as_str(), last(&spot.object)) {
        (_, "") => "code made while it ran".to_owned(),
        ("", object) => object.to_owned(),
        (function, object) => format!("{function} ({object})"),
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::plain;
    use pager_facts::{FaultCounts, SampledFaults};

    fn line(file: &str, line: Option<u32>, function: &str) -> CodePlace {
        CodePlace {
            object: "/bin/app".into(),
            offset: 0x40,
            function: function.into(),
            file: file.into(),
            line,
        }
    }

    fn library() -> CodePlace {
        CodePlace {
            object: "/lib/libc.so.6".into(),
            function: "memcpy".into(),
            ..Default::default()
        }
    }

    fn process(places: Vec<FaultPlace>, looked_at: u64) -> Paged {
        Paged {
            sampled: SampledFaults { faults: looked_at, places },
            faults: FaultCounts { hard: 8000, ..FaultCounts::default() },
            ..Paged::default()
        }
    }

    #[test]
    fn instructions_of_a_line_are_one_and_a_library_is_what_it_was_called_from() {
        let at = |faults, at| FaultPlace { faults, at, called_from: None };
        let copied = FaultPlace {
            faults: 300,
            at: library(),
            called_from: Some(line("/src/solve.c", Some(41), "solve")),
        };
        let places = vec![
            at(400, line("/src/solve.c", Some(41), "solve")),
            copied,
            at(250, line("/src/solve.c", Some(50), "solve")),
            at(50, line("/src/main.c", Some(7), "main")),
        ];
        let process = process(places, 1000);
        let section = section(&process).unwrap();
        let said = plain(&section.sentence);
        let right = "Of 1000 faults that fetched a page, chosen at random among 8000, 95 % were \
                     at 2 lines.";
        assert_eq!(said, right);
        let lines = lines(&process.sampled.places);
        assert_eq!((lines[0].place.as_str(), lines[0].faults), ("solve.c:41", 700));
        assert_eq!(lines[0].through, ["memcpy (libc.so.6)"]);
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn without_lines_they_are_places() {
        let at = |faults, at| FaultPlace { faults, at, called_from: None };
        let made = CodePlace::default();
        let places = vec![at(90, line("", None, "")), at(8, line("", None, "f")), at(2, made)];
        let process = process(places, 100);
        let section = section(&process).unwrap();
        assert!(plain(&section.sentence).ends_with("were at 1 place."), "{}", section.sentence);
        let names: Vec<_> =
            lines(&process.sampled.places).into_iter().map(|line| line.place).collect();
        assert_eq!(names, ["app+0x40", "app", "made while it ran"]);
        assert!(super::section(&Paged::default()).is_none());
    }

    #[test]
    fn intervals_are_wilson_s() {
        let (low, high) = interval(10, 100);
        assert!((low - 0.0552).abs() < 1e-4 && (high - 0.1744).abs() < 1e-4, "{low} {high}");
        assert!(interval(0, 50).0 < 1e-9 && interval(50, 50).1 > 1.0 - 1e-9);
    }
}
