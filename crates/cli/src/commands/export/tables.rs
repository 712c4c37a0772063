//! All tables of a run as CSV, in a folder that appears whole or not at all.

use super::Exported;
use super::flow;
use crate::analyse::Analysed;
use crate::commands::report::{document_of, series};
use crate::new_folder;
use anyhow::{Context, Result};
use mpi_lens::CallTables;
use record::{Batch, Field, How, Kind, NULL, Run};
use stats::Columns;
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::path::Path;

/// Write them into `folder`, which must be new or empty.
pub fn write(run: &Run, wanted: &Exported, analysed: &Analysed, folder: &Path) -> Result<()> {
    new_folder::whole(folder, |draft| fill(run, wanted, analysed, draft))
}

fn fill(run: &Run, wanted: &Exported, analysed: &Analysed, folder: &Path) -> Result<()> {
    let stretch = &wanted.stretch;
    file(&folder.join("messages.csv"), |out| messages(run, wanted, out))?;
    let tables = CallTables::of(run);
    if !tables.is_empty() {
        file(&folder.join("calls.csv"), |out| {
            mpi_lens::calls_csv(&tables, |from, to| stretch.overlaps(from, to), out)
        })?;
    }
    if tables.has_waits() {
        file(&folder.join("waits.csv"), |out| {
            mpi_lens::waits_csv(&tables, |from, to| stretch.overlaps(from, to), out)
        })?;
    }
    if flow::has_flow(run) {
        file(&folder.join("flow.csv"), |out| flow::write(run, stretch, out))?;
    }
    for kept in ["mpi", "warp"] {
        copy_tables(&run.path().join(kept), folder)?;
    }
    file(&folder.join("series.csv"), |out| {
        Ok(document::series_csv(&series(analysed, None), out)?)
    })?;
    let document = document_of(std::slice::from_ref(analysed));
    // An MPI program of collectives alone has no messages to have quantiles of.
    if !document.tables().any(|table| table.id == "quantiles") {
        return Ok(());
    }
    file(&folder.join("quantiles.csv"), |out| Ok(document::table_csv(&document, "quantiles", out)?))
}

/// What a producer has left as CSV already.
fn copy_tables(from: &Path, folder: &Path) -> Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    for entry in std::fs::read_dir(from)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_file() && path.extension().is_some_and(|extension| extension == "csv") {
            file(&folder.join(name), |out| copy_cells(&path, out))
                .with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    Ok(())
}

/// A producer's table, cell by cell: whoever made the run folder may have put anything there.
fn copy_cells(from: &Path, out: &mut dyn Write) -> Result<()> {
    let input = ShortLines { inner: record::open_input(from)?, bytes: 0 };
    let mut table = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(input);
    let mut row = csv::ByteRecord::new();
    while table.read_byte_record(&mut row)? {
        let cells: Vec<String> =
            row.iter().map(|cell| record::csv_field(&String::from_utf8_lossy(cell))).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

/// A table whose lines are of a sensible length. One without end would be read into memory whole.
struct ShortLines<R> {
    inner: R,
    /// Of the line that is being read.
    bytes: usize,
}

/// More than any line that a producer writes.
const LINE_BYTES_MAX: usize = 1 << 20;

impl<R: Read> Read for ShortLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes = match buffer[..read].iter().rposition(|byte| *byte == b'\n') {
            Some(end) => read - end - 1,
            None => self.bytes + read,
        };
        if self.bytes > LINE_BYTES_MAX {
            return Err(std::io::Error::new(
                ErrorKind::InvalidData,
                "a line is longer than 1 MiB: this is not a table",
            ));
        }
        Ok(read)
    }
}

fn file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?);
    write(&mut out)?;
    Ok(out.flush()?)
}

/// Every column that any file has; names instead of codes, nothing for null. Where messages were
/// chosen, rows that are no messages stay out.
fn messages(run: &Run, wanted: &Exported, out: &mut dyn Write) -> Result<()> {
    let chunks = run.chunks();
    let fields: Vec<Field> = Field::ALL
        .into_iter()
        .filter(|field| chunks.iter().any(|chunk| chunk.has(*field)))
        .collect();
    let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
    writeln!(out, "{}", names.join(","))?;
    let mut batch = Batch::new();
    for chunk in chunks {
        chunk.read(&fields, &mut batch)?;
        let columns = Columns::of(&batch);
        for row in (0..batch.rows()).filter(|&row| wanted.takes_row(&columns, row)) {
            let at = |field| batch.column(field).at(row);
            let times = [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs].map(at);
            let known = || times.into_iter().filter(|ns| *ns != NULL);
            let (first, last) = (known().min().unwrap_or(0), known().max().unwrap_or(0));
            if !wanted.stretch.overlaps(first, last) {
                continue;
            }
            for (place, field) in fields.iter().enumerate() {
                if place > 0 {
                    out.write_all(b",")?;
                }
                cell(*field, at(*field), out)?;
            }
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}

fn cell(field: Field, value: i64, out: &mut dyn Write) -> std::io::Result<()> {
    let code = || u8::try_from(value).ok();
    match field {
        _ if value == NULL => Ok(()),
        Field::Kind => write!(out, "{}", code().and_then(Kind::from_code).map_or("", Kind::name)),
        Field::ArrivedHow => {
            write!(out, "{}", code().and_then(How::from_code).map_or("", How::name))
        }
        Field::VirtualSend | Field::VirtualReceive => {
            write!(out, "{}", f64::from_bits(value as u64))
        }
        _ => write!(out, "{value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_without_line_ends_is_given_up_soon() {
        let lines = |inner| ShortLines { inner, bytes: 0 };
        let rows = "a,b\n".repeat(LINE_BYTES_MAX);
        assert_eq!(
            std::io::copy(&mut lines(rows.as_bytes()), &mut std::io::sink()).unwrap(),
            rows.len() as u64
        );
        let mut passed = Vec::new();
        let hole = vec![0; 8 * LINE_BYTES_MAX];
        let error = std::io::copy(&mut lines(&hole[..]), &mut passed).unwrap_err();
        assert!(
            error.to_string().contains("not a table") && passed.len() <= LINE_BYTES_MAX,
            "{error}"
        );
    }
}
