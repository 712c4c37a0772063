//! The six groupings of messages, fed with as little work as the batch allows.
//!
//! What a whole part of a batch agrees in, it is counted for at once, and not in each grouping:
//! counts wait under all their keys together and are handed out when those change. In a run where
//! only the launch changes this saves five groupings of six. What varies within the part is sorted
//! into cells: jointly where cells are large enough to be counted densely, else one grouping at a
//! time, so that a column with a value of its own on every row is dear for itself alone.

use std::collections::HashMap;

use record::{Field, NULL, Values};

use crate::analysis::By;
use crate::cells::Cell;
use crate::columns::Columns;
use crate::groups::{Group, Grouping, Key};
use crate::joint::{Agreed, Joint, SizeStep};
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
/// Parts that are sorted by one grouping at a time once joint cells came out small: those of the
/// next part mostly do, too.
const PARTS_APART: usize = 8;
/// Combinations of keys under which counts wait, at most.
const WAITING: usize = 64;

/// Keys of all groupings; `None` where rows lack the column, or differ in it.
type Keys = [Option<Key>; 6];

/// The groupings of a run's messages.
pub(crate) struct Groupings {
    each: [Grouping; 6],
    waiting: HashMap<Keys, Group>,
    joint: Joint,
    /// Parts until sorting jointly is tried again.
    parts_apart: usize,
}

impl Default for Groupings {
    fn default() -> Groupings {
        let each = GROUPINGS.map(|(_, _, cap)| Grouping::new(cap));
        Groupings { each, waiting: HashMap::new(), joint: Joint::default(), parts_apart: 0 }
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
        let facets: Vec<usize> = varying.iter().copied().filter(|at| is_facet(*at)).collect();
        if facets.is_empty() {
            self.joint.add(agreed(columns, 0), columns.rows() as u64, &working.counted);
        }
        if varying.len() > 1 && self.parts_apart == 0 {
            working.cells.sort(columns, &fields_of(&varying));
            if working.cells.len() * ROWS_A_CELL <= columns.rows() {
                return self.add_cells(columns, place, working, &varying, !facets.is_empty());
            }
            self.parts_apart = PARTS_APART;
        }
        self.parts_apart = self.parts_apart.saturating_sub(1);
        for &at in &varying {
            working.cells.sort(columns, GROUPINGS[at].1);
            self.add_cells(columns, place, working, &[at], facets == [at]);
        }
        if facets.len() > 1 {
            self.add_joint(columns, working, &fields_of(&facets));
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, mut other: Groupings) {
        other.settle();
        self.joint.merge(other.joint);
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

    /// The messages by pair, kind and size at once.
    pub fn joint(&mut self) -> &mut Joint {
        &mut self.joint
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

    /// Take in the cells, whose rows agree in these groupings; `whole` says that they agree in
    /// pair, kind and size.
    fn add_cells(
        &mut self,
        columns: &Columns,
        place: Place,
        working: &mut Working,
        groupings: &[usize],
        whole: bool,
    ) {
        for cell in 0..working.cells.len() {
            let Cell { first, rows } = working.cells.get(cell);
            let messages = rows.map_or(columns.rows(), <[u32]>::len) as u64;
            let wanted = |&&at: &&usize| {
                key(at, columns, first, place)
                    .is_some_and(|key| !self.each[at].leaves_out(key, messages))
            };
            let wanted: Vec<usize> = groupings.iter().filter(wanted).copied().collect();
            if wanted.is_empty() && !whole {
                continue;
            }
            working.count_cell(cell, columns);
            for at in wanted {
                if let Some(key) = key(at, columns, first, place) {
                    self.each[at].add(key, messages, &working.counted);
                }
            }
            if whole {
                let agreed = agreed(columns, first);
                match working.few_values(cell) {
                    Some(stages) => self.joint.add_few(agreed, messages, &working.counted, stages),
                    None => self.joint.add(agreed, messages, &working.counted),
                }
            }
        }
    }

    /// Sort rows by pair, kind and size alone. Sizes that the cells do not tell apart are put
    /// together before: cells would be so small that counting them costs more than sorting.
    fn add_joint(&mut self, columns: &Columns, working: &mut Working, fields: &[Field]) {
        let mut keys = std::mem::take(&mut working.size_keys);
        let step = self.joint.step();
        keys.clear();
        let sorted = match columns.column(Field::Bytes) {
            Values::Each(sizes) if step != SizeStep::Each => {
                keys.extend(sizes.iter().map(|bytes| step.key(*bytes)));
                columns.with(Field::Bytes, Values::Each(&keys))
            }
            _ => *columns,
        };
        working.cells.sort(&sorted, fields);
        for cell in 0..working.cells.len() {
            let Cell { first, rows } = working.cells.get(cell);
            let messages = rows.map_or(columns.rows(), <[u32]>::len) as u64;
            let sizes = size_ends(columns, rows);
            self.joint.add_values(agreed(columns, first), messages, working.cell_values(cell));
            sizes.iter().for_each(|bytes| self.joint.note_size(*bytes));
        }
        working.size_keys = keys;
    }
}

/// The smallest and the largest payload of some rows, or of all.
fn size_ends(columns: &Columns, rows: Option<&[u32]>) -> [i64; 2] {
    let Values::Each(sizes) = columns.column(Field::Bytes) else {
        return [columns.at(Field::Bytes, 0); 2];
    };
    let ends = |[low, high]: [i64; 2], bytes: i64| [low.min(bytes), high.max(bytes)];
    let none = [i64::MAX, i64::MIN];
    match rows {
        None => sizes.iter().copied().fold(none, ends),
        Some(rows) => rows.iter().map(|&row| sizes[row as usize]).fold(none, ends),
    }
}

fn is_facet(grouping: usize) -> bool {
    matches!(GROUPINGS[grouping].0, By::Pair | By::Kind | By::Bytes)
}

fn fields_of(groupings: &[usize]) -> Vec<Field> {
    groupings.iter().flat_map(|&at| GROUPINGS[at].1).copied().collect()
}

/// The pair, kind and size of a row.
fn agreed(columns: &Columns, row: usize) -> Agreed {
    let [src, dst, kind, bytes] =
        [Field::Src, Field::Dst, Field::Kind, Field::Bytes].map(|field| columns.at(field, row));
    Agreed { pair: (src != NULL && dst != NULL).then_some((src, dst)), kind, bytes }
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
