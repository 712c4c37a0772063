//! Tables beside the messages: what a producer keeps of its nodes that is no message, such as the
//! calls of an MPI rank.
//!
//! They are Parquet like the messages, one file a node, and every value is a 64-bit number or one
//! of a few names. What the columns mean is the producer's affair.

use crate::batch::Slot;
use crate::codes::CodeOf;
use crate::column_in::{self, Scratch};
use crate::column_out::{OutColumn, Shape};
use crate::filling::Filling;
use crate::guard::guarded;
use crate::parquet_out::FileWriter;
use crate::{ROW_GROUP_ROWS, RecordError, Values};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::statistics::Statistics;
use std::path::{Path, PathBuf};

/// A column of a side table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideColumn {
    /// Its name in the file.
    pub name: &'static str,
    /// What it holds.
    pub holds: Holds,
}

/// What a column of a side table holds. Every one may hold [`NULL`](crate::NULL).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Numbers that mostly grow, or differ little from the one before.
    Numbers,
    /// Few different numbers, which come again and again.
    FewNumbers,
    /// One of these names, given and read by its place among them.
    Names(&'static [&'static str]),
}

/// A side table being written. The file appears whole, when it is finished.
pub struct SideWriter {
    writer: FileWriter,
    columns: Vec<Filling>,
    group_rows: usize,
}

/// A side table that is read, a row group at a time.
pub struct SideReader {
    path: PathBuf,
    file: std::fs::File,
    metadata: ParquetMetaData,
    columns: Vec<(SideColumn, usize)>,
    scratch: Scratch,
}

/// Columns of a row group of a side table, in memory that is used again for the next.
#[derive(Default)]
pub struct SideBatch {
    rows: usize,
    slots: Vec<Slot>,
}

impl SideWriter {
    /// Begin the table of a node. Its folder is made if it is not there.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(
        path: &Path,
        columns: &[SideColumn],
        launch: u32,
        node: u32,
    ) -> Result<SideWriter, RecordError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|error| RecordError::file("create", folder, error))?;
        }
        let out = columns.iter().map(out_column).collect();
        let writer = FileWriter::create(path, out, launch, node)?;
        Ok(SideWriter {
            writer,
            columns: vec![Filling::default(); columns.len()],
            group_rows: ROW_GROUP_ROWS,
        })
    }

    /// Write smaller row groups, of `rows` rows; see
    /// [`MessagesFile::with_group_rows`](crate::MessagesFile::with_group_rows).
    pub fn with_group_rows(self, rows: usize) -> SideWriter {
        SideWriter { group_rows: rows.clamp(1, ROW_GROUP_ROWS), ..self }
    }

    /// Append a row: a value for each column.
    ///
    /// # Errors
    /// When the file cannot be written.
    ///
    /// # Panics
    /// When the row has another length than the table has columns.
    pub fn push(&mut self, row: &[i64]) -> Result<(), RecordError> {
        assert_eq!(row.len(), self.columns.len(), "a row has a value for each column");
        for (values, value) in self.columns.iter_mut().zip(row) {
            values.push(*value);
        }
        if self.columns[0].rows() >= self.group_rows { self.write() } else { Ok(()) }
    }

    /// Append rows: an array for each, with a value for each column.
    ///
    /// # Errors
    /// When the file cannot be written.
    ///
    /// # Panics
    /// When a row has another length than the table has columns.
    pub fn push_rows<const COLUMNS: usize>(
        &mut self,
        mut rows: &[[i64; COLUMNS]],
    ) -> Result<(), RecordError> {
        assert_eq!(COLUMNS, self.columns.len(), "a row has a value for each column");
        while !rows.is_empty() {
            let room = self.group_rows - self.columns[0].rows();
            let (now, later) = rows.split_at(room.min(rows.len()));
            for (at, values) in self.columns.iter_mut().enumerate() {
                values.extend(now.iter().map(|row| row[at]));
            }
            if self.columns[0].rows() >= self.group_rows {
                self.write()?;
            }
            rows = later;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), RecordError> {
        let rows = self.columns.first().map_or(0, Filling::rows);
        self.writer.write(rows, self.columns.iter().map(Filling::values))?;
        self.columns.iter_mut().for_each(Filling::clear);
        Ok(())
    }

    /// Complete the file. Returns its rows.
    ///
    /// # Errors
    /// When it cannot be written; nothing of it stays then.
    pub fn finish(mut self) -> Result<u64, RecordError> {
        if self.columns.first().is_some_and(|values| values.rows() > 0) {
            self.write()?;
        }
        self.writer.finish()
    }
}

