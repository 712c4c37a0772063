//! The flow log of the Time Warp Operating System: one line for each execution of an object, those
//! undone later included.

use super::stretch::Stretch;
use anyhow::Result;
use record::{Batch, Field, Kind, Run};
use std::io::Write;

const FIELDS: [Field; 6] = [
    Field::Kind,
    Field::Src,
    Field::SrcObject,
    Field::ReadyNs,
    Field::TakenNs,
    Field::VirtualReceive,
];

/// Whether a run has executions at all.
pub fn has_flow(run: &Run) -> bool {
    run.info.parameters.contains_key("result")
        && run.chunks().iter().any(|chunk| chunk.has(Field::SrcObject))
}

/// `node,object,begin_ns,end_ns,simtime`; objects by their numbers, which are their places in
/// `xl_stats.csv`.
pub fn write(run: &Run, stretch: &Stretch, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "node,object,begin_ns,end_ns,simtime")?;
    let mut batch = Batch::new();
    for chunk in run.chunks().iter().filter(|chunk| chunk.has(Field::SrcObject)) {
        chunk.read(&FIELDS, &mut batch)?;
        for row in 0..batch.rows() {
            let [kind, node, object, begin, end, simtime] =
                FIELDS.map(|field| batch.column(field).at(row));
            let is_execution =
                u8::try_from(kind).ok().and_then(Kind::from_code) == Some(Kind::Execution);
            if is_execution && stretch.overlaps(begin, end) {
                writeln!(out, "{node},{object},{begin},{end},{}", f64::from_bits(simtime as u64))?;
            }
        }
    }
    Ok(())
}
