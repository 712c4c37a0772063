//! Closing a run: live logs and buffers become messages files on the timeline.
//!
//! The order makes it safe to be killed at any point: messages files appear whole, then `run.json`
//! says that the run is closed, and only then the live logs and buffers go. Until then closing can
//! be done again from the beginning, by the same process or by the run's first reader.

use crate::anchoring;
use crate::buffer::Buffers;
use crate::causes;
use crate::clock_log;
use crate::folder_lock::FolderLock;
use crate::halves;
use crate::input::read_input;
use crate::messages_out::MessagesFile;
use crate::models::{self, Domains};
use crate::rows::{RowSource, RowsLost};
use crate::run_files::{live, messages, run_json};
use crate::table::{Clocks, Span};
use crate::unlisted;
use crate::{Launch, Machine, NodeInfo, NodeSheet, RecordError, RunInfo, State};
use clock::Ticks;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A run whose recording has ended, held alone until it is closed.
///
/// [`RunFolder::close`](crate::RunFolder::close) and [`Run::open`](crate::Run::open) do all of this
/// for runs that were recorded through a [`Recorder`](crate::Recorder). A producer with logs of its
/// own takes the steps itself: [`Closing::fit`] the clocks, write what the nodes left
/// ([`Closing::messages`], [`SideWriter`](crate::SideWriter)), [`Closing::finish`]. Until then
/// nothing of `live/` is removed, and closing can be done again from the beginning.
pub struct Closing {
    path: PathBuf,
    info: RunInfo,
    state: State,
    buffers: Buffers,
    _lock: FolderLock,
}

impl Closing {
    /// Of a run whose lock is held alone.
    pub(crate) fn new(path: PathBuf, info: RunInfo, state: State, lock: FolderLock) -> Closing {
        let buffers = Buffers::claim(info.id, &path, &[]);
        Closing { path, info, state, buffers, _lock: lock }
    }

    /// The run's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where its nodes left their logs.
    pub fn live(&self) -> PathBuf {
        live(&self.path)
    }

