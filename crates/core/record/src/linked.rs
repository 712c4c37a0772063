//! Stamps of messages that stand in another table of the run: of the calls that sent and received
//! them.
//!
//! A message that a program's own calls carried was posted, awaited and released when calls were
//! entered and left, and the table of a node's calls has those times already. Its messages file
//! names the tables ([`CALLS_KEY`]) and the rows in them instead of saying the times again. They
//! are looked up here, a row group of the table at a time, so that memory holds one of them.

use crate::column_in::{self, ROWS_MAX, Scratch};
use crate::guard::guarded;
use crate::{NULL, RecordError};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

/// Key of the tables of calls in a messages file's metadata: their path in the run, with a star for
/// the node.
pub(crate) const CALLS_KEY: &str = "fourstamp.calls";

/// The tables of calls that a messages file names.
pub(crate) struct CallTables {
    run: PathBuf,
    pattern: String,
    /// The node that the file is of: most look-ups go to its table.
    node: u32,
    own: OnceLock<Option<CallTable>>,
}

/// A time of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Entered,
    Left,
}

/// One node's table, without its rows.
struct CallTable {
    path: PathBuf,
    metadata: ParquetMetaData,
    /// The columns of [`When`].
    columns: [usize; 2],
    /// The first row of each group, and the end of the last.
    starts: Vec<i64>,
}

impl CallTables {
    /// The tables that `pattern` names, for the messages file at `file`, of `node`. `None` when the
    /// name leads out of the run.
    pub fn new(file: &Path, node: u32, pattern: &str) -> Option<CallTables> {
        let run = file.parent()?.parent()?.to_path_buf();
        let inside =
            Path::new(pattern).components().all(|part| matches!(part, Component::Normal(_)));
        let pattern = pattern.to_owned();
        (inside && pattern.matches('*').count() == 1).then_some(CallTables {
            run,
            pattern,
            node,
            own: OnceLock::new(),
        })
    }

    /// A time of the call in each of these rows of the table of `node`, [`NULL`] where there is
    /// none, appended to `out`.
    pub fn look_up(
        &self,
        node: u32,
        when: When,
        rows: &[i64],
        scratch: &mut Scratch,
        out: &mut Vec<i64>,
    ) -> Result<(), RecordError> {
        let opened;
        let table = if node == self.node {
            match self.own.get() {
                Some(table) => table,
                None => {
                    let table = self.open(node)?;
                    self.own.get_or_init(|| table)
                }
            }
        } else {
            opened = self.open(node)?;
            &opened
        };
        let from = out.len();
        out.resize(from + rows.len(), NULL);
        match table {
            Some(table) => table.look_up(when, rows, scratch, &mut out[from..]),
            None => Ok(()),
        }
    }

    /// The table of a node; `None` when it has none.
    fn open(&self, node: u32) -> Result<Option<CallTable>, RecordError> {
        let path = self.run.join(self.pattern.replace('*', &node.to_string()));
        match crate::input::open_input(&path) {
            Ok(file) => CallTable::open(path, &file).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(RecordError::file("open", &path, error)),
        }
    }
}

impl CallTable {
    fn open(path: PathBuf, file: &File) -> Result<CallTable, RecordError> {
        let metadata =
            guarded(|| ParquetMetaDataReader::new().parse_and_finish(file)).map_err(|what| {
                RecordError::damaged(&path, format!("is not a table of a run: {what}"))
            })?;
        let column = |name| time_column(&path, &metadata, name);
        let columns = [column("enter_ns")?, column("exit_ns")?];
        let mut starts = vec![0];
        for group in metadata.row_groups() {
            if !(0..=ROWS_MAX).contains(&group.num_rows()) {
                return Err(RecordError::damaged(&path, "has a row group of an impossible size"));
            }
            starts.push(starts[starts.len() - 1] + group.num_rows());
        }
        Ok(CallTable { path, metadata, columns, starts })
    }

    fn look_up(
        &self,
        when: When,
        rows: &[i64],
        scratch: &mut Scratch,
        out: &mut [i64],
    ) -> Result<(), RecordError> {
        let file = crate::input::open_input(&self.path)
            .map_err(|error| RecordError::file("open", &self.path, error))?;
        let mut times = Vec::new();
        for (group, places) in self.by_group(rows).into_iter().enumerate() {
            if places.is_empty() {
                continue;
            }
            times.clear();
            self.read(&file, group, when, scratch, &mut times)?;
            let start = self.starts[group];
            for place in places {
                out[place as usize] = times[(rows[place as usize] - start) as usize];
            }
        }
        Ok(())
    }

