//! The six groupings of messages, fed with as little work as the batch allows.
//!
//! What a whole part of a batch agrees in, it is counted for at once, and not in each grouping:
//! counts wait under all their keys together and are handed out when those change. In a run where
//! only the launch changes this saves five groupings of six. What varies within the part is sorted
//! into cells: jointly where cells are large enough to be counted densely, else one grouping at a
//! time, so that a column with a value of its own on every row is dear for itself alone.

use std::collections::HashMap;

use record::{Field, NULL};

use crate::analysis::By;
use crate::cells::Cell;
use crate::columns::Columns;
use crate::groups::{Group, Grouping, Key};
use crate::place::Place;
use crate::working::Working;

/// What messages are grouped by, the columns that this takes, and how many groups are kept.
const GROUPINGS: [(By, &[Field], usize); 6] = [
    (By::Hops, &[Field::Hops], 64),
    (By::Packets, &[Field::Packets], 128),
    (By::Bytes, &[Field::Bytes], 512),
    (By::Pair, &[Field::Src, Field::Dst], 64),
    (By::Kind, &[Field::Kind], 16),
    (By::Launch, &[], 256),
];

/// Rows a cell, on average, from which cells are sorted jointly.
const ROWS_A_CELL: usize = 512;
/// Combinations of keys under which counts wait, at most.
const WAITING: usize = 64;

/// Keys of all groupings; `None` where rows lack the column, or differ in it.
type Keys = [Option<Key>; 6];

/// The groupings of a run's messages.
pub(crate) struct Groupings {
    each: [Grouping; 6],
    waiting: HashMap<Keys, Group>,
}

impl Default for Groupings {
    fn default() -> Groupings {
        Groupings { each: GROUPINGS.map(|(_, _, cap)| Grouping::new(cap)), waiting: HashMap::new() }
    }
}

impl Groupings {
    /// Take in rows of a launch, of which `working` has the stages, counted as a whole.
    pub fn add(&mut self, columns: &Columns, place: Place, working: &mut Working) {
        let varies = GROUPINGS
            .map(|(_, fields, _)| fields.iter().any(|&field| columns.shared(field).is_none()));
        let keys: Keys =
            std::array::from_fn(|at| if varies[at] { None } else { key(at, columns, 0, place) });
        self.waiting.entry(keys).or_default().add(columns.rows() as u64, &working.counted);
        if self.waiting.len() > WAITING {
            self.settle();
        }
        let varying: Vec<usize> = (0..GROUPINGS.len()).filter(|&at| varies[at]).collect();
        let fields: Vec<Field> = varying.iter().flat_map(|&at| GROUPINGS[at].1).copied().collect();
        if varying.len() > 1 {
            working.cells.sort(columns, &fields);
            if working.cells.len() * ROWS_A_CELL <= columns.rows() {
                return self.add_cells(columns, place, working, &varying);
            }
        }
        for at in varying {
            working.cells.sort(columns, GROUPINGS[at].1);
            self.add_cells(columns, place, working, &[at]);
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, mut other: Groupings) {
        other.settle();
        self.each.iter_mut().zip(other.each).for_each(|(mine, theirs)| mine.merge(theirs));
    }

    /// The groups by one of the columns, complete.
    pub fn by(&mut self, by: By) -> &Grouping {
        self.settle();
        let at = GROUPINGS
            .iter()
            .position(|(named, _, _)| *named == by)
            .expect("every column has its grouping");
        &self.each[at]
    }

    /// Hand out the counts that wait.
    fn settle(&mut self) {
        for (keys, group) in self.waiting.drain() {
            for (grouping, key) in self.each.iter_mut().zip(keys) {
                if let Some(key) = key {
                    grouping.merge_group(key, &group);
                }
            }
        }
    }

    fn add_cells(
        &mut self,
        columns: &Columns,
        place: Place,
        working: &mut Working,
        groupings: &[usize],
    ) {
        for cell in 0..working.cells.len() {
            let Cell { first, rows } = working.cells.get(cell);
            let messages = rows.map_or(columns.rows(), <[u32]>::len) as u64;
            let wanted = |&&at: &&usize| {
                key(at, columns, first, place)
                    .is_some_and(|key| !self.each[at].leaves_out(key, messages))
            };
            let wanted: Vec<usize> = groupings.iter().filter(wanted).copied().collect();
            if wanted.is_empty() {
                continue;
            }
            working.count_cell(cell, columns);
            for at in wanted {
                if let Some(key) = key(at, columns, first, place) {
                    self.each[at].add(key, messages, &working.counted);
                }
            }
        }
    }
}

/// The group that a row belongs to; `None` where it lacks the column.
fn key(grouping: usize, columns: &Columns, row: usize, place: Place) -> Option<Key> {
    let value = |field| Some(columns.at(field, row)).filter(|&value| value != NULL);
    match GROUPINGS[grouping] {
        (By::Pair, ..) => Some((value(Field::Src)?, value(Field::Dst)?)),
        (By::Launch, ..) => Some((i64::from(place.launch), 0)),
        (_, fields, _) => Some((value(fields[0])?, 0)),
    }
}
