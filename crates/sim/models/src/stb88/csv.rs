//! A scenario as the text of seven tables. Reading files is the caller's.

use super::name::Kind;
use super::scenario::{
    Board, CELL, CorpsPlan, DivisionPlan, Parts, SECTORS, SLOTS, SYSTEMS, Scenario, Systems, places,
};
use super::{Name, Side};
use crate::ModelError;
use crate::table::{self, Table, wrong};
use ::csv::{Position, Trim};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The files of a scenario.
pub const FILES: [&str; 7] = [
    "stb88_objects.csv",
    "stb88_initial_messages.csv",
    "stb88_corps.csv",
    "stb88_formations.csv",
    "stb88_systems.csv",
    "stb88_attrition.csv",
    "stb88_constants.csv",
];

/// The texts of [`FILES`], in their order.
pub type Tables<'a> = [&'a str; 7];

/// Constants that are part of the rules: a scenario cannot change them.
const RULES: [(&str, f64); 22] = [
    ("ticks_per_minute", 10.0),
    ("query_delay", 1.0),
    ("grid_height_y", CELL),
    ("direct_engagement_range", 15.0),
    ("perception_radius", 14.0),
    ("flot_offset", 5.0),
    ("rear_offset", 25.0),
    ("division_north_south_extent", 32.0),
    ("corps_front_offset", 30.0),
    ("nominal_speed_numerator", 30.0),
    ("nominal_speed_denominator", 1440.0),
    ("combat_cycle", 60.0),
    ("spot_report_interval", 120.0),
    ("corps_planning_period", 720.0),
    ("corps_attack_power_threshold", 0.75),
    ("corps_advance_distance", 30.0),
    ("defend_to_withdraw_threshold", 0.6),
    ("max_battles", 15.0),
    ("max_intel", 15.0),
    ("max_units_per_grid", 20.0),
    ("max_scheduled_evaluations", 25.0),
    ("max_divisions_per_corps", SLOTS as f64),
];

impl Scenario {
    /// From the texts of the tables [`FILES`]: a heading line that names the columns, then a line a
    /// row. Columns may come in any order; further ones are ignored.
    ///
    /// # Errors
    /// What is wrong, with file, line and column: a column or a number is missing or makes no
    /// sense, or units that are named do not exist.
    pub fn read(tables: Tables<'_>) -> Result<Scenario, ModelError> {
        let [objects, starts, corps, formations, systems, attrition, constants] = tables;
        let board = board(&rows(FILES[6], constants, &["name", "value"])?)?;
        let formations =
            rows(FILES[3], formations, &["side", "formation", "sector", "divisions", "width_km"])?;
        let formations = formations.iter().map(Formation::of).collect::<Result<Vec<_>, _>>()?;
        let columns = ["corps", "side", "number", "x_km", "y_km", "formation"];
        let corps = rows(FILES[2], corps, &columns)?;
        let columns =
            ["class", "side", "slot", "system_id", "operational", "authorised", "strength"];
        Scenario::new(Parts {
            objects: objects_of(&rows(FILES[0], objects, &["index", "object", "type"])?)?,
            starts: starts_of(&rows(FILES[1], starts, &["receiver", "time", "selector", "text"])?)?,
            corps: corps
                .iter()
                .map(|row| corps_of(row, &formations, &board))
                .collect::<Result<_, _>>()?,
            sides: systems_of(&rows(FILES[4], systems, &columns)?)?,
            attrition: attrition_of(&rows(
                FILES[5],
                attrition,
                &["shooter_id", "target_id", "coefficient"],
            )?)?,
            board,
        })
    }
}

/// A line of a table: the fields of the columns asked for.
struct Row<'c> {
    file: &'static str,
    line: u64,
    columns: &'c [&'static str],
    fields: Vec<String>,
}

impl Row<'_> {
    fn text(&self, column: &str) -> &str {
        let place = self.columns.iter().position(|name| *name == column);
        place.and_then(|place| self.fields.get(place)).map_or("", String::as_str)
    }

    fn wrong(&self, column: &str, remedy: &str) -> ModelError {
        let reason = format!("{column} is {:?}; {remedy}", self.text(column));
        wrong(self.file, self.line, reason)
    }

    fn number<T: FromStr + PartialOrd>(
        &self,
        column: &str,
        range: RangeInclusive<T>,
        remedy: &str,
    ) -> Result<T, ModelError> {
        let number = self.text(column).parse::<T>().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| self.wrong(column, remedy))
    }

    fn name(&self, column: &str, kind: Option<Kind>) -> Result<Name, ModelError> {
        let name =
            Name::parse(self.text(column)).filter(|name| kind.is_none() || name.kind() == kind);
        name.ok_or_else(|| {
            self.wrong(
                column,
                "give a name such as G0,3, red_corps1, blue_div2/1, red_div2 or distrib1, with at \
                most 7 characters after the word",
            )
        })
    }

    fn side(&self) -> Result<Side, ModelError> {
        match self.text("side") {
            "Red" => Ok(Side::Red),
            "Blue" => Ok(Side::Blue),
            _ => Err(self.wrong("side", "give Red or Blue")),
        }
    }
}