impl SideReader {
    /// Open a table, of which these columns shall be read. A column that the file lacks is an
    /// error.
    ///
    /// # Errors
    /// When the file is damaged, has other columns, or is not there.
    pub fn open(path: &Path, columns: &[SideColumn]) -> Result<SideReader, RecordError> {
        let file = crate::input::open_input(path)
            .map_err(|error| RecordError::file("open", path, error))?;
        let metadata =
            guarded(|| ParquetMetaDataReader::new().parse_and_finish(&file)).map_err(|what| {
                RecordError::damaged(path, format!("is not a table of a run: {what}"))
            })?;
        let place = |column: &SideColumn| find(path, &metadata, column).map(|at| (*column, at));
        let columns = columns.iter().map(place).collect::<Result<_, _>>()?;
        let reader = SideReader {
            path: path.to_path_buf(),
            file,
            metadata,
            columns,
            scratch: Scratch::default(),
        };
        let sound = (0..reader.groups())
            .all(|group| reader.group_rows(group) <= column_in::ROWS_MAX as usize);
        if sound {
            Ok(reader)
        } else {
            Err(RecordError::damaged(path, "has a row group of an impossible size"))
        }
    }

    /// Its row groups.
    pub fn groups(&self) -> usize {
        self.metadata.num_row_groups()
    }

    /// Rows of all groups.
    pub fn rows(&self) -> u64 {
        (0..self.groups()).map(|group| self.group_rows(group) as u64).sum()
    }

    /// Rows of a group.
    pub fn group_rows(&self, group: usize) -> usize {
        usize::try_from(self.metadata.row_group(group).num_rows()).unwrap_or(usize::MAX)
    }

    /// The least number that a column of a group has, of the columns that were asked for; `None`
    /// where the file does not say.
    pub fn least(&self, group: usize, column: usize) -> Option<i64> {
        match self.metadata.row_group(group).column(self.columns[column].1).statistics()? {
            Statistics::Int64(of) if of.min_is_exact() => of.min_opt().copied(),
            _ => None,
        }
    }

    /// Whether a column of a group may have this number, as far as the file says.
    pub fn may_have(&self, group: usize, column: usize, value: i64) -> bool {
        column_in::may_have(self.metadata.row_group(group).column(self.columns[column].1), value)
    }

    /// Read a row group: a vector for each column that was asked for, in that order.
    ///
    /// # Errors
    /// When a column is damaged.
    pub fn read(&mut self, group: usize) -> Result<Vec<Vec<i64>>, RecordError> {
        let mut batch = SideBatch::default();
        self.read_into(group, &mut batch)?;
        let columns = 0..self.columns.len();
        Ok(columns.map(|at| batch.column(at).iter(batch.rows).collect()).collect())
    }

    /// Read a row group into `batch`: its columns are those that were asked for, in that order.
    ///
    /// # Errors
    /// When a column is damaged.
    pub fn read_into(&mut self, group: usize, batch: &mut SideBatch) -> Result<(), RecordError> {
        let rows = self.group_rows(group);
        let SideReader { path, file, metadata, columns, scratch } = self;
        batch.rows = rows;
        batch.slots.resize_with(columns.len(), Slot::default);
        for ((column, at), slot) in columns.iter().zip(&mut batch.slots) {
            let chunk = metadata.row_group(group).column(*at);
            let code;
            let code_of: Option<&CodeOf> = match column.holds {
                Holds::Names(names) => {
                    code = move |name: &[u8]| place_of(names, name);
                    Some(&code)
                }
                _ => None,
            };
            if let Some(value) = column_in::constant(chunk, rows, code_of) {
                slot.set_constant(value);
                continue;
            }
            guarded(|| column_in::read(file, chunk, rows, code_of, scratch, slot.fill()))
                .map_err(|what| RecordError::column(path, column.name, what))?;
        }
        Ok(())
    }
}

