//! One column of one row group, encoded.
//!
//! Done here and not by the Parquet crate's writer, which takes several times as long: it looks at
//! every value for its level, its statistics and its dictionary apart. What is written is the same
//! format: pages of version 1.

use crate::{NULL, Values, delta, hybrid};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use rustc_hash::FxHashMap;

/// Rows of a page.
const PAGE_ROWS: usize = 1 << 16;
/// With more different values a column is none of few.
const DICTIONARY_MAX: usize = 1 << 15;
/// Of zstd.
const LEVEL: i32 = 1;
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

/// How a column is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Int,
    Long,
    /// Numbers whose differences say nothing.
    Unordered,
    /// Few values, which come again and again.
    FewLongs,
    Double,
    /// A name for each code.
    Name(&'static [&'static str]),
}

/// A column of a row group: its bytes, and what the file's metadata has to say of them, with places
/// counted from their begin.
pub(crate) type Encoded = (Bytes, ColumnChunkMetaData);

/// Encodes columns, one after another; its memory is used again.
pub(crate) struct ColumnEncoder {
    levels: Vec<u32>,
    present: Vec<i64>,
    places: Vec<u32>,
    dictionary: Dictionary,
    zstd: zstd::bulk::Compressor<'static>,
}

/// What the statistics say of the values that are there.
struct Facts {
    least: i64,
    most: i64,
    nulls: usize,
}

/// A page before it is compressed.
struct Plain {
    bytes: Vec<u8>,
    /// Rows, or values of a dictionary.
    count: usize,
    encoding: Encoding,
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

impl Facts {
    fn of(values: &[i64], optional: bool) -> Facts {
        let (least, most) = ends(values);
        if !optional || least != NULL {
            return Facts { least, most, nulls: 0 };
        }
        let known = || values.iter().copied().filter(|value| *value != NULL);
        let least = known().min().unwrap_or(i64::MAX);
        Facts { least, most, nulls: values.len() - known().count() }
    }

    /// Of rows that all hold this value.
    fn of_one(value: i64, optional: bool, rows: usize) -> Facts {
        match optional && value == NULL {
            true => Facts { least: i64::MAX, most: NULL, nulls: rows },
            false => Facts { least: value, most: value, nulls: 0 },
        }
    }
}

/// The least and the most of some values.
fn ends(values: &[i64]) -> (i64, i64) {
    // Several at a time, because each comparison has to wait for the one before.
    let (fours, rest) = values.as_chunks::<4>();
    let (mut least, mut most) = ([i64::MAX; 4], [i64::MIN; 4]);
    for four in fours {
        for at in 0..4 {
            least[at] = least[at].min(four[at]);
            most[at] = most[at].max(four[at]);
        }
    }
    let least = rest.iter().chain(&least).copied().min().unwrap_or(i64::MAX);
    let most = rest.iter().chain(&most).copied().max().unwrap_or(NULL);
    (least, most)
}

/// The levels of so many rows that all hold a value, or none.
fn levels_of_one(is_there: bool, rows: usize, bytes: &mut Vec<u8>) {
    put_levels(bytes, |bytes| hybrid::run_of(u32::from(is_there), rows, 1, bytes));
}

/// Levels, and before them how long they are.
fn put_levels(bytes: &mut Vec<u8>, encode: impl FnOnce(&mut Vec<u8>)) {
    let from = bytes.len();
    bytes.extend([0; 4]);
    encode(bytes);
    let length = (bytes.len() - from) as u32 - 4;
    bytes[from..from + 4].copy_from_slice(&length.to_le_bytes());
}

/// A value as pages have it that are not packed.
fn put_plain(value: i64, shape: Shape, bytes: &mut Vec<u8>) {
    match shape {
        Shape::Int => bytes.extend((value as i32).to_le_bytes()),
        Shape::Name(names) => {
            let name = names[value as usize];
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
        }
        Shape::Long | Shape::Unordered | Shape::FewLongs | Shape::Double => {
            bytes.extend(value.to_le_bytes())
        }
    }
}

fn external(error: std::io::Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}

/// Put the pages one after another.
fn finish(
    of: ColumnDescPtr,
    rows: usize,
    (dictionary, pages): (Option<Plain>, Vec<Plain>),
    compressed: Option<Vec<Vec<u8>>>,
    statistics: Statistics,
) -> Result<Encoded> {
    let codec = match compressed {
        Some(_) => Compression::ZSTD(ZstdLevel::try_new(LEVEL)?),
        None => Compression::UNCOMPRESSED,
    };
    let mut compressed = compressed.into_iter().flatten();
    let mut sink = TrackedWrite::new(Vec::new());
    let mut out = SerializedPageWriter::new(&mut sink);
    let mut encodings = vec![Encoding::RLE];
    let (mut plain, mut data_at) = (0, 0);
    let has_dictionary = dictionary.is_some();
    for (at, page) in dictionary.into_iter().chain(pages).enumerate() {
        encodings.push(page.encoding);
        let size = page.bytes.len();
        let buf = Bytes::from(compressed.next().unwrap_or(page.bytes));
        let (num_values, encoding) = (page.count as u32, page.encoding);
        let page = if has_dictionary && at == 0 {
            Page::DictionaryPage { buf, num_values, encoding, is_sorted: false }
        } else {
            Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding: Encoding::RLE,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            }
        };
        let written = out.write_page(CompressedPage::new(page, size))?;
        plain += written.uncompressed_size;
        if has_dictionary && at == 0 {
            data_at = written.bytes_written;
        }
    }
    let bytes = Bytes::from(sink.into_inner()?);
    let metadata = ColumnChunkMetaData::builder(of)
        .set_compression(codec)
        .set_encodings(encodings)
        .set_total_compressed_size(bytes.len() as i64)
        .set_total_uncompressed_size(plain as i64)
        .set_num_values(rows as i64)
        .set_dictionary_page_offset(has_dictionary.then_some(0))
        .set_data_page_offset(data_at as i64)
        .set_statistics(statistics)
        .build()?;
    Ok((bytes, metadata))
}

