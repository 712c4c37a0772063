//! A table and what lies on it: objects in order of their creation, and the messages that start
//! them.
//!
//! Checked once, so that the model need not: the sectors make a table without a gap, every part of
//! it is started before any puck is, and pucks are on the table in sectors that there are.

use super::body::Vector;
use super::cushion::Edge;
use super::geometry::{Segment, Side};
use super::name::{Kind, Name};
use super::sector::{Boundary, Rectangle};
use super::start::{CushionStart, PuckStart, SectorStart};
use super::{CUSHION_START, HORIZON, PUCK_START, SECTOR_START};
use std::collections::BTreeMap;
use std::sync::Arc;
use timewarp::VirtualTime;

/// A start message.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Whom it starts: the object's number.
    pub receiver: u32,
    /// When.
    pub simtime: f64,
    /// [`PUCK_START`], [`CUSHION_START`], [`SECTOR_START`], or 0 for the one that fits.
    pub selector: i32,
    /// What it says. It is the message's payload, so two texts that say the same are two texts.
    pub text: Arc<str>,
}

/// A table and what lies on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    pub(super) objects: Vec<Name>,
    pub(super) starts: Vec<Start>,
    pub(super) lands: Vec<Land>,
    grid: SectorStart,
}

/// What never changes of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Land {
    Sector(Rectangle),
    Cushion(Edge),
    Puck,
}

/// What is wrong, and where.
#[derive(Debug)]
pub(super) struct Flaw {
    pub row: Row,
    pub reason: String,
}

/// A row of one of the two tables.
#[derive(Clone, Copy, Debug)]
pub(super) enum Row {
    Object(usize),
    Start(usize),
}

type Found<T> = Result<T, Flaw>;

impl Scenario {
    /// Where each object stands, for blocks of a placement: strips of the table, column by column.
    /// A cushion stands with its sector, a puck where it starts.
    pub(super) fn standings(&self) -> Vec<u64> {
        let strip = |sector: Name| u64::from(sector.column()) << 8 | u64::from(sector.row());
        let mut places: BTreeMap<Name, u64> = BTreeMap::new();
        for (name, land) in self.objects.iter().zip(&self.lands) {
            if let Land::Sector(rectangle) = land {
                places.insert(*name, strip(*name));
                places.extend(rectangle.cushions.iter().map(|cushion| (*cushion, strip(*name))));
            }
        }
        for start in &self.starts {
            let name = self.objects[start.receiver as usize];
            if let (Kind::Puck, Ok(puck)) = (name.kind(), PuckStart::parse(&start.text)) {
                places.entry(name).or_insert(strip(puck.sector));
            }
        }
        self.objects.iter().map(|name| places.get(name).copied().unwrap_or(0)).collect()
    }

    /// Objects in order of creation.
    pub fn objects(&self) -> &[Name] {
        &self.objects
    }

    /// Start messages, in order.
    pub fn starts(&self) -> &[Start] {
        &self.starts
    }

    /// Width and height of a sector.
    pub fn sector_sides(&self) -> [f64; 2] {
        [self.grid.width, self.grid.height]
    }

    pub(super) fn build(objects: Vec<Name>, starts: Vec<Start>) -> Found<Scenario> {
        let mut survey = Survey { objects: &objects, starts: &starts, by_name: BTreeMap::new() };
        survey.number_objects()?;
        survey.check_starts()?;
        let grid = survey.grid()?;
        survey.check_pucks(grid)?;
        let mut lands = vec![Land::Puck; objects.len()];
        survey.check_parts(&mut lands, grid)?;
        Ok(Scenario { objects, starts, lands, grid })
    }
}

/// A scenario that is looked at.
struct Survey<'s> {
    objects: &'s [Name],
    starts: &'s [Start],
    by_name: BTreeMap<Name, usize>,
}

fn flaw<T>(row: Row, reason: impl Into<String>) -> Found<T> {
    Err(Flaw { row, reason: reason.into() })
}

