//! One column of one row group, encoded.
//!
//! Done here and not by the Parquet crate's writer, which takes several times as long: it looks at
//! every value for its level, its statistics and its dictionary apart. What is written is the same
//! format: pages of version 1.

mod dictionary;
mod facts;
mod plain;
#[cfg(test)]
mod tests;
mod whole;

pub(crate) use plain::Shape;
pub(crate) use whole::Encoded;

use crate::{NULL, Values, delta, hybrid};
use dictionary::Dictionary;
use facts::Facts;
use parquet::basic::Encoding;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescPtr;
use plain::{Plain, levels_of_one, put_levels, put_plain};
use whole::{LEVEL, finish};

/// Rows of a page.
const PAGE_ROWS: usize = 1 << 16;
/// With more different values a column is none of few.
const DICTIONARY_MAX: usize = 1 << 15;
/// So many bytes are not worth compressing.
const SMALL: usize = 64;
/// Compressing must save this part of the bytes: it takes time to read.
const WORTH: usize = 32;
/// Values that tell how a column is best encoded.
const SAMPLE: usize = 4096;

/// A column of a file that is being written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutColumn {
    pub name: &'static str,
    pub shape: Shape,
    /// Whether it may hold [`NULL`].
    pub optional: bool,
}

/// Encodes columns, one after another; its memory is used again.
pub(crate) struct ColumnEncoder {
    levels: Vec<u32>,
    present: Vec<i64>,
    places: Vec<u32>,
    dictionary: Dictionary,
    zstd: zstd::bulk::Compressor<'static>,
}

impl ColumnEncoder {
    /// Of no column yet.
    pub fn new() -> Result<ColumnEncoder> {
        let zstd = zstd::bulk::Compressor::new(LEVEL).map_err(external)?;
        let (levels, present, places) = (Vec::new(), Vec::new(), Vec::new());
        Ok(ColumnEncoder { levels, present, places, dictionary: Dictionary::new(), zstd })
    }

    /// Encode a column of a row group of so many rows.
    pub fn encode(
        &mut self,
        of: ColumnDescPtr,
        column: &OutColumn,
        values: Values,
        rows: usize,
    ) -> Result<Encoded> {
        let (facts, (dictionary, pages)) = match values {
            Values::Each(each) => {
                let facts = Facts::of(each, column.optional);
                let pages = self.pages(column, each, &facts)?;
                (facts, pages)
            }
            one => {
                let facts = Facts::of_one(one.at(0), column.optional, rows);
                let pages = self.pages_of_one(column, rows, &facts);
                (facts, pages)
            }
        };
        let statistics = self.statistics(column, &facts);
        let codec = self.compress(dictionary.iter().chain(&pages))?;
        finish(of, rows, (dictionary, pages), codec, statistics)
    }

    /// A dictionary, where there is one, and what the rows say.
    fn pages(
        &mut self,
        column: &OutColumn,
        values: &[i64],
        facts: &Facts,
    ) -> Result<(Option<Plain>, Vec<Plain>)> {
        let few = matches!(column.shape, Shape::Name(_) | Shape::FewLongs);
        let in_dictionary = few || facts.least == facts.most;
        match in_dictionary.then(|| self.dictionary_pages(column, values, facts)).flatten() {
            Some((dictionary, pages)) => Ok((Some(dictionary), pages)),
            None => Ok((None, self.number_pages(column, values, facts)?)),
        }
    }

    /// The same of a column that holds one value in all of its rows, or null.
    fn pages_of_one(
        &mut self,
        column: &OutColumn,
        rows: usize,
        facts: &Facts,
    ) -> (Option<Plain>, Vec<Plain>) {
        let is_there = facts.nulls == 0;
        let page = |from: usize| {
            let count = (rows - from).min(PAGE_ROWS);
            let mut bytes = Vec::new();
            if column.optional {
                levels_of_one(is_there, count, &mut bytes);
            }
            if !is_there {
                return Plain { bytes, count, encoding: Encoding::PLAIN };
            }
            bytes.push(1);
            hybrid::run_of(0, count, 1, &mut bytes);
            Plain { bytes, count, encoding: Encoding::RLE_DICTIONARY }
        };
        let pages = (0..rows).step_by(PAGE_ROWS).map(page).collect();
        self.dictionary.clear();
        let dictionary = is_there.then(|| {
            self.dictionary.place(facts.least);
            self.dictionary.page(column.shape)
        });
        (dictionary, pages)
    }

    /// A dictionary and places in it; `None` when there are too many different values.
    fn dictionary_pages(
        &mut self,
        column: &OutColumn,
        values: &[i64],
        facts: &Facts,
    ) -> Option<(Plain, Vec<Plain>)> {
        self.dictionary.clear();
        self.places.clear();
        let is_one = facts.least == facts.most;
        if is_one {
            self.dictionary.place(facts.least);
        } else if !self.look_up(column, values) {
            return None;
        }
        let last = self.dictionary.values.len().checked_sub(1)? as u32;
        let width = (u32::BITS - last.leading_zeros()).max(1);
        let width = if is_one { width } else { self.better_width(width) };
        let (mut pages, mut from) = (Vec::new(), 0);
        for rows in values.chunks(PAGE_ROWS) {
            let (mut bytes, present) = self.levels(column, rows, facts);
            bytes.push(width as u8);
            match is_one {
                true => hybrid::run_of(0, present, width, &mut bytes),
                false => hybrid::encode(&self.places[from..from + present], width, &mut bytes),
            }
            from += present;
            pages.push(Plain { bytes, count: rows.len(), encoding: Encoding::RLE_DICTIONARY });
        }
        Some((self.dictionary.page(column.shape), pages))
    }

