//! A scenario as the text of two tables. Reading and writing files is the caller's.

use super::name::Name;
use super::scenario::{Flaw, Row, Scenario, Start};
use super::{MESSAGES_FILE, OBJECTS_FILE};
use crate::ModelError;
use crate::table::{self, Table, line_number, wrong};
use ::csv::Trim;
use std::collections::BTreeMap;
use std::fmt::Write;

const OBJECT_COLUMNS: [&str; 3] = ["index", "name", "type"];
const MESSAGE_COLUMNS: [&str; 5] = ["order", "receiver", "simtime", "selector", "text"];

impl Scenario {
    /// From the tables of objects and of initial messages: a heading line that names the columns,
    /// then a line a row, in order of their numbers. Columns may come in any order; further ones
    /// are ignored.
    ///
    /// # Errors
    /// What is wrong, with file, line and column: a column, row or number is missing, or the tables
    /// make no scenario.
    pub fn read(objects: Table<'_>, messages: Table<'_>) -> Result<Scenario, ModelError> {
        let object_rows = rows(objects, OBJECT_COLUMNS)?;
        let message_rows = rows(messages, MESSAGE_COLUMNS)?;
        let mut names = Vec::with_capacity(object_rows.len());
        for (number, row) in object_rows.iter().enumerate() {
            names
                .push(object(number, row).map_err(|reason| wrong(objects.file, row.line, reason))?);
        }
        let numbers: BTreeMap<Name, u32> = names.iter().copied().zip(0..).collect();
        let mut starts = Vec::with_capacity(message_rows.len());
        for (number, row) in message_rows.iter().enumerate() {
            starts.push(
                start(number, row, &numbers)
                    .map_err(|reason| wrong(messages.file, row.line, reason))?,
            );
        }
        Scenario::build(names, starts).map_err(|Flaw { row, reason }| match row {
            Row::Object(row) => {
                wrong(objects.file, line_number(&object_rows, row, |row| row.line), reason)
            }
            Row::Start(row) => {
                wrong(messages.file, line_number(&message_rows, row, |row| row.line), reason)
            }
        })
    }