/// The different values of a column, in the order in which they came.
struct Dictionary {
    values: Vec<i64>,
    places: FxHashMap<i64, u32>,
    /// Places found lately: most values come again soon.
    lately: [(i64, u32); 256],
}

impl Dictionary {
    fn new() -> Dictionary {
        let places = FxHashMap::default();
        Dictionary { values: Vec::new(), places, lately: [(0, u32::MAX); 256] }
    }

    fn clear(&mut self) {
        self.values.clear();
        self.places.clear();
        self.lately = [(0, u32::MAX); 256];
    }

    #[inline]
    fn place(&mut self, value: i64) -> u32 {
        let slot = (value.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64) as u64 >> 56) as usize;
        let (known, place) = self.lately[slot];
        if known == value && place != u32::MAX {
            return place;
        }
        let next = self.values.len() as u32;
        let place = *self.places.entry(value).or_insert(next);
        if place == next {
            self.values.push(value);
        }
        self.lately[slot] = (value, place);
        place
    }

    fn page(&self, shape: Shape) -> Plain {
        let mut bytes = Vec::new();
        self.values.iter().for_each(|value| put_plain(*value, shape, &mut bytes));
        Plain { bytes, count: self.values.len(), encoding: Encoding::PLAIN }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Holds, NULL, SideColumn, SideReader, SideWriter};
    use proptest::prelude::*;

    const NAMES: &[&str] = &["Send", "Recv", "Wait"];
    const COLUMNS: [SideColumn; 3] = [
        SideColumn { name: "numbers", holds: Holds::Numbers },
        SideColumn { name: "few", holds: Holds::FewNumbers },
        SideColumn { name: "names", holds: Holds::Names(NAMES) },
    ];

    /// Returns the bytes of the file.
    fn comes_back(rows: &[[i64; 3]], group_rows: usize) -> u64 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        let mut writer =
            SideWriter::create(&path, &COLUMNS, 0, 0).unwrap().with_group_rows(group_rows);
        rows.iter().for_each(|row| writer.push(row).unwrap());
        writer.finish().unwrap();
        let mut reader = SideReader::open(&path, &COLUMNS).unwrap();
        let mut read = Vec::new();
        for group in 0..reader.groups() {
            let columns = reader.read(group).unwrap();
            read.extend((0..columns[0].len()).map(|at| [0, 1, 2].map(|of: usize| columns[of][at])));
        }
        assert_eq!(read, rows);
        path.metadata().unwrap().len()
    }

    /// Numbers of every size and sign, runs, and nulls.
    fn number() -> impl Strategy<Value = i64> {
        prop_oneof![any::<i64>(), -3i64..3, Just(i64::MAX), Just(NULL), Just(1 << 40)]
    }

    fn name() -> impl Strategy<Value = i64> {
        prop_oneof![0..NAMES.len() as i64, Just(0), Just(NULL)]
    }

    proptest! {
        #[test]
        fn any_numbers_come_back(
            rows in proptest::collection::vec(
                (number(), number(), name()).prop_map(|(a, b, c)| [a, b, c]), 1..700),
            repeat in 1usize..12,
            group_rows in 1usize..600,
        ) {
            let rows: Vec<_> =
                rows.into_iter().flat_map(|row| std::iter::repeat_n(row, repeat)).collect();
            comes_back(&rows, group_rows);
        }
    }

    #[test]
    fn columns_that_hold_the_same_are_in_the_file_once() {
        let (number, other) = (|n: i64| n * n % 10_007, |n: i64| n * n % 10_009);
        let same: Vec<_> = (0..5000).map(|n| [number(n), number(n), 0]).collect();
        let different: Vec<_> = (0..5000).map(|n| [number(n), other(n), 0]).collect();
        let [same, different] = [same, different].map(|rows| comes_back(&rows, 600));
        assert!(same < different * 2 / 3, "{same} bytes, not {different}");
        // A null makes them different.
        let mut rows: Vec<_> = (0..5000).map(|n| [number(n), number(n), 0]).collect();
        rows[700][1] = NULL;
        comes_back(&rows, 600);
    }

    #[test]
    fn few_numbers_in_one_order_are_as_small_as_that_order() {
        let order = |n: i64| (n % 37 * 7919) % 20;
        let size = comes_back(&(0..50_000).map(|n| [0, order(n), 0]).collect::<Vec<_>>(), 1 << 20);
        assert!(size < 2_000, "{size} bytes");
    }

    #[test]
    fn columns_of_several_pages_come_back() {
        // Above 2^15 different values the middle column is no longer one of few.
        let row = |n: i64| [n * n, n % 40_000, if n % 3 == 0 { NULL } else { n % 2 }];
        comes_back(&(0..200_000).map(row).collect::<Vec<_>>(), 1 << 20);
        let row = |n: i64| [if n < 70_000 { NULL } else { n }, n / 50_000, 0];
        comes_back(&(0..140_000).map(row).collect::<Vec<_>>(), 1 << 20);
    }
}
