//! The columns of a batch that an analysis reads, whole or in part.

use std::ops::Range;

use record::{Batch, Field, Kind, NULL, Values};

/// The columns that an analysis reads: what to ask [`Chunk::read`](record::Chunk::read) for.
pub const FIELDS: [Field; 25] = [
    Field::Seq,
    Field::Src,
    Field::Dst,
    Field::Kind,
    Field::Bytes,
    Field::ReadyNs,
    Field::SentNs,
    Field::ArrivedNs,
    Field::TakenNs,
    Field::ArrivedHow,
    Field::Hops,
    Field::Packets,
    Field::InFlight,
    Field::QueueLength,
    Field::OnNodeWaited,
    Field::DstObject,
    Field::VirtualSend,
    Field::VirtualReceive,
    Field::ArrivedErrorNs,
    Field::Tag,
    Field::PostedNs,
    Field::AwaitedNs,
    Field::WokenNs,
    Field::SendSite,
    Field::ReceiveSite,
];

const ALL: usize = Field::ALL.len();

/// Rows of a run, by column. All columns of one `Columns` are of one length.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    rows: usize,
    columns: [Values<'a>; ALL],
}

/// Rows picked out of columns, kept by themselves.
#[derive(Debug)]
pub(crate) struct Picked {
    rows: usize,
    columns: [PickedColumn; ALL],
}

#[derive(Debug, Default)]
struct PickedColumn {
    whole: Option<i64>,
    each: Vec<i64>,
}

impl Default for Picked {
    fn default() -> Picked {
        Picked { rows: 0, columns: std::array::from_fn(|_| PickedColumn::default()) }
    }
}

impl<'a> Columns<'a> {
    /// Columns of `rows` rows, all absent.
    pub fn new(rows: usize) -> Columns<'a> {
        Columns { rows, columns: [Values::Absent; ALL] }
    }

    /// With this column. Columns of another length are taken as absent: they say nothing about
    /// these rows.
    pub fn with(mut self, field: Field, values: Values<'a>) -> Columns<'a> {
        let fits = !matches!(values, Values::Each(each) if each.len() != self.rows);
        debug_assert!(fits, "{field:?} has another length");
        self.columns[field as usize] = if fits { values } else { Values::Absent };
        self
    }

    /// The columns of a batch: those that it was read with.
    pub fn of(batch: &'a Batch) -> Columns<'a> {
        let columns = Columns::new(batch.rows());
        Field::ALL.iter().fold(columns, |columns, &field| columns.with(field, batch.column(field)))
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A column.
    pub fn column(&self, field: Field) -> Values<'a> {
        self.columns[field as usize]
    }

    /// The value in a row, [`NULL`] when the column is absent.
    #[inline]
    pub fn at(&self, field: Field, row: usize) -> i64 {
        match self.columns[field as usize] {
            Values::Absent => NULL,
            Values::Constant(value) => value,
            Values::Each(each) => each[row],
        }
    }

    /// Whether a row is no message but something that took time within a node.
    pub fn is_interval(&self, row: usize) -> bool {
        kind_of(self.at(Field::Kind, row)).is_interval()
    }

    /// The value that all rows share, [`NULL`] when the column is absent, `None` when they differ.
    pub fn shared(&self, field: Field) -> Option<i64> {
        match self.columns[field as usize] {
            Values::Absent => Some(NULL),
            Values::Constant(value) => Some(value),
            Values::Each([first, rest @ ..]) if rest.iter().all(|value| value == first) => {
                Some(*first)
            }
            Values::Each(_) => None,
        }
    }

    /// Some of the rows.
    pub fn part(&self, rows: Range<usize>) -> Columns<'a> {
        let columns = self.columns.map(|values| match values {
            Values::Each(each) => Values::Each(&each[rows.clone()]),
            same => same,
        });
        Columns { rows: rows.len(), columns }
    }
}

impl Picked {
    /// Keep the rows of `columns` that `rows` lists, in place of those kept before.
    pub fn pick(&mut self, columns: &Columns, rows: &[u32]) {
        self.rows = rows.len();
        for (kept, values) in self.columns.iter_mut().zip(columns.columns) {
            kept.each.clear();
            kept.whole = match values {
                Values::Absent => Some(NULL),
                Values::Constant(value) => Some(value),
                Values::Each(each) => {
                    kept.each.extend(rows.iter().map(|&row| each[row as usize]));
                    None
                }
            };
        }
    }

    /// What was kept.
    pub fn columns(&self) -> Columns<'_> {
        let column = |at: usize| match self.columns[at].whole {
            Some(NULL) => Values::Absent,
            Some(value) => Values::Constant(value),
            None => Values::Each(&self.columns[at].each),
        };
        Columns { rows: self.rows, columns: std::array::from_fn(column) }
    }
}

/// The kind with this code; one that is not known here is another kind of message.
pub(crate) fn kind_of(code: i64) -> Kind {
    u8::try_from(code).ok().and_then(Kind::from_code).unwrap_or(Kind::Other)
}