/// The rows of a table.
fn rows<'c>(
    file: &'static str,
    text: &str,
    columns: &'c [&'static str],
) -> Result<Vec<Row<'c>>, ModelError> {
    let unreadable = |error: ::csv::Error| {
        let line = error.position().map_or(1, Position::line);
        wrong(
            file,
            line,
            format!("it cannot be read as a table: {error}; give one field for each column"),
        )
    };
    let (mut reader, places) = table::open(Table { file, text }, columns, Trim::All)?;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        let line = record.position().map_or(0, Position::line);
        let fields =
            places.iter().map(|place| record.get(*place).unwrap_or("").to_string()).collect();
        rows.push(Row { file, line, columns, fields });
    }
    match rows.is_empty() {
        true => Err(wrong(file, 2, "the table has no rows; add them below the heading")),
        false => Ok(rows),
    }
}

fn objects_of(rows: &[Row<'_>]) -> Result<Vec<Name>, ModelError> {
    let mut names = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        row.number(
            "index",
            index..=index,
            &format!("objects count from 0 without a gap: give {index}"),
        )?;
        let name = row.name("object", None)?;
        if name.kind().map(Kind::name) != Some(row.text("type")) {
            return Err(row.wrong(
                "type",
                "give the type in the object's name: grid, corps, div or distributor",
            ));
        }
        names.push(name);
    }
    Ok(names)
}