impl SideBatch {
    /// Rows of the group that was read.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A column, by its place among those that were asked for.
    pub fn column(&self, at: usize) -> Values<'_> {
        self.slots.get(at).map_or(Values::Absent, Slot::values)
    }
}

fn place_of(names: &[&str], name: &[u8]) -> Option<i64> {
    names.iter().position(|known| known.as_bytes() == name).map(|at| at as i64)
}

fn out_column(column: &SideColumn) -> OutColumn {
    let shape = match column.holds {
        Holds::Numbers => Shape::Long,
        Holds::FewNumbers => Shape::FewLongs,
        Holds::Names(names) => Shape::Name(names),
    };
    OutColumn { name: column.name, shape, optional: true }
}

fn find(
    path: &Path,
    metadata: &ParquetMetaData,
    column: &SideColumn,
) -> Result<usize, RecordError> {
    use parquet::basic::Type::{BYTE_ARRAY, INT64};
    let schema = metadata.file_metadata().schema_descr();
    let at = schema.columns().iter().position(|found| found.path().string() == column.name);
    let at = at.ok_or_else(|| RecordError::column(path, column.name, "is missing"))?;
    let found = &schema.columns()[at];
    let wanted = if matches!(column.holds, Holds::Names(_)) { BYTE_ARRAY } else { INT64 };
    let flat = found.max_rep_level() == 0 && found.max_def_level() <= 1;
    if found.physical_type() == wanted && flat {
        return Ok(at);
    }
    let what = format!("has the type {}, which it must not have", found.physical_type());
    Err(RecordError::column(path, column.name, what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NULL;

    const COLUMNS: [SideColumn; 3] = [
        SideColumn { name: "enter_ns", holds: Holds::Numbers },
        SideColumn { name: "call", holds: Holds::Names(&["Send", "Recv"]) },
        SideColumn { name: "tag", holds: Holds::FewNumbers },
    ];

    fn rows() -> Vec<[i64; 3]> {
        (0..1000).map(|n| [n * n, n % 2, if n % 7 == 0 { NULL } else { n % 3 }]).collect()
    }

    #[test]
    fn a_table_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mpi/calls.parquet");
        let mut writer = SideWriter::create(&path, &COLUMNS, 0, 3).unwrap();
        rows().iter().for_each(|row| writer.push(row).unwrap());
        assert_eq!(writer.finish().unwrap(), 1000);
        let mut reader = SideReader::open(&path, &[COLUMNS[2], COLUMNS[0], COLUMNS[1]]).unwrap();
        let read = reader.read(0).unwrap();
        for (at, [enter, call, tag]) in rows().into_iter().enumerate() {
            assert_eq!([read[0][at], read[1][at], read[2][at]], [tag, enter, call]);
        }
        assert_eq!((reader.groups(), reader.rows()), (1, 1000));
        assert_eq!([2, 3].map(|tag| reader.may_have(0, 0, tag)), [true, false]);
        assert!(reader.may_have(0, 2, 9), "nothing is known of names");
    }

    #[test]
    fn an_empty_table_is_a_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty.parquet");
        SideWriter::create(&path, &COLUMNS, 0, 0).unwrap().finish().unwrap();
        assert_eq!(SideReader::open(&path, &COLUMNS).unwrap().rows(), 0);
    }

    #[test]
    fn other_columns_unknown_names_and_cut_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.parquet");
        let mut writer = SideWriter::create(&path, &COLUMNS, 0, 3).unwrap();
        rows().iter().for_each(|row| writer.push(row).unwrap());
        writer.finish().unwrap();
        let missing = SideColumn { name: "peer", holds: Holds::Numbers };
        let error = SideReader::open(&path, &[missing]).err().unwrap().to_string();
        assert!(error.contains("column peer: is missing"), "{error}");
        let fewer = SideColumn { name: "call", holds: Holds::Names(&["Send"]) };
        let error = SideReader::open(&path, &[fewer]).unwrap().read(0).unwrap_err().to_string();
        assert!(error.contains("column call"), "{error}");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(SideReader::open(&path, &COLUMNS).is_err());
    }
}