    /// Take away folders of files that a closing which was cut had begun: messages, and `products`,
    /// names within the run.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn remove_begun(&self, products: &[&str]) -> Result<(), RecordError> {
        let products = products.iter().map(|name| self.path.join(name));
        for folder in products.chain([messages(&self.path)]) {
            match std::fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(RecordError::file("remove", &folder, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What `run.json` will say.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// Add notes, failures, and what was lost.
    pub fn info_mut(&mut self) -> &mut RunInfo {
        &mut self.info
    }

    /// The sheets of the run's nodes, by launch and node. One that is damaged becomes a failure in
    /// the run's information.
    ///
    /// # Errors
    /// When `live/` cannot be read, or a sheet is of a newer format.
    pub fn sheets(&mut self) -> Result<Vec<NodeSheet>, RecordError> {
        read_sheets(&self.path, &mut self.info.failures)
    }

    /// Fit a model to each clock that the sheets name.
    pub fn fit(&mut self, sheets: &[NodeSheet]) {
        let live = self.live();
        let of_node = |sheet: &NodeSheet| (sheet.domain.clone(), anchoring::read(&live, sheet));
        clock_log::add(&live, &mut self.info);
        let logged: Vec<_> = sheets.iter().map(of_node).collect();
        let Domains { domains, notes } =
            models::fit(&self.info, sheets, &logged, &Machine::boot_id_here());
        self.info.domains = domains;
        self.info.notes.extend(notes);
    }

    /// What puts the ticks of a node on the timeline; `None` when its clock could not be fitted.
    pub fn model(&self, sheet: &NodeSheet) -> Option<&clock::Model> {
        self.info.domains.iter().find(|domain| domain.id == sheet.domain)?.model.as_ref()
    }

    /// Stamps of a node were put on the timeline: by its ticks from one moment to another, and by
    /// the kernel's clock likewise. The error of its clock is that of the worst of them.
    pub fn answer_for(
        &mut self,
        sheet: &NodeSheet,
        ticks: [Ticks; 2],
        kernel_ns: Option<(i64, i64)>,
    ) {
        let domain = self.info.domains.iter_mut().find(|domain| domain.id == sheet.domain);
        let Some(domain) = domain else { return };
        for last in ticks {
            domain.answer_for(Span { last: Some(last), kernel_ns });
        }
        let kernel_ns = domain.kernel_error_ns.filter(|_| kernel_ns.is_some()).unwrap_or(0.0);
        domain.error_ns = domain.error_ns.map(|error_ns| error_ns.max(kernel_ns));
    }

    /// Begin the messages file of a node, with the columns of its sheet's schema.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn messages(&self, sheet: &NodeSheet) -> Result<MessagesFile, RecordError> {
        let folder = messages(&self.path);
        std::fs::create_dir_all(&folder)
            .map_err(|error| RecordError::file("create", &folder, error))?;
        MessagesFile::create(&self.path.join(file_of(sheet)), sheet)
    }

    /// All files are written: say so in `run.json`, and remove what only a run that goes on needs.
    /// `nodes` are the sheets with the rows in their messages files.
    ///
    /// # Errors
    /// When `run.json` cannot be written; closing can be done again then.
    pub fn finish(mut self, nodes: &[(NodeSheet, u64)]) -> Result<RunInfo, RecordError> {
        let mut launches: BTreeMap<u32, Vec<NodeInfo>> = BTreeMap::new();
        for (sheet, rows) in nodes {
            let node = NodeInfo::new(sheet, file_of(sheet), *rows, sheet.dropped);
            launches.entry(sheet.launch).or_default().push(node);
        }
        let info = &mut self.info;
        info.launches =
            launches.into_iter().map(|(launch, nodes)| Launch { launch, nodes }).collect();
        // A producer knows of nodes that were cut before they left a sheet.
        info.lost.cut |= self.state == State::Cut || nodes.iter().any(|(sheet, _)| !sheet.finished);
        info.state = if info.lost.cut { State::Cut } else { self.state };
        info.closed = Some(jiff::Timestamp::now());
        info.save(&run_json(&self.path))?;
        self.buffers.remove();
        remove_live(&self.path);
        Ok(self.info)
    }

    /// Close a run that was recorded through recorders.
    pub(crate) fn close_recorded(mut self) -> Result<RunInfo, RecordError> {
        refuse_other_logs(&self.live())?;
        let mut sheets = self.sheets()?;
        remove_unfinished(&messages(&self.path));
        self.buffers = Buffers::claim(self.info.id, &self.path, &sheets);
        unlisted::note_logs(&self.path, &sheets, self.buffers.strays(), &mut self.info)?;
        self.fit(&sheets);
        let mut rows = Vec::new();
        for at in 0..sheets.len() {
            let (written, dropped) = self.close_node(&sheets[at], &sheets)?;
            sheets[at].dropped = dropped;
            rows.push(written);
            self.close_causes(&sheets[at])?;
        }
        let nodes: Vec<_> = sheets.into_iter().zip(rows).collect();
        self.finish(&nodes)
    }

    /// Write what was seen beside the messages of one node, where that was watched.
    fn close_causes(&mut self, sheet: &NodeSheet) -> Result<(), RecordError> {
        let domain = self.info.domains.iter().find(|domain| domain.id == sheet.domain);
        let model = domain.and_then(|domain| domain.model.clone());
        causes::close(&self.path, &live(&self.path), sheet, model.as_ref(), &mut self.info)
    }

    /// Write the messages of one node. Returns its rows, and those that were dropped.
    fn close_node(
        &mut self,
        sheet: &NodeSheet,
        sheets: &[NodeSheet],
    ) -> Result<(u64, u64), RecordError> {
        let mut file = self.messages(sheet)?;
        let mut clocks = Clocks::of(sheet.launch, sheets, &self.info.domains);
        let live = self.live();
        let mut unmatched = (0, 0);
        let lost = match sheet.halves {
            false => write_rows(&live, sheet, &self.buffers, &mut file, &mut clocks)?,
            true => {
                let partners =
                    sheets.iter().filter(|other| other.launch == sheet.launch && other.halves);
                let mut push = |words: &[u64]| file.push_ticks(words, &mut clocks);
                let joined = halves::join(&live, sheet, partners, &self.buffers, &mut push)?;
                unmatched = (joined.unmatched_sends, joined.unmatched_receives);
                joined.lost
            }
        };
        let rows = file.finish()?;
        let Clocks { unknown_rows, unknown_nodes, spans, .. } = clocks;
        for (domain, span) in self.info.domains.iter_mut().zip(spans) {
            domain.answer_for(span);
        }
        self.info.lost.unmatched_sends += unmatched.0;
        self.info.lost.unmatched_receives += unmatched.1;
        self.info.lost.add_unknown(unknown_rows, unknown_nodes);
        note_lost(&mut self.info, sheet, &lost);
        Ok((rows, lost.dropped))
    }
}

/// A node's messages file, relative to the run.
fn file_of(sheet: &NodeSheet) -> String {
    format!("messages/{}.parquet", sheet.stem())
}

/// Remove what only a run that goes on needs. What cannot be removed is waste, not loss.
pub(crate) fn remove_live(path: &Path) {
    let _ = std::fs::remove_dir_all(live(path));
}

/// Logs that this crate does not know belong to a producer that closes its runs itself.
fn refuse_other_logs(live: &Path) -> Result<(), RecordError> {
    let entries =
        std::fs::read_dir(live).map_err(|error| RecordError::file("read", live, error))?;
    let known = |path: &Path| {
        path.file_name()
            .is_some_and(|name| name == "lock" || name.to_string_lossy().starts_with('.'))
            || path.extension().is_some_and(|ending| ending == "json" || ending == "log")
    };
    match entries.flatten().map(|entry| entry.path()).find(|path| !known(path)) {
        Some(path) => Err(RecordError::OtherLogs { path }),
        None => Ok(()),
    }
}

/// What a closing that was killed had begun.
fn remove_unfinished(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".unfinished-"))
    {
        let _ = std::fs::remove_file(entry.path());
    }
}

