//! The table of causes of a run that has ended.

use super::Cause;
use crate::NodeSheet;
use crate::{Holds, RecordError, Run, SideColumn, SideReader, SideWriter};
use std::path::{Path, PathBuf};

/// Something that happened on or for a node. Its amount's unit is that of the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CauseSpan {
    /// What happened; the amount is in its unit.
    pub cause: Cause,
    /// Begin on the timeline, ns. Many causes are counted: they happened somewhere between begin
    /// and end.
    pub from_ns: i64,
    /// End on the timeline, ns.
    pub to_ns: i64,
    /// How much or how often.
    pub amount: i64,
}

/// The causes of one node of one launch, by begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeCauses {
    /// The launch, from 0.
    pub launch: u32,
    /// The node on or for which it happened.
    pub node: u32,
    /// What happened.
    pub spans: Vec<CauseSpan>,
}

const COLUMNS: [SideColumn; 4] = [
    SideColumn { name: "cause", holds: Holds::Names(&Cause::NAMES) },
    SideColumn { name: "from_ns", holds: Holds::Numbers },
    SideColumn { name: "to_ns", holds: Holds::Numbers },
    SideColumn { name: "amount", holds: Holds::FewNumbers },
];

fn path_of(run: &Path, launch: u32, node: u32) -> PathBuf {
    run.join("causes").join(format!("{}.parquet", NodeSheet::stem_of(launch, node)))
}

pub(super) fn create(run: &Path, launch: u32, node: u32) -> Result<SideWriter, RecordError> {
    SideWriter::create(&path_of(run, launch, node), &COLUMNS, launch, node)
}

pub(super) fn push(table: &mut SideWriter, span: &CauseSpan) -> Result<(), RecordError> {
    table.push(&[span.cause as i64, span.from_ns, span.to_ns, span.amount])
}

impl Run {
    /// What was seen beside the messages, of the nodes that were watched.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn causes(&self) -> Result<Vec<NodeCauses>, RecordError> {
        let mut all = Vec::new();
        for (launch, node) in self.info.nodes() {
            let path = path_of(self.path(), launch, node.node);
            if path.exists() {
                all.push(NodeCauses { launch, node: node.node, spans: read(&path)? });
            }
        }
        Ok(all)
    }
}

fn read(path: &Path) -> Result<Vec<CauseSpan>, RecordError> {
    let mut table = SideReader::open(path, &COLUMNS)?;
    let mut spans = Vec::new();
    for group in 0..table.groups() {
        let columns = table.read(group)?;
        let rows = columns[0].iter().zip(&columns[1]).zip(&columns[2]).zip(&columns[3]);
        for (((cause, from_ns), to_ns), amount) in rows {
            let Some(cause) = u8::try_from(*cause).ok().and_then(Cause::from_code) else {
                return Err(RecordError::column(path, "cause", "is null"));
            };
            spans.push(CauseSpan { cause, from_ns: *from_ns, to_ns: *to_ns, amount: *amount });
        }
    }
    spans.sort_by_key(|span| (span.from_ns, span.to_ns));
    Ok(spans)
}