impl Survey<'_> {
    fn number_objects(&mut self) -> Found<()> {
        for (place, name) in self.objects.iter().enumerate() {
            if self.by_name.insert(*name, place).is_some() {
                return flaw(
                    Row::Object(place),
                    format!("{name} appears twice; give each object once"),
                );
            }
        }
        match self.by_name.is_empty() {
            false => Ok(()),
            true => flaw(Row::Object(0), "there are no objects; give at least one sector"),
        }
    }

    fn kind(&self, start: &Start) -> Kind {
        self.objects[start.receiver as usize].kind()
    }

    fn starts_of(&self, kind: Kind) -> impl Iterator<Item = (usize, Name, &Start)> {
        let named = |(row, start): (_, _)| (row, self.name(start), start);
        self.starts.iter().enumerate().filter(move |(_, start)| self.kind(start) == kind).map(named)
    }

    fn name(&self, start: &Start) -> Name {
        self.objects[start.receiver as usize]
    }

    /// Selectors and times.
    fn check_starts(&self) -> Found<()> {
        let parts = self.starts.iter().filter(|start| self.kind(start) != Kind::Puck);
        let ready = parts.map(|start| start.simtime).fold(f64::NEG_INFINITY, f64::max);
        for (row, start) in self.starts.iter().enumerate() {
            let kind = self.kind(start);
            let own = selector(kind);
            let reason = if start.selector != 0 && start.selector != own {
                format!(
                    "selector is {}, but a {} is started by {own}; correct it",
                    start.selector,
                    kind.text()
                )
            } else if !(start.simtime > VirtualTime::STARTED.simtime() && start.simtime < HORIZON) {
                format!("simtime is {}; give one before {HORIZON}", start.simtime)
            } else if kind == Kind::Puck && start.simtime <= ready {
                format!(
                    "a puck starts at {}; start it after all sectors and cushions ({ready})",
                    start.simtime
                )
            } else {
                continue;
            };
            return flaw(Row::Start(row), reason);
        }
        Ok(())
    }

    /// What all sectors agree on.
    fn grid(&self) -> Found<SectorStart> {
        let mut grid = None;
        for (row, name, start) in self.starts_of(Kind::Sector) {
            let read =
                SectorStart::parse(&start.text).or_else(|reason| flaw(Row::Start(row), reason))?;
            if grid.is_some_and(|grid| grid != read) {
                return flaw(
                    Row::Start(row),
                    "rows, columns, height and width are not those of the first sector",
                );
            }
            if name.row() >= read.rows || name.column() >= u16::from(read.columns) {
                let (rows, columns) = (read.rows, read.columns);
                return flaw(
                    Row::Start(row),
                    format!("{name} is not among {rows} rows and {columns} columns"),
                );
            }
            grid = Some(read);
        }
        let Some(grid) = grid else {
            return flaw(Row::Start(self.starts.len()), "no sector is started");
        };
        let places =
            (0..grid.rows).flat_map(|row| (0..grid.columns).map(move |column| (row, column)));
        for name in places.map(|(row, column)| Name::sector(row, column)) {
            self.demand(name, grid)?;
        }
        Ok(grid)
    }

    fn demand(&self, name: Name, grid: SectorStart) -> Found<()> {
        if self.by_name.contains_key(&name) {
            return Ok(());
        }
        let (rows, columns) = (grid.rows, grid.columns);
        let reason = format!(
            "{name} is missing: the table has {rows} rows and {columns} columns of sectors"
        );
        flaw(Row::Object(self.objects.len()), reason)
    }

    fn check_pucks(&self, grid: SectorStart) -> Found<()> {
        let mut firsts: BTreeMap<Name, (f64, Vec<&str>, Vec<Name>)> = BTreeMap::new();
        for (row, name, start) in self.starts_of(Kind::Puck) {
            let row = Row::Start(row);
            let read = PuckStart::parse(&start.text).or_else(|reason| flaw(row, reason))?;
            let table = grid.table();
            let ground = read.ground;
            if (ground.min, ground.max) != (Vector::default(), table) {
                return flaw(
                    row,
                    format!("the sectors make a table from (0, 0) to ({}, {})", table.x, table.y),
                );
            }
            if (ground.width, ground.height) != (grid.width, grid.height) {
                return flaw(
                    row,
                    format!("sectors are {} wide and {} high", grid.width, grid.height),
                );
            }
            self.demand(read.sector, grid).map_err(|missing| Flaw { row, ..missing })?;
            let mut words: Vec<&str> = start.text.split_ascii_whitespace().collect();
            words.remove(6);
            let first = firsts.entry(name).or_insert((start.simtime, words.clone(), Vec::new()));
            if (first.0, &first.1) != (start.simtime, &words) {
                return flaw(
                    row,
                    format!(
                        "{name} is started differently in an earlier row; only the sector may \
                        differ"
                    ),
                );
            }
            if first.2.contains(&read.sector) {
                return flaw(row, format!("{name} is started in {} twice", read.sector));
            }
            first.2.push(read.sector);
        }
        let pucks = self.by_name.iter().filter(|(name, _)| name.kind() == Kind::Puck);
        match pucks.into_iter().find(|(name, _)| !firsts.contains_key(name)) {
            None => Ok(()),
            Some((name, _)) => flaw(
                Row::Start(self.starts.len()),
                format!("{name} has no start message; give it one"),
            ),
        }
    }

    /// Sectors and cushions: one start message each.
    fn check_parts(&self, lands: &mut [Land], grid: SectorStart) -> Found<()> {
        for (row, start) in self.starts.iter().enumerate() {
            let name = self.name(start);
            let land = match name.kind() {
                Kind::Puck => continue,
                Kind::Cushion => Land::Cushion(
                    edge(&start.text).or_else(|reason| flaw(Row::Start(row), reason))?,
                ),
                Kind::Sector => Land::Sector(self.rectangle(name, grid)?),
            };
            let place = &mut lands[start.receiver as usize];
            if *place != Land::Puck {
                return flaw(
                    Row::Start(row),
                    format!("{name} is started twice; give one start message"),
                );
            }
            *place = land;
        }
        for (name, land) in self.objects.iter().zip(lands) {
            if *land == Land::Puck && name.kind() != Kind::Puck {
                return flaw(
                    Row::Start(self.starts.len()),
                    format!("{name} has no start message; give it one"),
                );
            }
        }
        Ok(())
    }

    /// Boundaries and cushions in the order west, east, north, south.
    fn rectangle(&self, name: Name, grid: SectorStart) -> Found<Rectangle> {
        let mut rectangle =
            Rectangle { boundaries: Vec::new(), cushions: Vec::new(), table: grid.table() };
        for boundary in sides(name, grid) {
            match boundary {
                Ok(boundary) => rectangle.boundaries.push(boundary),
                Err(cushion) => {
                    self.demand(cushion, grid)?;
                    rectangle.cushions.push(cushion);
                }
            }
        }
        Ok(rectangle)
    }
}