fn starts_of(rows: &[Row<'_>]) -> Result<Vec<(Name, i32)>, ModelError> {
    let mut starts = Vec::with_capacity(rows.len());
    for row in rows {
        let receiver = row.name("receiver", Some(Kind::Corps))?;
        let time = row.number(
            "time",
            -1_000_000..=-901,
            "give a time before -900, when divisions get their orders",
        )?;
        row.number("selector", 99..=99, "give 99: the message wakes a corps")?;
        if row.text("text") != "go!" {
            return Err(row.wrong("text", "write go!: the message wakes a corps"));
        }
        starts.push((receiver, time));
    }
    Ok(starts)
}

/// Divisions in a sector of a formation.
struct Formation {
    side: Side,
    number: u32,
    sector: usize,
    divisions: usize,
}

impl Formation {
    fn of(row: &Row<'_>) -> Result<Formation, ModelError> {
        row.number("width_km", 32..=32, "give 32: sectors are 32 km wide")?;
        Ok(Formation {
            side: row.side()?,
            number: row.number("formation", 0..=u32::MAX, "give the number of a formation")?,
            sector: row.number("sector", 0..=SECTORS - 1, "give 0 for the reserve, or 1 to 3")?,
            divisions: row.number(
                "divisions",
                0..=SLOTS,
                "give 0 to 10: a corps has at most 10 divisions",
            )?,
        })
    }
}

fn corps_of(
    row: &Row<'_>,
    formations: &[Formation],
    board: &Board,
) -> Result<CorpsPlan, ModelError> {
    let (name, side) = (row.name("corps", Some(Kind::Corps))?, row.side()?);
    let number = row.number("number", 1..=999, "give the number that ends the corps' name")?;
    if number != name.last_number() || side != Side::of(name) {
        return Err(row.wrong("corps", "number and side must match the name"));
    }
    let at = [
        row.number("x_km", 0.0..=board.width, "give km within the board")?,
        row.number("y_km", 0.0..=board.height, "give km within the board")?,
    ];
    let formation: u32 = row.number("formation", 0..=u32::MAX, "give the number of a formation")?;
    let mut counts = [0; SECTORS];
    for own in formations.iter().filter(|other| other.side == side && other.number == formation) {
        counts[own.sector] += own.divisions;
    }
    let all: usize = counts.iter().sum();
    if !(1..=SLOTS).contains(&all) {
        return Err(row.wrong(
            "formation",
            &format!(
                "it has {all} divisions of this side, but a corps must have 1 to 10; correct the \
                formations"
            ),
        ));
    }
    let prefix = if side == Side::Red { "red" } else { "blue" };
    let mut divisions = Vec::with_capacity(all);
    for (place, (sector, at)) in (1..).zip(places(side, at, counts)) {
        let text = format!("{prefix}_div{place}/{number}");
        let name = Name::parse(&text).ok_or_else(|| {
            row.wrong("number", "its divisions' names would be too long; give a smaller number")
        })?;
        divisions.push(DivisionPlan { name, sector, at });
    }
    let distributor = Name::parse(&format!("distrib{number}"));
    let distributor = distributor.ok_or_else(|| {
        row.wrong("number", "its distributor's name would be too long; give a smaller number")
    })?;
    Ok(CorpsPlan { name, side, number, at, distributor, divisions })
}

fn systems_of(rows: &[Row<'_>]) -> Result<[Systems; 2], ModelError> {
    let mut sides = [Systems::default(), Systems::default()];
    let mut given = [[false; 7]; 2];
    for row in rows {
        let side = row.side()? as usize;
        let slot = match row.text("class") {
            "combat" => row.number("slot", 0..=4, "give 0 to 4: a side has five combat systems")?,
            "support" => {
                5 + row.number("slot", 0..=1, "give 0 or 1: a side has two support systems")?
            }
            _ => return Err(row.wrong("class", "give combat or support")),
        };
        if std::mem::replace(&mut given[side][slot], true) {
            return Err(row.wrong("slot", "another row has the same slot; remove one"));
        }
        let systems = &mut sides[side];
        systems.ids[slot] = row.number("system_id", 0..=SYSTEMS as u8 - 1, "give 0 to 15")?;
        systems.operational[slot] =
            row.number("operational", f64::MIN_POSITIVE..=1e9, "give more than 0")?;
        systems.authorised[slot] = row.number(
            "authorised",
            systems.operational[slot]..=1e9,
            "give at least the value of operational",
        )?;
        let strength = row.number("strength", 0.0..=1e3, "give 0 to 1000")?;
        if let Some(own) = systems.strengths.get_mut(slot) {
            *own = strength;
        }
    }
    match (0..2)
        .flat_map(|side| (0..7).map(move |slot| (side, slot)))
        .find(|(side, slot)| !given[*side][*slot])
    {
        None => Ok(sides),
        Some((side, slot)) => {
            let side = if side == 0 { "Red" } else { "Blue" };
            let (class, slot) = if slot < 5 { ("combat", slot) } else { ("support", slot - 5) };
            let reason = format!("the row for {class}, {side}, slot {slot} is missing; add it");
            Err(ModelError::Data { place: FILES[4].into(), reason })
        }
    }
}

fn attrition_of(rows: &[Row<'_>]) -> Result<Vec<(u8, u8, f64)>, ModelError> {
    let id = |row: &Row<'_>, column| row.number(column, 0..=SYSTEMS as u8 - 1, "give 0 to 15");
    rows.iter()
        .map(|row| {
            let coefficient = row.number("coefficient", 0.0..=1.0, "give 0 to 1")?;
            Ok((id(row, "shooter_id")?, id(row, "target_id")?, coefficient))
        })
        .collect()
}

/// The board's size from the constants; the others must be what the rules have.
fn board(rows: &[Row<'_>]) -> Result<Board, ModelError> {
    for row in rows {
        let value = row.number("value", f64::MIN..=f64::MAX, "give a number")?;
        let rule = RULES.iter().find(|(name, _)| *name == row.text("name"));
        if let Some((name, fixed)) = rule.filter(|(_, fixed)| *fixed != value) {
            return Err(row.wrong("value", &format!("give {fixed}: {name} is fixed by the rules")));
        }
    }
    let of = |name: &str| {
        let missing = || ModelError::Data {
            place: FILES[6].into(),
            reason: format!("the constant {name} is missing; add its row"),
        };
        rows.iter().find(|row| row.text("name") == name).ok_or_else(missing)
    };
    let board = Board {
        width: of("board_width_x")?.number("value", 1.0..=1e6, "give km")?,
        height: of("board_height_y")?.number("value", 1.0..=1e6, "give km")?,
        columns: of("grid_columns_x")?.number(
            "value",
            1..=1,
            "give 1: the rules have one column of cells",
        )?,
        rows: of("grid_rows_y")?.number("value", 1..=999, "give 1 to 999")?,
        end: of("cutoff_time")?.number("value", 1..=1_000_000_000, "give at least 1 tick")?,
    };
    if board.height != CELL * board.rows as f64 {
        return Err(of("board_height_y")?
            .wrong("value", "give 106 times grid_rows_y: cells are 106 km high"));
    }
    Ok(board)
}

#[cfg(test)]
mod tests;
