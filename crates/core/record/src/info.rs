//! `run.json`: what ran, where, on which clocks, with which parameters, and what was lost.

use crate::table::Span;
use crate::{Machine, NodeSheet, RecordError, RunId, Schema, whole_file};
use clock::{Anchor, Model, Offset, Quality, Source};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// Everything about a run that is not a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Format of the run folder; see docs/FORMAT.md.
    pub format: u32,
    /// What tells it from every other run; `None` if a version wrote it that gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RunId>,
    /// Program that wrote it, with its version.
    pub program: String,
    /// Whether the run goes on, was closed, or was cut.
    pub state: State,
    /// When it began.
    pub started: jiff::Timestamp,
    /// When it was closed (for a cut run: when its first reader closed it).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<jiff::Timestamp>,
    /// The command line.
    #[serde(default)]
    pub command: Vec<String>,
    /// What sent the messages: `pingpong`, a program's name.
    #[serde(default)]
    pub workload: String,
    /// How they travelled: `shm`, `tcp`.
    #[serde(default)]
    pub transport: String,
    /// How the nodes are connected: `mesh`, `hypercube`; empty where a traced program chose.
    #[serde(default)]
    pub topology: String,
    /// Every parameter of the workload.
    #[serde(default)]
    pub parameters: serde_json::Map<String, serde_json::Value>,
    /// The machine it was started on.
    #[serde(default)]
    pub machine: Machine,
    /// The machine whose time was simulated, as its file says; absent where time was real.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub simulated_on: serde_json::Value,
    /// What is missing from the record. Look here before believing a figure.
    #[serde(default)]
    pub lost: Lost,
    /// What a reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// The launches and their nodes; empty while the run goes on.
    #[serde(default)]
    pub launches: Vec<Launch>,
    /// The clocks; while the run goes on only what the coordinator knows of them.
    #[serde(default)]
    pub domains: Vec<Domain>,
    /// Where the timeline begins.
    pub origin: Origin,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It goes on (or was cut and nobody has opened it since).
    Open,
    /// It ended and was closed.
    Closed,
    /// It was cut off and closed by its first reader.
    Cut,
}

/// Zero of the timeline: one moment on two clocks of the machine that started the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The start of the machine whose `CLOCK_MONOTONIC_RAW` it is.
    pub boot_id: String,
    /// `CLOCK_MONOTONIC_RAW`, ns.
    pub monotonic_raw_ns: i64,
    /// `CLOCK_REALTIME`, ns.
    pub realtime_ns: i64,
}

/// What is missing from the record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lost {
    /// Whether the run was cut: a node ended without saying so.
    pub cut: bool,
    /// Rows dropped because a buffer was full.
    pub dropped_rows: u64,
    /// Damaged chunks of live logs.
    pub damaged_chunks: u64,
    /// Rows known to have been in them.
    pub damaged_rows: u64,
    /// Nodes whose last rows went with their buffer: the machine was restarted, or it is another
    /// one.
    pub missing_buffers: u64,
    /// Halves of a bare run: sends that no receive belongs to.
    pub unmatched_sends: u64,
    /// Halves of a bare run: receives that no send belongs to.
    pub unmatched_receives: u64,
    /// Rows that are not read: the sheet of their node is missing, or `run.json` does not name it.
    pub rows_without_sheet: u64,
    /// Rows that name a node of which there is no sheet; its stamps are null.
    pub rows_of_unknown_nodes: u64,
    /// Which nodes those are, of any launch; ascending.
    pub unknown_nodes: Vec<u32>,
}

/// One launch: a fresh set of processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// Its number.
    pub launch: u32,
    /// Its nodes.
    pub nodes: Vec<NodeInfo>,
}

/// One node of a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeInfo {
    /// Its number.
    pub node: u32,
    /// Host name.
    pub host: String,
    /// Process.
    pub pid: u32,
    /// Its clock domain; see [`RunInfo::domains`].
    pub domain: String,
    /// Step, cost and rate of its clock.
    pub quality: Quality,
    /// Core that it was pinned to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<u32>,
    /// Its messages, relative to the run's folder.
    pub file: String,
    /// Rows in that file.
    pub rows: u64,
    /// Optional columns of that file.
    #[serde(default)]
    pub columns: Schema,
    /// Whether it came to its end.
    pub finished: bool,
    /// Rows dropped because its buffer was full.
    pub dropped: u64,
    /// Times that it stopped measuring to make room in its buffer.
    pub pauses: u64,
    /// Whether both sides' logs were joined (a bare run).
    #[serde(default)]
    pub halves: bool,
    /// What a reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A clock that several nodes may share, and how its ticks lie on the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    /// `<boot_id>/<source>`, and `/planted-<node>` after it when an error was planted.
    pub id: String,
    /// Where its ticks come from.
    pub source: Source,
    /// Whether the other domains are tied to this one.
    #[serde(default)]
    pub reference: bool,
    /// Bound of the error of a stamp against the reference domain, ns, as far as it is known. Two
    /// stamps of one domain compare exactly.
    #[serde(default)]
    pub error_ns: Option<f64>,
    /// Bound of the error of a kernel stamp against this clock's own, ns; there if the run has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_error_ns: Option<f64>,
    /// Ticks to ns on the timeline.
    #[serde(default)]
    pub model: Option<Model>,
    /// What the model was fitted to: this clock beside its machine's.
    #[serde(default)]
    pub anchors: Vec<Anchor>,
    /// What the model was fitted to: this clock beside the reference domain's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offsets: Vec<Offset>,
}

