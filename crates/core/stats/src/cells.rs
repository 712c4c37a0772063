//! Sorting a batch's rows by what messages are grouped by.
//!
//! A message belongs to a group by hops, one by bytes, one by pair and so on. Rows that agree in
//! all of these make a cell; a cell is counted once and handed to all its groups. Most batches are
//! a single cell, which costs a look at the columns.

use record::{Field, Values};

use crate::columns::Columns;

/// The rows of a batch by cell.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    /// By cell: a row of it.
    firsts: Vec<u32>,
    /// By cell: where its rows begin in `rows`; one more for the end.
    starts: Vec<u32>,
    /// Rows, cell by cell, in their order.
    rows: Vec<u32>,
    cell_of: Vec<u32>,
    /// Open addressing, power of two: cell + 1, or 0.
    table: Vec<u32>,
}

/// One cell: a row that shows what its rows agree in, and its rows; `None` means all of the batch.
pub(crate) struct Cell<'a> {
    pub first: usize,
    pub rows: Option<&'a [u32]>,
}

impl Cells {
    /// Sort the rows of `columns`, fewer than 2^32 of them, into cells that agree in `keys`.
    pub fn sort(&mut self, columns: &Columns, keys: &[Field]) {
        self.firsts.clear();
        let varying: Vec<&[i64]> = keys
            .iter()
            .filter(|&&lane| columns.shared(lane).is_none())
            .filter_map(|&lane| {
                if let Values::Each(each) = columns.column(lane) { Some(each) } else { None }
            })
            .collect();
        if !varying.is_empty() {
            self.assign(&varying, columns.rows());
            self.order();
        }
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.firsts.len().max(1)
    }

    /// A cell.
    pub fn get(&self, cell: usize) -> Cell<'_> {
        match self.firsts.get(cell) {
            None => Cell { first: 0, rows: None },
            Some(&first) => {
                let rows = self.starts[cell] as usize..self.starts[cell + 1] as usize;
                Cell { first: first as usize, rows: Some(&self.rows[rows]) }
            }
        }
    }

    fn assign(&mut self, varying: &[&[i64]], rows: usize) {
        self.table.clear();
        self.table.resize(256, 0);
        self.cell_of.clear();
        for row in 0..rows {
            let like_last = row > 0 && varying.iter().all(|column| column[row] == column[row - 1]);
            let cell = if like_last { self.cell_of[row - 1] } else { self.find(varying, row) };
            self.cell_of.push(cell);
        }
    }

    fn find(&mut self, varying: &[&[i64]], row: usize) -> u32 {
        let mask = self.table.len() - 1;
        let mut slot = hash(varying, row) & mask;
        while let Some(cell) = self.table[slot].checked_sub(1) {
            let first = self.firsts[cell as usize] as usize;
            if varying.iter().all(|column| column[row] == column[first]) {
                return cell;
            }
            slot = (slot + 1) & mask;
        }
        let cell = self.firsts.len() as u32;
        self.firsts.push(row as u32);
        self.table[slot] = cell + 1;
        if self.firsts.len() * 2 > self.table.len() {
            self.grow(varying);
        }
        cell
    }

    fn grow(&mut self, varying: &[&[i64]]) {
        let size = self.table.len() * 4;
        self.table.clear();
        self.table.resize(size, 0);
        for (cell, &first) in self.firsts.iter().enumerate() {
            let mut slot = hash(varying, first as usize) & (size - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = cell as u32 + 1;
        }
    }

    /// Counting sort by cell; keeps the order within each.
    fn order(&mut self) {
        self.starts.clear();
        self.starts.resize(self.firsts.len() + 1, 0);
        self.cell_of.iter().for_each(|&cell| self.starts[cell as usize + 1] += 1);
        for cell in 1..self.starts.len() {
            self.starts[cell] += self.starts[cell - 1];
        }
        let mut next = self.starts.clone();
        self.rows.clear();
        self.rows.resize(self.cell_of.len(), 0);
        for (row, &cell) in self.cell_of.iter().enumerate() {
            let at = &mut next[cell as usize];
            self.rows[*at as usize] = row as u32;
            *at += 1;
        }
    }
}

/// Multiply-and-fold; the golden ratio's bits spread small numbers over the high half.
fn hash(columns: &[&[i64]], row: usize) -> usize {
    let mixed = columns.iter().fold(0_u64, |mixed, column| {
        (mixed.rotate_left(23) ^ column[row] as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    (mixed >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn rows_of_a_cell_agree_and_none_is_lost(
            rows in prop::collection::vec((0..5_i64, 0..400_i64), 1..900),
        ) {
            let (src, bytes): (Vec<i64>, Vec<i64>) = rows.iter().copied().unzip();
            let columns = Columns::new(rows.len())
                .with(Field::Src, Values::Each(&src))
                .with(Field::Dst, Values::Constant(3))
                .with(Field::Bytes, Values::Each(&bytes));
            let mut cells = Cells::default();
            cells.sort(&columns, &[Field::Src, Field::Dst, Field::Bytes]);
            let mut found = HashMap::new();
            for cell in (0..cells.len()).map(|at| cells.get(at)) {
                let listed: Vec<u32> =
                    cell.rows.map_or_else(|| (0..rows.len() as u32).collect(), <[u32]>::to_vec);
                prop_assert!(found.insert(rows[cell.first], listed).is_none(), "two cells agree");
            }
            let mut truth: HashMap<(i64, i64), Vec<u32>> = HashMap::new();
            rows.iter()
                .enumerate()
                .for_each(|(at, &key)| truth.entry(key).or_default().push(at as u32));
            prop_assert_eq!(found, truth);
        }
    }
}