    /// For each group which of the places ask for one of its rows.
    fn by_group(&self, rows: &[i64]) -> Vec<Vec<u32>> {
        let mut groups = vec![Vec::new(); self.starts.len() - 1];
        let mut last = 0;
        for (place, row) in rows.iter().enumerate() {
            let is_in = |group: usize| (self.starts[group]..self.starts[group + 1]).contains(row);
            if *row < 0 || *row >= self.starts[groups.len()] {
                continue;
            }
            if !is_in(last) {
                last = self.starts.partition_point(|start| start <= row) - 1;
            }
            groups[last].push(place as u32);
        }
        groups
    }

    fn read(
        &self,
        file: &File,
        group: usize,
        when: When,
        scratch: &mut Scratch,
        times: &mut Vec<i64>,
    ) -> Result<(), RecordError> {
        let group = self.metadata.row_group(group);
        let column = group.column(self.columns[when as usize]);
        let rows = group.num_rows() as usize;
        guarded(|| column_in::read(file, column, rows, None, scratch, times)).map(|_| ()).map_err(
            |what: String| RecordError::column(&self.path, column.column_descr().name(), what),
        )
    }
}

fn time_column(
    path: &Path,
    metadata: &ParquetMetaData,
    name: &'static str,
) -> Result<usize, RecordError> {
    let columns = metadata.file_metadata().schema_descr().columns();
    let at = columns.iter().position(|column| column.path().string() == name);
    let at = at.ok_or_else(|| RecordError::column(path, name, "is missing"))?;
    let column = &columns[at];
    let is_time = column.physical_type() == parquet::basic::Type::INT64
        && column.max_rep_level() == 0
        && column.max_def_level() <= 1;
    let what = || format!("has the type {}, which it must not have", column.physical_type());
    if is_time { Ok(at) } else { Err(RecordError::column(path, name, what())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Holds, SideColumn, SideWriter};

    const COLUMNS: [SideColumn; 2] = [
        SideColumn { name: "enter_ns", holds: Holds::Numbers },
        SideColumn { name: "exit_ns", holds: Holds::Numbers },
    ];

    /// Tables of calls of which number n was entered at 10 n and left at 10 n + `node`.
    fn tables(run: &Path, node: u32) -> CallTables {
        let path = run.join(format!("of/calls-{node}.parquet"));
        let mut writer = SideWriter::create(&path, &COLUMNS, 0, node).unwrap().with_group_rows(7);
        let row = |n: i64| [n * 10, if n == 3 { NULL } else { n * 10 + i64::from(node) }];
        (0..50).for_each(|n| writer.push(&row(n)).unwrap());
        writer.finish().unwrap();
        CallTables::new(&run.join("messages/file"), 1, "of/calls-*.parquet").unwrap()
    }

    fn times(tables: &CallTables, node: u32, when: When, rows: &[i64]) -> Vec<i64> {
        let mut out = vec![-1];
        tables.look_up(node, when, rows, &mut Scratch::default(), &mut out).unwrap();
        out.split_off(1)
    }

    #[test]
    fn times_are_those_of_the_rows_in_whatever_order() {
        let run = tempfile::tempdir().unwrap();
        let (_, tables) = (tables(run.path(), 2), tables(run.path(), 1));
        let rows = [49, 0, 7, 6, 48, 7, NULL, -1, 50, 3];
        let entered = [490, 0, 70, 60, 480, 70, NULL, NULL, NULL, 30];
        assert_eq!(times(&tables, 1, When::Entered, &rows), entered);
        assert_eq!(times(&tables, 1, When::Left, &rows[..2]), [491, 1]);
        assert_eq!(times(&tables, 2, When::Left, &[3, 4, 0]), [NULL, 42, 2]);
    }

    #[test]
    fn without_a_table_there_are_no_times() {
        let run = tempfile::tempdir().unwrap();
        assert_eq!(times(&tables(run.path(), 1), 9, When::Entered, &[0, 1]), [NULL, NULL]);
    }

    #[test]
    fn no_name_leads_out_of_the_run() {
        let named = |name| CallTables::new(Path::new("run/messages/file"), 0, name).is_some();
        assert!(named("of/calls-*.parquet"));
        for name in ["../calls-*.parquet", "/calls-*.parquet", "calls.parquet", "*/*", ""] {
            assert!(!named(name), "{name}");
        }
    }

    #[test]
    fn a_damaged_table_is_an_error_that_names_it() {
        let run = tempfile::tempdir().unwrap();
        let tables = tables(run.path(), 1);
        std::fs::write(run.path().join("of/calls-1.parquet"), b"PAR1 and no more").unwrap();
        let error =
            tables.look_up(1, When::Entered, &[0], &mut Scratch::default(), &mut Vec::new());
        assert!(error.unwrap_err().to_string().contains("calls-1.parquet"));
    }
}