    /// Places of `width` bits, or of whole bytes: what comes again after some number of rows begins
    /// at other bits then, which zstd does not see. Places in no order are smaller in fewer bits.
    fn better_width(&mut self, width: u32) -> u32 {
        let whole = width.next_multiple_of(8);
        let sample = &self.places[..self.places.len().min(PAGE_ROWS)];
        let mut size = |width: u32| {
            let mut bytes = Vec::new();
            hybrid::encode(sample, width, &mut bytes);
            let compressed = self.zstd.compress(&bytes).map_or(usize::MAX, |bytes| bytes.len());
            compressed.min(bytes.len())
        };
        if whole != width && size(whole) < size(width) { whole } else { width }
    }

    /// The places of all values in their dictionary; false when they are too many.
    fn look_up(&mut self, column: &OutColumn, values: &[i64]) -> bool {
        for value in values.iter().filter(|value| !column.optional || **value != NULL) {
            self.places.push(self.dictionary.place(*value));
            if self.dictionary.values.len() > DICTIONARY_MAX {
                return false;
            }
        }
        true
    }

    /// Numbers as their differences, or as they are.
    fn number_pages(
        &mut self,
        column: &OutColumn,
        values: &[i64],
        facts: &Facts,
    ) -> Result<Vec<Plain>> {
        let plain = match column.shape {
            // Their differences may need more bits than the type has.
            Shape::Int => facts.most - facts.least > i64::from(i32::MAX),
            Shape::Unordered => self.is_better_plain(values)?,
            _ => false,
        };
        let page = |rows: &[i64]| {
            let (mut bytes, present) = self.levels(column, rows, facts);
            self.present.clear();
            let numbers: &[i64] = if present == rows.len() {
                rows
            } else {
                self.present.extend(rows.iter().filter(|value| **value != NULL));
                &self.present
            };
            let encoding = if plain || present == 0 {
                numbers.iter().for_each(|value| put_plain(*value, column.shape, &mut bytes));
                Encoding::PLAIN
            } else {
                delta::encode(numbers, &mut bytes);
                Encoding::DELTA_BINARY_PACKED
            };
            Plain { bytes, count: rows.len(), encoding }
        };
        Ok(values.chunks(PAGE_ROWS).map(page).collect())
    }

    /// Whether a sample of the values is smaller as they are than as differences.
    fn is_better_plain(&mut self, values: &[i64]) -> Result<bool> {
        let sample = &values[values.len() / 2..];
        let known = sample.iter().copied().filter(|value| *value != NULL);
        let sample: Vec<i64> = known.take(SAMPLE).collect();
        let (mut plain, mut deltas) = (Vec::new(), Vec::new());
        sample.iter().for_each(|value| plain.extend(value.to_le_bytes()));
        delta::encode(&sample, &mut deltas);
        let plain = self.zstd.compress(&plain).map_err(external)?.len();
        let compressed = self.zstd.compress(&deltas).map_err(external)?.len();
        Ok(plain < compressed.min(deltas.len()))
    }

    /// The begin of a page: which of its rows hold a value, and how many do.
    fn levels(&mut self, column: &OutColumn, rows: &[i64], facts: &Facts) -> (Vec<u8>, usize) {
        let mut bytes = Vec::with_capacity(rows.len());
        if !column.optional {
            return (bytes, rows.len());
        }
        if facts.nulls == 0 || facts.least > facts.most {
            let is_there = facts.nulls == 0;
            levels_of_one(is_there, rows.len(), &mut bytes);
            return (bytes, if is_there { rows.len() } else { 0 });
        }
        self.levels.clear();
        self.levels.extend(rows.iter().map(|value| u32::from(*value != NULL)));
        let present = self.levels.iter().sum::<u32>() as usize;
        put_levels(&mut bytes, |bytes| hybrid::encode(&self.levels, 1, bytes));
        (bytes, present)
    }

    /// The pages compressed; `None` where that does not make them much smaller.
    fn compress<'a>(
        &mut self,
        pages: impl Iterator<Item = &'a Plain> + Clone,
    ) -> Result<Option<Vec<Vec<u8>>>> {
        let plain: usize = pages.clone().map(|page| page.bytes.len()).sum();
        if plain <= SMALL {
            return Ok(None);
        }
        let all = pages.map(|page| self.zstd.compress(&page.bytes).map_err(external));
        let all = all.collect::<Result<Vec<_>>>()?;
        let compressed: usize = all.iter().map(Vec::len).sum();
        Ok(Some(all).filter(|_| compressed < plain - plain / WORTH))
    }

    fn statistics(&self, column: &OutColumn, facts: &Facts) -> Statistics {
        let nulls = Some(facts.nulls as u64);
        let some = facts.least <= facts.most;
        let (least, most) = (some.then_some(facts.least), some.then_some(facts.most));
        let short = |value: Option<i64>| value.map(|value| value as i32);
        match column.shape {
            Shape::Int => Statistics::int32(short(least), short(most), None, nulls, false),
            Shape::Name(names) => {
                let name = |code: &i64| names[*code as usize].as_bytes();
                let used = || self.dictionary.values.iter().map(name).filter(|_| some);
                let bytes = |name: &[u8]| ByteArray::from(name.to_vec());
                let (least, most) = (used().min().map(bytes), used().max().map(bytes));
                Statistics::byte_array(least, most, None, nulls, false)
            }
            _ => Statistics::int64(least, most, None, nulls, false),
        }
    }
}

fn external(error: std::io::Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}