fn selector(kind: Kind) -> i32 {
    match kind {
        Kind::Puck => PUCK_START,
        Kind::Cushion => CUSHION_START,
        Kind::Sector => SECTOR_START,
    }
}

fn edge(text: &str) -> Result<Edge, String> {
    let CushionStart { begin, end, table } = CushionStart::parse(text)?;
    Ok(Edge { segment: Segment::between(begin, end), table })
}

/// West, east, north, south: a boundary with the next sector, or at the table's edge the cushion
/// there.
fn sides(name: Name, grid: SectorStart) -> [Result<Boundary, Name>; 4] {
    let (i, j) = (name.row(), name.column() as u8);
    let corner = |row: u8, column: u8| {
        Vector::new(f64::from(column) * grid.width, f64::from(row) * grid.height)
    };
    let (here, below) = (corner(i, j), corner(i + 1, j));
    let (beside, opposite) = (corner(i, j + 1), corner(i + 1, j + 1));
    let boundary = |neighbour, side, (begin, end), corner| Boundary {
        neighbour,
        side,
        segment: Segment::between(begin, end),
        corner,
    };
    [
        match j {
            0 => Err(Name::cushion(0, i)),
            _ => Ok(boundary(Name::sector(i, j - 1), Side::Along, (here, below), here)),
        },
        match j + 1 == grid.columns {
            true => Err(Name::cushion(2, i)),
            false => {
                Ok(boundary(Name::sector(i, j + 1), Side::Against, (beside, opposite), opposite))
            }
        },
        match i {
            0 => Err(Name::cushion(1, j)),
            _ => Ok(boundary(Name::sector(i - 1, j), Side::Against, (here, beside), beside)),
        },
        match i + 1 == grid.rows {
            true => Err(Name::cushion(3, j)),
            false => Ok(boundary(Name::sector(i + 1, j), Side::Along, (below, opposite), below)),
        },
    ]
}