impl Domain {
    /// One of which nothing is known yet.
    pub fn new(id: impl Into<String>, source: Source) -> Domain {
        Domain {
            id: id.into(),
            source,
            reference: false,
            error_ns: None,
            kernel_error_ns: None,
            model: None,
            anchors: Vec::new(),
            offsets: Vec::new(),
        }
    }

    /// Stamps were placed by its model: its bounds must hold for all of them, those after the last
    /// comparison too.
    pub(crate) fn answer_for(&mut self, span: Span) {
        let Some(model) = &self.model else { return };
        if let (Some(error_ns), Some(last)) = (&mut self.error_ns, span.last) {
            *error_ns = error_ns.max(model.error_ns(last));
        }
        if let Some((first_ns, last_ns)) = span.kernel_ns {
            let ends_ns = model.realtime_error_ns(first_ns).max(model.realtime_error_ns(last_ns));
            let error_ns = ends_ns.max(model.realtime().max_error_ns());
            self.kernel_error_ns =
                Some(self.kernel_error_ns.map_or(error_ns, |known| known.max(error_ns)));
        }
    }
}

impl RunInfo {
    /// A run of `workload` that begins now, on this machine, by this command line.
    pub fn new(workload: &str) -> RunInfo {
        let machine = Machine::here();
        let now = clock::Clock::system().anchor();
        let origin = Origin {
            boot_id: machine.boot_id.clone(),
            monotonic_raw_ns: now.monotonic_raw_ns,
            realtime_ns: now.realtime_ns,
        };
        RunInfo {
            format: crate::FORMAT,
            id: Some(RunId::new()),
            program: concat!("fourstamp ", env!("CARGO_PKG_VERSION")).to_string(),
            state: State::Open,
            started: jiff::Timestamp::now(),
            closed: None,
            command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            workload: workload.to_string(),
            transport: String::new(),
            topology: String::new(),
            parameters: serde_json::Map::new(),
            machine,
            simulated_on: serde_json::Value::Null,
            lost: Lost::default(),
            notes: Vec::new(),
            failures: Vec::new(),
            launches: Vec::new(),
            domains: Vec::new(),
            origin,
        }
    }

    /// Rows in all files.
    pub fn rows(&self) -> u64 {
        self.nodes().map(|(_, node)| node.rows).sum()
    }

    /// Every node with its launch.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, &NodeInfo)> {
        self.launches
            .iter()
            .flat_map(|launch| launch.nodes.iter().map(|node| (launch.launch, node)))
    }

    /// The domain of this name.
    pub fn domain(&self, id: &str) -> Option<&Domain> {
        self.domains.iter().find(|domain| domain.id == id)
    }

    /// The largest bound that is known of the error between the clocks of two nodes of a launch,
    /// ns: 0 where all share a clock. By clock, not by node: a run may have thousands of nodes.
    pub fn largest_error_ns(&self, launch: &Launch) -> f64 {
        let clocks: BTreeSet<&str> = launch.nodes.iter().map(|node| node.domain.as_str()).collect();
        let mut errors: Vec<f64> = clocks
            .into_iter()
            .filter_map(|clock| self.domain(clock).and_then(|domain| domain.error_ns))
            .collect();
        errors.sort_by(|one, other| other.total_cmp(one));
        if errors.len() < 2 { 0.0 } else { errors[0] + errors[1] }
    }

    /// Read `run.json`. `path` is for the error message.
    pub fn parse(text: &[u8], path: &Path) -> Result<RunInfo, RecordError> {
        whole_file::check_format(text, path)?;
        serde_json::from_slice(text).map_err(|error| {
            RecordError::damaged(path, format!("does not describe a run: {error}"))
        })
    }

    pub(crate) fn save(&self, path: &Path) -> Result<(), RecordError> {
        whole_file::write_json(path, self)
    }
}

impl Lost {
    /// Whether the record is complete.
    pub fn is_nothing(&self) -> bool {
        *self == Lost::default()
    }

    /// So many more rows named nodes of which there is no sheet, and these are the nodes.
    pub(crate) fn add_unknown(&mut self, rows: u64, nodes: impl IntoIterator<Item = u32>) {
        self.rows_of_unknown_nodes += rows;
        self.unknown_nodes.extend(nodes);
        self.unknown_nodes.sort_unstable();
        self.unknown_nodes.dedup();
    }
}

impl NodeInfo {
    pub(crate) fn new(sheet: &NodeSheet, file: String, rows: u64, dropped: u64) -> NodeInfo {
        NodeInfo {
            node: sheet.node,
            host: sheet.host.clone(),
            pid: sheet.pid,
            domain: sheet.domain.clone(),
            quality: sheet.quality,
            core: sheet.core,
            file,
            rows,
            columns: sheet.schema.clone(),
            finished: sheet.finished,
            dropped,
            pauses: sheet.pauses,
            halves: sheet.halves,
            notes: sheet.notes.clone(),
        }
    }
}