    /// The tables that [`Scenario::read`] reads, under the names [`OBJECTS_FILE`] and
    /// [`MESSAGES_FILE`].
    pub fn write(&self) -> [(&'static str, String); 2] {
        let (mut objects, mut messages) = (OBJECT_COLUMNS.join(","), MESSAGE_COLUMNS.join(","));
        // Writing into a string cannot fail.
        for (number, name) in self.objects().iter().enumerate() {
            let _ = write!(objects, "\n{number},{name},{}", name.kind().text());
        }
        for (number, Start { receiver, simtime, selector, text }) in
            self.starts().iter().enumerate()
        {
            let name = self.objects()[*receiver as usize];
            let _ = write!(messages, "\n{number},{name},{simtime:?},{selector},{text}");
        }
        objects.push('\n');
        messages.push('\n');
        [(OBJECTS_FILE, objects), (MESSAGES_FILE, messages)]
    }
}

fn object(number: usize, row: &table::Row<3>) -> Result<Name, String> {
    let [index, name, kind] = &row.fields;
    counts(index, number, "index")?;
    let parsed = Name::parse(name.trim()).ok_or_else(|| {
        format!("name is {name:?}; write sector_RR_CC, cushion_S_PP (S 0 to 3) or puckNNNN")
    })?;
    match parsed.kind().text() == kind.trim() {
        true => Ok(parsed),
        false => Err(format!(
            "type is {kind:?}, but the name is that of a {}; correct one of them",
            parsed.kind().text()
        )),
    }
}

fn start(
    number: usize,
    row: &table::Row<5>,
    numbers: &BTreeMap<Name, u32>,
) -> Result<Start, String> {
    let [order, receiver, simtime, selector, text] = &row.fields;
    counts(order, number, "order")?;
    let known = Name::parse(receiver.trim()).and_then(|name| numbers.get(&name));
    let receiver = *known
        .ok_or_else(|| format!("receiver is {receiver:?}; name an object of {OBJECTS_FILE}"))?;
    let time = simtime.trim().parse().ok().filter(|time: &f64| time.is_finite());
    let simtime = time.ok_or_else(|| format!("simtime is {simtime:?}; give a number"))?;
    let number = selector.trim().parse().ok();
    let selector =
        number.ok_or_else(|| format!("selector is {selector:?}; give a whole number"))?;
    Ok(Start { receiver, simtime, selector, text: text.as_str().into() })
}

fn counts(field: &str, expected: usize, column: &str) -> Result<(), String> {
    match field.trim().parse() == Ok(expected) {
        true => Ok(()),
        false => Err(format!(
            "{column} is {field:?} but must be {expected}: rows count from 0 without a gap"
        )),
    }
}

/// Only headings are trimmed: blanks in a text are part of it.
fn rows<const N: usize>(
    table: Table<'_>,
    columns: [&str; N],
) -> Result<Vec<table::Row<N>>, ModelError> {
    table::rows(table, columns, Trim::Headers)?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PucksOptions;

    /// A table of two sectors with a puck in each.
    fn tables() -> (String, String) {
        let options = PucksOptions { rows: 1, columns: 2, pucks: 2, ..Default::default() };
        let [(_, objects), (_, messages)] = Scenario::generate(&options).unwrap().write();
        (objects, messages)
    }

    fn load(objects: &str, messages: &str) -> Result<Scenario, ModelError> {
        let table = |file, text| Table { file, text };
        Scenario::read(table("objects.csv", objects), table("messages.csv", messages))
    }

    /// The number of a line, counted from 1, and the line changed.
    fn changed(text: &str, begin: &str, from: &str, to: &str) -> (usize, String) {
        let line = text.lines().position(|line| line.contains(begin)).unwrap();
        let change = |(at, old): (usize, &str)| {
            if at == line { old.replacen(from, to, 1) } else { old.into() }
        };
        let lines: Vec<String> = text.lines().enumerate().map(change).collect();
        (line + 1, lines.join("\n"))
    }

    #[test]
    fn what_is_written_is_read_again() {
        let (objects, messages) = tables();
        let scenario = load(&objects, &messages).unwrap();
        assert_eq!(scenario.write().map(|(_, text)| text), [objects.clone(), messages.clone()]);
        let windows = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_eq!(load(&windows(&objects), &windows(&messages)), Ok(scenario));
        assert!(
            load("", &messages)
                .unwrap_err()
                .to_string()
                .starts_with("objects.csv, line 1: the column index is missing")
        );
    }

    #[test]
    fn blanks_within_a_text_are_part_of_it() {
        let (objects, messages) = tables();
        let (_, wider) = changed(&messages, "sector_00_00,-1.0", "1 2", "1  2");
        let text = |scenario: Scenario| {
            scenario.starts().iter().map(|start| start.text.len()).sum::<usize>()
        };
        assert_eq!(
            text(load(&objects, &wider).unwrap()),
            text(load(&objects, &messages).unwrap()) + 1
        );
    }

    #[test]
    fn errors_name_file_line_and_column() {
        let (objects, messages) = tables();
        for (row, from, to, expected) in [
            ("sector_00_01,", "sector_00_01", "ball_3", "name is \"ball_3\"; write sector_RR_CC"),
            (
                "puck0001",
                ",puck0001,puck",
                ",puck0001,sector",
                "type is \"sector\", but the name is that of a puck",
            ),
            ("sector_00_01,", "1,", "7,", "index is \"7\" but must be 1"),
        ] {
            let (line, objects) = changed(&objects, row, from, to);
            let error = load(&objects, &messages).unwrap_err().to_string();
            assert!(error.starts_with(&format!("objects.csv, line {line}: {expected}")), "{error}");
        }
        for (row, from, to, expected) in [
            ("sector_00_01,-1.0", "-1.0", "soon", "simtime is \"soon\"; give a number"),
            ("sector_00_01,-1.0", ",3,", ",4,", "selector is 4, but a sector is started by 3"),
            (
                "sector_00_01,-1.0",
                "sector_00_01",
                "sector_00_02",
                "receiver is \"sector_00_02\"; name an object",
            ),
            ("sector_00_01,-1.0", "1 2", "1 3", "rows, columns, height and width are not those"),
            (
                "sector_00_01,-1.0",
                "1 2",
                "1",
                "the text of a sector has 6 fields between blanks, not 5",
            ),
            ("puck0001,0.0", ",0.0,", ",-1.0,", "a puck starts at -1"),
            ("puck0001,0.0", " 10 ", " 0 ", "the mass is 0; give one above 0"),
            ("puck0001,0.0", "6 10 ", "600 10 ", "the puck is not on its table"),
            ("cushion_0_00,-1.0", "256", "0", "the cushion has no length; its ends must differ"),
        ] {
            let (line, messages) = changed(&messages, row, from, to);
            let error = load(&objects, &messages).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("messages.csv, line {line}: {expected}")),
                "{error}"
            );
        }
    }

    #[test]
    fn missing_objects_and_messages_are_named() {
        let (objects, messages) = tables();
        let without = |text: &str, begin: &str| {
            let kept: Vec<&str> = text.lines().filter(|line| !line.contains(begin)).collect();
            let renumber = |(at, line): (usize, &&str)| match at {
                0 => line.to_string(),
                _ => format!("{},{}", at - 1, line.split_once(',').unwrap().1),
            };
            kept.iter().enumerate().map(renumber).collect::<Vec<_>>().join("\n")
        };
        let refused =
            |objects: &str, messages: &str| load(objects, messages).unwrap_err().to_string();
        let error = refused(&objects, &without(&messages, "puck0001"));
        assert!(error.contains("puck0001 has no start message"), "{error}");
        let error = refused(&objects, &without(&messages, "cushion_3_01"));
        assert!(error.contains("cushion_3_01 has no start message"), "{error}");
        let error =
            refused(&without(&objects, "cushion_3_01"), &without(&messages, "cushion_3_01"));
        assert!(
            error.contains("cushion_3_01 is missing: the table has 1 rows and 2 columns"),
            "{error}"
        );
        let error =
            refused(&without(&objects, "sector_00_01"), &without(&messages, "sector_00_01"));
        assert!(error.contains("sector_00_01 is missing"), "{error}");
    }
}
