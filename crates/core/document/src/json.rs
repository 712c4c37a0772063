//! A document as JSON: what it says, and its tables row by row.

use serde_json::{Map, Value as Json, json};

use crate::block::Block;
use crate::section::{Document, Run, Section};
use crate::table::{Cell, Table, Value};

/// The document as one object: `title`, `says`, `tables`, `sections`, `runs`. Times are in ns,
/// parts run from 0 to 1, a value that is not known is null.
pub fn json(document: &Document) -> Json {
    let mut whole = part(&document.title, &document.opening, &document.sections);
    if !document.runs.is_empty() {
        whole.insert("runs".into(), document.runs.iter().map(run).collect());
    }
    whole.into()
}

fn run(run: &Run) -> Json {
    part(&run.title, &run.opening, &run.sections).into()
}

fn part(title: &str, opening: &[Block], sections: &[Section]) -> Map<String, Json> {
    let mut map = blocks(opening);
    map.insert("title".into(), title.into());
    map.insert("sections".into(), sections.iter().map(section).collect());
    map
}

fn section(section: &Section) -> Json {
    let mut map = blocks(&section.blocks);
    map.insert("id".into(), section.id.to_string().into());
    map.insert("title".into(), section.title.as_str().into());
    map.insert("sentence".into(), section.sentence.as_str().into());
    map.into()
}

/// `says`: the sentences; `facts`: names and values; `tables`.
fn blocks(blocks: &[Block]) -> Map<String, Json> {
    let (mut says, mut facts, mut found) = (Vec::new(), Map::new(), Vec::new());
    for block in blocks {
        match block {
            Block::Table(one) => found.push(table(one)),
            Block::Pairs(groups) => {
                let pairs = groups.iter().flat_map(|group| &group.pairs);
                facts.extend(pairs.map(|(name, value)| (name.clone(), value.as_str().into())));
            }
            Block::Figures(rows) => {
                let tiles = rows.iter().flat_map(|row| {
                    row.tiles
                        .iter()
                        .map(|(name, value)| (format!("{} {name}", row.head), value.clone().into()))
                });
                facts.extend(tiles);
            }
            Block::Fold(fold) => {
                if let Some(Json::Array(inside)) = self::blocks(&fold.blocks).remove("tables") {
                    found.extend(inside);
                }
            }
            other => says.extend(sentences(other)),
        }
    }
    let mut map = Map::new();
    for (name, value) in [("says", Json::from(says)), ("tables", found.into())] {
        if value.as_array().is_some_and(|values| !values.is_empty()) {
            map.insert(name.into(), value);
        }
    }
    if !facts.is_empty() {
        map.insert("facts".into(), facts.into());
    }
    map
}

fn sentences(block: &Block) -> Vec<Json> {
    match block {
        Block::Finding(words) | Block::Lead(words) | Block::Heading(words) => {
            vec![words.as_str().into()]
        }
        Block::Note(_, words) => vec![words.as_str().into()],
        Block::Warning(lines) | Block::List(lines) | Block::Eyebrow(lines) => {
            lines.iter().map(|line| line.as_str().into()).collect()
        }
        _ => Vec::new(),
    }
}

fn table(table: &Table) -> Json {
    let rows: Vec<Json> = table.rows.iter().map(|row| object(table, &row.cells)).collect();
    json!({ "id": table.id, "rows": rows })
}

fn object(table: &Table, cells: &[Cell]) -> Json {
    let mut map = Map::new();
    for (column, cell) in table.columns.iter().zip(cells) {
        let name = column.name();
        if let (true, Some((low, high))) = (column.interval, cell.interval) {
            map.insert(format!("{name}_low"), low.into());
            map.insert(format!("{name}_high"), high.into());
        }
        map.insert(name, value(&cell.value));
    }
    map.into()
}

fn value(value: &Value) -> Json {
    match value {
        Value::None => Json::Null,
        Value::Text(text) => text.as_str().into(),
        Value::Whole(value) => (*value).into(),
        Value::Real(value) => (*value).into(),
        Value::Lines(lines) => lines.clone().into(),
        Value::Parts(parts) => {
            parts.iter().map(|(name, _, share)| ((*name).to_owned(), Json::from(*share))).collect()
        }
    }
}
