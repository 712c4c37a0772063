//! A node's sheet: what closing a run must know about one node, kept beside its live log.
//!
//! It is written when the node begins, so that a node that is killed leaves what is needed to put
//! its stamps on the timeline, and again when it ends.

use crate::{Machine, RecordError, RecorderOptions, Schema, whole_file};
use clock::{Anchor, Clock, Offset, Quality, Source};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What is known about one node of one launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeSheet {
    /// Format of the sheet and of the live log; see docs/FORMAT.md.
    pub format: u32,
    /// Launch, counted from 0.
    pub launch: u32,
    /// Node, counted from 0.
    pub node: u32,
    /// Host name.
    pub host: String,
    /// Process.
    pub pid: u32,
    /// The start of the machine that the node ran in.
    pub boot_id: String,
    /// Nodes with the same domain share one clock: `<boot_id>/<source>`, and `/planted-<node>`
    /// after it when an error was planted.
    pub domain: String,
    /// Where its ticks come from.
    pub source: Source,
    /// Its step, cost and rate. The rate serves a node that left a single anchor.
    pub quality: Quality,
    /// This clock beside the system's: at the start, perhaps in between, and at the end.
    pub anchors: Vec<Anchor>,
    /// This clock beside the reference domain's, from synchronisation over messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offsets: Vec<Offset>,
    /// Core that the node was pinned to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<u32>,
    /// Columns that its rows fill.
    #[serde(default)]
    pub schema: Schema,
    /// How it records.
    #[serde(default)]
    pub recorder: RecorderOptions,
    /// The named memory that holds its last rows; `None` once they are all in the live log, or when
    /// no named memory could be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<PathBuf>,
    /// A bare run: rows of the sender have only `ready` and `sent`, rows of the receiver only
    /// `arrived` and `taken`, and closing joins the k-th send with the k-th receive of each pair of
    /// nodes.
    #[serde(default)]
    pub halves: bool,
    /// Whether the node came to its end; what follows is final only then.
    #[serde(default)]
    pub finished: bool,
    /// Rows recorded.
    #[serde(default)]
    pub recorded: u64,
    /// Rows dropped because the buffer was full.
    #[serde(default)]
    pub dropped: u64,
    /// Times that measuring stopped because the buffer was full.
    #[serde(default)]
    pub pauses: u64,
    /// Anything that a reader should know: why it is not pinned, what failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What a process that keeps no record says of itself and its clock.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherProcess {
    /// Host name.
    pub host: String,
    /// Process.
    pub pid: u32,
    /// The start of the machine that it runs in.
    pub boot_id: String,
    /// Its clock's step, cost and rate.
    pub quality: Quality,
    /// Its clock beside its system's.
    pub anchor: Anchor,
}

impl NodeSheet {
    /// A sheet for a node of this process that takes its stamps with `clock`. Measures the clock,
    /// which takes about a twentieth of a second, and takes the first anchor.
    pub fn new(launch: u32, node: u32, clock: &Clock) -> NodeSheet {
        NodeSheet::with_quality(launch, node, clock, clock::measure(clock))
    }

    /// The same with a clock that has been measured already. Takes the first anchor.
    pub fn with_quality(launch: u32, node: u32, clock: &Clock, quality: Quality) -> NodeSheet {
        let boot_id = Machine::boot_id_here();
        NodeSheet {
            format: crate::FORMAT,
            launch,
            node,
            pid: std::process::id(),
            domain: domain(&boot_id, clock, node),
            host: Machine::host_here(),
            boot_id,
            source: clock.source(),
            quality,
            anchors: vec![clock.anchor()],
            offsets: Vec::new(),
            core: None,
            schema: Schema::default(),
            recorder: RecorderOptions::default(),
            buffer: None,
            halves: false,
            finished: false,
            recorded: 0,
            dropped: 0,
            pauses: 0,
            notes: Vec::new(),
        }
    }

    /// A sheet for a node of another process, on another machine perhaps, that keeps no record
    /// itself: its stamps come in this node's rows. Has nothing but the clock.
    pub fn of_another(&self, node: u32, other: &OtherProcess) -> NodeSheet {
        let Quality { source, .. } = other.quality;
        NodeSheet {
            node,
            host: other.host.clone(),
            pid: other.pid,
            domain: domain_of(&other.boot_id, source),
            boot_id: other.boot_id.clone(),
            source,
            quality: other.quality,
            anchors: vec![other.anchor],
            offsets: Vec::new(),
            core: None,
            buffer: None,
            finished: false,
            notes: Vec::new(),
            ..self.clone()
        }
    }

    /// `launch-0-node-1`: what the node's files are called, without an ending.
    pub fn stem(&self) -> String {
        NodeSheet::stem_of(self.launch, self.node)
    }

    /// The same of a node of which there may be no sheet.
    pub fn stem_of(launch: u32, node: u32) -> String {
        format!("launch-{launch}-node-{node}")
    }

    /// Whether the clock has a planted error, so that no other clock of its machine can stand in
    /// for it.
    pub fn is_planted(&self) -> bool {
        self.domain.contains("/planted-")
    }

    /// Write the sheet into `live`, the folder of the run's logs, for a producer that keeps logs of
    /// its own.
    ///
    /// # Errors
    /// When it cannot be written; an earlier one is left as it was.
    pub fn save_into(&self, live: &Path) -> Result<(), RecordError> {
        self.save(&live.join(format!("{}.json", self.stem())))
    }

    /// It is not forced onto the disk, as the log beside it is not: a process that begins, perhaps
    /// one of thousands, does not wait for the disk.
    pub(crate) fn save(&self, path: &Path) -> Result<(), RecordError> {
        whole_file::write_whole(path, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        })
        .map_err(|error| RecordError::file("write", path, error))
    }

    /// Read a sheet. `path` is for the error message.
    pub fn parse(text: &[u8], path: &Path) -> Result<NodeSheet, RecordError> {
        whole_file::check_format(text, path)?;
        serde_json::from_slice(text)
            .map_err(|error| RecordError::damaged(path, format!("is not a node's sheet: {error}")))
    }
}

/// The name of a clock domain.
fn domain(boot_id: &str, clock: &Clock, node: u32) -> String {
    let planted = if clock.is_planted() { format!("/planted-{node}") } else { String::new() };
    domain_of(boot_id, clock.source()) + &planted
}

fn domain_of(boot_id: &str, source: Source) -> String {
    let source = match source {
        Source::Tsc => "tsc",
        Source::MonotonicRaw => "monotonic-raw",
        Source::Simulated => "simulated",
    };
    format!("{boot_id}/{source}")
}
