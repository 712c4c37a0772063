//! A trace for ui.perfetto.dev: calls of ranks and work of nodes as slices, messages as arrows. A
//! file that ends in `.json` is one that chrome://tracing opens too.

use super::tracks::{ARRIVALS, RANKS, SENDS, WORK, group_of, rank_track};
use super::{Exported, Written, calls, messages, told};
use crate::show;
use anyhow::Result;
use mpi_lens::CallTables;
use record::Run;
use report::perfetto::{Json, Protobuf, Trace, Track};
use serde_json::json;
use std::path::Path;

/// Write the trace, whole or not at all; what is to be said of it.
pub fn write(run: &Run, asked: &Exported, limit: u64, file: &Path) -> Result<String> {
    let tables = CallTables::of(run);
    let wanted = asked.limited(run, &tables, limit)?;
    let written =
        show::whole(file, |out| match file.extension().is_some_and(|end| end == "json") {
            true => write_events(run, &tables, &wanted, &mut Json::begin(out)?),
            false => {
                let origin = wanted.stretch.first_ns.unwrap_or(0);
                write_events(run, &tables, &wanted, &mut Protobuf::begin(out, origin))
            }
        })?;
    let text = told(file, &written, "open it in https://ui.perfetto.dev");
    Ok(text + &wanted.stretch.told(limit))
}

fn write_events(
    run: &Run,
    tables: &CallTables,
    wanted: &Exported,
    trace: &mut dyn Trace,
) -> Result<Written> {
    let stretch = &wanted.stretch;
    name_tracks(run, tables, trace)?;
    let mut written =
        Written { calls: calls::write(run, tables, stretch, trace)?, ..Written::default() };
    (written.messages, written.intervals) = messages::write(run, tables, wanted, trace)?;
    let facts = json!({
        "program": run.info.program, "workload": run.info.workload, "transport": run.info.transport,
        "started": run.info.started.to_string(), "from_ns": stretch.from_ns, "to_ns": stretch.to_ns,
    });
    trace.end(&facts)?;
    Ok(written)
}

/// A group of tracks for all ranks; for nodes without tables of calls a group each, where their
/// messages float.
fn name_tracks(run: &Run, tables: &CallTables, trace: &mut dyn Trace) -> Result<()> {
    if !tables.is_empty() {
        trace.name_group(RANKS, "MPI ranks", 0)?;
    }
    for (launch, node) in run.info.nodes() {
        if tables.is_empty() {
            let of_launch = if run.info.launches.len() > 1 {
                format!("launch {launch}, ")
            } else {
                String::new()
            };
            let group = group_of(launch, node.node);
            trace.name_group(group, &format!("{of_launch}node {}", node.node), group)?;
            trace.name_track(Track { group, track: WORK }, "work")?;
            trace.name_track(Track { group, track: SENDS }, "sends")?;
            trace.name_track(Track { group, track: ARRIVALS }, "arrivals")?;
        } else {
            trace.name_track(rank_track(node.node, 0), &format!("rank {}", node.node))?;
        }
    }
    Ok(())
}
