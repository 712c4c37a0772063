//! The texts of start messages.

use super::body::{Body, Vector};
use super::name::{Kind, Name};
use super::puck::Ground;

/// Sectors are no larger, so that all their corners are exact.
const SIDE_MAX: f64 = 1e6;

/// A puck's.
pub(super) struct PuckStart {
    pub body: Body,
    pub sector: Name,
    pub ground: Ground,
}

/// A cushion's: from where to where it goes, and the table.
pub(super) struct CushionStart {
    pub begin: Vector,
    pub end: Vector,
    pub table: Ground,
}

/// A sector's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SectorStart {
    pub rows: u8,
    pub columns: u8,
    pub height: f64,
    pub width: f64,
}

impl PuckStart {
    pub fn parse(text: &str) -> Result<PuckStart, String> {
        let [r, m, x, y, vx, vy, sector, width, height, table @ ..] = fields::<13>(text, "puck")?;
        let name = Name::parse(sector).filter(|name| name.kind() == Kind::Sector);
        let sector =
            name.ok_or_else(|| format!("{sector:?} is not a sector; write sector_RR_CC"))?;
        let (r, m) = (positive(r, "radius")?, positive(m, "mass")?);
        let p = Vector::new(number(x)?, number(y)?);
        let v = Vector::new(number(vx)?, number(vy)?);
        let (width, height) = (side(width)?, side(height)?);
        let ground = Ground { width, height, ..table_of(table)? };
        let start = PuckStart { body: Body { p, v, r, m, t: 0.0 }, sector, ground };
        match start.ground.holds(p, r) {
            true => Ok(start),
            false => Err(format!("the puck is not on its table at ({x}, {y})")),
        }
    }
}

impl CushionStart {
    pub fn parse(text: &str) -> Result<CushionStart, String> {
        let [x, y, x_end, y_end, table @ ..] = fields::<8>(text, "cushion")?;
        let begin = Vector::new(number(x)?, number(y)?);
        let end = Vector::new(number(x_end)?, number(y_end)?);
        match begin == end {
            false => Ok(CushionStart { begin, end, table: table_of(table)? }),
            true => Err("the cushion has no length; its ends must differ".into()),
        }
    }
}

impl SectorStart {
    pub fn parse(text: &str) -> Result<SectorStart, String> {
        let [rows, columns, x0, y0, height, width] = fields::<6>(text, "sector")?;
        number(x0)?;
        number(y0)?;
        let (rows, columns) = (count(rows, "rows")?, count(columns, "columns")?);
        Ok(SectorStart { rows, columns, height: side(height)?, width: side(width)? })
    }

    /// East and south ends of the table.
    pub fn table(&self) -> Vector {
        Vector::new(f64::from(self.columns) * self.width, f64::from(self.rows) * self.height)
    }
}

fn fields<'t, const N: usize>(text: &'t str, what: &str) -> Result<[&'t str; N], String> {
    if let Some(odd) = text.chars().find(|c| !(' '..='~').contains(c)) {
        return Err(format!("the text has {odd:?}; write printable ASCII only"));
    }
    let found: Vec<&str> = text.split_ascii_whitespace().collect();
    let count = found.len();
    found
        .try_into()
        .map_err(|_| format!("the text of a {what} has {N} fields between blanks, not {count}"))
}

fn number(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| value.is_finite());
    value.ok_or_else(|| format!("{text:?} in the text is not a number"))
}

fn positive(text: &str, what: &str) -> Result<f64, String> {
    let value = number(text)?;
    if value > 0.0 { Ok(value) } else { Err(format!("the {what} is {text}; give one above 0")) }
}

fn side(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    match value.fract() == 0.0 && (1.0..=SIDE_MAX).contains(&value) {
        true => Ok(value),
        false => {
            Err(format!("a side of a sector is {text}; give a whole number from 1 to {SIDE_MAX}"))
        }
    }
}

fn count(text: &str, what: &str) -> Result<u8, String> {
    let value =
        text.parse().ok().filter(|value| (1..=Name::PLACES_MAX).contains(&u32::from(*value)));
    value.ok_or_else(|| format!("there are {text:?} {what}; give 1 to {}", Name::PLACES_MAX))
}

fn table_of([min_x, min_y, max_x, max_y]: [&str; 4]) -> Result<Ground, String> {
    let min = Vector::new(number(min_x)?, number(min_y)?);
    let max = Vector::new(number(max_x)?, number(max_y)?);
    Ok(Ground { min, max, width: 0.0, height: 0.0 })
}
