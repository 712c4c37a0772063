//! Closing a run: live logs and buffers become messages files on the timeline.
//!
//! The order makes it safe to be killed at any point: messages files appear whole, then `run.json` says that the
//! run is closed, and only then the live logs and buffers go. Until then closing can be done again from the
//! beginning, by the same process or by the run's first reader.

use crate::folder::{live, messages, run_json};
use crate::halves;
use crate::models::{self, Domains};
use crate::parquet_out::MessagesWriter;
use crate::rows::{RowSource, RowsLost};
use crate::table::{Clocks, Table};
use crate::{Launch, Machine, NodeInfo, NodeSheet, RecordError, RunInfo, State};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Close the run at `path`, whose lock the caller holds alone.
pub(crate) fn close(path: &Path, mut info: RunInfo, state: State) -> Result<RunInfo, RecordError> {
    let sheets = read_sheets(path, &mut info.failures)?;
    let Domains { domains, notes } = models::fit(&info, &sheets, &Machine::here().boot_id);
    let folder = messages(path);
    std::fs::create_dir_all(&folder).map_err(|error| RecordError::file("create", &folder, error))?;
    remove_unfinished(&folder);
    info.domains = domains;
    info.notes.extend(notes);
    let mut launches: BTreeMap<u32, Vec<NodeInfo>> = BTreeMap::new();
    for sheet in &sheets {
        let node = close_node(path, sheet, &sheets, &mut info)?;
        launches.entry(sheet.launch).or_default().push(node);
    }
    info.launches = launches.into_iter().map(|(launch, nodes)| Launch { launch, nodes }).collect();
    info.lost.cut = state == State::Cut || sheets.iter().any(|sheet| !sheet.finished);
    info.state = if info.lost.cut { State::Cut } else { state };
    info.closed = Some(jiff::Timestamp::now());
    info.save(&run_json(path))?;
    remove_buffers(&sheets);
    remove_live(path);
    Ok(info)
}

/// Remove what only a run that goes on needs. What cannot be removed is waste, not loss.
pub(crate) fn remove_live(path: &Path) {
    let _ = std::fs::remove_dir_all(live(path));
}

fn remove_buffers(sheets: &[NodeSheet]) {
    for buffer in sheets.iter().filter_map(|sheet| sheet.buffer.as_ref()) {
        let _ = memory::Region::remove(buffer);
    }
}

/// What a closing that was killed had begun.
fn remove_unfinished(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".unfinished-")) {
        let _ = std::fs::remove_file(entry.path());
    }
}

/// The sheets of a run, by launch and node. One that is damaged becomes a failure in the run's information and
/// leaves the other nodes readable.
fn read_sheets(path: &Path, failures: &mut Vec<String>) -> Result<Vec<NodeSheet>, RecordError> {
    let folder = live(path);
    let failed = |error| RecordError::file("read", &folder, error);
    let mut sheets = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let hidden = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden || file.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let text = std::fs::read(&file).map_err(|error| RecordError::file("read", &file, error))?;
        match NodeSheet::parse(&text, &file) {
            Ok(sheet) => sheets.push(sheet),
            Err(newer @ RecordError::TooNew { .. }) => return Err(newer),
            Err(damaged) => failures.push(damaged.to_string()),
        }
    }
    sheets.sort_by_key(|sheet| (sheet.launch, sheet.node));
    Ok(sheets)
}

fn close_node(
    path: &Path,
    sheet: &NodeSheet,
    sheets: &[NodeSheet],
    info: &mut RunInfo,
) -> Result<NodeInfo, RecordError> {
    let file = format!("messages/{}.parquet", sheet.stem());
    let domains = std::mem::take(&mut info.domains);
    let mut clocks = Clocks::of(sheet.launch, sheets, &domains);
    let mut sink = Sink::create(path.join(&file), sheet)?;
    let live = live(path);
    let lost = match sheet.halves {
        false => write_rows(&live, sheet, &mut sink, &mut clocks)?,
        true => {
            let partners = sheets.iter().filter(|other| other.launch == sheet.launch && other.halves);
            let joined = halves::join(&live, sheet, partners, &mut |words| sink.push(words, &mut clocks))?;
            info.lost.unmatched_sends += joined.unmatched_sends;
            info.lost.unmatched_receives += joined.unmatched_receives;
            joined.lost
        }
    };
    let rows = sink.finish()?;
    info.lost.rows_of_unknown_nodes += clocks.unknown_rows;
    info.domains = domains;
    note_lost(info, sheet, &lost);
    Ok(NodeInfo::new(sheet, file, rows, lost.dropped))
}

fn write_rows(
    live: &Path,
    sheet: &NodeSheet,
    sink: &mut Sink,
    clocks: &mut Clocks,
) -> Result<RowsLost, RecordError> {
    let mut source = RowSource::open(live, sheet)?;
    let stride = sheet.schema.stride();
    while let Some(rows) = source.next_rows()? {
        for words in rows.chunks_exact(stride) {
            sink.push(words, clocks)?;
        }
    }
    Ok(source.lost())
}

fn note_lost(info: &mut RunInfo, sheet: &NodeSheet, lost: &RowsLost) {
    info.lost.dropped_rows += lost.dropped;
    info.lost.damaged_chunks += lost.damaged_chunks;
    info.lost.damaged_rows += lost.damaged_rows;
    info.lost.missing_buffers += u64::from(lost.buffer_missing);
    for failure in &lost.failures {
        info.failures.push(format!("launch {}, node {}: {failure}", sheet.launch, sheet.node));
    }
}

/// A messages file with the row group that is being filled.
struct Sink {
    table: Table,
    writer: MessagesWriter,
}

impl Sink {
    fn create(file: PathBuf, sheet: &NodeSheet) -> Result<Sink, RecordError> {
        let table = Table::new(sheet.launch, &sheet.schema);
        let writer = MessagesWriter::create(&file, &table, sheet.launch, sheet.node)?;
        Ok(Sink { table, writer })
    }

    fn push(&mut self, words: &[u64], clocks: &mut Clocks) -> Result<(), RecordError> {
        self.table.push(words, clocks);
        if self.table.is_full() {
            self.writer.write(&self.table)?;
            self.table.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<u64, RecordError> {
        if self.table.rows() > 0 {
            self.writer.write(&self.table)?;
        }
        self.writer.finish()
    }
}

impl<'a> Clocks<'a> {
    fn of(launch: u32, sheets: &[NodeSheet], domains: &'a [crate::Domain]) -> Clocks<'a> {
        let mut domain_of = Vec::new();
        for sheet in sheets.iter().filter(|sheet| sheet.launch == launch && sheet.node <= u32::from(u16::MAX))
        {
            let node = sheet.node as usize;
            if domain_of.len() <= node {
                domain_of.resize(node + 1, None);
            }
            domain_of[node] = domains.iter().position(|domain| domain.id == sheet.domain);
        }
        let cursors =
            domains.iter().map(|domain| domain.model.as_ref().map(|model| model.cursor())).collect();
        Clocks { cursors, domain_of, unknown_rows: 0 }
    }
}
