//! Both sides' orders of battle, and what their weapons do to each other.
//!
//! Checked once, so that the model need not: every unit that is named exists, and no scenario
//! begins where the rules have nothing to say (more units in a cell than it has room for, places
//! off the board).

use super::body::COMBAT;
use super::division::Stock;
use super::name::Kind;
use super::{Name, Side};
use crate::ModelError;

/// Systems of a division that only support.
pub(super) const SUPPORT: usize = 2;
/// Divisions of a corps.
pub(super) const SLOTS: usize = 10;
/// Sectors of a corps: its reserve, then from north to south.
pub(super) const SECTORS: usize = 4;
/// Units of a cell.
pub(super) const UNITS: usize = 20;
/// From south to north of a cell, km.
pub(super) const CELL: f64 = 106.0;
/// System numbers.
pub(super) const SYSTEMS: usize = 16;

/// From the corps' place to the front line, km.
const AHEAD: f64 = 55.0;
/// From a sector to the next, km.
const SECTOR: f64 = 32.0;

/// An order of battle and a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    objects: Vec<Name>,
    starts: Vec<(u32, i32)>,
    corps: Vec<CorpsPlan>,
    sides: [Systems; 2],
    coefficients: Box<[f64]>,
    board: Board,
    index: Index,
}

/// The board, and when nothing new is begun.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Board {
    pub width: f64,
    pub height: f64,
    pub columns: i64,
    pub rows: i64,
    pub end: i32,
}

/// A corps and its divisions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CorpsPlan {
    pub name: Name,
    pub side: Side,
    pub number: i32,
    pub at: [f64; 2],
    pub distributor: Name,
    pub divisions: Vec<DivisionPlan>,
}

/// A division: its sector and place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DivisionPlan {
    pub name: Name,
    pub sector: usize,
    pub at: [f64; 2],
}

/// What each division of a side begins with: five systems that fight, then two that support.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Systems {
    pub ids: [u8; COMBAT + SUPPORT],
    pub operational: [f64; COMBAT + SUPPORT],
    pub authorised: [f64; COMBAT + SUPPORT],
    /// Of those that fight.
    pub strengths: [f64; COMBAT],
}

impl Systems {
    pub fn stocks(&self) -> [Stock; COMBAT + SUPPORT] {
        std::array::from_fn(|slot| Stock {
            operational: self.operational[slot],
            authorised: self.authorised[slot],
        })
    }
}

/// What a scenario is made of.
pub(super) struct Parts {
    pub objects: Vec<Name>,
    pub starts: Vec<(Name, i32)>,
    pub corps: Vec<CorpsPlan>,
    pub sides: [Systems; 2],
    /// (shooter, victim, coefficient).
    pub attrition: Vec<(u8, u8, f64)>,
    pub board: Board,
}

impl Scenario {
    /// Of these parts, whose numbers are in their ranges.
    ///
    /// # Errors
    /// Units that are named and do not exist; a cell with too many units.
    pub(super) fn new(parts: Parts) -> Result<Scenario, ModelError> {
        let Parts { objects, starts, corps, sides, attrition, board } = parts;
        let index = Index::new(&objects)?;
        let known = |name: Name, of: &str| match index.find(name) {
            Some(object) => Ok(object),
            None => {
                Err(wrong(of, format!("the object {name} does not exist; add it to the objects")))
            }
        };
        let mut by_name = Vec::with_capacity(starts.len());
        for (receiver, time) in &starts {
            by_name.push((known(*receiver, "the initial messages")?, *time));
        }
        for plan in &corps {
            let of = format!("the divisions of {}", plan.name);
            known(plan.name, "the corps")?;
            known(plan.distributor, &of)?;
            for division in &plan.divisions {
                known(division.name, &of)?;
            }
        }
        let mut coefficients = vec![0.0; SYSTEMS * SYSTEMS].into_boxed_slice();
        for (shooter, victim, coefficient) in attrition {
            coefficients[usize::from(shooter) * SYSTEMS + usize::from(victim)] = coefficient;
        }
        let scenario =
            Scenario { objects, starts: by_name, corps, sides, coefficients, board, index };
        scenario.check_corps()?;
        scenario.check_cells()?;
        Ok(scenario)
    }

    /// Every corps object has its plan: without one its first event could not be.
    fn check_corps(&self) -> Result<(), ModelError> {
        let is_corps = |name: &&Name| name.kind() == Some(Kind::Corps);
        for name in self.objects.iter().filter(is_corps) {
            if !self.corps.iter().any(|plan| plan.name == *name) {
                return Err(wrong(
                    "the corps",
                    format!("the object {name} has no row; add it to the corps"),
                ));
            }
        }
        Ok(())
    }

    /// Every division begins on the board, in a cell with room for it.
    fn check_cells(&self) -> Result<(), ModelError> {
        let mut units = std::collections::BTreeMap::<Name, usize>::new();
        for division in self.corps.iter().flat_map(|plan| &plan.divisions) {
            let cell = self.cell_of(division.at).filter(|cell| self.find(*cell).is_some());
            let Some(cell) = cell else {
                let [x, y] = division.at;
                let reason = format!(
                    "{} begins at {x}, {y}, where there is no cell; move its corps",
                    division.name
                );
                return Err(wrong("the board", reason));
            };
            let count = units.entry(cell).or_default();
            *count += 1;
            if *count > UNITS {
                let reason = format!(
                    "more than {UNITS} units begin in {cell}; move a corps, or give it fewer \
                    divisions"
                );
                return Err(wrong("the board", reason));
            }
        }
        Ok(())
    }