/// The sheets of a run, by launch and node. One that is damaged becomes a failure in the run's
/// information and leaves the other nodes readable.
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
        let text = read_input(&file).map_err(|error| RecordError::file("read", &file, error))?;
        match NodeSheet::parse(&text, &file) {
            Ok(sheet) => sheets.push(sheet),
            Err(newer @ RecordError::TooNew { .. }) => return Err(newer),
            Err(damaged) => failures.push(damaged.to_string()),
        }
    }
    sheets.sort_by_key(|sheet| (sheet.launch, sheet.node));
    Ok(sheets)
}

fn write_rows(
    live: &Path,
    sheet: &NodeSheet,
    buffers: &Buffers,
    file: &mut MessagesFile,
    clocks: &mut Clocks,
) -> Result<RowsLost, RecordError> {
    let mut source = RowSource::open(live, sheet, buffers)?;
    let stride = sheet.schema.stride();
    while let Some(rows) = source.next_rows()? {
        for words in rows.chunks_exact(stride) {
            file.push_ticks(words, clocks)?;
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

impl<'a> Clocks<'a> {
    fn of(launch: u32, sheets: &[NodeSheet], domains: &'a [crate::Domain]) -> Clocks<'a> {
        let mut domain_of = Vec::new();
        for sheet in sheets
            .iter()
            .filter(|sheet| sheet.launch == launch && sheet.node <= u32::from(u16::MAX))
        {
            let node = sheet.node as usize;
            if domain_of.len() <= node {
                domain_of.resize(node + 1, None);
            }
            domain_of[node] = domains.iter().position(|domain| domain.id == sheet.domain);
        }
        let cursors = domains
            .iter()
            .map(|domain| domain.model.as_ref().map(|model| model.cursor()))
            .collect();
        let spans = vec![Span::default(); domains.len()];
        Clocks { cursors, domain_of, spans, unknown_rows: 0, unknown_nodes: BTreeSet::new() }
    }
}
