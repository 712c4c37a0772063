//! A row group on its way to a file: the rows of one node as columns, on the timeline.

use crate::filling::Filling;
use crate::row::ABSENT;
use crate::{ArrivedClock, BASE_WORDS, Column, Field, NULL, Row, Schema, Values};
use clock::{Cursor, Ticks};
use std::collections::BTreeSet;

/// Rows of a row group: enough that page and chunk heads do not matter, few enough that a reader's
/// memory stays small.
pub const ROW_GROUP_ROWS: usize = 1 << 20;

/// Rows that become columns together: so few that they stay in the first-level cache, as each
/// column goes through all of them.
const PLACED_TOGETHER: usize = 128;

/// Columns of up to [`ROW_GROUP_ROWS`] rows. Every column is 64-bit here, with [`NULL`] for null.
pub(crate) struct Table {
    columns: Vec<(Field, Filling)>,
    /// A column of some rows.
    placed: Vec<i64>,
    /// Word of the row that a column comes from, for extras.
    extras: Vec<(usize, usize)>,
    launch: u32,
}

/// The clocks of one launch's nodes.
pub(crate) struct Clocks<'a> {
    /// One for each domain; `None` for a domain without a model.
    pub cursors: Vec<Option<Cursor<'a>>>,
    /// Node to domain.
    pub domain_of: Vec<Option<usize>>,
    /// What of each domain was asked for.
    pub spans: Vec<Span>,
    /// Rows that named a node without a sheet.
    pub unknown_rows: u64,
    /// Those nodes.
    pub unknown_nodes: BTreeSet<u32>,
}

/// The stamps of a domain that were put on the timeline, as far as their error can grow with them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    /// The last moment at which a message was taken.
    pub last: Option<Ticks>,
    /// The first and the last reading of the kernel's clock.
    pub kernel_ns: Option<(i64, i64)>,
}

impl Span {
    #[inline]
    fn reach(&mut self, ticks: Ticks) {
        if self.last.is_none_or(|last| ticks.since(last) > 0) {
            self.last = Some(ticks);
        }
    }

    #[inline]
    fn reach_kernel(&mut self, realtime_ns: i64) {
        let (first, last) = self.kernel_ns.unwrap_or((realtime_ns, realtime_ns));
        self.kernel_ns = Some((first.min(realtime_ns), last.max(realtime_ns)));
    }
}

impl Table {
    pub fn new(launch: u32, schema: &Schema) -> Table {
        let always = Field::ALL.into_iter().filter(|field| field.is_always_there());
        let listed =
            Column::ALL.into_iter().filter(|column| schema.has(*column)).map(Column::field);
        let columns: Vec<_> =
            always.chain(listed).map(|field| (field, Filling::default())).collect();
        let place = |extra: Column| {
            let word = schema.word_of(extra).expect("an extra has a word");
            let column = columns.iter().position(|(field, _)| *field == extra.field());
            (column.expect("a listed column is there"), word)
        };
        let extras = schema.extras().map(place).collect();
        Table { columns, placed: Vec::new(), extras, launch }
    }