    /// Objects, in the order of their creation.
    pub fn objects(&self) -> &[Name] {
        &self.objects
    }

    /// Divisions that come into play.
    pub fn divisions(&self) -> usize {
        self.corps.iter().map(|plan| plan.divisions.len()).sum()
    }

    /// Who is woken, and when.
    pub(super) fn starts(&self) -> &[(u32, i32)] {
        &self.starts
    }

    pub(super) fn corps(&self) -> &[CorpsPlan] {
        &self.corps
    }

    #[inline]
    pub(super) fn systems(&self, side: Side) -> &Systems {
        &self.sides[side as usize]
    }

    /// What one of these destroys of one of those in a minute.
    #[inline]
    pub(super) fn coefficient(&self, shooter: u8, victim: u8) -> f64 {
        let place = usize::from(shooter) * SYSTEMS + usize::from(victim);
        self.coefficients.get(place).copied().unwrap_or(0.0)
    }

    /// When nothing new is begun, ticks.
    #[inline]
    pub(super) fn end(&self) -> i32 {
        self.board.end
    }

    /// From west to east, km.
    #[inline]
    pub(super) fn width(&self) -> f64 {
        self.board.width
    }

    /// The southern and the northern edge of a cell, km.
    pub(super) fn cell(&self, row: i32) -> [f64; 2] {
        [CELL * f64::from(row), CELL * f64::from(row.wrapping_add(1))]
    }

    /// The cell of a place, if it has a name.
    pub(super) fn cell_of(&self, [x, y]: [f64; 2]) -> Option<Name> {
        let Board { width, height, columns, rows, .. } = self.board;
        let column = ((x / width) / (1.0 / columns as f64)) as i64;
        let row = ((y / height) / (1.0 / rows as f64)) as i64;
        Name::grid(column, row)
    }

    /// For each object the row of the cell that it has to do with.
    pub(super) fn cells(&self) -> Vec<u64> {
        let mut rows = vec![0; self.objects.len()];
        for (object, name) in self.objects.iter().enumerate() {
            if name.kind() == Some(Kind::Grid) {
                rows[object] = name.last_number() as u64;
            }
        }
        for plan in &self.corps {
            let row = self.cell_of(plan.at).map_or(0, |cell| cell.last_number() as u64);
            let divisions = plan.divisions.iter().map(|division| division.name);
            for name in divisions.chain([plan.name, plan.distributor]) {
                if let Some(object) = self.find(name) {
                    rows[object as usize] = row;
                }
            }
        }
        rows
    }

    /// The object of this name.
    #[inline]
    pub(super) fn find(&self, name: Name) -> Option<u32> {
        self.index.find(name)
    }
}

pub(super) fn wrong(place: &str, reason: impl Into<String>) -> ModelError {
    ModelError::Data { place: place.into(), reason: reason.into() }
}

/// Places of the divisions of a corps: its reserve where it is itself, the others ahead, in order
/// of sectors.
pub(super) fn places(
    side: Side,
    at: [f64; 2],
    counts: [usize; SECTORS],
) -> impl Iterator<Item = (usize, [f64; 2])> {
    let ahead = at[0] + AHEAD * side.forward();
    let sectors = [at, [ahead, at[1] + SECTOR], [ahead, at[1]], [ahead, at[1] - SECTOR]];
    (0..SECTORS).flat_map(move |sector| (0..counts[sector]).map(move |_| (sector, sectors[sector])))
}

/// Objects by name: a table four times as long as they are many, searched from a name's place on.
#[derive(Clone, PartialEq)]
struct Index {
    entries: Box<[(Name, u32)]>,
    shift: u32,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Index of {}", self.entries.len())
    }
}

impl Index {
    fn new(names: &[Name]) -> Result<Index, ModelError> {
        let places = (names.len() * 4).next_power_of_two().max(16);
        let entries = vec![(Name::NONE, 0); places].into_boxed_slice();
        let mut index = Index { entries, shift: 32 - places.trailing_zeros() };
        for (object, name) in (0..).zip(names) {
            let place = index.place(*name);
            if index.entries[place].0 == *name {
                return Err(wrong("the objects", format!("{name} appears twice; remove one")));
            }
            index.entries[place] = (*name, object);
        }
        Ok(index)
    }

    /// Where this name is, or would be.
    #[inline]
    fn place(&self, name: Name) -> usize {
        let mask = self.entries.len() - 1;
        let mut place = (name.word().wrapping_mul(0x9e37_79b1) >> self.shift) as usize & mask;
        while !self.entries[place].0.is_none() && self.entries[place].0 != name {
            place = (place + 1) & mask;
        }
        place
    }

    #[inline]
    fn find(&self, name: Name) -> Option<u32> {
        let (found, object) = self.entries[self.place(name)];
        (!name.is_none() && found == name).then_some(object)
    }
}
