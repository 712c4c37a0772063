//! Rows kept for a story: the latest ones, of which there are never more than a fixed number.

use super::row::Row;

/// Rows of one node around a message's life.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    rows: Vec<Row>,
    most: usize,
    left_out: u64,
}

impl Pool {
    /// At most so many rows.
    pub fn new(most: usize) -> Pool {
        Pool { rows: Vec::new(), most: most.max(1), left_out: 0 }
    }

    /// Keep a row.
    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
        if self.rows.len() >= self.most.saturating_mul(2) {
            self.shorten();
        }
    }

    /// Keep what `other` kept.
    pub fn merge(&mut self, other: Pool) {
        self.left_out += other.left_out;
        other.rows.into_iter().for_each(|row| self.add(row));
    }

    /// Rows by their ends, earliest first.
    pub fn finish(&mut self) {
        self.shorten();
        self.rows.sort_by_key(order);
    }

    /// What is kept.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Rows that were not kept: those that ended earliest.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    fn shorten(&mut self) {
        if self.rows.len() > self.most {
            let surplus = self.rows.len() - self.most;
            self.rows.select_nth_unstable_by_key(surplus, order);
            self.rows.drain(..surplus);
            self.left_out += surplus as u64;
        }
    }
}

/// By end, then by what tells rows apart, so that the same are kept in whatever order they came.
fn order(row: &Row) -> (Option<i64>, Option<i64>, u32, u64, u8) {
    (row.taken_ns, row.ready_ns, row.src, row.seq, row.kind as u8)
}