    pub fn fields(&self) -> impl Iterator<Item = Field> + '_ {
        self.columns.iter().map(|(field, _)| *field)
    }

    pub fn columns(&self) -> impl Iterator<Item = Values<'_>> {
        self.columns.iter().map(|(_, filling)| filling.values())
    }

    pub fn rows(&self) -> usize {
        self.columns[0].1.rows()
    }

    pub fn clear(&mut self) {
        for (_, values) in &mut self.columns {
            values.clear();
        }
    }

    /// Append a row of raw ticks; `false` if it is no row (a damaged log).
    pub fn push(&mut self, words: &[u64], clocks: &mut Clocks) -> bool {
        let base: &[u64; BASE_WORDS] = words[..BASE_WORDS].try_into().expect("a row has its base");
        let Some(row) = Row::unpack(base) else {
            return false;
        };
        let stamps = clocks.stamps(&row);
        let how = if stamps[2] == NULL { NULL } else { row.arrived_how as i64 };
        let always = [
            i64::from(self.launch),
            row.seq as i64,
            i64::from(row.src),
            i64::from(row.dst),
            row.kind as i64,
            row.bytes as i64,
            stamps[0],
            stamps[1],
            stamps[2],
            stamps[3],
            how,
        ];
        for ((_, values), value) in self.columns.iter_mut().zip(always) {
            values.push(value);
        }
        self.push_optional(&row, words, always.len());
        true
    }

    /// Append rows that are on the timeline, column by column.
    pub fn push_placed<R>(&mut self, rows: &[R], put: impl Fn(Field, &[R], &mut Vec<i64>)) {
        let Table { columns, placed, launch, .. } = self;
        for rows in rows.chunks(PLACED_TOGETHER) {
            for (field, values) in columns.iter_mut() {
                placed.clear();
                match field {
                    Field::Launch => placed.resize(rows.len(), i64::from(*launch)),
                    field => put(*field, rows, placed),
                }
                debug_assert_eq!(placed.len(), rows.len(), "a value for each row");
                values.extend(placed.iter().copied());
            }
        }
    }

    fn push_optional(&mut self, row: &Row, words: &[u64], from: usize) {
        for (field, values) in &mut self.columns[from..] {
            match field {
                Field::Hops => values.push(i64::from(row.hops)),
                Field::Packets => values.push(i64::from(row.packets)),
                Field::Batch => values.push(i64::from(row.batch)),
                Field::InFlight => values.push(i64::from(row.in_flight)),
                Field::QueueLength => values.push(i64::from(row.queue_len)),
                _ => {}
            }
        }
        for (column, word) in &self.extras {
            let (field, values) = &mut self.columns[*column];
            values.push(extra(*field, words[*word]));
        }
    }
}

/// An extra word as a column's value.
fn extra(field: Field, word: u64) -> i64 {
    let is_float = matches!(field, Field::VirtualSend | Field::VirtualReceive);
    match word {
        ABSENT => NULL,
        // The bits of −0.0 are those of the null marker; as times the two zeros are one.
        word if is_float => (f64::from_bits(word) + 0.0).to_bits() as i64,
        word => word as i64,
    }
}

impl Clocks<'_> {
    /// The four stamps on the timeline.
    fn stamps(&mut self, row: &Row) -> [i64; 4] {
        let src = self.domain(row.src);
        let dst = if row.dst == row.src { src } else { self.domain(row.dst) };
        if src.is_none() || dst.is_none() {
            self.note_unknown(row);
        }
        let arrived = match row.arrived_clock {
            ArrivedClock::Receiver => self.place(dst, row.arrived),
            ArrivedClock::Sender => self.place(src, row.arrived),
            ArrivedClock::Kernel => self.place_realtime(dst, row.arrived),
        };
        if let Some(domain) = dst.filter(|_| row.taken != ABSENT) {
            self.spans[domain].reach(Ticks(row.taken));
        }
        [self.place(src, row.ready), self.place(src, row.sent), arrived, self.place(dst, row.taken)]
    }

    #[cold]
    fn note_unknown(&mut self, row: &Row) {
        self.unknown_rows += 1;
        let unknown = [row.src, row.dst].into_iter().filter(|node| self.domain(*node).is_none());
        let unknown: Vec<u32> = unknown.map(u32::from).collect();
        self.unknown_nodes.extend(unknown);
    }

    fn domain(&self, node: u16) -> Option<usize> {
        self.domain_of.get(usize::from(node)).copied().flatten()
    }

    #[inline]
    fn place(&mut self, domain: Option<usize>, ticks: u64) -> i64 {
        match domain.and_then(|domain| self.cursors[domain].as_mut()) {
            Some(cursor) if ticks != ABSENT => cursor.timeline(Ticks(ticks)).0,
            _ => NULL,
        }
    }

    fn place_realtime(&mut self, domain: Option<usize>, realtime_ns: u64) -> i64 {
        let Some(domain) = domain.filter(|_| realtime_ns != ABSENT) else { return NULL };
        let Some(cursor) = &mut self.cursors[domain] else { return NULL };
        self.spans[domain].reach_kernel(realtime_ns as i64);
        cursor.realtime_to_timeline(realtime_ns as i64).0
    }
}
