//! Columns of a chunk, in memory that is used again for the next.

use crate::Field;
use crate::column_in::Scratch;

/// Null inside [`Values`].
pub const NULL: i64 = i64::MIN;

/// The columns that [`Chunk::read`](crate::Chunk::read) was asked for. Keep one for each thread.
#[derive(Default)]
pub struct Batch {
    rows: usize,
    slots: Vec<Slot>,
    scratch: Scratch,
}

/// One column of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values<'a> {
    /// The file has no such column (or it was not asked for).
    Absent,
    /// Every row has this value; [`NULL`] if every row is null.
    Constant(i64),
    /// One value for each row; [`NULL`] is null.
    Each(&'a [i64]),
}

/// The memory of one column.
#[derive(Default)]
pub(crate) struct Slot {
    state: SlotState,
    values: Vec<i64>,
    /// Times that were refused; see [`Batch::far_stamps`].
    far: u64,
}

#[derive(Clone, Copy, Default)]
enum SlotState {
    #[default]
    Absent,
    Constant(i64),
    Each,
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Rows of the chunk that was read.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A column. `kind` and `arrived_how` are the codes of [`Kind`](crate::Kind) and
    /// [`How`](crate::How), virtual times the bits of an `f64`.
    pub fn column(&self, field: Field) -> Values<'_> {
        match self.slots.get(field as usize) {
            None => Values::Absent,
            Some(slot) => slot.values(),
        }
    }

    /// Stamps of these rows that lie farther from the begin of the run than a stamp can, and are
    /// null here.
    pub fn far_stamps(&self) -> u64 {
        let stamps = [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs];
        stamps.iter().filter_map(|field| self.slots.get(*field as usize)).map(|slot| slot.far).sum()
    }

    pub(crate) fn begin(&mut self, rows: usize) {
        self.rows = rows;
        self.slots.resize_with(Field::ALL.len(), Slot::default);
        for slot in &mut self.slots {
            (slot.state, slot.far) = (SlotState::Absent, 0);
        }
    }

    /// Have in the column of `other` what that of `field` has.
    pub(crate) fn repeat(&mut self, field: Field, other: Field) {
        let of = std::mem::take(&mut self.slots[field as usize]);
        let to = &mut self.slots[other as usize];
        (to.state, to.far) = (of.state, of.far);
        to.values.clone_from(&of.values);
        self.slots[field as usize] = of;
    }

    pub(crate) fn scratch(&mut self) -> &mut Scratch {
        &mut self.scratch
    }

    pub(crate) fn slot(&mut self, field: Field) -> (&mut Slot, &mut Scratch) {
        (&mut self.slots[field as usize], &mut self.scratch)
    }
}

impl Slot {
    pub fn values(&self) -> Values<'_> {
        match self.state {
            SlotState::Absent => Values::Absent,
            SlotState::Constant(value) => Values::Constant(value),
            SlotState::Each => Values::Each(&self.values),
        }
    }

    pub fn set_constant(&mut self, value: i64) {
        self.state = SlotState::Constant(value);
    }

    /// So many times were refused.
    pub fn refused(&mut self, far: u64) {
        self.far = far;
    }

    /// Empty memory to put one value for each row into.
    pub fn fill(&mut self) -> &mut Vec<i64> {
        self.state = SlotState::Each;
        self.values.clear();
        &mut self.values
    }
}

impl<'a> Values<'a> {
    /// The value of a row; [`NULL`] where there is none.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline]
    pub fn at(&self, row: usize) -> i64 {
        match self {
            Values::Absent => NULL,
            Values::Constant(value) => *value,
            Values::Each(values) => values[row],
        }
    }

    /// The values of `rows` rows, with [`NULL`] for null and for a column that is not there.
    pub fn iter(self, rows: usize) -> impl Iterator<Item = i64> + Clone + 'a {
        (0..rows).map(move |row| self.at(row))
    }
}
